// The position of a pull request among speculative builds: which pull requests it waits for, and which of its builds is
// furthest.
import type { SpeculationGraph, SpeculativeBuild } from '../speculation/graph.ts';
import type { LineView } from '../planning/line.ts';
import type { BatchState, PullRequestState } from '../model/snapshot.ts';
import { viewGraph } from '../speculation/view-graph.ts';

export interface SpeculativePosition {
  /** Pull requests in line that must land or leave before it. Disjoint ones do not count. */
  readonly before: readonly PullRequestState[];
  /** Its landing; without one, its furthest speculative build. Null: there is neither. */
  readonly batch: BatchState | null;
  /** Pull requests that this speculative build assumes to land before it and that are still in line. */
  readonly assumed: readonly PullRequestState[];
}

const graphs = new WeakMap<LineView, SpeculationGraph>();

/** One graph for all pull requests that are asked about: it costs as much as the line is long. */
function graphOf(view: LineView): SpeculationGraph {
  const graph = graphs.get(view) ?? viewGraph(view);
  graphs.set(view, graph);
  return graph;
}

/** Null if the pull request is not in that line. */
export function speculativePositionOf(view: LineView, pullRequestId: string): SpeculativePosition | null {
  const graph = graphOf(view);
  const index = graph.indexOf.get(pullRequestId);
  if (index === undefined) return null;
  const rows = (indices: readonly number[]): PullRequestState[] => indices.flatMap((at) => graph.line[at] ?? []);
  const [build] = (graph.buildsOf.get(index) ?? []).toSorted(byWhatTheySay);
  const landing = view.batchOf.get(pullRequestId) ?? null;
  return {
    // Without targets it overlaps everything.
    before: graph.line[index]?.targets === null ? graph.line.slice(0, index) : rows(graph.before(index)),
    batch: landing ?? build?.batch ?? null,
    assumed:
      landing !== null || build === undefined ? [] : rows(build.pending.filter((at) => !build.members.includes(at))),
  };
}

const weight: Readonly<Record<SpeculativeBuild['verdict']['kind'], number>> = {
  green: 0,
  pending: 1,
  gate_closed: 2,
  red: 3,
  timed_out: 3,
  worthless: 4,
};

/** Builds that may land it come first, then undecided ones, then failed ones; within each, the oldest first. */
function byWhatTheySay(a: SpeculativeBuild, b: SpeculativeBuild): number {
  return weight[a.verdict.kind] - weight[b.verdict.kind] || a.batch.position - b.batch.position;
}
