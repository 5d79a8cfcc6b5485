// Makes the start of a simulation from a snapshot: the line, and its running and ended builds.
import { inLineOrder } from '../queue/model/order.ts';
import { viewLine, type LineView } from '../queue/planning/line.ts';
import type { BatchState, PinnedHead, PullRequestState, Snapshot } from '../queue/model/snapshot.ts';
import { idOf } from './planner-rows.ts';
import type { Change } from './policy.ts';

export interface InitialBuild {
  readonly batch: BatchState;
  /** The numbers of the changes that the build tests. */
  readonly members: readonly number[];
  /**
   * The numbers of all changes that the build contains: its assumptions or those of the builds below it, then its
   * members.
   */
  readonly content: readonly number[];
  readonly verdict: 'making' | 'running' | 'green' | 'red';
  /** When the build was decided, in milliseconds since the epoch. */
  readonly since: number;
}

export interface InitialLine {
  readonly changes: readonly Change[];
  /** The id of each pull request, indexed by the number of its change. */
  readonly ids: readonly string[];
  /** The state of each pull request, indexed by the number of its change. */
  readonly rows: readonly PullRequestState[];
  /** The builds, each after its parent. */
  readonly builds: readonly InitialBuild[];
}

/**
 * Returns the first `length` pull requests in line. Those of them that are built beside the line come first. Builds that
 * have another member are left out.
 */
export function initialLineOf(snapshot: Snapshot, now: number, length: number): InitialLine {
  const view = viewLine(snapshot, now);
  const inLine = new Set(view.inOrder.map(({ id }) => id));
  const first = inLineOrder([...view.pullRequests.values()]).slice(0, length);
  const line = [...first.filter(({ id }) => !inLine.has(id)), ...view.inOrder].slice(0, length);
  const numbers = new Map(line.map(({ id }, number) => [id, number]));
  const rename = (id: string): string => {
    const number = numbers.get(id);
    return number === undefined ? id : idOf(number);
  };
  return {
    changes: line.map(({ targets }, number) => ({ number, targets, arrivedAt: now, author: 0 })),
    ids: line.map(({ id }) => id),
    rows: line.map((row) => ({
      ...row,
      id: rename(row.id),
      below: row.below === null ? null : rename(row.below),
      // Own checks that still run, and conflicts, are not simulated.
      ownVerdict: row.ownVerdict === 'red' ? 'red' : 'green',
      conflict: null,
    })),
    builds: buildsOf(view, numbers),
  };
}

function buildsOf(view: LineView, numbers: ReadonlyMap<string, number>): InitialBuild[] {
  const { queue, landings } = view.snapshot;
  const onBase = new Set([queue.tip, ...queue.lineage, ...landings.map(({ commit }) => commit)]);
  const contents = new Map<string, readonly number[]>();
  const names = new Map([...onBase].map((commit) => [commit, 'root']));
  const numbered = (heads: readonly PinnedHead[]): number[] =>
    heads.flatMap(({ pullRequest }) => numbers.get(pullRequest) ?? []);
  const pinned = (heads: readonly PinnedHead[]): PinnedHead[] =>
    heads.flatMap((head) => numbered([head]).map((number) => ({ ...head, pullRequest: idOf(number) })));
  return [...view.batches, ...view.sideBuilds].flatMap((batch): InitialBuild[] => {
    const verdict = verdictOf(view, batch);
    const parentCommit = names.get(batch.parentCommit);
    const isWhole = batch.members.every(({ pullRequest }) => numbers.has(pullRequest));
    if (verdict === null || parentCommit === undefined || !isWhole) return [];
    const members = numbered(batch.members);
    const content = [...(contents.get(batch.parentCommit) ?? numbered(batch.assumes)), ...members];
    if (batch.commit !== null) {
      names.set(batch.commit, `c${initialId(batch.id)}`);
      contents.set(batch.commit, content);
    }
    const id = initialId(batch.id);
    const parentBatch = batch.parentBatch === null ? null : initialId(batch.parentBatch);
    const renamed = {
      ...batch,
      id,
      parentBatch,
      parentCommit,
      base: 'root',
      members: pinned(batch.members),
      assumes: pinned(batch.assumes),
      ...unmade,
    };
    return [{ batch: renamed, members, content, verdict, since: batch.createdAt }];
  });
}

/** Returns an id for an existing batch that differs from the ids of the batches that the simulation makes. */
function initialId(batch: string): string {
  return `initial ${batch}`;
}

/** The simulation makes the commit of each initial batch and the build that justifies its landing. */
const unmade = {
  restsOn: [],
  state: 'making',
  commit: null,
  tree: null,
  testedCommit: null,
  landingStarted: false,
  landingPlanned: false,
  gates: [],
} as const;

/** Null: the batch is about to be given up, because it cannot land. */
function verdictOf(view: LineView, batch: BatchState): InitialBuild['verdict'] | null {
  const verdict = view.verdicts.get(batch.id)?.kind ?? 'pending';
  switch (verdict) {
    case 'pending':
      return batch.commit === null ? 'making' : 'running';
    case 'green':
      return 'green';
    case 'red':
    case 'timed_out':
    case 'gate_closed':
      return 'red';
    case 'worthless':
      return null;
    default:
      return verdict satisfies never;
  }
}
