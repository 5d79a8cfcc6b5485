// The planner of the product with linear speculation, the default of parallel mode: each build assumes that all earlier
// pull requests land. The other rules are those of `interlock`. Where targets are known they are used.
import { plannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import type { Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { rulesOfPlanner } from './rules.ts';

/** Each pull request has a build of its own, which is the default of `batch_size`. */
export function interlockLinear(setup: PolicySetup): Policy {
  return linearOf(setup, 1);
}

/** `batch_size` is 4, as for `interlock`. */
export function interlockLinearBatches(setup: PolicySetup): Policy {
  return linearOf(setup, 4);
}

function linearOf({ workers, past, changes }: PolicySetup, batchSize: number): Policy {
  return plannerPolicy({
    rules: {
      ...rulesOfPlanner,
      useAffectedTargets: changes.some(({ targets }) => targets !== null),
      maxParallelBuilds: workers,
      optimisticValidationFailureDepth: 1,
      batchSize,
    },
    ...(past !== undefined && { past }),
  });
}
