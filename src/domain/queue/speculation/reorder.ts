// Moves a doubtful pull request to the end of the line, so that the pull requests behind it can land. The landing gate,
// the planner and the API all use the new order. A pull request is reordered when its build failed and is repeated
// (isolated-retry.ts). It is also reordered if it is unlikely to land or in its isolated retry while others are ready
// to land without it.
import { isInIsolatedRetry } from './isolated-retry.ts';
import { isSoleSuspect } from './ejection.ts';
import { isRedAlone, isUntouched, type SpeculationGraph } from './graph.ts';
import { mayReorderForFailure, mayReorder } from './reorderable.ts';
import { targetsOf } from './conflict-graph.ts';
import { findMergeableSet, findPassingSet } from './mergeable-set.ts';
import { isHeld, mayLand, withChanges, type Step } from '../planning/line.ts';
import type { LandingProbabilities } from './landing-probability.ts';
import { overlap } from '../model/overlap.ts';
import { recordReorder, maxTimesPassed } from '../model/reordered.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import type { ReorderReason } from '../model/decision.ts';

/** Below this probability of landing, a pull request is unlikely to land. */
const likelyToLand = 0.8;

/** Why each pull request is reordered, by its index in line. */
type Reorders = ReadonlyMap<number, ReorderReason>;

/**
 * `justified`: indices of pull requests that a green build justifies. They are not reordered, even if they are in a red
 * build.
 */
export function planReorder(
  graph: SpeculationGraph,
  justified: ReadonlySet<number>,
  probabilities: () => LandingProbabilities,
): Step {
  const failed = findFailed(graph, justified);
  return moveBack(graph, failed.size > 0 ? failed : findLeftOut(graph, justified, probabilities));
}

function moveBack({ view, line }: SpeculationGraph, reordered: Reorders): Step {
  if (reordered.size === 0) return { view, decisions: [] };
  const last = line.reduce((highest, row) => Math.max(highest, row.rank), 0);
  const moved = [...reordered].flatMap(([index, reason]) => {
    const row = line[index];
    return row === undefined ? [] : [{ row, reason }];
  });
  const changes = moved.map(
    ({ row, reason }, index) => [row.id, { rank: last + index + 1, ...recordReorder(row, reason) }] as const,
  );
  return {
    view: withChanges(view, new Map(changes)),
    decisions: moved.map(({ row, reason }) => ({ kind: 'Reorder', pullRequest: row.id, reason })),
  };
}

function findFailed(graph: SpeculationGraph, justified: ReadonlySet<number>): Reorders {
  const reordered = new Map<number, ReorderReason>();
  for (const build of [...graph.builds, ...graph.inconclusive]) {
    const { batch, verdict, members } = build;
    const [index = -1] = members;
    if (verdict.kind !== 'red' || reordered.has(index) || justified.has(index) || graph.landing.has(index)) continue;
    // The last remaining member of a batch is built alone first.
    if (batch.members.length > 1 || !isRedAlone(build) || !isSoleSuspect(graph, build)) continue;
    if (!mayReorderForFailure(graph, index) || !holdsUpOthers(graph, index)) continue;
    reordered.set(index, { kind: 'failed', failedChecks: verdict.failedChecks });
  }
  return reordered;
}

/**
 * Whether a later pull request overlaps the one at `index`. Compares them one by one, because the conflict graph
 * contains only the earlier overlapping pull requests.
 */
function holdsUpOthers({ view, line }: SpeculationGraph, index: number): boolean {
  const row = line[index];
  if (row === undefined) return false;
  const own = targetsOf(view, row);
  return line.some((other, later) => later > index && overlap(own, targetsOf(view, other)));
}

/**
 * Finds pull requests to leave out so that others land immediately. If none can land immediately, none is left out,
 * because a pull request that is unlikely to land now may be likely to land later.
 */
function findLeftOut(
  graph: SpeculationGraph,
  justified: ReadonlySet<number>,
  probabilities: () => LandingProbabilities,
): Reorders {
  const { view } = graph;
  if (!mayLand(view) || view.batches.length > 0 || graph.landing.size > 0) return new Map();
  const isReady = (row: PullRequestState): boolean => !isHeld(view, row);
  if (justified.size > 0 && findMergeableSet(graph, isReady).indices.length > 0) return new Map();
  const reasons = new Map<number, ReorderReason | null>();
  const reasonOf = (index: number): ReorderReason | null => {
    const known = reasons.get(index);
    if (known !== undefined) return known;
    const reason = reasonToLeaveOut(graph, index, probabilities);
    reasons.set(index, reason);
    return reason;
  };
  const { indices, passed } = findPassingSet(graph, isReady, (index) => reasonOf(index) !== null);
  const passing = new Set(indices);
  const inOrder = [...passed].sort((a, b) => a - b);
  return new Map(
    inOrder.flatMap((index) => {
      const reason = findFailureWithPassing(graph, index, passing) ?? reasonOf(index);
      return reason === null ? [] : [[index, reason]];
    }),
  );
}

/** Why the pull request may be left out. Null: it must not be left out. */
function reasonToLeaveOut(
  graph: SpeculationGraph,
  index: number,
  probabilities: () => LandingProbabilities,
): ReorderReason | null {
  if (!mayReorder(graph, index) || (graph.line[index]?.timesPassed ?? 0) >= maxTimesPassed) return null;
  if (isInIsolatedRetry(graph, index)) return { kind: 'isolated_retry' };
  const probability = probabilities()[index] ?? 1;
  return probability < likelyToLand ? { kind: 'unlikely', probability } : null;
}

/**
 * The reason `failed` if there is a red build of the pull request on top of all pull requests that would pass it and
 * overlap it, and no other pull request is before it. When these have landed, the build proves that it fails by itself
 * on the new tip. Null: there is no such build.
 */
function findFailureWithPassing(
  graph: SpeculationGraph,
  index: number,
  passing: ReadonlySet<number>,
): ReorderReason | null {
  const isPassing = (at: number): boolean => passing.has(at);
  if (!mayReorderForFailure(graph, index) || !graph.before(index).every(isPassing)) return null;
  const overlapping = [...passing].filter((at) => graph.before(Math.max(at, index)).includes(Math.min(at, index)));
  for (const build of graph.builds) {
    const { verdict, pending, pendingSet } = build;
    if (verdict.kind !== 'red' || !pendingSet.has(index) || !pending.every((at) => at === index || isPassing(at)))
      continue;
    if (!overlapping.every((at) => pendingSet.has(at)) || !isUntouched(graph, build, index)) continue;
    return { kind: 'failed', failedChecks: verdict.failedChecks };
  }
  return null;
}
