// A condition that must hold before a pull request is merged. It says what was observed, what is needed, and who must
// act.
import type { Actor, Precondition, PreconditionKind } from '../requests/admission.ts';
import type { ExplainedPullRequest } from './explain.ts';
import type { LinePosition } from './line-position.ts';
import type { CheckConclusion, RequiredCheck } from '../model/rules.ts';

export type ConditionKind =
  | 'asked'
  | 'open'
  | 'preconditions'
  | PreconditionKind
  | 'validation'
  | 'check'
  | 'queue'
  | 'not_halted'
  | 'not_paused'
  | 'host_answers'
  | 'place'
  | 'build'
  | 'landing'
  | 'landing_checks'
  | 'not_frozen'
  | 'merge_window'
  | 'base_rules'
  | 'final_gate';

/** The event of the log that caused the present state of a condition. */
export interface Cause {
  readonly action: string;
  readonly at: number;
  readonly actor: string | null;
}

export interface Condition {
  readonly kind: ConditionKind;
  /** The name of the check or validation. */
  readonly name: string | null;
  readonly holds: boolean;
  readonly observed: string;
  readonly needed: string;
  /** Who must act. Null while the condition holds. */
  readonly who: Actor | null;
  /**
   * When `observed` got its present value, or the time of the oldest record if the value is older. Null: not recorded.
   */
  readonly since: number | null;
  readonly cause: Cause | null;
  /** When the queue checks again without an event. Null: only an event makes it check. */
  readonly nextCheckAt: number | null;
  readonly sentence: string;
  readonly conditions: readonly Condition[];
}

export interface CheckFact {
  readonly name: string;
  readonly conclusion: CheckConclusion;
  readonly endedAt: number | null;
  /** The summary that CI wrote at the end of the check. Null: none. */
  readonly summary: string | null;
}

export interface CheckFacts {
  readonly checks: readonly CheckFact[];
  /** Null: every check that ran is required. */
  readonly required: readonly RequiredCheck[] | null;
  readonly startedAt: number | null;
}

export interface ConditionFacts {
  readonly pullRequest: ExplainedPullRequest;
  /** Null unless the pull request is in line. */
  readonly position: LinePosition | null;
  readonly preconditions: readonly Precondition[];
  /** Names of all configured validations. */
  readonly validations: readonly string[];
  readonly own: CheckFacts;
  readonly build: CheckFacts;
  readonly since: {
    readonly status: number | null;
    readonly preconditions: Readonly<Partial<Record<PreconditionKind, number>>>;
    readonly halted: number | null;
  };
  readonly causes: {
    readonly status: Cause | null;
    readonly pause: Cause | null;
    readonly halt: Cause | null;
    readonly freeze: Cause | null;
    readonly build: Cause | null;
    readonly stuck: Cause | null;
  };
}

type GivenCondition = Pick<Condition, 'kind' | 'holds' | 'observed' | 'needed' | 'sentence'> & Partial<Condition>;

export function condition(given: GivenCondition): Condition {
  const { who = null } = given;
  return {
    name: null,
    since: null,
    cause: null,
    nextCheckAt: null,
    conditions: [],
    ...given,
    who: given.holds ? null : who,
  };
}

/**
 * A condition that holds when all its parts hold. Otherwise it has the observed value, the sentence, the actor and the
 * cause of the first part that does not hold.
 */
export function group(
  kind: ConditionKind,
  conditions: readonly Condition[],
  texts: { readonly holds: string; readonly needed: string },
): Condition {
  const missing = conditions.filter(({ holds }) => !holds);
  const first = missing[0];
  const nextChecks = missing.flatMap(({ nextCheckAt }) => nextCheckAt ?? []);
  return condition({
    kind,
    holds: first === undefined,
    observed: first?.observed ?? texts.holds,
    needed: texts.needed,
    who: first?.who ?? null,
    since: first?.since ?? null,
    cause: first?.cause ?? null,
    nextCheckAt: nextChecks.length === 0 ? null : Math.min(...nextChecks),
    sentence: first?.sentence ?? `${texts.holds}.`,
    conditions,
  });
}
