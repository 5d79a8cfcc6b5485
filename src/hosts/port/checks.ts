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
   * The event that started the run, as the host names it (`push`, `pull_request`). It tells what the run has checked
   * out. Null: the host has no events, or the check is no workflow's.
   */
  readonly event: string | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
}

export interface CheckReport {
  readonly commit: string;
  /** No further check will start by itself: the host knows its whole list for this commit. */
  readonly complete: boolean;
  /**
   * When the same report may be complete although nothing has happened: read again then, in milliseconds since the
   * epoch. Null: it is complete, or an event will come.
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
   * A branch that stands on the commit and stays there until the run has started. A host that runs workflows on
   * branches alone uses it. Null: there is none, and such a host makes a branch for the run.
   */
  readonly branch: string | null;
  /** Given to the run. A workflow that does not declare one of them is refused, as is more than `mostInputs`. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** Which checks are expected, for a host that does not know the whole list of a commit's checks. */
export interface WantedChecks {
  /** Names that are required of the commit: with all of them ended the report is complete. */
  readonly expected: readonly string[];
  /** Of its base branch (`BaseRules.pinned`). */
  readonly pinned?: PinnedChecks;
  /** When the branch was moved to the commit, for which CI has started since. Null: not known. */
  readonly movedAt: number | null;
}

/** Checks by name that count only from these writers, by the host's ids of them. Any writer may report the others. */
export type PinnedChecks = Readonly<Record<string, readonly string[]>>;

/**
 * What the host demands of a base branch. `push` says what happens to a landing, which moves the branch by
 * `updateRefs`:
 * - `free`: the host takes every commit from us.
 * - `checked`: the host takes only commits that carry the required checks themselves. A commit that is proven by the
 *   checks
 *   of another one of the same tree is refused, so that it is built first.
 * - `refused`: the host certainly takes no commit from us. Nothing lands until the rules change.
 */
export interface BaseRules {
  readonly requiredChecks: readonly string[];
  /**
   * With `push: 'checked'`, the names that a commit certainly has to have passed before the host takes it. Left out:
   * none.
   */
  readonly enforcedChecks?: readonly string[];
  /** Left out: none of them is. */
  readonly pinned?: PinnedChecks;
  readonly push: 'free' | 'checked' | 'refused';
  /**
   * For people, in whole sentences: the rule that refuses landings, or may refuse them because the host does not show
   * whether it exempts us, and the cure ("Add Interlock to the bypass list of the ruleset main, mode always."). Null:
   * there is none.
   */
  readonly why: string | null;
  /** The branch takes no merge commits. */
  readonly linear: boolean;
  /** The branch takes only commits with a verified signature. */
  readonly signed: boolean;
  /**
   * What can be done at the host about `linear` and about `push: 'checked'`, with its link: the end of a sentence that
   * begins with "or". Left out: the host names nothing.
   */
  readonly cures?: { readonly linear?: string; readonly checks?: string };
  /**
   * How long the answer counts, unless the host reports an event `rules`. Left out: the host is asked at each look,
   * because the answer costs little.
   */
  readonly countsForMs?: number;
}

/** What GitHub takes in one dispatch. */
export const mostInputs = 25;

/** A workflow that was started by name. It is no check of its commit. */
export interface WorkflowRun {
  /** `pending` while it waits or runs. */
  readonly conclusion: CheckConclusion;
  readonly url: string | null;
  readonly summary: string | null;
}

export interface HostChecks {
  /** Newest attempt of every check of a commit, of workflows that start by themselves too while they wait or run. */
  readChecks(repository: HostRepository, commit: string, wanted: WantedChecks): Promise<CheckReport>;
  /**
   * Reports a check of ours on a commit, which `readChecks` never has. What was reported under a higher `version`
   * stays.
   */
  publishCheck(repository: HostRepository, check: PublishedHostCheck): Promise<void>;
  /** Read at the present tip of the base branch. A branch that does not exist has no rules. */
  readBaseRules(repository: HostRepository, baseBranch: string): Promise<BaseRules>;
  /** Stops what still runs for a commit. Idempotent. */
  cancelChecks(repository: HostRepository, commit: string): Promise<void>;
  /** Starts the named checks again (a new attempt each). Answers those it starts: not what still runs, or never ran. */
  rerunChecks(repository: HostRepository, commit: string, names: readonly string[]): Promise<readonly string[]>;
  /**
   * Starts a workflow on a commit and answers the host's name for the run. One run for each `key`: asked again, the
   * host answers the run there is. Throws HostRefused when that commit has no such workflow, or it does not take the
   * inputs.
   */
  dispatchWorkflow(repository: HostRepository, dispatch: WorkflowDispatch): Promise<string>;
  /** Null: the host knows no such run. */
  readWorkflowRun(repository: HostRepository, run: string): Promise<WorkflowRun | null>;
  /** Idempotent; a run that has ended stays as it is. */
  cancelWorkflowRun(repository: HostRepository, run: string): Promise<void>;
}
