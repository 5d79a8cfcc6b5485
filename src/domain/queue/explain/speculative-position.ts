// Where a pull request stands while builds are bets: behind whom, and which of its builds says most about it.
import { viewField, type Bet } from '../speculation/graph.ts';
import type { LineView } from '../planning/line.ts';
import type { BatchState, PullRequestState } from '../model/snapshot.ts';

export interface BetStanding {
  /** Those in line that have to land, or leave, before it: what it leaves alone does not count. */
  readonly before: readonly PullRequestState[];
  /** Its landing, else the bet that says most of it. Null: none is built. */
  readonly batch: BatchState | null;
  /** What that bet assumes to land before it, and is in line still. */
  readonly assumed: readonly PullRequestState[];
}

/** Null: it does not stand in that line. */
export function betStandingOf(view: LineView, pullRequestId: string): BetStanding | null {
  const field = viewField(view);
  const place = field.placeOf.get(pullRequestId);
  if (place === undefined) return null;
  const rows = (places: readonly number[]): PullRequestState[] => places.flatMap((at) => field.line[at] ?? []);
  const [bet] = (field.betsOf.get(place) ?? []).toSorted(byWhatTheySay);
  const landing = view.batchOf.get(pullRequestId) ?? null;
  return {
    before: rows(field.before(place)),
    batch: landing ?? bet?.batch ?? null,
    assumed: landing !== null || bet === undefined ? [] : rows(bet.pending.filter((at) => !bet.members.includes(at))),
  };
}

const weight: Readonly<Record<Bet['verdict']['kind'], number>> = {
  green: 0,
  pending: 1,
  gate_closed: 2,
  red: 3,
  timed_out: 3,
  worthless: 4,
};

/** One that may land it, one that still may say so, one that failed; of the same, what was asked first. */
function byWhatTheySay(a: Bet, b: Bet): number {
  return weight[a.verdict.kind] - weight[b.verdict.kind] || a.batch.position - b.batch.position;
}
