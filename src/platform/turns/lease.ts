// Work that lives only while a worker supervises it. The worker holds a lease in its row, and no other worker starts it
// meanwhile. A worker whose lease is gone, or whose row no longer wants the work, stops it. A worker that was killed
// loses the lease, and the work is started again.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../database.ts';
import { retryDuringOutage } from '../outage.ts';

/**
 * A row with `supervised_by`, `supervised_until`, `next_look_at` and `calls`. Its SQL is always ours, and never a
 * user's.
 */
export interface Leased {
  readonly table: string;
  readonly id: string;
  /** Condition on the row: the work is wanted. */
  readonly wanted: string;
  /** Condition on the row: its worker keeps the lease, to stop the work or to finish it. */
  readonly kept: string;
}

export interface LeaseContext {
  readonly accountId: string;
  readonly db: Database;
  readonly clock: () => Date;
  readonly log: Logger;
}

export interface Lease {
  readonly holder: string;
  /** How often the work was started, this time included. */
  readonly times: number;
  /** Aborted if the work is not wanted any more, or if another worker may have taken it. */
  readonly signal: AbortSignal;
  /** Whether the lease could not be renewed in time. Another worker may have taken the work by now. */
  isLost(): boolean;
  /**
   * Writes the outcome of the work. If the database is away for a moment, finished work is not lost: the lease is
   * renewed as soon as the database is back. `write` checks that the worker still holds the lease.
   */
  write<T>(write: () => Promise<T>): Promise<T>;
  /** Gives the lease back, so that another worker starts the work again. */
  giveBack(): Promise<void>;
  /** Ends the renewal of the lease. */
  end(): Promise<void>;
}

const leaseMs = 10_000;
const renewEveryMs = 1_000;
const relayAfterMs = 60_000;

/** Null: another worker supervises it, or it is not wanted any more. */
export async function takeLease(ctx: LeaseContext, leased: Leased): Promise<Lease | null> {
  const { table, id, wanted } = leased;
  const holder = randomUUID();
  const now = ctx.clock();
  const [taken] = await query<{ calls: number }>(
    ctx,
    `update ${table} set supervised_by = $3, supervised_until = $4, next_look_at = $5, calls = calls + 1
     where account_id = $1 and id = $2 and ${wanted} and (supervised_until is null or supervised_until <= $6)
     returning calls`,
    [ctx.accountId, id, holder, after(now, leaseMs), after(now, relayAfterMs), now.toISOString()],
  );
  if (taken === undefined) return null;
  return {
    holder,
    times: taken.calls,
    ...keep(ctx, leased, holder),
    write: async (write) => await retryDuringOutage(write, ctx.log),
    giveBack: async () => await retryDuringOutage(async () => await giveBack(ctx, leased, holder), ctx.log),
  };
}

/** Renews it once a second until its end. */
function keep(ctx: LeaseContext, leased: Leased, holder: string): Pick<Lease, 'signal' | 'isLost' | 'end'> {
  const stop = new AbortController();
  const ended = new AbortController();
  let renewedAt = performance.now();
  let isLost = false;

  async function renewUntilEnd(): Promise<void> {
    while (!ended.signal.aborted) {
      await delay(renewEveryMs, undefined, { signal: ended.signal }).catch(() => {});
      if (ended.signal.aborted) return;
      try {
        if (!(await renew(ctx, leased, holder))) stop.abort();
        renewedAt = performance.now();
      } catch (error) {
        ctx.log.warn({ error: String(error), table: leased.table, id: leased.id }, 'A lease could not be renewed.');
        isLost ||= performance.now() - renewedAt > leaseMs - renewEveryMs;
        if (isLost) stop.abort();
      }
    }
  }

  const renewing = renewUntilEnd();
  return {
    signal: stop.signal,
    isLost: () => isLost,
    end: async () => {
      ended.abort();
      await renewing;
    },
  };
}

/** False: it is another's, or the work is not wanted any more. */
async function renew(ctx: LeaseContext, { table, id, wanted, kept }: Leased, holder: string): Promise<boolean> {
  const now = ctx.clock();
  const [row] = await query<{ wanted: boolean }>(
    ctx,
    `update ${table} set supervised_until = $4, next_look_at = $5
     where account_id = $1 and id = $2 and supervised_by = $3 and ${kept} returning ${wanted} as wanted`,
    [ctx.accountId, id, holder, after(now, leaseMs), after(now, relayAfterMs)],
  );
  return row?.wanted === true;
}

async function giveBack(ctx: LeaseContext, { table, id }: Leased, holder: string): Promise<void> {
  await query(
    ctx,
    `update ${table} set supervised_by = null, supervised_until = null, next_look_at = $4, calls = calls - 1
     where account_id = $1 and id = $2 and supervised_by = $3`,
    [ctx.accountId, id, holder, ctx.clock().toISOString()],
  );
}

async function query<Row extends object>(ctx: LeaseContext, text: string, values: readonly unknown[]): Promise<Row[]> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => await tx.query<Row>(text, values));
}

function after(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString();
}
