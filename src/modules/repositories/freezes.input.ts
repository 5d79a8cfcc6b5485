// Checks the input of a freeze, for every target.
import { cronFault, timezoneFault } from '../../domain/calendar/cron.ts';
import type { RecurringSpan, SingleSpan } from '../../domain/calendar/spans.ts';
import { DomainError } from '../../domain/errors.ts';

const longestReason = 1000;

/** Returns null for an empty reason. */
export function checkedReason(reason: string | null | undefined): string | null {
  if ((reason?.length ?? 0) > longestReason)
    throw new DomainError('BAD_INPUT', `reason must be at most ${longestReason} characters`, 'reason');
  return reason?.trim() || null;
}

/** Returns the span of a manual freeze, which begins now. */
export function checkedSpan(endsAt: Date | null | undefined, now: Date): SingleSpan {
  if (endsAt && endsAt <= now) throw new DomainError('BAD_INPUT', 'ends_at must be in the future', 'endsAt');
  return { startsAt: now.getTime(), endsAt: endsAt?.getTime() ?? null };
}

/** Throws BAD_INPUT with a field of `input.schedule`. */
export function checkedSchedule({ cronStart, cronEnd, timezone }: RecurringSpan): RecurringSpan {
  const faults = [
    ['cron_start', 'cronStart', cronFault(cronStart)],
    ['cron_end', 'cronEnd', cronFault(cronEnd) ?? endFault({ cronStart, cronEnd })],
    ['timezone', 'timezone', timezoneFault(timezone)],
  ] as const;
  for (const [name, field, fault] of faults)
    if (fault !== null) throw new DomainError('BAD_INPUT', `${name} ${fault}`, `input.schedule.${field}`);
  return { cronStart, cronEnd, timezone };
}

function endFault({ cronStart, cronEnd }: Pick<RecurringSpan, 'cronStart' | 'cronEnd'>): string | null {
  const [start, end] = [cronStart, cronEnd].map((each) => each.trim().split(/\s+/).join(' '));
  return start === end
    ? 'must differ from cron_start, because the freeze would never end. Make a freeze without end without a schedule'
    : null;
}
