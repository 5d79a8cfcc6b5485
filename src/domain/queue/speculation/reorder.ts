// Who lets those behind it pass: it goes behind all that are in line at that moment, so that the landing gate, the planner
// and people read one order. One that was red, and would be blamed for it, were it not built once more, which it is by
// itself (isolated-retry.ts); and, where others are ready to land without it, one that is aside or in doubt.
import { isAside } from './isolated-retry.ts';
import type { Step } from '../planning/failure.ts';
import { countsAgainstIt } from './ejection.ts';
import { isRedAlone, isUntouched, type Field } from './graph.ts';
import { mayLetPass, mayMove } from './movable.ts';
import { targetsOf } from './conflict-graph.ts';
import { gather, gatherPast } from './mergeable-set.ts';
import { isHeldByOwnChecks, mayLand, withEach } from '../planning/line.ts';
import type { Odds } from './landing-probability.ts';
import { overlap } from '../model/overlap.ts';
import { afterOvertaking, mostInDoubt, type Overtaking } from '../model/reordered.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** Whoever lands less likely than this is in doubt. */
const likelyEnough = 0.8;

/** By place. */
type Passed = ReadonlyMap<number, Overtaking>;

/** `justified`: places that a green bet justifies, whatever a red one says of them. */
export function letPass(field: Field, justified: ReadonlySet<number>, odds: () => Odds): Step {
  const failed = whoFailed(field, justified);
  return goBehind(field, failed.size > 0 ? failed : whoIsLeftOut(field, justified, odds));
}

function goBehind({ view, line }: Field, passed: Passed): Step {
  if (passed.size === 0) return { view, decisions: [] };
  const last = line.reduce((highest, row) => Math.max(highest, row.rank), 0);
  const behind = [...passed].flatMap(([place, reason]) => {
    const row = line[place];
    return row === undefined ? [] : [{ row, reason }];
  });
  const changes = behind.map(
    ({ row, reason }, index) => [row.id, { rank: last + index + 1, ...afterOvertaking(row, reason) }] as const,
  );
  return {
    view: withEach(view, new Map(changes)),
    decisions: behind.map(({ row, reason }) => ({ kind: 'LetPass', pullRequest: row.id, reason })),
  };
}

function whoFailed(field: Field, justified: ReadonlySet<number>): Passed {
  const passed = new Map<number, Overtaking>();
  for (const bet of [...field.bets, ...field.doubted]) {
    const { batch, verdict, members } = bet;
    const [place = -1] = members;
    if (verdict.kind !== 'red' || passed.has(place) || justified.has(place) || field.landing.has(place)) continue;
    // What is left of a batch is asked by itself first.
    if (batch.members.length > 1 || !isRedAlone(bet) || !countsAgainstIt(field, bet)) continue;
    if (!mayLetPass(field, place) || !isInTheWay(field, place)) continue;
    passed.set(place, { kind: 'failed', failedChecks: verdict.failedChecks });
  }
  return passed;
}

/** One by one, as nobody stands on one that may move: whom each of them has to let go first is never listed for this. */
function isInTheWay({ view, line }: Field, place: number): boolean {
  const row = line[place];
  if (row === undefined) return false;
  const own = targetsOf(view, row);
  return line.some((other, behind) => behind > place && overlap(own, targetsOf(view, other)));
}

/** For those alone that land at once: what is in doubt now may be sure before they can. */
function whoIsLeftOut(field: Field, justified: ReadonlySet<number>, odds: () => Odds): Passed {
  const { view } = field;
  if (!mayLand(view) || view.batches.length > 0 || field.landing.size > 0) return new Map();
  const isReady = (row: PullRequestState): boolean => !isHeldByOwnChecks(view, row);
  if (justified.size > 0 && gather(field, isReady).places.length > 0) return new Map();
  const reasons = new Map<number, Overtaking | null>();
  const reasonOf = (place: number): Overtaking | null => {
    const known = reasons.get(place);
    if (known !== undefined) return known;
    const reason = whyLeftOut(field, place, odds);
    reasons.set(place, reason);
    return reason;
  };
  const { places, passed } = gatherPast(field, isReady, (place) => reasonOf(place) !== null);
  const passing = new Set(places);
  const inOrder = [...passed].sort((a, b) => a - b);
  return new Map(
    inOrder.flatMap((place) => {
      const reason = failedWith(field, place, passing) ?? reasonOf(place);
      return reason === null ? [] : [[place, reason]];
    }),
  );
}

/** Null: it is not. */
function whyLeftOut(field: Field, place: number, odds: () => Odds): Overtaking | null {
  if (!mayMove(field, place) || (field.line[place]?.passedInDoubt ?? 0) >= mostInDoubt) return null;
  if (isAside(field, place)) return { kind: 'aside' };
  const chance = odds()[place] ?? 1;
  return chance < likelyEnough ? { kind: 'doubtful', chance } : null;
}

/**
 * Nothing else is before it, and a build of it with all of those that pass it and overlap it was red, whoever it was made
 * for: when they have landed it has failed by itself, on what is the tip then. Null: there is none.
 */
function failedWith(field: Field, place: number, passing: ReadonlySet<number>): Overtaking | null {
  const isPassing = (at: number): boolean => passing.has(at);
  if (!mayLetPass(field, place) || !field.before(place).every(isPassing)) return null;
  const overlapping = [...passing].filter((at) => field.before(Math.max(at, place)).includes(Math.min(at, place)));
  for (const bet of field.bets) {
    const { verdict, pending, holds } = bet;
    if (verdict.kind !== 'red' || !holds.has(place) || !pending.every((at) => at === place || isPassing(at))) continue;
    if (!overlapping.every((at) => holds.has(at)) || !isUntouched(field, bet, place)) continue;
    return { kind: 'failed', failedChecks: verdict.failedChecks };
  }
  return null;
}
