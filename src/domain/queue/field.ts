// What the adaptive planner decides on: the pull requests by their places in line, whom each of them has to let go
// first, and what each bet still says. Made anew whenever somebody leaves the line.
import { keyOf, landingsSince } from './composed.ts';
import { verdictOf, type LineView } from './line.ts';
import { isFailure } from './failure.ts';
import { findOverlaps, overlap, type Overlaps, type Targets } from './overlap.ts';
import type { BatchState, Landing, PinnedHead, PullRequestState } from './snapshot.ts';
import type { BatchVerdict } from './verdict.ts';
import type { Cause } from './resets.ts';

export interface Bet {
  readonly batch: BatchState;
  readonly verdict: BatchVerdict;
  /** Places of its members, and of all of it that is still in line. */
  readonly members: readonly number[];
  readonly pending: readonly number[];
  readonly holds: ReadonlySet<number>;
  /** What of it has landed since it was made, or is in line. */
  readonly content: ReadonlySet<string>;
  /** Index in `landed` of the first change that came on top of its base. */
  readonly since: number;
}

export interface Field {
  readonly view: LineView;
  readonly line: readonly PullRequestState[];
  readonly placeOf: ReadonlyMap<string, number>;
  /** Those in line before it that it overlaps, in order. */
  readonly before: Overlaps;
  /** Bets whose answer may matter. */
  readonly bets: readonly Bet[];
  /** What they assumed did not come true, but that the one they are about was red says something of it still. */
  readonly spent: readonly Bet[];
  /** The others. */
  readonly fallen: readonly { readonly batch: BatchState; readonly cause: Cause; readonly isTold: boolean }[];
  /** Place → bets it is a member of. */
  readonly betsOf: ReadonlyMap<number, readonly Bet[]>;
  readonly landed: readonly LandedChange[];
  /** Indices in `landed`, by key. */
  readonly landedAt: ReadonlyMap<string, number>;
  /** Landed changes, by index, that the one at the place overlaps. */
  readonly landedOverlaps: Overlaps;
  /** By index, landed changes that this one overlaps and that landed before it or with it. */
  readonly landedWith: Overlaps;
  /** Places whose landing is planned or being made. */
  readonly landing: ReadonlySet<number>;
}

interface LandedChange extends PinnedHead {
  readonly targets: Targets;
  /** The same for those that landed together. */
  readonly commit: string;
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
    fallen: [],
    betsOf: new Map(),
    landed: history.changes,
    landedAt: new Map(history.changes.map((change, index) => [keyOf(change), index])),
    landing: new Set(),
  };
  field.landing = findLanding(view, placeOf);
  const all = view.beside.map((batch) => judgeBet(field, batch, history.from.get(batch.base) ?? null));
  const greens = all.flatMap((each) => ('bet' in each && each.bet.verdict.kind === 'green' ? [each.bet] : []));
  const judged = all.map((each) => withoutDoubtful(field, each, greens));
  field.bets = judged.flatMap((each) => ('bet' in each ? [each.bet] : []));
  field.spent = judged.flatMap((each) => ('spent' in each ? [each.spent] : []));
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

function targetsOf({ snapshot }: LineView, { isBarrier, targets }: PullRequestState): Targets {
  return snapshot.rules.useAffectedTargets && !isBarrier ? targets : null;
}

/** What overlaps all: a barrier, and what stands on another overlaps at least that. */
function overlapsOf(
  view: LineView,
  landed: readonly LandedChange[],
): Pick<Field, 'before' | 'landedOverlaps' | 'landedWith'> {
  const line = view.inOrder;
  const all = findOverlaps([...landed, ...line.map((pullRequest) => ({ targets: targetsOf(view, pullRequest) }))]);
  const placeOf = new Map(line.map(({ id }, place) => [id, place]));
  const found: (readonly number[] | undefined)[] = [];
  const foundLanded: (readonly number[] | undefined)[] = [];
  const find = (place: number): readonly number[] => {
    const before = all(landed.length + place).flatMap((index) =>
      index < landed.length ? [] : [index - landed.length],
    );
    const below = placeOf.get(line[place]?.below ?? '');
    return below === undefined || below >= place || before.includes(below)
      ? before
      : [...before, below].sort((a, b) => a - b);
  };
  return {
    before: (place) => (found[place] ??= find(place)),
    landedOverlaps: (place) =>
      (foundLanded[place] ??= all(landed.length + place).filter((index) => index < landed.length)),
    landedWith: (index) => [...all(index), ...overlappingInCommit(landed, index)],
  };
}

/** Those after it in its own commit. */
function overlappingInCommit(landed: readonly LandedChange[], index: number): number[] {
  const found: number[] = [];
  for (let at = index + 1; at < landed.length; at += 1) {
    if (landed[at]?.commit !== landed[index]?.commit) break;
    if (overlap(landed[at]?.targets ?? null, landed[index]?.targets ?? null)) found.push(at);
  }
  return found;
}

type Judged = { readonly bet: Bet } | { readonly spent: Bet } | Field['fallen'][number];

/** What a doubtful build says counts for nothing: it is ended, and asked anew where that is of use. */
function withoutDoubtful(field: Field, judged: Judged, greens: readonly Bet[]): Judged {
  if ('batch' in judged) return judged;
  const bet = 'bet' in judged ? judged.bet : judged.spent;
  if (!isFailure(bet.verdict) || !isDoubtful(field, bet, greens)) return judged;
  return { batch: bet.batch, cause: { code: 309, causedBy: null }, isTold: false };
}

function judgeBet(field: Field, batch: BatchState, since: number | null): Judged {
  const { view, placeOf } = field;
  const fall = (cause: Cause, isTold = true): Judged => ({ batch, cause, isTold });
  if (batch.beside !== 'bet' || batch.buildKeysHash !== view.snapshot.rules.buildKeysHash)
    return fall({ code: 307, causedBy: null });
  // Somebody else's commit is on top of its base, or so much that it is not known any more.
  if (since === null) return fall({ code: 305, causedBy: null });
  const verdict = verdictOf(view, batch);
  if (verdict.kind === 'worthless') return fall({ code: verdict.code, causedBy: null });
  const whole = [...batch.assumes, ...batch.members];
  const content = new Set(whole.map(keyOf));
  const order: number[] = [];
  for (const pinned of whole) {
    const place = placeOf.get(pinned.pullRequest);
    const isInLine = place !== undefined && field.line[place]?.head === pinned.head;
    const index = field.landedAt.get(keyOf(pinned)) ?? -1;
    if (isInLine) order.push(field.landed.length + place);
    else if (index >= since) order.push(index);
    else return fall(departure(view, pinned));
  }
  const pending = order.flatMap((at) => (at < field.landed.length ? [] : [at - field.landed.length]));
  const members = batch.members.flatMap(({ pullRequest }) => placeOf.get(pullRequest) ?? []);
  const bet: Bet = { batch, verdict, members, pending, holds: new Set(pending), content, since };
  if (members.length === 0 || batch.givenUp) return fall({ code: 309, causedBy: null }, false);
  if (members.some((place) => field.line[place]?.skipValidation)) return fall({ code: 309, causedBy: null }, false);
  const passing = passedBy(field, bet);
  if (passing !== null) return fall({ code: 302, causedBy: passing.id });
  const isForeign = members.some((place) => !isUntouched(field, bet, place));
  if (!isForeign && isOrdered(field, order)) return { bet };
  return isRedAlone(bet) ? { spent: bet } : fall({ code: 309, causedBy: null }, false);
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

/**
 * What a red bet assumed has landed on, or with, something it overlaps that the bet did not hold: that it was red may
 * have been for want of that, unless a green bet did without as well.
 */
function isDoubtful(field: Field, bet: Bet, greens: readonly Bet[]): boolean {
  const { landed } = field;
  for (let index = bet.since; index < landed.length; index += 1) {
    const change = landed[index];
    if (change === undefined || !holdsLanded(bet, change)) continue;
    for (const at of field.landedWith(index)) {
      const other = landed[at];
      if (other === undefined || at < bet.since || holdsLanded(bet, other)) continue;
      const isSound = greens.some(
        (green) => at >= green.since && holdsLanded(green, change) && !holdsLanded(green, other),
      );
      if (!isSound) return true;
    }
  }
  return false;
}

function holdsLanded({ content }: Bet, change: LandedChange): boolean {
  return content.has(keyOf(change));
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
  return field.landedOverlaps(place).every((index) => {
    const change = field.landed[index];
    return change === undefined || index < bet.since || bet.content.has(keyOf(change));
  });
}

/** One that skipped the line ahead of a member, and that it does not hold: nobody bets against such a one. */
function passedBy(field: Field, bet: Bet): PullRequestState | null {
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

/** All in line before it is before it. */
export function overlapsAll({ line, view }: Field, place: number): boolean {
  const row = line[place];
  return row === undefined || row.isBarrier || row.targets === null || !view.snapshot.rules.useAffectedTargets;
}
