// The type of the local host, with the methods that only its own parts and tests use.
import type { HostAdapter, HostRepository, LocalHostFeatures } from '../port.ts';
import type { Installation } from './installation.ts';
import type { PullRequestEdit } from './pull-requests.rows.ts';
import type { Review } from './reviews.rows.ts';

/** The port of a code host, and what only the local host can do. */
export interface LocalHost extends HostAdapter, LocalHostFeatures {
  readonly kind: 'local';
  /** Used by the other parts of this host: git over HTTP, the runner of checks, and the import. */
  readonly installation: Installation;
  reviewPullRequest(repository: HostRepository, number: number, review: Review): Promise<void>;
  editPullRequest(repository: HostRepository, at: { readonly number: number }, changes: PullRequestEdit): Promise<void>;
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
  /** Makes the runners of this process look for checks that another process has queued or left. */
  wakeRunners(): void;
  /** Compares the refs of a repository with its rows once. */
  reconcile(repository: HostRepository): Promise<void>;
}
