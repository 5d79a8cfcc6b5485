// The planner for queues whose builds are speculative (snapshot.ts), because of adaptive speculation or affected
// targets.
//
// The steps, each on the line that the previous step left: remove what cannot stay (plan-departures.ts) → land the
// mergeable set → select builds → announce → read checks from the host.
import { announceTop, planAgain, readUnstartedBuilds } from '../planning/announcements.ts';
import { countRunning, freeBuilds } from '../planning/capacity.ts';
import { gateDeadline } from '../planning/green-batch.ts';
import { verdictOf, withStartedBatch, type LineView } from '../planning/line.ts';
import type { SpeculationGraph, SpeculativeBuild } from './graph.ts';
import { estimateLandingProbabilities, type LandingProbabilities } from './landing-probability.ts';
import { landingOf, planLanding, type PlannedLanding } from './landing.ts';
import { selectBuilds, type BuildSelection } from './select-builds.ts';
import { planDepartures } from './plan-departures.ts';
import { countHeld } from './mergeable-set.ts';
import { viewGraph } from './view-graph.ts';
import type { Decision } from '../model/decision.ts';

export function planSpeculatively(view: LineView): Decision[] {
  if (landingOf(view)?.landingStarted) return planBehindLanding(view);
  const { graph, probabilities, decisions, until } = planDepartures(view);
  const landing = planLanding(graph);
  const selected =
    landing.indices.length === 0 ? selectFreeBuilds(graph, probabilities()) : selectBuildsBehind(graph, landing);
  return [
    ...decisions,
    ...selected.dropped.map(drop),
    ...landing.starts,
    ...selected.starts,
    ...announceTop(graph.view),
    ...readUnstartedBuilds(graph.view),
    ...landing.decisions,
    ...planAgain(graph.view, [until, selected.until, landing.until, gateDeadline(graph.view)]),
  ];
}

/** Selects the builds behind a planned landing. They assume that the landing succeeds. */
function selectBuildsBehind(graph: SpeculationGraph, { starts, indices }: PlannedLanding): BuildSelection {
  const view = starts.reduce(withStartedBatch, graph.view);
  const behind = { ...graph, view, landing: new Set([...graph.landing, ...indices]) };
  return selectFreeBuilds(behind, estimateLandingProbabilities(behind));
}

/**
 * While a landing is under way, no build is reset and no pull request is ejected, because the outcome of the landing
 * may change the line. New builds assume that the landing succeeds.
 */
function planBehindLanding(view: LineView): Decision[] {
  const graph = viewGraph(view);
  const { starts, dropped, until } = selectFreeBuilds(graph, estimateLandingProbabilities(graph));
  // Obsolete builds end when the outcome of the landing is known, and are replaced then. So no new build of their
  // members starts now.
  const undecided = new Set(graph.obsolete.flatMap(({ batch }) => batch.members.map((member) => member.pullRequest)));
  const certain = starts.filter(({ members }) => !members.some((member) => undecided.has(member.pullRequest)));
  return [...dropped.map(drop), ...certain, ...announceTop(view), ...planAgain(view, [until])];
}

function selectFreeBuilds(graph: SpeculationGraph, probabilities: LandingProbabilities): BuildSelection {
  const { view } = graph;
  const { queue, rules } = view.snapshot;
  if (queue.paused && (rules.maxParallelPausedBuilds ?? 0) === 0) return { starts: [], dropped: [], until: null };
  // A landing on the evidence of builds of parts counts as a running build only if its own commit is built. While the
  // commit is being made, it is not known whether it must be built.
  const building = view.batches.filter(
    (batch) => batch.restsOn.length === 0 || (batch.commit !== null && verdictOf(view, batch).kind === 'pending'),
  );
  const running = countRunning(view, [...building, ...view.sideBuilds], countHeld(graph));
  return selectBuilds(graph, probabilities, freeBuilds(view, running));
}

function drop({ batch }: SpeculativeBuild): Decision {
  return { kind: 'ReturnBatch', batch: batch.id, code: 309 };
}
