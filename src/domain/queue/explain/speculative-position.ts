// Where a pull request stands while builds are speculative builds: behind whom, and which of its builds says most about it.
import { type SpeculativeBuild } from '../speculation/graph.ts';
import type { LineView } from '../planning/line.ts';
import type { BatchState, PullRequestState } from '../model/snapshot.ts';
import { viewGraph } from '../speculation/view-graph.ts';

export interface SpeculativePosition {
  /** Those in line that have to land, or leave, before it: what it leaves alone does not count. */
  readonly before: readonly PullRequestState[];
  /** Its landing, else the speculative build that says most of it. Null: none is built. */
  readonly batch: BatchState | null;
  /** What that speculative build assumes to land before it, and is in line still. */
  readonly assumed: readonly PullRequestState[];
}

/** Null: it does not stand in that line. */
export function speculativePositionOf(view: LineView, pullRequestId: string): SpeculativePosition | null {
  const graph = viewGraph(view);
  const index = graph.indexOf.get(pullRequestId);
  if (index === undefined) return null;
  const rows = (indices: readonly number[]): PullRequestState[] => indices.flatMap((at) => graph.line[at] ?? []);
  const [build] = (graph.buildsOf.get(index) ?? []).toSorted(byWhatTheySay);
  const landing = view.batchOf.get(pullRequestId) ?? null;
  return {
    before: rows(graph.before(index)),
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

/** One that may land it, one that still may say so, one that failed; of the same, what was asked first. */
function byWhatTheySay(a: SpeculativeBuild, b: SpeculativeBuild): number {
  return weight[a.verdict.kind] - weight[b.verdict.kind] || a.batch.position - b.batch.position;
}
