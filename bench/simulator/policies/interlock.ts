// The planner of the product, with the rules of a queue.
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';
import { plannerPolicy, type PlannerOptions } from '../../../src/domain/simulation/planner-policy.ts';
import type { Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { rulesOfPlanner } from './rules.ts';
import { trainedModel } from './submitqueue.ts';

export function interlock(setup: PolicySetup, onPlan?: PlannerOptions['onPlan']): Policy {
  return interlockWith(setup, onPlan === undefined ? {} : { onPlan });
}

/**
 * Gets the success probabilities from the trained model of the other policies, and not from learned rates. The
 * difference from `interlock` shows what the model is worth.
 */
export function interlockTrained(setup: PolicySetup): Policy {
  const predictor = trainedModel(setup);
  return interlockWith(setup, { rowOf: (change) => ({ successProbability: predictor.chanceOf(change, 0) }) });
}

/**
 * A green build lands only its own members. The difference from `interlock` shows
 * what the prefix rule is worth.
 */
export function interlockWithoutPrefixRule(setup: PolicySetup): Policy {
  return interlockWith(setup, {}, { useOptimisticValidation: false });
}

function interlockWith(
  { workers, past }: PolicySetup,
  more: Pick<PlannerOptions, 'rowOf' | 'onPlan'>,
  different: Partial<QueueRules> = {},
): Policy {
  const rules = { ...rulesOfPlanner, speculation: 'adaptive', useAffectedTargets: true } as const;
  return plannerPolicy({
    rules: { ...rules, maxParallelBuilds: workers, batchSize: 4, ...different },
    ...(past !== undefined && { past }),
    ...more,
  });
}
