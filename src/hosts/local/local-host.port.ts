// The port of a code host, and what only a host has that lives on this disk.
import type { HostAdapter, HostRepository, LocalHostFeatures } from '../port.ts';
import type { Installation } from './installation.ts';
import type { PullRequestEdit } from './pull-requests.rows.ts';
import type { Review } from './reviews.rows.ts';

/** The port, and what only a host has whose other side we are. */
export interface LocalHost extends HostAdapter, LocalHostFeatures {
  readonly kind: 'local';
  /** For the other parts of this host: git over HTTP, the runner of checks, the import. */
  readonly installation: Installation;
  reviewPullRequest(repository: HostRepository, number: number, review: Review): Promise<void>;
  editPullRequest(repository: HostRepository, number: number, changes: PullRequestEdit): Promise<void>;
  listComments(
    repository: HostRepository,
    number: number,
  ): Promise<
    readonly {
      readonly key: string;
      readonly author: string;
      readonly body: string;
      readonly createdAt: number;
      readonly editedAt: number | null;
    }[]
  >;
  /** Compares refs with rows now. */
  reconcile(repository: HostRepository): Promise<void>;
}
