// Plans which pull requests and builds leave the line now. The steps repeat until none leaves: block pull requests that
// failed by themselves → hold the pull requests stacked on them → judge the landing in line → eject failed pull
// requests → reorder pull requests that others need not wait for → dequeue stuck pull requests → end builds whose
// result no longer matters.
import { waitsForOwnChecks } from '../landing/gate.ts';
import { blockFailedPullRequests, holdPullRequestsAbove } from '../planning/departures.ts';
import { greenSince, endOwnCheckWait, type OwnCheckWait } from '../planning/green-batch.ts';
import { mayLand, type LineView, type Step } from '../planning/line.ts';
import { ejectFailedPullRequests, endObsoleteBuilds, judgeLanding } from './ejection.ts';
import type { SpeculationGraph } from './graph.ts';
import { estimateLandingProbabilities, type LandingProbabilities } from './landing-probability.ts';
import { findMergeableSet, type MergeableSet } from './mergeable-set.ts';
import { planReorder } from './reorder.ts';
import { viewGraph } from './view-graph.ts';
import type { Decision } from '../model/decision.ts';

export interface LineAfterDepartures {
  readonly graph: SpeculationGraph;
  readonly probabilities: () => LandingProbabilities;
  readonly decisions: readonly Decision[];
  /** When the next pull request becomes stuck. Null: no pull request waits only for its own checks. */
  readonly until: number | null;
}

export function planDepartures(start: LineView): LineAfterDepartures {
  const decisions: Decision[] = [];
  let view = start;
  const take = (step: Step): boolean => {
    view = step.view;
    decisions.push(...step.decisions);
    return step.decisions.length > 0;
  };
  for (;;) {
    take(blockFailedPullRequests(view));
    take(holdPullRequestsAbove(view));
    const graph = viewGraph(view);
    if (take(judgeLanding(graph))) continue;
    const justified = findMergeableSet(graph, () => true);
    const indices = new Set(justified.indices);
    if (take(ejectFailedPullRequests(graph, indices))) continue;
    const probabilities = estimatedOnce(graph);
    if (take(planReorder(graph, indices, probabilities))) continue;
    const ownCheckWait = judgeOwnCheckWait(graph, justified);
    const isLastRound = ownCheckWait.view === graph.view;
    // Decisions to read checks count only in the last round, so that the host is asked once, about the remaining line.
    take(
      isLastRound
        ? ownCheckWait
        : { ...ownCheckWait, decisions: ownCheckWait.decisions.filter(({ kind }) => kind !== 'ReadChecks') },
    );
    if (!isLastRound) continue;
    const planned = { decisions, until: ownCheckWait.until };
    if (!take(endObsoleteBuilds(graph))) return { ...planned, graph, probabilities };
    const remaining = viewGraph(view);
    return { ...planned, graph: remaining, probabilities: estimatedOnce(remaining) };
  }
}

/** Estimates at most once, because the estimate is the most expensive part of a plan. */
function estimatedOnce(graph: SpeculationGraph): () => LandingProbabilities {
  let probabilities: LandingProbabilities | undefined;
  return () => (probabilities ??= estimateLandingProbabilities(graph));
}

/**
 * Finds the pull requests that have waited for their own checks for too long. The time counts from the moment at which
 * all builds that justify the landing were green. Nobody is stuck while landings are stopped.
 */
function judgeOwnCheckWait(graph: SpeculationGraph, justified: MergeableSet): OwnCheckWait {
  const { stuckTimeoutMins } = graph.view.snapshot.rules;
  let ownCheckWait: OwnCheckWait = { view: graph.view, decisions: [], until: null };
  if (stuckTimeoutMins === null || !mayLand(graph.view)) return ownCheckWait;
  for (const index of justified.indices) {
    const row = graph.line[index];
    if (row === undefined || !waitsForOwnChecks(graph.view.snapshot.rules, row)) continue;
    const since = justified.builds.flatMap(({ pendingSet, verdict }) =>
      pendingSet.has(index) && verdict.kind === 'green' ? [greenSince(graph.view, verdict, [row])] : [],
    );
    const next = endOwnCheckWait(ownCheckWait.view, [row], {
      until: Math.max(...since) + stuckTimeoutMins * 60_000,
      // The next round of steps ends the speculative builds of pull requests that have left the line.
      resetWithout: (remaining) => ({ view: remaining, decisions: [] }),
    });
    const until = Math.min(ownCheckWait.until ?? Infinity, next.until ?? Infinity);
    ownCheckWait = {
      view: next.view,
      decisions: [...ownCheckWait.decisions, ...next.decisions],
      until: Number.isFinite(until) ? until : null,
    };
  }
  return ownCheckWait;
}
