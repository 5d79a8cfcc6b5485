// Lists the conditions that must hold before a pull request is merged, as a tree. The sentences are those of admission
// and of `explain`.
import { explain } from './explain.ts';
import { condition, type Condition, type ConditionFacts, type ConditionKind } from './condition.ts';
import { buildCondition, landingCondition, placeCondition, queueCondition } from './line-conditions.ts';
import { preconditions } from './preconditions.ts';

/** Returns the conditions in the order in which they are checked. Empty for a merged pull request. */
export function listConditions(facts: ConditionFacts): Condition[] {
  const { status } = facts.pullRequest;
  switch (status) {
    case 'merged':
      return [];
    case 'closed':
      return [unmetCondition('open', facts, { observed: 'closed', needed: 'open' })];
    case 'open':
    case 'pending':
    case 'blocked':
      return [requestCondition(facts), preconditions(facts)];
    case 'queued':
    case 'tagged': {
      const { position } = facts;
      const inLine =
        position === null
          ? []
          : [placeCondition(facts, position), buildCondition(facts, position), landingCondition(facts, position)];
      return [requestCondition(facts), preconditions(facts), queueCondition(facts), ...inLine];
    }
    default:
      return status satisfies never;
  }
}

/** A condition that does not hold, with the sentence of `explain`. */
function unmetCondition(
  kind: ConditionKind,
  facts: ConditionFacts,
  { observed, needed }: Pick<Condition, 'observed' | 'needed'>,
): Condition {
  const { who, sentence } = explain(facts.pullRequest);
  return condition({
    kind,
    holds: false,
    observed,
    needed,
    who,
    sentence,
    since: facts.since.status,
    cause: facts.causes.status,
  });
}

function requestCondition(facts: ConditionFacts): Condition {
  const { status } = facts.pullRequest;
  if (status === 'open') return unmetCondition('asked', facts, { observed: 'not requested', needed: 'requested' });
  // A blocked pull request is not in line until somebody queues it again.
  if (status === 'blocked') return unmetCondition('asked', facts, { observed: 'blocked', needed: 'requested again' });
  return condition({
    kind: 'asked',
    holds: true,
    observed: 'requested',
    needed: 'requested',
    sentence: 'Somebody asked to merge it.',
    since: facts.since.status,
    cause: facts.causes.status,
  });
}
