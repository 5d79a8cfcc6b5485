// Plans what lands now: the landing that is in line already, or else the mergeable set, or else a pull request that
// skips validation. The mergeable set lands as a new batch, or as the speculative build that equals it.
import type { BatchState } from '../model/snapshot.ts';
import { landGreenBatch } from '../planning/green-batch.ts';
import { isHeld, mayLand, verdictOf, type LineView } from '../planning/line.ts';
import { type SpeculationGraph, type SpeculativeBuild, pin } from './graph.ts';
import { findExactBuild, findMergeableSet, commitsOfBuilds, findUnvalidatedPullRequest } from './mergeable-set.ts';
import type { Decision } from '../model/decision.ts';

type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

/** The landing that is planned or under way. */
export function landingOf(view: LineView): BatchState | undefined {
  return view.batches[0] ?? view.sideBuilds.find((batch) => batch.landingPlanned || batch.landingStarted);
}

export interface PlannedLanding {
  readonly starts: readonly StartBatch[];
  readonly decisions: readonly Decision[];
  /** Indices of the pull requests that these decisions land. */
  readonly indices: readonly number[];
  /** When landings are allowed again, if a landing waits for this instant. Null: no landing waits. */
  readonly until: number | null;
}

export function planLanding(graph: SpeculationGraph): PlannedLanding {
  const { view } = graph;
  const nothing: PlannedLanding = { starts: [], decisions: [], indices: [], until: null };
  const isAllowed = mayLand(view);
  const until = view.snapshot.queue.landingsFrom;
  const landing = landingOf(view);
  if (landing !== undefined) {
    const decisions = isAllowed && !landing.landingPlanned ? landOne(view, landing) : [];
    return { ...nothing, decisions, until };
  }
  const ready = findMergeableSet(graph, (row) => !isHeld(view, row));
  const unvalidated = ready.indices.length === 0 ? findUnvalidatedPullRequest(graph) : null;
  const indices = unvalidated === null ? ready.indices : [unvalidated];
  // When landings are allowed again, green builds may land by a reorder.
  const isGreen = ({ verdict }: SpeculativeBuild): boolean => verdict.kind === 'green';
  if (indices.length === 0) return { ...nothing, until: graph.builds.some(isGreen) ? until : null };
  if (!isAllowed) return { ...nothing, until };
  const exact = findExactBuild(graph, ready);
  if (exact !== null) return { ...nothing, indices, decisions: landOne(view, exact.batch), until };
  return { ...nothing, indices, starts: [startLanding(graph, indices, commitsOfBuilds(ready))], until };
}

function landOne(view: LineView, batch: BatchState): readonly Decision[] {
  const verdict = verdictOf(view, batch);
  if (verdict.kind !== 'green' || batch.commit === null || batch.givenUp) return [];
  return landGreenBatch(view, { batch, verdict });
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
