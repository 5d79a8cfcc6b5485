// Columns of a row that is driven by turns: its calls, the worker that supervises it, and when to read it again.
import { p } from '@mikro-orm/core';

/** Each entity needs its own copy. */
export function drivenColumns() {
  return {
    /** Not called before, after calls that failed. */
    callAt: p.datetime().nullable(),
    /** Calls or attempts in a row that came to nothing. */
    calls: p.integer().default(0),
    /** Why the last one came to nothing. */
    problem: p.string().nullable(),
    supervisedBy: p.string().nullable(),
    supervisedUntil: p.datetime().nullable(),
    /** When the relay looks at it at the latest. */
    nextLookAt: p.datetime().nullable(),
  };
}

/** The same as they stand in a row. */
export interface DrivenRow {
  callAt?: Date | null | undefined;
  calls: number;
  problem?: string | null | undefined;
  supervisedBy?: string | null | undefined;
  supervisedUntil?: Date | null | undefined;
  nextLookAt?: Date | null | undefined;
}

/** Its next call is the first in a row. */
export const untried = { callAt: null, calls: 0, problem: null } as const;

/** What failed is left alone until a pause is over, the longer the more often it failed. */
export function putOff(
  row: DrivenRow,
  {
    now,
    pauseAfter,
    problem,
  }: {
    readonly now: Date;
    readonly pauseAfter: (calls: number) => number;
    /** Null: nothing failed, and it is asked again later. */
    readonly problem: string | null;
  },
): void {
  row.calls += 1;
  row.callAt = new Date(now.getTime() + pauseAfter(row.calls));
  row.problem = problem;
}

/** No worker supervises it any more. */
export const unsupervised = { supervisedBy: null, supervisedUntil: null } as const;
