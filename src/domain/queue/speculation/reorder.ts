// Moves a doubtful pull request to the back of the line, so that those behind it can land. The landing gate, the
// planner and the API all read this one order. A pull request is reordered when its build failed and is repeated
// (isolated-retry.ts). It is also reordered if others are ready to land without it while it is unlikely to land or in
// its isolated retry.
import { isInIsolatedRetry } from './isolated-retry.ts';
import { isSoleSuspect } from './ejection.ts';
import { isRedAlone, isUntouched, type SpeculationGraph } from './graph.ts';
import { mayReorderForFailure, mayReorder } from './reorderable.ts';
import { targetsOf } from './conflict-graph.ts';
import { findMergeable, findMergeablePast } from './mergeable-set.ts';
import { isHeldByOwnChecks, mayLand, withEach, type Step } from '../planning/line.ts';
import type { LandingProbabilities } from './landing-probability.ts';
import { overlap } from '../model/overlap.ts';
import { afterReorder, maxTimesPassed } from '../model/reordered.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import type { ReorderReason } from '../model/decision.ts';

/** Below this probability of landing, a pull request is unlikely to land. */
const likelyToLand = 0.8;

/** Why each pull request is reordered, by its index in line. */
type Reorders = ReadonlyMap<number, ReorderReason>;

/** `justified`: indices that a green speculative build justifies, even if a red one holds them. */
export function planReorder(
  graph: SpeculationGraph,
  justified: ReadonlySet<number>,
  probabilities: () => LandingProbabilities,
): Step {
  const failed = findFailed(graph, justified);
  return moveBack(graph, failed.size > 0 ? failed : findLeftOut(graph, justified, probabilities));
}

function moveBack({ view, line }: SpeculationGraph, passed: Reorders): Step {
  if (passed.size === 0) return { view, decisions: [] };
  const last = line.reduce((highest, row) => Math.max(highest, row.rank), 0);
  const behind = [...passed].flatMap(([index, reason]) => {
    const row = line[index];
    return row === undefined ? [] : [{ row, reason }];
  });
  const changes = behind.map(
    ({ row, reason }, index) => [row.id, { rank: last + index + 1, ...afterReorder(row, reason) }] as const,
  );
  return {
    view: withEach(view, new Map(changes)),
    decisions: behind.map(({ row, reason }) => ({ kind: 'Reorder', pullRequest: row.id, reason })),
  };
}

function findFailed(graph: SpeculationGraph, justified: ReadonlySet<number>): Reorders {
  const passed = new Map<number, ReorderReason>();
  for (const build of [...graph.builds, ...graph.inconclusive]) {
    const { batch, verdict, members } = build;
    const [index = -1] = members;
    if (verdict.kind !== 'red' || passed.has(index) || justified.has(index) || graph.landing.has(index)) continue;
    // The remaining member of a batch is built alone first.
    if (batch.members.length > 1 || !isRedAlone(build) || !isSoleSuspect(graph, build)) continue;
    if (!mayReorderForFailure(graph, index) || !holdsUpOthers(graph, index)) continue;
    passed.set(index, { kind: 'failed', failedChecks: verdict.failedChecks });
  }
  return passed;
}

/**
 * Compares one by one, because the conflict graph lists the earlier pull requests of each one and not the later ones.
 */
function holdsUpOthers({ view, line }: SpeculationGraph, index: number): boolean {
  const row = line[index];
  if (row === undefined) return false;
  const own = targetsOf(view, row);
  return line.some((other, behind) => behind > index && overlap(own, targetsOf(view, other)));
}

/** Only if others land at once: a pull request that is unlikely now may be likely before they can land. */
function findLeftOut(
  graph: SpeculationGraph,
  justified: ReadonlySet<number>,
  probabilities: () => LandingProbabilities,
): Reorders {
  const { view } = graph;
  if (!mayLand(view) || view.batches.length > 0 || graph.landing.size > 0) return new Map();
  const isReady = (row: PullRequestState): boolean => !isHeldByOwnChecks(view, row);
  if (justified.size > 0 && findMergeable(graph, isReady).indices.length > 0) return new Map();
  const reasons = new Map<number, ReorderReason | null>();
  const reasonOf = (index: number): ReorderReason | null => {
    const known = reasons.get(index);
    if (known !== undefined) return known;
    const reason = reasonToLeaveOut(graph, index, probabilities);
    reasons.set(index, reason);
    return reason;
  };
  const { indices, passed } = findMergeablePast(graph, isReady, (index) => reasonOf(index) !== null);
  const passing = new Set(indices);
  const inOrder = [...passed].sort((a, b) => a - b);
  return new Map(
    inOrder.flatMap((index) => {
      const reason = findFailureWithPassing(graph, index, passing) ?? reasonOf(index);
      return reason === null ? [] : [[index, reason]];
    }),
  );
}

/** Null: it must not be left out. */
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
 * A red build of it together with all pull requests that would pass it and overlap it, with nothing else before it.
 * When those have landed, the build proves that it failed by itself, on what is the tip then. Null: there is no such
 * build.
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
    const { verdict, pending, holds } = build;
    if (verdict.kind !== 'red' || !holds.has(index) || !pending.every((at) => at === index || isPassing(at))) continue;
    if (!overlapping.every((at) => holds.has(at)) || !isUntouched(graph, build, index)) continue;
    return { kind: 'failed', failedChecks: verdict.failedChecks };
  }
  return null;
}
