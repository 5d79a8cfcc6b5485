// The world of small lines, and the policies that are compared with the best one. All of them know for each change how
// probably it is bad.
import { plannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import type { Change, MakePolicy, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { draw, drawWait, streams } from '../../../src/domain/simulation/randomness.ts';
import { inOrderOracle } from '../policies/in-order-oracle.ts';
import { oneAtATime } from '../policies/one-at-a-time.ts';
import { rulesOfPlanner } from '../policies/rules.ts';
import { bestFirst } from '../speculation/best-first.ts';
import { splitBlame } from '../speculation/success-estimates.ts';
import type { Optimum, SmallLine } from './optimum.ts';
import { optimumPolicy } from './policy.ts';

/** The mean time of a build. */
export const meanBuildMs = 30 * 60_000;

/** Draws which changes are bad, when they arrive, and how long builds take. */
export function drawSmallWorld({ failures, arrivals, workers }: SmallLine, seed: number): PolicySetup {
  let arrivedAt = 0;
  const changes = failures.map((_, number): Change => {
    arrivedAt += arrivals === Infinity ? 0 : (drawWait(seed, streams.arrival, number) * meanBuildMs) / arrivals;
    return { number, arrivedAt: Math.round(arrivedAt), author: number, targets: null };
  });
  const bad = new Set(failures.flatMap((share, number) => (draw(seed, streams.outcome, number) < share ? number : [])));
  return {
    workers,
    changes,
    truth: {
      isGreen: (_, added) => !added.some((change) => bad.has(change)),
      isFlake: () => false,
      durationOf: ({ tree, attempt }) =>
        Math.max(1, Math.round(drawWait(seed, streams.duration, tree, attempt) * meanBuildMs)),
    },
  };
}

export const smallPolicies: Readonly<Record<string, (optimum: Optimum) => MakePolicy>> = {
  optimum: (optimum) => () => optimumPolicy(optimum),
  interlock: ({ line }) => interlockWith(line),
  submitqueue: ({ line }) => submitQueueWith(line),
  'one-at-a-time': () => oneAtATime,
  'in-order-oracle': () => inOrderOracle,
};

/** Our planner, which knows that one red build is enough, because no build of the past was a flake. */
function interlockWith({ failures, workers }: SmallLine): MakePolicy {
  return () =>
    plannerPolicy({
      rules: { ...rulesOfPlanner, speculation: 'adaptive', maxParallelBuilds: workers, batchSize: 4 },
      rowOf: ({ number }) => ({ successProbability: 1 - (failures[number] ?? 0) }),
      past: { ends: [], secondTries: { passed: 0, judged: 1000 } },
    });
}

function submitQueueWith({ failures }: SmallLine): MakePolicy {
  return () =>
    bestFirst({
      predictor: { chanceOf: ({ number }) => 1 - (failures[number] ?? 0), learn: () => {} },
      evidence: splitBlame,
      isPreemptive: true,
      threshold: 0,
      goesPast: false,
    });
}
