// The product's own planner, with the rules a queue would give it.
import { plannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import type { Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { rulesOfPlanner } from './rules.ts';

export function interlock({ workers }: PolicySetup): Policy {
  const rules = { ...rulesOfPlanner, speculation: 'adaptive', useAffectedTargets: true } as const;
  return plannerPolicy({ rules: { ...rules, maxParallelBuilds: workers } });
}
