// Makes the facts that conditions are listed from, and shows conditions as lines.
import { listConditions } from '../../../src/domain/queue/explain/condition-tree.ts';
import type { Cause, CheckFacts, Condition, ConditionFacts } from '../../../src/domain/queue/explain/condition.ts';
import type { ExplainedPullRequest } from '../../../src/domain/queue/explain/explain.ts';
import type { LinePosition } from '../../../src/domain/queue/explain/line-position.ts';
import type { Precondition } from '../../../src/domain/queue/requests/admission.ts';
import { queued } from './explained.ts';

/** One line for each condition: + or -, kind, what is observed and needed, and all else that is known. */
export function lines(conditions: readonly Condition[], indent = ''): string[] {
  return conditions.flatMap((each) => {
    const { kind, name, holds, observed, needed, who, since, cause, nextCheckAt, sentence } = each;
    const facts = [
      ...(who === null ? [] : [who]),
      ...(since === null ? [] : [`since ${since}`]),
      ...(cause === null ? [] : [`by ${cause.action}`]),
      ...(nextCheckAt === null ? [] : [`again at ${nextCheckAt}`]),
    ];
    const shown = `${indent}${holds ? '+' : '-'} ${name === null ? kind : `${kind} ${name}`}: ${observed} (${[needed, ...facts].join(', ')}). ${sentence}`;
    return [shown, ...lines(each.conditions, `${indent}  `)];
  });
}

export const noChecks: CheckFacts = { checks: [], required: [], startedAt: null };
const position: LinePosition = {
  ahead: 0,
  skippers: [],
  hold: null,
  ownChecks: null,
  finalGate: null,
  batch: null,
  tested: null,
  reordered: '',
  before: [],
  buildUntil: null,
  ownChecksUntil: null,
};
export const cause = (action: string, at = 5): Cause => ({ action, at, actor: null });

export interface Given {
  readonly pullRequest?: Partial<ExplainedPullRequest>;
  readonly position?: Partial<LinePosition> | null;
  readonly preconditions?: readonly Precondition[];
  readonly validations?: readonly string[];
  readonly own?: CheckFacts;
  readonly build?: CheckFacts;
  readonly since?: Partial<ConditionFacts['since']>;
  readonly causes?: Partial<ConditionFacts['causes']>;
}

export function facts(given: Given): ConditionFacts {
  const causes = { status: null, pause: null, halt: null, freeze: null, build: null, stuck: null };
  return {
    pullRequest: { ...queued, ...given.pullRequest },
    position: given.position === null ? null : { ...position, ...given.position },
    preconditions: given.preconditions ?? [],
    validations: given.validations ?? [],
    own: given.own ?? noChecks,
    build: given.build ?? noChecks,
    since: { status: null, preconditions: {}, halted: null, ...given.since },
    causes: { ...causes, ...given.causes },
  };
}

/** The lines of the condition of this kind, and of those below it. */
export function shown(kind: Condition['kind'], given: Given): string[] {
  return lines(listConditions(facts(given)).filter((each) => each.kind === kind));
}
