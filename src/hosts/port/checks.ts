// Checks of commits, and workflows that are started by name.
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';
import type { HostRepository } from './repository.ts';

export interface HostCheck {
  readonly name: string;
  /** 1 for the first run of the check on its commit. A rerun is a new attempt. Only the newest attempt counts. */
  readonly attempt: number;
  /** `pending` while queued or running. */
  readonly conclusion: CheckConclusion;
  readonly url: string | null;
  readonly summary: string | null;
  /**
   * The event that started the run, as the host names it (`push`, `pull_request`). The event shows which commit the run
   * has checked out. Null: the host has no events, or the check is not of a workflow.
   */
  readonly event: string | null;
  /**
   * When the host made the workflow run of the check, in milliseconds since the epoch. If a job is run again, it tests
   * the commit that its workflow run was made for. Absent: the host does not say so, or the check is not of a workflow.
   */
  readonly workflowRunAt?: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** The host's number of the newest run. A later run has a greater one. Absent: the host has no such numbers. */
  readonly newestRun?: number;
}

export interface CheckReport {
  readonly commit: string;
  /** Whether the list of checks is final, as far as the host can tell: no further check will start for the commit. */
  readonly complete: boolean;
  /**
   * When the report may become complete without any further event, in milliseconds since the epoch. The report is read
   * again then. Null: the report is complete, or an event will come first.
   */
  readonly settlesAt: number | null;
  readonly canceled: boolean;
  readonly checks: readonly HostCheck[];
  /**
   * Names of workflows that have begun and are not in `checks`. While such a workflow waited for an approval, it was a
   * check itself. Absent: none.
   */
  readonly begun?: readonly string[];
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
  /**
   * A branch whose tip is the commit, at least until the run has started. A host that runs workflows only on branches
   * starts the run on this branch. Null: there is no such branch, and a host that needs a branch makes one for the run.
   */
  readonly branch: string | null;
  /** The inputs of the run, at most `maxInputs`. The host refuses an input that the workflow does not declare. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** The checks that a caller expects, for a host that cannot list all checks of a commit before they start. */
export interface WantedChecks {
  /**
   * The names of the commit's required checks. The report is complete if all of them have ended and no other check
   * runs.
   */
  readonly expected: readonly string[];
  /** The pinned checks of the base branch (`BaseRules.pinned`). */
  readonly pinned?: PinnedChecks;
  /** When the branch was moved to the commit. CI starts at this move. Null: the instant is not known. */
  readonly movedAt: number | null;
  /** Whether a report of the commit was complete before. Absent: no. */
  readonly wasComplete?: boolean;
}

export interface WantedCommit extends WantedChecks {
  readonly commit: string;
}

/**
 * The key is the name of a check. The value has the host's ids of the only writers whose reports of the check count. A
 * check without an entry may be reported by any writer.
 */
export type PinnedChecks = Readonly<Record<string, readonly string[]>>;

/**
 * The host's rules for a base branch. `push` says whether the host accepts a landing, which moves the branch by
 * `updateRefs`:
 * - `free`: the host accepts every commit from Interlock.
 * - `checked`: the host accepts only commits on which the required checks have passed. If only another commit of the
 *   same tree has passed them, the host refuses the commit. Interlock therefore builds such a commit before it lands
 *   the commit.
 * - `refused`: the host certainly accepts no commit from Interlock. Nothing lands until the rules change.
 */
export interface BaseRules {
  readonly requiredChecks: readonly string[];
  /**
   * With `push: 'checked'`: the names of the checks that must certainly have passed on a commit before the host accepts
   * the commit. Left out: there are none.
   */
  readonly enforcedChecks?: readonly string[];
  /** The checks that count only from certain writers. Left out: there are none. */
  readonly pinned?: PinnedChecks;
  readonly push: 'free' | 'checked' | 'refused';
  /**
   * Whole sentences for people. They say which rule refuses landings, and what to do about it ("Add Interlock to the
   * bypass list of the ruleset main, mode always."). If the host does not show whether a rule exempts Interlock, the
   * sentences name the rule too. Null: no rule refuses landings.
   */
  readonly why: string | null;
  /** The host accepts no merge commits on the branch. */
  readonly linear: boolean;
  /** The host accepts only commits with a verified signature on the branch. */
  readonly signed: boolean;
  /**
   * How an admin can lift `linear` and `push: 'checked'` at the host, with a link to the page. Each text is the end of
   * a sentence and begins with "or". Left out: nothing can be done, or the host does not say what.
   */
  readonly cures?: { readonly linear?: string; readonly checks?: string };
  /**
   * How long a caller may keep the rules in a cache. An event `rules` of the host ends the time early. Left out: the
   * rules are cheap to read, and callers read them each time.
   */
  readonly countsForMs?: number;
}

/** The most inputs that GitHub accepts in one dispatch. */
export const maxInputs = 25;

/** The run of a workflow that was started by name. It is not a check of its commit. */
export interface WorkflowRun {
  /** `pending` while it waits or runs. */
  readonly conclusion: CheckConclusion;
  readonly url: string | null;
  readonly summary: string | null;
}

export interface HostChecks {
  /**
   * Reads the newest attempt of every check of a commit. Checks that wait or run are included, if an event started
   * their workflow. Earlier attempts that a later run of the workflow canceled are included as `stale`.
   */
  readChecks(repository: HostRepository, commit: string, wanted: WantedChecks): Promise<CheckReport>;
  /** Like `readChecks`, for several commits at once. The reports have the order of `commits`. */
  readChecksTogether(repository: HostRepository, commits: readonly WantedCommit[]): Promise<readonly CheckReport[]>;
  /**
   * Reports a check of Interlock itself on a commit. `readChecks` never returns such a check. A report with a higher
   * `version` is not replaced.
   */
  publishCheck(repository: HostRepository, check: PublishedHostCheck): Promise<void>;
  /** Reads the rules of a base branch at its present tip. A branch that does not exist has no rules. */
  readBaseRules(repository: HostRepository, baseBranch: string): Promise<BaseRules>;
  /** Stops the checks of a commit that still run. Idempotent. */
  cancelChecks(repository: HostRepository, commit: string): Promise<void>;
  /**
   * Starts a new attempt of each named check, and returns the names of the checks that were started. A check that still
   * runs or never ran is not started.
   */
  rerunChecks(repository: HostRepository, commit: string, names: readonly string[]): Promise<readonly string[]>;
  /**
   * Starts a workflow on a commit and returns the host's name for the run. Each `key` has one run: a second call with
   * the same key returns the run of the first. Throws HostRefused if the commit has no such workflow, or if the
   * workflow does not declare the inputs.
   */
  dispatchWorkflow(repository: HostRepository, dispatch: WorkflowDispatch): Promise<string>;
  /** Reads a run. Null: the host has no run with this name. */
  readWorkflowRun(repository: HostRepository, run: string): Promise<WorkflowRun | null>;
  /** Stops a run. A run that has ended stays as it is. Idempotent. */
  cancelWorkflowRun(repository: HostRepository, run: string): Promise<void>;
}
