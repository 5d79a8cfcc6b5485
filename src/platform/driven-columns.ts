// Columns of a row that is driven by turns: what is called of it, who attends to it, and when to look at it again.
import { p } from '@mikro-orm/core';

/** Made anew for each entity. */
export function drivenColumns() {
  return {
    /** Not called before, after calls that failed. */
    callAt: p.datetime().nullable(),
    /** Calls or attendances in a row that came to nothing. */
    calls: p.integer().default(0),
    /** In words, why the last one came to nothing. */
    problem: p.string().nullable(),
    attendedBy: p.string().nullable(),
    attendedUntil: p.datetime().nullable(),
    /** When the relay looks at it at the latest. */
    nextLookAt: p.datetime().nullable(),
  };
}

/** Nobody attends to it any more. */
export const unattended = { attendedBy: null, attendedUntil: null } as const;
