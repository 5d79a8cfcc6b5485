// Checks of commits, and workflows that are started by name.
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';
import type { HostRepository } from './repository.ts';

export interface HostCheck {
  readonly name: string;
  /** 1 for the first run on that commit; a rerun is a new attempt. Only the newest attempt of a name counts. */
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
  readonly startedAt: number | null;
  readonly completedAt: number | null;
}

export interface CheckReport {
  readonly commit: string;
  /** Whether the list of checks is final: as far as the host can tell, no further check will start by itself. */
  readonly complete: boolean;
  /**
   * When the report may become complete without any further event, in milliseconds since the epoch. The report is read
   * again then. Null: the report is complete, or an event will come first.
   */
  readonly settlesAt: number | null;
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
  /**
   * A branch that stands on the commit and stays there until the run has started. A host that runs workflows only on
   * branches starts the run on this branch. Null: there is no such branch, and such a host makes one for the run.
   */
  readonly branch: string | null;
  /** The inputs of the run, at most `mostInputs`. The host refuses an input that the workflow does not declare. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** Which checks are expected, for a host that does not know the whole list of a commit's checks. */
export interface WantedChecks {
  /** The names of the commit's required checks. If all have ended and no other check runs, the report is complete. */
  readonly expected: readonly string[];
  /** The pinned checks of the base branch (`BaseRules.pinned`). */
  readonly pinned?: PinnedChecks;
  /** When the branch was moved to the commit, which makes CI start. Null: not known. */
  readonly movedAt: number | null;
}

/**
 * By name of a check: the host's ids of the only writers whose report of this check counts. Any writer may report a
 * check that is not named here.
 */
export type PinnedChecks = Readonly<Record<string, readonly string[]>>;

/**
 * What the host demands of a base branch. `push` says what happens to a landing, which moves the branch by
 * `updateRefs`:
 * - `free`: the host takes every commit from us.
 * - `checked`: the host takes only commits that carry the required checks themselves. It refuses a commit that is
 *   proven only by the checks of another commit of the same tree, so such a commit is built itself first.
 * - `refused`: the host certainly takes no commit from us. Nothing lands until the rules change.
 */
export interface BaseRules {
  readonly requiredChecks: readonly string[];
  /**
   * With `push: 'checked'`: the names of the checks that a commit must certainly have passed before the host takes it.
   * Left out: there is none.
   */
  readonly enforcedChecks?: readonly string[];
  /** The checks that count only from certain writers. Left out: there is none. */
  readonly pinned?: PinnedChecks;
  readonly push: 'free' | 'checked' | 'refused';
  /**
   * For people, in whole sentences: the rule that refuses landings, and the cure ("Add Interlock to the bypass list of
   * the ruleset main, mode always."). If the host does not show whether a rule exempts Interlock, that rule is named
   * too. Null: there is no such rule.
   */
  readonly why: string | null;
  /** The branch takes no merge commits. */
  readonly linear: boolean;
  /** The branch takes only commits with a verified signature. */
  readonly signed: boolean;
  /**
   * What can be done at the host about `linear` and about `push: 'checked'`, with a link to the place. The text is the
   * end of a sentence and begins with "or". Left out: nothing can be done, or the host does not say what.
   */
  readonly cures?: { readonly linear?: string; readonly checks?: string };
  /**
   * How long the answer counts, unless the host reports an event `rules`. Left out: the host is asked at each look,
   * because the answer costs little.
   */
  readonly countsForMs?: number;
}

/** The most inputs that GitHub takes in one dispatch. */
export const mostInputs = 25;

/** The run of a workflow that was started by name. The run is no check of its commit. */
export interface WorkflowRun {
  /** `pending` while it waits or runs. */
  readonly conclusion: CheckConclusion;
  readonly url: string | null;
  readonly summary: string | null;
}

export interface HostChecks {
  /**
   * The newest attempt of every check of a commit. A check of a workflow that started by itself is listed also while it
   * waits or runs.
   */
  readChecks(repository: HostRepository, commit: string, wanted: WantedChecks): Promise<CheckReport>;
  /**
   * Reports a check of Interlock itself on a commit. `readChecks` never returns such a check. A report with a higher
   * `version` is not replaced.
   */
  publishCheck(repository: HostRepository, check: PublishedHostCheck): Promise<void>;
  /** The rules of a base branch, as of its present tip. A branch that does not exist has no rules. */
  readBaseRules(repository: HostRepository, baseBranch: string): Promise<BaseRules>;
  /** Stops the checks of a commit that still run. Idempotent. */
  cancelChecks(repository: HostRepository, commit: string): Promise<void>;
  /**
   * Starts the named checks again (a new attempt each). Returns the names of the checks that it started. A check that
   * still runs or never ran is not started.
   */
  rerunChecks(repository: HostRepository, commit: string, names: readonly string[]): Promise<readonly string[]>;
  /**
   * Starts a workflow on a commit and returns the host's name for the run. Each `key` has one run: asked again with the
   * same key, the host returns that run. Throws HostRefused if the commit has no such workflow, or if the workflow does
   * not take the inputs.
   */
  dispatchWorkflow(repository: HostRepository, dispatch: WorkflowDispatch): Promise<string>;
  /** Null: the host knows no such run. */
  readWorkflowRun(repository: HostRepository, run: string): Promise<WorkflowRun | null>;
  /** Stops a run. A run that has ended stays as it is. Idempotent. */
  cancelWorkflowRun(repository: HostRepository, run: string): Promise<void>;
}
