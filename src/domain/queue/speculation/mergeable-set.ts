// What may land now: of the pull requests that green bets hold, as many as have nothing before them that is not among
// them, and whose bets say of them what a build of all of it would (composed-evidence.ts).
import { findConflict, isUntouched, type Bet, type Field } from './graph.ts';
import { overlapsAll } from './movable.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import { areOneGroup } from './build-units.ts';

export interface Gathered {
  /** In line order. */
  readonly places: readonly number[];
  /** The green bets that say so. */
  readonly bets: readonly Bet[];
}

/** `passed`: those in line before them that they leave out. */
interface GatheredPast extends Gathered {
  readonly passed: ReadonlySet<number>;
}

/** `isReady`: what else the landing of one pull request waits for. */
export function gather(field: Field, isReady: (pullRequest: PullRequestState) => boolean): Gathered {
  return gatherPast(field, isReady, () => false);
}

/** The same where some in line may be left out, to land behind those that are gathered. */
export function gatherPast(
  field: Field,
  isReady: (pullRequest: PullRequestState) => boolean,
  mayBePassed: (place: number) => boolean,
): GatheredPast {
  const greens = field.bets.filter(isGreen).sort(byLastPlace);
  const barred = new Set<number>();
  for (;;) {
    const gathered = gatherOnce(field, greens, {
      isReady: (place) => !barred.has(place) && isReadyAt(field, place, isReady),
      mayBePassed,
    });
    const conflicting = findConflict(field, gathered.places);
    if (conflicting === null) return gathered;
    barred.add(conflicting);
  }
}

function isReadyAt(field: Field, place: number, isReady: (pullRequest: PullRequestState) => boolean): boolean {
  const pullRequest = field.line[place];
  return pullRequest !== undefined && isReady(pullRequest);
}

function isGreen({ verdict, batch }: Bet): boolean {
  return verdict.kind === 'green' && verdict.evidence !== '' && batch.commit !== null;
}

/** Of those that end with the same one: the smaller first, and its own build before another of its tree. */
function byLastPlace(a: Bet, b: Bet): number {
  const own = ({ verdict, batch }: Bet): number =>
    verdict.kind === 'green' && verdict.evidence === batch.testedCommit ? 0 : 1;
  return (a.pending.at(-1) ?? 0) - (b.pending.at(-1) ?? 0) || a.pending.length - b.pending.length || own(a) - own(b);
}

function gatherOnce(
  field: Field,
  greens: readonly Bet[],
  { isReady, mayBePassed }: Readonly<Record<'isReady' | 'mayBePassed', (place: number) => boolean>>,
): GatheredPast {
  const gathered = new Set<number>();
  const passed = new Set<number>();
  const bets: Bet[] = [];
  for (const bet of greens) {
    const added = bet.pending.filter((place) => !gathered.has(place));
    if (added.length === 0 || !isShareable(field, bet, { gathered, added })) continue;
    // Of two that land at once neither passes the other.
    const mayLeaveOut = (before: number): boolean => !gathered.has(before) && mayBePassed(before);
    const isReadyToo = (place: number): boolean => isReady(place) && !passed.has(place);
    if (!added.every((place) => isReadyToo(place) && isSaidBy(field, bet, { place, mayLeaveOut }))) continue;
    const needsTree = [...gathered, ...added].some((place) => overlapsAll(field, place));
    if (needsTree && !isWhole(field, bet, gathered)) continue;
    for (const place of added) {
      gathered.add(place);
      for (const before of field.before(place)) if (!bet.holds.has(before)) passed.add(before);
    }
    bets.push(bet);
  }
  return { places: [...gathered].sort((a, b) => a - b), bets, passed };
}

/** All before it is in the bet, may be left out or, being disjoint, leaves it alone; and so does all that has landed since. */
function isSaidBy(
  field: Field,
  bet: Bet,
  { place, mayLeaveOut }: { readonly place: number; readonly mayLeaveOut: (before: number) => boolean },
): boolean {
  const isHere = (before: number): boolean => bet.holds.has(before) || mayLeaveOut(before);
  return field.before(place).every(isHere) && isUntouched(field, bet, place);
}

/**
 * What its build was made of is all that came on top of its base, and all that is gathered. Whoever may affect anything
 * lands by nothing less: parts say nothing of such a one (composed-evidence.ts).
 */
function isWhole({ landed }: Field, bet: Bet, gathered: ReadonlySet<number>): boolean {
  return [...gathered].every((place) => bet.holds.has(place)) && bet.arrived.size === landed.length - bet.since;
}

/**
 * What failed together lands with none but parts of it, as few as were to be tried. Without optimistic validation a
 * build lands what it was made for alone.
 */
function isShareable(
  field: Field,
  bet: Bet,
  { gathered, added }: { readonly gathered: ReadonlySet<number>; readonly added: readonly number[] },
): boolean {
  const { useOptimisticValidation } = field.view.snapshot.rules;
  if (!useOptimisticValidation && (gathered.size > 0 || bet.pending.length > bet.members.length)) return false;
  const rows = [...gathered, ...added].flatMap((place) => field.line[place] ?? []);
  return areOneGroup(rows);
}

/** What skips validation lands by itself, as soon as nothing before it is in its way. */
export function findUnvalidated(field: Field): number | null {
  const found = [...field.line.entries()].find(
    ([place, { skipValidation }]) =>
      skipValidation && field.before(place).length === 0 && findConflict(field, [place]) === null,
  );
  return found === undefined ? null : found[0];
}

/** The bet that is that landing itself: built on the tip, with nothing assumed. */
export function findExact(field: Field, { places, bets }: Gathered): Bet | null {
  const [bet] = bets;
  if (bet === undefined || bets.length > 1 || bet.batch.assumes.length > 0) return null;
  const isWhole = bet.batch.base === field.view.snapshot.queue.tip && bet.members.length === places.length;
  // Final gates are asked of the landing in line, which nothing that turns green meanwhile replaces.
  return isWhole && (bet.batch.gates ?? []).length === 0 ? bet : null;
}

export function restsOn({ bets }: Gathered): readonly string[] {
  return bets.flatMap(({ batch }) => batch.commit ?? []);
}
