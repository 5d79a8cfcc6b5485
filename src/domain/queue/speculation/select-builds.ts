// Which builds are worth their while: of all that could be asked, best first by the probability that the answer will be
// needed, which is that exactly what the bet assumes comes true.
import type { Decision } from '../model/snapshot.ts';
import { isAside } from './isolated-retry.ts';
import { formBatches } from './batches.ts';
import { isWorthAskingAgain } from '../model/success-probability.ts';
import { isFailure } from '../planning/failure.ts';
import { findConflict, isTakenForGranted, type Bet, type Field } from './graph.ts';
import { Heap } from './heap.ts';
import { chanceOfBet, type Odds } from './landing-probability.ts';
import { isSearched, unexplained } from './culprit-search.ts';
import { unitsOf } from './build-units.ts';

type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

/** A bet less likely to be needed is not built, however many builds are free. */
const leastChance = 0.1;

/** What a red bet assumes is so likely to come true that it is built once more before it has. */
const worthAskingAgain = 0.5;

/** A running bet gives way only to one that is so many times as likely to be needed, and only where no build is free. */
const worthDropping = 20;

/** One way in which those before a unit may fare. */
interface Assumption {
  readonly chance: number;
  /** Indices into the unit's doubts that do not go the likelier way. */
  readonly flipped: readonly number[];
}

interface Candidate {
  readonly members: readonly number[];
  /** Assumed whatever happens. */
  readonly granted: readonly number[];
  /** Those before it that may land or not, least certain first. */
  readonly doubts: readonly Doubt[];
  readonly next: Assumption;
}

interface Doubt {
  readonly place: number;
  readonly lands: boolean;
  /** What its going the other way divides the chance by. */
  readonly odds: number;
}

export interface Choice {
  readonly starts: readonly StartBatch[];
  /** Running bets that give way. */
  readonly dropped: readonly Bet[];
  /** When those that wait for company are built without. Null: none wait. */
  readonly until: number | null;
}

export function chooseBets(field: Field, odds: Odds, free: number): Choice {
  const { speculation } = field.view.snapshot.rules;
  const isAdaptive = speculation === 'adaptive';
  // Where more run than may, as after a pause, one that gave way to another would make room for none.
  const hopeless = isAdaptive && Number.isFinite(free) && free >= 0 ? hopelessBets(field, odds) : [];
  const starts: StartBatch[] = [];
  const dropped: Bet[] = [];
  if (free + hopeless.length <= 0) return { starts, dropped, until: null };
  const formed = formBatches(field, free);
  const heap = new Heap<Candidate>(
    (a, b) => (isAdaptive ? b.next.chance - a.next.chance : 0) || firstOf(a) - firstOf(b),
  );
  const likeliest = isAdaptive ? field.productsBefore(odds.map((lands) => Math.max(lands, 1 - lands))) : null;
  for (const members of unitsOf(field, formed)) {
    // Whoever waits for those of whom too much is open is not even looked at: however long the line, few of a chain are.
    const [first = 0] = members;
    if (likeliest !== null && (likeliest[first] ?? 1) < leastChance && !isAside(field, first)) continue;
    const candidate = mostLikely(field, odds, members);
    if (candidate !== null) heap.push(candidate);
  }
  const reds = unexplained(field);
  for (let best = heap.pop(); best !== undefined; best = heap.pop()) {
    if (isAdaptive && best.next.chance < leastChance) break;
    const assumed = isAdaptive ? assumedBy(field, best, reds) : hopedBy(field, best);
    const cause = assumed === null ? null : causeOf(field, best, assumed);
    if (assumed !== null && cause !== null) {
      if (starts.length >= free + dropped.length) {
        const hopelessOne = hopeless[dropped.length];
        if (hopelessOne === undefined || hopelessOne.chance * worthDropping > best.next.chance) break;
        dropped.push(hopelessOne.bet);
      }
      starts.push(start(field, { members: best.members, assumed, cause, after: starts.length }));
    }
    if (isAdaptive) for (const next of furtherOf(best)) heap.push(next);
  }
  return { starts, dropped, until: formed.until };
}

/** Running bets that will hardly be needed any more, the most hopeless first. */
function hopelessBets(field: Field, odds: Odds): readonly { readonly bet: Bet; readonly chance: number }[] {
  return field.bets
    .filter(({ verdict, batch }) => verdict.kind === 'pending' && !batch.landingPlanned)
    .filter(({ members }) => !members.some((place) => isAside(field, place)))
    .map((bet) => ({ bet, chance: chanceOfBet(field, odds, bet) }))
    .filter(({ chance }) => chance * worthDropping < 1)
    .sort((a, b) => a.chance - b.chance);
}

function firstOf({ members }: Candidate): number {
  return members[0] ?? 0;
}

/** Null: nothing is built for it now. */
function mostLikely(field: Field, odds: Odds, members: readonly number[]): Candidate | null {
  const own = new Set(members);
  const granted = new Set<number>();
  const doubts: Doubt[] = [];
  let chance = 1;
  const places = new Set(members.flatMap((member) => field.before(member)).filter((place) => !own.has(place)));
  const below = belowOf(field, members);
  for (const place of places) {
    if (field.line[place]?.isBarrier) return null;
    const lands = odds[place] ?? 0.5;
    const isGranted = field.landing.has(place) || below.has(place) || isTakenForGranted(field, place);
    chance *= isGranted ? lands : Math.max(lands, 1 - lands);
    if (isGranted) granted.add(place);
    else doubts.push(doubt(field, place, lands));
  }
  if (members.some((place) => isAside(field, place)))
    return { members, granted: [...granted], doubts: [], next: { chance: 1, flipped: [] } };
  doubts.sort((a, b) => a.odds - b.odds);
  return { members, granted: [...granted], doubts, next: { chance, flipped: [] } };
}

/** With linear speculation everybody is hoped to land of whom nothing else is known. */
function doubt(field: Field, place: number, lands: number): Doubt {
  const isHoped = field.view.snapshot.rules.speculation === 'linear' && !hasFailed(field, place);
  return { place, lands: isHoped || lands >= 0.5, odds: Math.max(lands, 1 - lands) / Math.min(lands, 1 - lands) };
}

function hasFailed(field: Field, place: number): boolean {
  return (field.betsOf.get(place) ?? []).some(({ verdict }) => isFailure(verdict));
}

/** What its members stand on, all the way down. */
function belowOf(field: Field, members: readonly number[]): ReadonlySet<number> {
  const below = new Set<number>();
  for (const member of members)
    for (let at = field.placeOf.get(field.line[member]?.below ?? ''); at !== undefined && !below.has(at); ) {
      below.add(at);
      at = field.placeOf.get(field.line[at]?.below ?? '');
    }
  return below;
}

/** The next ones, by the last doubt that was given up: each set of doubts comes once, never before a likelier one. */
function furtherOf(candidate: Candidate): Candidate[] {
  const { doubts, next } = candidate;
  const last = next.flipped.at(-1);
  const following = doubts[last === undefined ? 0 : last + 1];
  if (following === undefined) return [];
  const added = { chance: next.chance / following.odds, flipped: [...next.flipped, (last ?? -1) + 1] };
  const given = last === undefined ? undefined : doubts[last];
  if (last === undefined || given === undefined) return [{ ...candidate, next: added }];
  const moved = { chance: added.chance * given.odds, flipped: [...next.flipped.slice(0, -1), last + 1] };
  return [added, moved].map((assumption) => ({ ...candidate, next: assumption }));
}

/** Places in order, what stands on nothing it assumes left out. Null: it cannot come true, or does not merge. */
function assumedBy(
  field: Field,
  { members, granted, doubts, next }: Candidate,
  reds: readonly Bet[],
): readonly number[] | null {
  const flipped = new Set(next.flipped);
  const hoped = doubts.flatMap(({ place, lands }, index) => (lands === flipped.has(index) ? [] : [place]));
  const assumed = new Set([...granted, ...hoped]);
  const doubted = new Set(doubts.map(({ place }) => place).filter((place) => !assumed.has(place)));
  for (const below of belowOf(field, [...assumed])) {
    if (doubted.has(below)) return null;
    assumed.add(below);
  }
  for (const member of members) assumed.delete(member);
  // What was red together is red with others, and does not all land.
  const isRefuted = reds.some(({ pending }) => pending.every((place) => assumed.has(place)));
  const places = [...assumed].sort((a, b) => a - b);
  return isRefuted || findConflict(field, [...places, ...members]) !== null ? null : places;
}

/**
 * With linear speculation: all that are hoped for, but for those that are known not to merge behind the others. One after
 * the other is left out, and no two ways are compared: of n before it there are 2^n.
 */
function hopedBy(field: Field, { members, granted, doubts }: Candidate): readonly number[] | null {
  const open = new Set(doubts.map(({ place }) => place));
  const out = new Set(doubts.flatMap(({ place, lands }) => (lands ? [] : [place])));
  const isLeftOut = (place: number): boolean =>
    out.has(place) || [...belowOf(field, [place])].some((at) => out.has(at));
  for (;;) {
    const assumed = new Set([...granted, ...[...open].filter((place) => !isLeftOut(place))]);
    for (const below of belowOf(field, [...assumed])) assumed.add(below);
    for (const member of members) assumed.delete(member);
    if ([...granted].some(isLeftOut)) return null;
    const places = [...assumed].sort((a, b) => a - b);
    const conflicting = findConflict(field, [...places, ...members]);
    if (conflicting === null) return places;
    if (!open.has(conflicting)) return null;
    out.add(conflicting);
  }
}

/** Null: it is asked already, or has been. */
function causeOf(field: Field, candidate: Candidate, assumed: readonly number[]): StartBatch['cause'] | null {
  const { members } = candidate;
  const [first = -1] = members;
  const own = new Set(members);
  const isAsked = (bet: Bet): boolean =>
    isSame(
      bet.pending.filter((place) => !own.has(place)),
      assumed,
    );
  const asked = (field.betsOf.get(first) ?? []).filter(
    (bet) => members.every((member) => bet.members.includes(member)) && isAsked(bet),
  );
  // Of one that lets others pass, by a build that was made for these.
  if (isAside(field, first))
    asked.push(...field.spent.filter((bet) => bet.holds.has(first) && !bet.members.includes(first) && isAsked(bet)));
  const row = field.line[first];
  if (asked.length === 0) {
    if (row?.bisection || isPartOfRed(field, members)) return 'bisect';
    return (row?.requeueAttempts ?? 0) > 0 ? 'retry' : 'new';
  }
  return isRetried(field, candidate, asked) ? 'retry' : null;
}

function isPartOfRed(field: Field, members: readonly number[]): boolean {
  const [first = -1] = members;
  const bets = field.betsOf.get(first) ?? [];
  return bets.some((bet) => isFailure(bet.verdict) && isSearched(field, bet) && bet.members.length > members.length);
}

/**
 * One that is red by itself is asked once again before it is blamed, as soon as what the red build assumed is likely to
 * come true: who waited for that would hold up all behind it for a whole build. What is left of a red batch is asked
 * by itself in any case.
 */
function isRetried(field: Field, { members, next }: Candidate, asked: readonly Bet[]): boolean {
  if (members.length > 1 || next.chance < worthAskingAgain) return false;
  if (!asked.every(({ verdict }) => isFailure(verdict))) return false;
  const own = asked.filter(({ batch }) => batch.members.length === 1);
  if (own.length === 0) return true;
  const reds = asked.filter(({ verdict }) => verdict.kind === 'red');
  return (
    own.length === 1 &&
    own[0]?.verdict.kind === 'red' &&
    reds.length === 1 &&
    isWorthAskingAgain(field.view.snapshot.secondTries)
  );
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((place, index) => place === b[index]);
}

function start(
  field: Field,
  of: {
    readonly members: readonly number[];
    readonly assumed: readonly number[];
    readonly cause: StartBatch['cause'];
    readonly after: number;
  },
): StartBatch {
  const { tip, nextPosition } = field.view.snapshot.queue;
  return {
    kind: 'StartBatch',
    position: nextPosition + of.after,
    members: pin(field, of.members),
    parentBatch: null,
    parentCommit: tip,
    base: tip,
    beside: 'bet',
    assumes: pin(field, of.assumed),
    restsOn: [],
    cause: of.cause,
  };
}

export function pin(field: Field, places: readonly number[]): StartBatch['members'] {
  return places.flatMap((place) => {
    const row = field.line[place];
    return row === undefined ? [] : [{ pullRequest: row.id, head: row.head }];
  });
}
