// The whole port of a code host, and what a host reports.
import type { ReportFinding } from '../../domain/doctor/finding.ts';
import type { Loop } from '../../platform/repeat.ts';
import type { HostChecks } from './checks.ts';
import type { HostComposing } from './composing.ts';
import type { HostGit } from './git.ts';
import type { HostPullRequests } from './pull-requests.ts';
import type { HostRepository } from './repository.ts';

/** What a host reports: only that something changed. The receiver reads the facts back from the host. */
export type HostEvent =
  | { readonly kind: 'push'; readonly repository: HostRepository; readonly ref: string }
  | { readonly kind: 'pull_request'; readonly repository: HostRepository; readonly number: number }
  | { readonly kind: 'comment'; readonly repository: HostRepository; readonly number: number }
  | { readonly kind: 'checks'; readonly repository: HostRepository; readonly commit: string }
  /** The rules of base branches, which `readBaseRules` reads, have changed. */
  | { readonly kind: 'rules'; readonly repository: HostRepository };

export interface CodeHost extends HostGit, HostComposing, HostPullRequests, HostChecks {
  readonly kind: 'local' | 'github';
  /**
   * When the host calls a pull request merged. `reported`: when `concludePullRequest` says so. `reachable`: when its
   * head is reachable from its base, and it closes the others.
   */
  readonly mergedWhen: 'reported' | 'reachable';

  /** Makes the repository exist (local) or checks that it does (github). Idempotent. */
  ensureRepository(repository: HostRepository, options: { readonly defaultBranch: string }): Promise<void>;

  /**
   * Reports what it finds, one finding after the other: whether the host permits what landings need. It tries what can
   * be undone, and undoes it. What the host refuses, or cannot be asked, is a finding.
   */
  examine(repository: HostRepository, expectations: HostExpectations, report: ReportFinding): Promise<void>;

  /**
   * Removes the repository and all that the host keeps of it (local), or this machine's mirror of it (github).
   * Idempotent.
   */
  removeRepository(repository: HostRepository): Promise<void>;
}

/** What a repository expects of its host. */
export interface HostExpectations {
  /** The first is the default branch. */
  readonly baseBranches: readonly string[];
  /** Checks that the configuration demands by name. */
  readonly requiredChecks: readonly string[];
  /** CI has validated a bot branch here before, or none is built here. */
  readonly isValidated: boolean;
}

export type Hosts = (kind: CodeHost['kind']) => CodeHost;

/** A code host as a process runs it: what goes on from its start to its stop. */
export interface HostAdapter extends CodeHost {
  /** Once, at the start of the process tree that owns what the host keeps on disk, before anything else uses it. */
  recover(): Promise<void>;
  /** Compares the host's records with its repositories, at once and then every `everyMs` (default: a minute). */
  reconciler(options: { readonly everyMs?: number; readonly onError: (error: unknown) => void }): Loop;
  /** Ends what the host keeps running. Its loops have stopped before. */
  stop(): Promise<void>;
}
