// Columns of a row that is driven by turns: its calls, the worker that supervises it, and when to read it again.
import { p } from '@mikro-orm/core';

/** The columns, as a new copy, because each entity needs its own. */
export function drivenColumns() {
  return {
    /** After failed calls: the next call is not made before this instant. */
    callAt: p.datetime().nullable(),
    /** How many calls or attempts in a row have failed. */
    calls: p.integer().default(0),
    /** Why the last of them failed. */
    problem: p.string().nullable(),
    supervisedBy: p.string().nullable(),
    supervisedUntil: p.datetime().nullable(),
    /** When the relay looks at the row at the latest. */
    nextLookAt: p.datetime().nullable(),
  };
}

/** The values of these columns in a row. */
export interface DrivenRow {
  callAt?: Date | null | undefined;
  calls: number;
  problem?: string | null | undefined;
  supervisedBy?: string | null | undefined;
  supervisedUntil?: Date | null | undefined;
  nextLookAt?: Date | null | undefined;
}

/** The columns of a row without failed calls. */
export const untried = { callAt: null, calls: 0, problem: null } as const;

/** Puts off work that failed until a pause is over. The more often it failed, the longer the pause. */
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
