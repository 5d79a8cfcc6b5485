// The planner for queues whose builds are speculative builds (snapshot.ts): with adaptive speculation, or with affected targets.
//
// The steps, each on what the one before it left: block what failed by itself → hold what stands on it → judge the
// landing in line → gather what green speculative builds justify → blame → let pass → dequeue what is stuck → end what says nothing any more →
// choose builds → announce → ask the host → land.
import { announceTop, lookAgain, readUnstarted } from '../planning/announcements.ts';
import { blockFailed, holdAbove } from '../planning/departures.ts';
import { selectBuilds, pin, type BuildSelection } from './select-builds.ts';
import { ejectFailed, endObsolete, judgeLanding } from './ejection.ts';
import { type SpeculativeBuild, type SpeculationGraph } from './graph.ts';
import { findExact, findUnvalidated, findMergeable, restsOn, type MergeableSet } from './mergeable-set.ts';
import { gateDeadline, greenSince, judgeHeld, landGreen, type Patience } from '../planning/landing.ts';
import {
  isHeldByOwnChecks,
  mayLand,
  verdictOf,
  waitsForOwnChecks,
  withStarted,
  type LineView,
  type Step,
} from '../planning/line.ts';
import { estimateLandingProbabilities, type LandingProbabilities } from './landing-probability.ts';
import { planReorder } from './reorder.ts';
import type { BatchState, Decision } from '../model/snapshot.ts';
import { countRunning } from '../planning/capacity.ts';
import { freeBuilds } from '../planning/capacity.ts';
import { viewGraph } from './view-graph.ts';

type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

export function planSpeculatively(view: LineView): Decision[] {
  const landing = landingOf(view);
  if (landing?.landingBegun) return planBehind(view);
  const settled = settle(view);
  const { graph, decisions, until } = settled;
  const landed = planLanding(graph);
  const chosen =
    landed.indices.length === 0 ? selectFreeBuilds(graph, settled.probabilities()) : selectBuildsBehind(graph, landed);
  const isWaiting = landed.isDue && graph.view.snapshot.queue.landingsFrom !== null;
  return [
    ...decisions,
    ...chosen.dropped.map(drop),
    ...landed.starts,
    ...chosen.starts,
    ...announceTop(graph.view),
    ...readUnstarted(graph.view),
    ...landed.decisions,
    ...lookAgain(graph.view, [
      until,
      chosen.until,
      isWaiting ? graph.view.snapshot.queue.landingsFrom : null,
      gateDeadline(graph.view),
    ]),
  ];
}

/** What is built besides takes the landing for granted. */
function selectBuildsBehind(graph: SpeculationGraph, { starts, indices }: Landed): BuildSelection {
  const view = starts.reduce(withStarted, graph.view);
  const besides = { ...graph, view, landing: new Set([...graph.landing, ...indices]) };
  return selectFreeBuilds(besides, estimateLandingProbabilities(besides));
}

/** The landing that is planned or being made. */
function landingOf(view: LineView): BatchState | undefined {
  return view.batches[0] ?? view.sideBuilds.find((batch) => batch.landingPlanned || batch.landingBegun);
}

/** While a landing is begun nothing is reset or blamed: its outcome decides. What is built assumes it as it assumes others. */
function planBehind(view: LineView): Decision[] {
  const graph = viewGraph(view);
  const { starts, dropped, until } = selectFreeBuilds(graph, estimateLandingProbabilities(graph));
  // What would be ended now is ended when the outcome is known, and asked anew then.
  const unsettled = new Set(graph.obsolete.flatMap(({ batch }) => batch.members.map((member) => member.pullRequest)));
  const settled = starts.filter(({ members }) => !members.some((member) => unsettled.has(member.pullRequest)));
  return [...dropped.map(drop), ...settled, ...announceTop(view), ...lookAgain(view, [until])];
}

interface Settled {
  readonly graph: SpeculationGraph;
  readonly probabilities: () => LandingProbabilities;
  readonly decisions: readonly Decision[];
  readonly until: number | null;
}

/** Whoever leaves may settle the fate of others: until nobody does. */
function settle(start: LineView): Settled {
  const decisions: Decision[] = [];
  let view = start;
  const take = (step: Step): boolean => {
    view = step.view;
    decisions.push(...step.decisions);
    return step.decisions.length > 0;
  };
  for (;;) {
    take(blockFailed(view));
    take(holdAbove(view));
    const graph = viewGraph(view);
    if (take(judgeLanding(graph))) continue;
    const justified = findMergeable(graph, () => true);
    const indices = new Set(justified.indices);
    if (take(ejectFailed(graph, indices))) continue;
    const probabilities = onceWeighed(graph);
    if (take(planReorder(graph, indices, probabilities))) continue;
    const patience = judgePatience(graph, justified);
    const isOver = patience.view === graph.view;
    // Who is asked of the host is asked once, of the line that is left.
    take(
      isOver ? patience : { ...patience, decisions: patience.decisions.filter(({ kind }) => kind !== 'ReadChecks') },
    );
    if (!isOver) continue;
    const settled = { decisions, until: patience.until };
    if (!take(endObsolete(graph))) return { ...settled, graph, probabilities };
    const left = viewGraph(view);
    return { ...settled, graph: left, probabilities: onceWeighed(left) };
  }
}

/** Of all that a plan does this costs most. */
function onceWeighed(graph: SpeculationGraph): () => LandingProbabilities {
  let probabilities: LandingProbabilities | undefined;
  return () => (probabilities ??= estimateLandingProbabilities(graph));
}

/** Each is waited for from the instant when all that holds it was green. */
function judgePatience(graph: SpeculationGraph, justified: MergeableSet): Patience {
  const { stuckTimeoutMins } = graph.view.snapshot.rules;
  let patience: Patience = { view: graph.view, decisions: [], until: null };
  if (stuckTimeoutMins === null) return patience;
  for (const index of justified.indices) {
    const row = graph.line[index];
    if (row === undefined || !waitsForOwnChecks(graph.view, row)) continue;
    const since = justified.builds.flatMap(({ holds, verdict }) =>
      holds.has(index) && verdict.kind === 'green' ? [greenSince(graph.view, verdict)] : [],
    );
    const next = judgeHeld(patience.view, [row], {
      until: Math.max(...since) + stuckTimeoutMins * 60_000,
      // Speculative builds of those that left are found by the next look at the graph.
      resetWithout: (left) => ({ view: left, decisions: [] }),
    });
    const until = Math.min(patience.until ?? Infinity, next.until ?? Infinity);
    patience = {
      view: next.view,
      decisions: [...patience.decisions, ...next.decisions],
      until: Number.isFinite(until) ? until : null,
    };
  }
  return patience;
}

function selectFreeBuilds(graph: SpeculationGraph, probabilities: LandingProbabilities): BuildSelection {
  const { view } = graph;
  const { queue, rules } = view.snapshot;
  if (queue.paused && (rules.maxParallelPausedBuilds ?? 0) === 0) return { starts: [], dropped: [], until: null };
  // A landing that is being made rests on builds that there are; what is left of a chain is built, or waits when it is.
  const building = view.batches.filter(
    (batch) => batch.restsOn.length === 0 || (batch.commit !== null && verdictOf(view, batch).kind === 'pending'),
  );
  const running = countRunning(view, [...building, ...view.sideBuilds]);
  return selectBuilds(graph, probabilities, freeBuilds(view, running));
}

function drop({ batch }: SpeculativeBuild): Decision {
  return { kind: 'ReturnBatch', batch: batch.id, code: 309 };
}

interface Landed {
  readonly starts: readonly StartBatch[];
  readonly decisions: readonly Decision[];
  /** Of those that are to land by these. */
  readonly indices: readonly number[];
  /** Something would land, or might, were it allowed. */
  readonly isDue: boolean;
}

function planLanding(graph: SpeculationGraph): Landed {
  const { view } = graph;
  const nothing: Landed = { starts: [], decisions: [], indices: [], isDue: false };
  const isAllowed = mayLand(view);
  const landing = landingOf(view);
  if (landing !== undefined) {
    const decisions = isAllowed && !landing.landingPlanned ? landOne(view, landing) : [];
    return { ...nothing, decisions, isDue: true };
  }
  const ready = findMergeable(graph, (row) => !isHeldByOwnChecks(view, row));
  const unvalidated = ready.indices.length === 0 ? findUnvalidated(graph) : null;
  const indices = unvalidated === null ? ready.indices : [unvalidated];
  // Some of these may pass others then.
  if (indices.length === 0) return { ...nothing, isDue: graph.builds.some(({ verdict }) => verdict.kind === 'green') };
  if (!isAllowed) return { ...nothing, isDue: true };
  const exact = findExact(graph, ready);
  if (exact !== null) return { ...nothing, indices, decisions: landOne(view, exact.batch), isDue: true };
  return { ...nothing, indices, starts: [startLanding(graph, indices, restsOn(ready))], isDue: true };
}

function landOne(view: LineView, batch: BatchState): readonly Decision[] {
  const verdict = verdictOf(view, batch);
  if (verdict.kind !== 'green' || batch.commit === null || batch.givenUp) return [];
  return landGreen(view, { batch, verdict });
}

function startLanding(graph: SpeculationGraph, indices: readonly number[], parts: readonly string[]): StartBatch {
  const { tip, nextPosition } = graph.view.snapshot.queue;
  return {
    kind: 'StartBatch',
    position: nextPosition,
    members: pin(graph, indices),
    parentBatch: null,
    parentCommit: tip,
    base: tip,
    sideBuild: null,
    assumes: [],
    restsOn: parts,
    cause: 'optimistic',
  };
}
