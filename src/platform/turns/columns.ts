// The columns of a row that is driven by turns: failed calls, the worker that supervises its work, and the next time
// the relay reads it.
import { p } from '@mikro-orm/core';
import type { HostFailures } from '../../domain/turns.ts';

/** Returns a new copy of the columns, because each entity needs its own. */
export function drivenColumns() {
  return {
    /** The next call is not made before this instant. Null: no call has failed. */
    callAt: p.datetime().nullable(),
    /** How many calls or attempts in a row have failed. */
    calls: p.integer().default(0),
    /** Why the last call failed. */
    problem: p.string().nullable(),
    /** Since when the code host fails. Null: the last call or attempt did not fail because of the code host. */
    failingSince: p.datetime().nullable(),
    supervisedBy: p.string().nullable(),
    supervisedUntil: p.datetime().nullable(),
    /** When the relay reads the row at the latest. Null: the relay does not read it. */
    nextLookAt: p.datetime().nullable(),
  };
}

/** The values of these columns in a row. */
export interface DrivenRow {
  callAt?: Date | null | undefined;
  calls: number;
  problem?: string | null | undefined;
  failingSince?: Date | null | undefined;
  supervisedBy?: string | null | undefined;
  supervisedUntil?: Date | null | undefined;
  nextLookAt?: Date | null | undefined;
}

export function hostFailuresOf({ callAt, failingSince }: Pick<DrivenRow, 'callAt' | 'failingSince'>): HostFailures {
  return { callAt: callAt?.getTime() ?? null, failingSince: failingSince?.getTime() ?? null };
}

/** The columns of a row without failed calls. */
export const noFailedCalls = { callAt: null, calls: 0, problem: null, failingSince: null } as const;

/** Schedules the next attempt of failed work. The more often the work failed, the longer the pause. */
export function delayNextCall(
  row: DrivenRow,
  {
    now,
    pauseAfter,
    problem,
  }: {
    readonly now: Date;
    readonly pauseAfter: (calls: number) => number;
    /** Why the call failed. Null: it did not fail, and is repeated later. */
    readonly problem: string | null;
  },
): void {
  row.calls += 1;
  row.callAt = new Date(now.getTime() + pauseAfter(row.calls));
  row.problem = problem;
}

/** The columns of a row that no worker supervises. */
export const noSupervisor = { supervisedBy: null, supervisedUntil: null } as const;
