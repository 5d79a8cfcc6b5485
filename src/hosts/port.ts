// The code host port: what Interlock asks of the place where repositories live. Its shape is what GitHub's API
// can and cannot do, so that both adapters (`local/`, `github/`) offer the very same guarantees:
// commits and merges are made without a clone; refs move by compare-and-set, several in one atomic update;
// the host's own merge call guards the head but not the base; webhooks are hints that come late, twice or never.
// Every write is idempotent by its arguments or guarded by an expected old value, and no adapter retries a write.
import type { HostChecks } from './port/checks.ts';
import type { HostComposing } from './port/composing.ts';
import type { HostGit } from './port/git.ts';
import type { HostPullRequests } from './port/pull-requests.ts';
import type { HostRepository } from './port/repository.ts';

export * from './port/checks.ts';
export * from './port/composing.ts';
export * from './port/git.ts';
export * from './port/pull-requests.ts';
export * from './port/repository.ts';

/** What a host tells us: only that something changed. The receiver reads the facts back from the host. */
export type HostEvent =
  | { readonly kind: 'push'; readonly repository: HostRepository; readonly ref: string }
  | { readonly kind: 'pull_request'; readonly repository: HostRepository; readonly number: number }
  | { readonly kind: 'comment'; readonly repository: HostRepository; readonly number: number }
  | { readonly kind: 'checks'; readonly repository: HostRepository; readonly commit: string };

export interface CodeHost extends HostGit, HostComposing, HostPullRequests, HostChecks {
  readonly kind: 'local' | 'github';

  /** Makes the repository exist (local) or checks that it does (github). Idempotent. */
  ensureRepository(repository: HostRepository, options: { readonly defaultBranch: string }): Promise<void>;

  /** Removes the repository and all that the host keeps of it (local), or leaves it alone (github). Idempotent. */
  removeRepository(repository: HostRepository): Promise<void>;
}

export type Hosts = (kind: CodeHost['kind']) => CodeHost;
