// The product's own planner, with the rules a queue would give it.
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';
import { plannerPolicy, type PlannerOptions } from '../../../src/domain/simulation/planner-policy.ts';
import type { Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { rulesOfPlanner } from './rules.ts';
import { trainedModel } from './submitqueue.ts';

export function interlock(setup: PolicySetup): Policy {
  return interlockWith(setup, {});
}

/** With the model that the other policies are given, instead of the rates it learns: the distance between the two is its worth. */
export function interlockTrained(setup: PolicySetup): Policy {
  const predictor = trainedModel(setup);
  return interlockWith(setup, { rowOf: (change) => ({ successProbability: predictor.chanceOf(change, 0) }) });
}

/** Where a green build lands nothing but what it was made for: the distance is the worth of the prefix rule. */
export function interlockWithoutPrefixRule(setup: PolicySetup): Policy {
  return interlockWith(setup, {}, { useOptimisticValidation: false });
}

function interlockWith(
  { workers, past }: PolicySetup,
  more: Pick<PlannerOptions, 'rowOf'>,
  different: Partial<QueueRules> = {},
): Policy {
  const rules = { ...rulesOfPlanner, speculation: 'adaptive', useAffectedTargets: true } as const;
  return plannerPolicy({
    rules: { ...rules, maxParallelBuilds: workers, batchSize: 4, ...different },
    ...(past !== undefined && { past }),
    ...more,
  });
}
