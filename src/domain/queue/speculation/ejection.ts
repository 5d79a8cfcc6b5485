// Whom red bets blame, and which bets are over.
//
// Nobody is blamed for a build that assumed what has not come true: only what is red with nothing before it any more,
// and that once more, or before on nothing that might have been at fault; once alone where a second build has hardly
// ever said otherwise. What was asked together is halved first.
import { isAside } from './isolated-retry.ts';
import { isWorthAskingAgain } from '../model/success-probability.ts';
import { isRedAlone, type Bet, type Field } from './graph.ts';
import {
  bisect,
  causeOf,
  fail,
  failWithout,
  isFailure,
  mayBisect,
  type Failure,
  type Step,
} from '../planning/failure.ts';
import {
  conflictingMember,
  isHeldByOwnChecks,
  membersOf,
  verdictOf,
  withoutBatches,
  type LineView,
} from '../planning/line.ts';
import { memberFault, ruleFault, supersede, type Cause } from '../planning/resets.ts';
import { isSearched } from './culprit-search.ts';
import type { BatchState, Decision } from '../model/snapshot.ts';

/** `justified`: places that a green bet justifies, whatever a red one says of them. */
export function blame(field: Field, justified: ReadonlySet<number>): Step {
  let step: Step = { view: field.view, decisions: [] };
  const blamed = new Set<number>();
  const over = new Set<Bet>();
  for (const bet of field.bets) {
    if (bet.members.some((place) => blamed.has(place) || justified.has(place) || field.landing.has(place))) continue;
    const failure = findFailure(field, bet);
    if (failure === null) continue;
    for (const place of bet.members) blamed.add(place);
    const ended = endBet(field, step.view, { bet, failure });
    const related = [...new Set([...field.bets, ...field.spent, ...field.doubted])].filter(
      (other) => other !== bet && !over.has(other) && other.members.some((place) => bet.members.includes(place)),
    );
    for (const other of [bet, ...related]) over.add(other);
    const batches = related.map(({ batch }) => batch);
    const causedBy = field.line[bet.members[0] ?? -1]?.id ?? null;
    step = {
      view: withoutBatches(ended.view, batches),
      decisions: [
        ...step.decisions,
        ...supersede(batches, { ...causeOf(bet.batch, failure), causedBy }),
        ...ended.decisions,
      ],
    };
  }
  return step;
}

function endBet(
  { line }: Field,
  view: LineView,
  { bet, failure }: { readonly bet: Bet; readonly failure: Failure },
): Step {
  const { batch, members } = bet;
  const left = members.flatMap((place) => line[place] ?? []);
  const isTheirs = left.some(({ id }) => batch.members.some(({ pullRequest }) => pullRequest === id));
  if (isTheirs) return end(view, batch, failure);
  const ended = failWithout(view, batch, { failure, left });
  return { view: ended.view, decisions: [...ended.decisions, ...ended.departures] };
}

function end(view: LineView, batch: BatchState, failure: Failure): Step {
  const ended = mayBisect(view, batch) ? bisect(view, batch, failure) : fail(view, batch, failure);
  return { view: ended.view, decisions: [...ended.decisions, ...ended.departures] };
}

/** Null: it is not red, or somebody else may be at fault. */
function findFailure(field: Field, bet: Bet): Failure | null {
  const { batch, verdict, members } = bet;
  if (!isFailure(verdict) || !countsAgainstIt(field, bet)) return null;
  // A red batch is searched, and what is left of it asked by itself.
  if (isSearched(field, bet) || (members.length === 1 && batch.members.length > 1)) return null;
  if (verdict.kind !== 'red' || members.length > 1) return verdict;
  const [place = -1] = members;
  const reds = [...(field.betsOf.get(place) ?? []), ...field.spent.filter((spent) => spent.members[0] === place)];
  const needed = isWorthAskingAgain(field.view.snapshot.secondTries) ? 2 : 1;
  return reds.filter(isRedAlone).length < needed ? null : verdict;
}

/** All it assumed has landed, and nothing is left in line before it, but for what it let pass. */
export function countsAgainstIt(field: Field, { members, pending }: Bet): boolean {
  if (pending.length > members.length) return false;
  if (members.length === 1 && members.every((member) => isAside(field, member))) return true;
  return members.every((member) => field.before(member).every((before) => members.includes(before)));
}

/** Bets that say nothing any more. */
export function endFallen(field: Field): Step {
  const decisions = field.fallen.flatMap(({ batch, cause, isTold }): Decision[] =>
    isTold ? supersede([batch], cause) : [{ kind: 'ReturnBatch', batch: batch.id, code: cause.code }],
  );
  if (decisions.length === 0) return { view: field.view, decisions };
  return {
    view: withoutBatches(
      field.view,
      field.fallen.map(({ batch }) => batch),
    ),
    decisions,
  };
}

/** The landing in line, where it cannot be any more or, its tree having been built after all, is red. */
export function judgeLine(field: Field): Step {
  const { view } = field;
  const [landing, ...others] = view.batches;
  const leftover = supersede(others, { code: 307, causedBy: null });
  const alone = others.length === 0 ? view : withoutBatches(view, others);
  if (landing === undefined) return { view, decisions: [] };
  const cause = landingFault(field, landing);
  if (cause !== null)
    return { view: withoutBatches(alone, [landing]), decisions: [...leftover, ...supersede([landing], cause)] };
  const verdict = verdictOf(view, landing);
  if (!isFailure(verdict)) return { view: alone, decisions: leftover };
  const ended = end(alone, landing, verdict);
  return { view: ended.view, decisions: [...leftover, ...ended.decisions] };
}

function landingFault(field: Field, landing: BatchState): Cause | null {
  const { view } = field;
  const own = memberFault(view, landing) ?? ruleFault(view, landing);
  if (own !== null) return own;
  if (landing.parentCommit !== view.snapshot.queue.tip) return { code: 305, causedBy: null };
  const conflicting = landing.members[conflictingMember(view, landing)];
  if (conflicting !== undefined) return { code: 301, causedBy: conflicting.pullRequest };
  const verdict = verdictOf(view, landing);
  if (verdict.kind === 'worthless') return { code: verdict.code, causedBy: null };
  return orderFault(field, landing) ?? (verdict.kind === 'green' ? heldFault(view, landing) : null);
}

/** One of it has to wait for its own checks: others land without it. What final gates were asked of waits all the same. */
function heldFault(view: LineView, landing: BatchState): Cause | null {
  const { landingPlanned, gates = [] } = landing;
  if (landingPlanned || gates.some(({ run }) => run !== null)) return null;
  const held = membersOf(view, landing).find((member) => isHeldByOwnChecks(view, member));
  return held === undefined ? null : { code: 309, causedBy: held.id };
}

/** Somebody it overlaps is before it in line now. */
function orderFault(field: Field, landing: BatchState): Cause | null {
  const members = new Set(landing.members.flatMap(({ pullRequest }) => field.placeOf.get(pullRequest) ?? []));
  for (const member of members)
    for (const place of field.before(member)) {
      const before = field.line[place];
      if (before !== undefined && !members.has(place))
        return { code: before.skipLine ? 302 : 309, causedBy: before.id };
    }
  return null;
}
