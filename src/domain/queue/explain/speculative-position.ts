// Finds the position of a pull request among speculative builds: which pull requests it waits for, and which of its
// builds is nearest to landing it.
import { mayLandMembers, type SpeculationGraph, type SpeculativeBuild } from '../speculation/graph.ts';
import type { LineView } from '../planning/line.ts';
import type { BatchState, PullRequestState } from '../model/snapshot.ts';
import { countHeld } from '../speculation/mergeable-set.ts';
import { viewGraph } from '../speculation/view-graph.ts';

export interface SpeculativePosition {
  /**
   * The pull requests that must land or leave the line before this one lands. Only pull requests that overlap it count.
   */
  readonly before: readonly PullRequestState[];
  /**
   * The batch that lands the pull request. If there is none, the speculative build that is nearest to landing it. Null:
   * there is neither.
   */
  readonly batch: BatchState | null;
  /** The pull requests that this speculative build assumes to land first, and that are still in line. */
  readonly assumed: readonly PullRequestState[];
  /**
   * If it has no batch: the build of later pull requests that is most likely to land this one too. Null: there is none.
   */
  readonly container: Container | null;
}

/** A running or green build that assumes a pull request to land. */
export interface Container {
  readonly members: readonly PullRequestState[];
  /** The pull requests before the members that the build assumes not to land. */
  readonly without: readonly PullRequestState[];
}

const graphs = new WeakMap<LineView, SpeculationGraph>();

/** The graph is built once for each view, because its cost grows with the length of the line. */
function graphOf(view: LineView): SpeculationGraph {
  const graph = graphs.get(view) ?? viewGraph(view);
  graphs.set(view, graph);
  return graph;
}

export function countHeldBuilds(view: LineView): number {
  return countHeld(graphOf(view));
}

/** Null if the pull request is not in that line. */
export function speculativePositionOf(view: LineView, pullRequestId: string): SpeculativePosition | null {
  const graph = graphOf(view);
  const index = graph.indexOf.get(pullRequestId);
  if (index === undefined) return null;
  const [build] = (graph.buildsOf.get(index) ?? []).toSorted(byNearnessToLanding);
  const landing = view.batchOf.get(pullRequestId) ?? null;
  const assumed = landing === null ? (build?.pending.filter((at) => !build.members.includes(at)) ?? []) : [];
  return {
    // A pull request whose targets are unknown overlaps all others.
    before: graph.line[index]?.targets === null ? graph.line.slice(0, index) : rowsOf(graph, graph.before(index)),
    batch: landing ?? build?.batch ?? null,
    assumed: rowsOf(graph, assumed),
    container: landing === null && build === undefined ? containerOf(graph, index) : null,
  };
}

function rowsOf({ line }: SpeculationGraph, indices: readonly number[]): PullRequestState[] {
  return indices.flatMap((at) => line[at] ?? []);
}

/** The build that assumes the fewest others not to land, and the smallest of these. */
function containerOf(graph: SpeculationGraph, index: number): Container | null {
  const lackedBy = ({ members, pendingSet }: SpeculativeBuild): readonly number[] => [
    ...new Set(members.flatMap((member) => graph.before(member)).filter((at) => !pendingSet.has(at))),
  ];
  const [best] = graph.builds
    .filter(mayLandMembers)
    .filter(({ pendingSet, members }) => pendingSet.has(index) && !members.includes(index))
    .map((build) => ({ build, lacked: lackedBy(build) }))
    .toSorted((a, b) => a.lacked.length - b.lacked.length || a.build.pending.length - b.build.pending.length);
  if (best === undefined) return null;
  return { members: rowsOf(graph, best.build.members), without: rowsOf(graph, best.lacked) };
}

const weight: Readonly<Record<SpeculativeBuild['verdict']['kind'], number>> = {
  green: 0,
  pending: 1,
  gate_closed: 2,
  red: 3,
  timed_out: 3,
  worthless: 4,
};

/** Green builds come first, then running builds, then failed builds. Within each group the oldest comes first. */
function byNearnessToLanding(a: SpeculativeBuild, b: SpeculativeBuild): number {
  return weight[a.verdict.kind] - weight[b.verdict.kind] || a.batch.position - b.batch.position;
}
