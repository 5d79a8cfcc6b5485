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
  /**
   * A ref was deleted, and pointed to `commit` before. It may exist again when it is read, so that this event is the only
   * sign of its deletion.
   */
  | { readonly kind: 'deletion'; readonly repository: HostRepository; readonly ref: string; readonly commit: string }
  | { readonly kind: 'pull_request'; readonly repository: HostRepository; readonly number: number }
  | { readonly kind: 'comment'; readonly repository: HostRepository; readonly number: number }
  | { readonly kind: 'checks'; readonly repository: HostRepository; readonly commit: string }
  /** The rules of base branches, which `readBaseRules` reads, have changed. */
  | { readonly kind: 'rules'; readonly repository: HostRepository };

export interface CodeHost extends HostGit, HostComposing, HostPullRequests, HostChecks {
  readonly kind: 'local' | 'github';
  /**
   * When the host shows a pull request as merged. `reported`: after `concludePullRequest`. `reachable`: as soon as the
   * head commit is reachable from the base branch; `concludePullRequest` closes every other pull request.
   */
  readonly mergedWhen: 'reported' | 'reachable';

  /** Makes the repository (local), or checks that it exists (github). Idempotent. */
  ensureRepository(repository: HostRepository, options: { readonly defaultBranch: string }): Promise<void>;

  /**
   * A text that changes with everything that a comparison of a repository reads at the host. It is for repositories
   * without open pull requests. Null: the repository has open pull requests, has just changed, or the host cannot tell
   * this with less effort than a comparison.
   */
  readIdleStamp(repository: HostRepository): Promise<string | null>;

  /**
   * Examines whether the host permits everything that landings need, and reports one finding after the other. Tries
   * operations that can be undone, and undoes them. A refusal of the host is a finding, and so is a question that the
   * host cannot answer.
   */
  examine(repository: HostRepository, expectations: HostExpectations, report: ReportFinding): Promise<void>;

  /**
   * Removes the repository and all its data at the host (local), or this machine's mirror of the repository (github).
   * Idempotent.
   */
  removeRepository(repository: HostRepository): Promise<void>;
}

/** What a repository needs from its host. */
export interface HostExpectations {
  /** The base branches of the queues. The first one is the default branch. */
  readonly baseBranches: readonly string[];
  /** The names of the checks that the configuration requires. */
  readonly requiredChecks: readonly string[];
  /**
   * Whether CI has validated a bot branch of the repository before. Also true if the repository builds no bot branches.
   */
  readonly isValidated: boolean;
}

export type Hosts = (kind: CodeHost['kind']) => CodeHost;

/** A code host, with the work that a process does for it from the start of the process to its stop. */
export interface HostAdapter extends CodeHost {
  /**
   * Repairs what killed processes left on disk. Called once, at the start of the process tree that owns the host's
   * files, before anything else uses the files. A repository that cannot be repaired is reported to `onError`, and the
   * reconciler tries it again.
   */
  recover(onError: (error: unknown) => void): Promise<void>;
  /**
   * Makes the loop that compares the host's records with its repositories: at once, and then every `everyMs` (default:
   * one minute).
   */
  reconciler(options: { readonly everyMs?: number; readonly onError: (error: unknown) => void }): Loop;
  /**
   * Ends the calls that wait for their turn: they throw CallGivenBack. Later calls do not wait either. Called at the
   * begin of a stop, so that another process makes these calls.
   */
  giveBackCalls(): void;
  /** Stops the processes that the host keeps running. Its loops must have stopped before. */
  stop(): Promise<void>;
}
