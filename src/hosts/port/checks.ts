// Checks of commits, and workflows that are started by name.
import type { CheckConclusion } from '../../domain/queue/model/snapshot.ts';
import type { HostRepository } from './repository.ts';

export interface HostCheck {
  readonly name: string;
  /** 1 for the first run on that commit; a rerun is a new attempt. Only the newest attempt of a name counts. */
  readonly attempt: number;
  /** `pending` while queued or running. */
  readonly conclusion: CheckConclusion;
  readonly url: string | null;
  readonly summary: string | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
}

export interface CheckReport {
  readonly commit: string;
  /** No further check will start by itself: the host knows its whole list for this commit. */
  readonly complete: boolean;
  readonly canceled: boolean;
  readonly checks: readonly HostCheck[];
}

export interface PublishedHostCheck {
  readonly commit: string;
  readonly name: string;
  readonly state: 'pending' | 'success' | 'failure';
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
  readonly url: string | null;
  readonly version: number;
}

export interface WorkflowDispatch {
  readonly workflow: string;
  readonly commit: string;
  readonly key: string;
  /** Given to the run. A workflow that does not declare one of them is refused, as is more than `mostInputs`. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** What GitHub takes in one dispatch. */
export const mostInputs = 25;

/** A workflow that was asked for by name. It is no check of its commit. */
export interface WorkflowRun {
  /** `pending` while it waits or runs. */
  readonly conclusion: CheckConclusion;
  readonly url: string | null;
  readonly summary: string | null;
}

export interface HostChecks {
  /** Newest attempt of every check of a commit, of workflows that start by themselves too while they wait or run. */
  readChecks(repository: HostRepository, commit: string): Promise<CheckReport>;
  /** Reports a check of ours on a commit, which `readChecks` never has. What was reported under a higher `version` stays. */
  publishCheck(repository: HostRepository, check: PublishedHostCheck): Promise<void>;
  /** Names the host's branch protection requires on a base branch, read at its present tip. */
  readRequiredChecks(repository: HostRepository, baseBranch: string): Promise<readonly string[]>;
  /** Stops what still runs for a commit. Idempotent. */
  cancelChecks(repository: HostRepository, commit: string): Promise<void>;
  /** Starts the named checks again (a new attempt each). Answers those it starts: not what still runs, or never ran. */
  rerunChecks(repository: HostRepository, commit: string, names: readonly string[]): Promise<readonly string[]>;
  /**
   * Starts a workflow on a commit and answers the host's name for the run. One run for each `key`: asked again, the host
   * answers the run there is. Throws HostRefused when that commit has no such workflow, or it does not take the inputs.
   */
  dispatchWorkflow(repository: HostRepository, dispatch: WorkflowDispatch): Promise<string>;
  /** Null: the host knows no such run. */
  readWorkflowRun(repository: HostRepository, run: string): Promise<WorkflowRun | null>;
  /** Idempotent; one that has ended stays as it is. */
  cancelWorkflowRun(repository: HostRepository, run: string): Promise<void>;
}
