// The port of a code host, and what only a host has that lives on this disk.
import type { Loop } from '../../platform/repeat.ts';
import type { CodeHost, HostRepository, LocalForge } from '../port.ts';
import type { Installation } from './installation.ts';
import type { PullRequestEdit, Review } from './pull-requests.rows.ts';

/** The port, and what only a host has whose other side we are. */
export interface LocalHost extends CodeHost, LocalForge {
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
  /** Once, at the start of the process tree that owns the data directory, before anything else uses it. */
  recover(): Promise<void>;
  /** Compares the refs of every repository with its rows, at once and every minute unless told otherwise. */
  reconciler(options: { readonly everyMs?: number; readonly onError: (error: unknown) => void }): Loop;
  /** Ends the gits that stay. */
  stop(): Promise<void>;
}
