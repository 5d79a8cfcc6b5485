// Whether an environment or a base branch is frozen: a pure function of its freezes and an instant. Timers only
// announce the result. Every action asks again.
import { endOf, isWithin, spansAt, type Span, type SpansAt } from '../calendar/spans.ts';
import { timeText } from '../calendar/time.text.ts';
import type { FreezeSource } from './release.ts';

export interface Freeze {
  readonly id: string;
  readonly source: FreezeSource;
  readonly reason: string | null;
  /** The user who made the freeze. If a rollback made the freeze, the user who rolled back. */
  readonly createdBy: string;
  readonly span: Span;
  /** By the clock of the server that made the freeze, which may be ahead of ours. */
  readonly createdAt: number;
}

export interface FreezeInForce<F extends Freeze = Freeze> {
  /** The active freeze that lasts longest. */
  readonly freeze: F;
  /** When the last active freeze ends. Null: when somebody ends that freeze, or after `atLeastUntil`. */
  readonly until: number | null;
  /**
   * Null unless so many spans of schedules follow one another that their end is not computed. Otherwise the freeze ends
   * at this instant or later.
   */
  readonly atLeastUntil: number | null;
}

/** The freeze at an instant. Null: nothing is frozen. Of freezes that last equally long, the first is returned. */
export function findFreezeInForce<F extends Freeze>(freezes: readonly F[], now: number): FreezeInForce<F> | null {
  const holding = freezes.filter((freeze) => isWithin(spanOf(freeze, now), now));
  const lasting = holding.map(({ span }) => endOf(span, now) ?? Infinity);
  const freeze = holding[lasting.indexOf(Math.max(...lasting))];
  if (freeze === undefined) return null;
  const { changesAt, activeUntil } = spansOf(freezes, now);
  return { freeze, until: changesAt, atLeastUntil: activeUntil };
}

/** When a freeze begins or ends next. Null: never. If the clocks skip a start, nothing may change at this instant. */
export function nextChange(freezes: readonly Freeze[], now: number): number | null {
  return spansOf(freezes, now).changesAt;
}

/** When to look again whether a freeze has begun or ended. Null: nothing changes by itself. */
export function nextCheck(freezes: readonly Freeze[], now: number): number | null {
  const { changesAt, activeUntil } = spansOf(freezes, now);
  return changesAt ?? activeUntil;
}

function spansOf(freezes: readonly Freeze[], now: number): SpansAt {
  return spansAt(
    freezes.map((freeze) => spanOf(freeze, now)),
    now,
  );
}

// A freeze that had begun when it was made has begun for every server, also for one whose clock is behind. Judging all
// freezes at a later instant instead would end the others early.
function spanOf({ span, createdAt }: Freeze, now: number): Span {
  const hadBegun = 'startsAt' in span && span.startsAt <= createdAt;
  return hadBegun && now < span.startsAt ? { ...span, startsAt: now } : span;
}

/** Whether one of the freezes is in force at an instant of this time. */
export function isFrozenWithin(freezes: readonly Freeze[], from: number, to: number): boolean {
  const changesAt = nextChange(freezes, from);
  return findFreezeInForce(freezes, from) !== null || (changesAt !== null && changesAt <= to);
}

/** Whether the freeze has ended for ever. */
export function isOver({ span }: Freeze, now: number): boolean {
  return 'startsAt' in span && span.endsAt !== null && span.endsAt <= now;
}

/** The end, the author and the reason, as the end of a sentence: `production is …`. */
export function describeFreeze(frozen: FreezeInForce): string {
  const { freeze } = frozen;
  const reason = freeze.reason === null ? '' : `: ${freeze.reason}`;
  return `frozen ${untilText(frozen)}, ${sourceText(freeze)}${reason}`;
}

/** Like `describeFreeze`, without the person: people are known by their email addresses, which are not public. */
export function describeFreezeForAll(frozen: FreezeInForce): string {
  const { reason } = frozen.freeze;
  return `frozen ${untilText(frozen)}${reason === null ? '' : `: ${reason}`}`;
}

function untilText({ freeze: { source }, until, atLeastUntil }: FreezeInForce): string {
  if (until !== null) return `until ${timeText(until)}`;
  if (atLeastUntil !== null) return `at least until ${timeText(atLeastUntil)}`;
  return source === 'schedule' ? 'without an end' : 'until somebody ends it';
}

function sourceText({ source, createdBy }: Freeze): string {
  switch (source) {
    case 'manual':
      return `by ${createdBy}`;
    case 'schedule':
      return `by a schedule of ${createdBy}`;
    case 'rollback':
      return `after a rollback by ${createdBy}`;
    default:
      return source satisfies never;
  }
}
