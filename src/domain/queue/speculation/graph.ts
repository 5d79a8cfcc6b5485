// What the adaptive planner decides on: the pull requests by their places in line, whom each of them has to let go
// first, and what each bet still says. Made anew whenever somebody leaves the line.
import { landingsSince } from '../evidence/composed-evidence.ts';
import { doubtOf } from './inconclusive.ts';
import { verdictOf, type LineView } from '../planning/line.ts';
import { isFailure } from '../planning/failure.ts';
import { mayLetPass, mayMove, wasPassed } from './movable.ts';
import { overlapsOf, targetsOf, type LandedChange } from './conflict-graph.ts';
import { overlap, type Overlaps, type Targets } from '../model/overlap.ts';
import type { BatchState, Landing, PinnedHead, PullRequestState } from '../model/snapshot.ts';
import type { BatchVerdict } from '../evidence/verdict.ts';
import type { Cause } from '../planning/resets.ts';

export interface Bet {
  readonly batch: BatchState;
  readonly verdict: BatchVerdict;
  /** Places of its members, and of all of it that is still in line. */
  readonly members: readonly number[];
  readonly pending: readonly number[];
  readonly holds: ReadonlySet<number>;
  /** Indices in `landed` of what of it has landed since it was made. */
  readonly arrived: ReadonlySet<number>;
  /** Index in `landed` of the first change that came on top of its base. */
  readonly since: number;
}

export interface Field {
  readonly view: LineView;
  readonly line: readonly PullRequestState[];
  readonly placeOf: ReadonlyMap<string, number>;
  /** Those in line before it that it overlaps, in order. */
  readonly before: Overlaps;
  /** Those of them from the place `from` on. */
  readonly between: (from: number, place: number) => readonly number[];
  /** Some of them: whoever hangs together by all of them does by these. */
  readonly linksBefore: Overlaps;
  /** There are none. */
  readonly isFirst: (place: number) => boolean;
  /** By place: no less than the product of the factors, each at most 1, of those in line before it that it overlaps. */
  readonly productsBefore: (factors: Float64Array) => Float64Array;
  /** Bets whose answer may matter. */
  readonly bets: readonly Bet[];
  /**
   * What they assumed did not come true, or slightly more: that the one they are about was red counts as one of two. Or
   * they hold one that has been passed, and those that pass it.
   */
  readonly spent: readonly Bet[];
  /** Red by themselves, be it for want of what has landed since: they let others pass, and take nobody out. */
  readonly doubted: readonly Bet[];
  /** The others. */
  readonly fallen: readonly { readonly batch: BatchState; readonly cause: Cause; readonly isTold: boolean }[];
  /** Place → bets it is a member of. */
  readonly betsOf: ReadonlyMap<number, readonly Bet[]>;
  readonly landed: readonly LandedChange[];
  /** Indices in `landed`, by pull request. */
  readonly landedAt: ReadonlyMap<string, number>;
  /** Landed changes, by index, that the one at the place overlaps. */
  readonly landedOverlaps: Overlaps;
  /** By index, landed changes that this one overlaps and that landed before it or with it. */
  readonly landedWith: Overlaps;
  /** Places whose landing is planned or being made. */
  readonly landing: ReadonlySet<number>;
}

export function viewField(view: LineView): Field {
  const line = view.inOrder;
  const placeOf = new Map(line.map(({ id }, place) => [id, place]));
  const history = changesUnder(view);
  const overlaps = overlapsOf(view, history.changes);
  const field: Mutable<Field> = {
    view,
    line,
    placeOf,
    ...overlaps,
    bets: [],
    spent: [],
    doubted: [],
    fallen: [],
    betsOf: new Map(),
    landed: history.changes,
    landedAt: new Map(history.changes.map(({ pullRequest }, index) => [pullRequest, index])),
    landing: new Set(),
  };
  field.landing = findLanding(view, placeOf);
  const all = view.beside.map((batch) => judgeBet(field, batch, history.from.get(batch.base) ?? null));
  const greens = all.flatMap((each) => ('bet' in each && each.bet.verdict.kind === 'green' ? [each.bet] : []));
  const judged = all.map((each) => judgeAgain(field, each, greens));
  field.bets = judged.flatMap((each) => ('bet' in each ? [each.bet] : []));
  field.spent = judged.flatMap((each) => ('red' in each && each.isOneOfTwo ? [each.red] : []));
  field.doubted = judged.flatMap((each) => ('red' in each && each.letsPass ? [each.red] : []));
  field.fallen = judged.flatMap((each) => ('batch' in each ? [each] : []));
  field.betsOf = indexBets(field.bets);
  return field;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function indexBets(bets: readonly Bet[]): ReadonlyMap<number, readonly Bet[]> {
  const betsOf = new Map<number, Bet[]>();
  for (const bet of bets)
    for (const place of bet.members) {
      const known = betsOf.get(place);
      if (known === undefined) betsOf.set(place, [bet]);
      else known.push(bet);
    }
  return betsOf;
}

function findLanding(view: LineView, placeOf: ReadonlyMap<string, number>): ReadonlySet<number> {
  const landing = [...view.batches.slice(0, 1), ...view.beside.filter((batch) => batch.landingPlanned)];
  return new Set(landing.flatMap((batch) => batch.members.flatMap((member) => placeOf.get(member.pullRequest) ?? [])));
}

interface History {
  readonly changes: readonly LandedChange[];
  /** Base → index of the first change on top of it. Missing: what came on top of it is not known, or is none of ours. */
  readonly from: ReadonlyMap<string, number>;
}

/** What has landed since the oldest base that a bet is on. */
function changesUnder({ snapshot, beside }: LineView): History {
  const { queue, landings, rules } = snapshot;
  const bases = [...new Set(beside.map((batch) => batch.base))];
  const longest = bases
    .flatMap((base) => [landingsSince(base, queue.tip, landings) ?? []])
    .reduce<readonly Landing[]>((long, since) => (since.length > long.length ? since : long), []);
  const ours = longest.slice(longest.findLastIndex(({ members }) => members === null) + 1);
  const from = new Map<string, number>();
  const changes: LandedChange[] = [];
  for (const { commit, firstParent, members } of ours) {
    from.set(firstParent, changes.length);
    for (const member of members ?? [])
      changes.push({ ...member, targets: rules.useAffectedTargets ? member.targets : null, commit });
  }
  from.set(queue.tip, changes.length);
  return { changes, from };
}

type Judged =
  | { readonly bet: Bet }
  /** Still built, of one aside that something it overlaps has landed before. */
  | { readonly late: Bet }
  | { readonly red: Bet; readonly isOneOfTwo: boolean; readonly letsPass: boolean }
  | Field['fallen'][number];

/** By what is green: whether a late one is of use, and what a doubtful one still says. */
function judgeAgain(field: Field, judged: Judged, greens: readonly Bet[]): Judged {
  if ('batch' in judged) return judged;
  if ('late' in judged) {
    const { late } = judged;
    const isAnswered = greens.some(({ members }) => members.some((place) => late.members.includes(place)));
    return isAnswered ? fallen(late) : { bet: late };
  }
  const bet = 'bet' in judged ? judged.bet : judged.red;
  const doubt = isFailure(bet.verdict) ? doubtOf(field, bet, greens) : 'none';
  if (doubt === 'none' || (doubt === 'slight' && bet.pending.length > 1)) return judged;
  if (!isRedAlone(bet)) return fallen(bet);
  const letsPass = 'bet' in judged && mayLetPass(field, bet.members[0] ?? -1);
  return doubt === 'slight' || letsPass ? { red: bet, isOneOfTwo: doubt === 'slight', letsPass } : fallen(bet);
}

/** It is asked anew where that is of use. */
function fallen({ batch }: Bet): Judged {
  return { batch, cause: { code: 309, causedBy: null }, isTold: false };
}

function judgeBet(field: Field, batch: BatchState, since: number | null): Judged {
  const { view, placeOf } = field;
  const fall = (cause: Cause): Judged => ({ batch, cause, isTold: true });
  if (batch.beside !== 'bet' || batch.buildKeysHash !== view.snapshot.rules.buildKeysHash)
    return fall({ code: 307, causedBy: null });
  // Somebody else's commit is on top of its base, or so much that it is not known any more.
  if (since === null) return fall({ code: 305, causedBy: null });
  const verdict = verdictOf(view, batch);
  if (verdict.kind === 'worthless') return fall({ code: verdict.code, causedBy: null });
  const order: number[] = [];
  const pending: number[] = [];
  const arrived = new Set<number>();
  for (const pinned of [...batch.assumes, ...batch.members]) {
    const place = placeOf.get(pinned.pullRequest);
    const index = landedAtOf(field, pinned);
    if (place !== undefined && field.line[place]?.head === pinned.head) {
      order.push(field.landed.length + place);
      pending.push(place);
    } else if (index >= since) {
      order.push(index);
      arrived.add(index);
    } else return fall(departure(view, pinned));
  }
  const asked = batch.members.flatMap(({ pullRequest }) => placeOf.get(pullRequest) ?? []);
  // What passed it has landed: this is a build of it alone now.
  const isLeft = verdict.kind === 'red' && asked.length === 0 && pending.length === 1 && wasPassed(field, pending[0]);
  const members = isLeft ? pending : asked;
  const bet: Bet = { batch, verdict, members, pending, holds: new Set(pending), arrived, since };
  if (members.length === 0 || batch.givenUp) return fallen(bet);
  if (members.some((place) => field.line[place]?.skipValidation)) return fallen(bet);
  const passing = passedBy(field, bet);
  if (passing !== null) return fall({ code: 302, causedBy: passing.id });
  const isForeign = members.some((place) => !isUntouched(field, bet, place));
  if (!isForeign && (isLeft || isOrdered(field, order))) return { bet };
  if (isWitness(field, bet)) return { red: bet, isOneOfTwo: true, letsPass: false };
  // Nobody waits for it, and begun anew with each landing it might never answer.
  if (verdict.kind === 'pending' && isAskedAside(field, bet)) return { late: bet };
  return isRedAlone(bet) ? { red: bet, isOneOfTwo: true, letsPass: false } : fallen(bet);
}

/** Of one that was passed: when what passed it has landed, it says of it what a build of it in its new place would. */
function isWitness(field: Field, bet: Bet): boolean {
  const { verdict, pending } = bet;
  const isAbout = (place: number): boolean => wasPassed(field, place) && isUntouched(field, bet, place);
  return verdict.kind === 'red' && pending.length > 1 && pending.some(isAbout);
}

/** Of one that let others pass and still may, and on the tip of that moment alone. */
function isAskedAside(field: Field, { batch, members }: Bet): boolean {
  const [place = -1] = members;
  const isAlone = batch.assumes.length === 0 && batch.members.length === 1;
  return isAlone && field.line[place]?.letPass === true && mayMove(field, place);
}

/** -1: not since the oldest base that a bet is on. */
function landedAtOf({ landed, landedAt }: Field, { pullRequest, head }: PinnedHead): number {
  const index = landedAt.get(pullRequest) ?? -1;
  return landed[index]?.head === head ? index : -1;
}

/** What overlaps landed, and is in line, as it came in the build. `order`: of the changes that landed and then the line. */
function isOrdered(field: Field, order: readonly number[]): boolean {
  if (order.every((at, index) => index === 0 || at > (order[index - 1] ?? -1))) return true;
  const targets = order.map((at) => targetsAt(field, at));
  // Whoever may affect anything lands by a build of the very tree.
  if (targets.includes(null)) return false;
  const isApart = (one: number, other: number): boolean => !overlap(targets[one] ?? null, targets[other] ?? null);
  return order.every((at, one) => order.every((later, other) => other <= one || later > at || isApart(one, other)));
}

function targetsAt({ landed, line, view }: Field, at: number): Targets {
  const change = landed[at];
  if (change !== undefined) return change.targets;
  const row = line[at - landed.length];
  return row === undefined ? null : targetsOf(view, row);
}

/** One by itself, on nothing that might have been at fault. */
export function isRedAlone({ verdict, members, pending }: Bet): boolean {
  return verdict.kind === 'red' && members.length === 1 && pending.length === 1;
}

function departure(view: LineView, { pullRequest }: PinnedHead): Cause {
  const code = view.pullRequests.has(pullRequest) ? 310 : (view.departures.get(pullRequest) ?? 303);
  return { code, causedBy: pullRequest };
}

/** Nothing that landed since, other than by what the bet holds, overlaps the one at the place. */
export function isUntouched(field: Field, bet: Bet, place: number): boolean {
  return field.landedOverlaps(place).every((index) => index < bet.since || bet.arrived.has(index));
}

/** One that skipped the line ahead of a member, and that it does not hold: nobody bets against such a one. */
function passedBy(field: Field, bet: Bet): PullRequestState | null {
  // They are first in line, all of them.
  if (field.line[0]?.skipLine !== true) return null;
  for (const place of bet.members) {
    const passing = field.before(place).find((before) => !bet.holds.has(before) && isTakenForGranted(field, before));
    if (passing !== undefined) return field.line[passing] ?? null;
  }
  return null;
}

/** It skipped the line, and nothing is known that speaks against it. */
export function isTakenForGranted(field: Field, place: number): boolean {
  const pullRequest = field.line[place];
  return pullRequest !== undefined && pullRequest.skipLine && !field.view.conflicts.has(pullRequest.id);
}

/** The first of these, put on the tip in order, that is known to conflict with what is before it there. */
export function findConflict(field: Field, places: readonly number[]): number | null {
  const { conflicts, snapshot } = field.view;
  if (conflicts.size === 0) return null;
  const landed = new Set(field.landed.map(({ head }) => head));
  const heads = new Set<string>();
  for (const place of places) {
    const { id = '', head = '' } = field.line[place] ?? {};
    for (const { parent, after } of conflicts.get(id) ?? []) {
      const isHere = after.length === 0 ? parent === snapshot.queue.tip : after.some((other) => heads.has(other));
      // Of what left the line nothing is there any more: whether the rest conflicts is found out anew.
      if (isHere && after.every((other) => heads.has(other) || landed.has(other))) return place;
    }
    heads.add(head);
  }
  return null;
}
