// Leases, for work that lasts only while a worker supervises it. The worker writes a lease into the row of the work,
// and no other worker starts the work meanwhile. The worker stops the work if it loses the lease, or if the row no
// longer wants the work. If the worker is killed, the lease expires, and another worker starts the work again.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../database.ts';
import { retryDuringOutage } from '../outage.ts';

/**
 * A row with the columns `supervised_by`, `supervised_until`, `next_look_at` and `calls`. The SQL in it must be
 * constant, and never input of a user.
 */
export interface LeasedRow {
  readonly table: string;
  readonly id: string;
  /** An SQL condition on the row: the work is wanted. */
  readonly wanted: string;
  /** An SQL condition on the row: the worker may renew the lease, to finish or to stop the work. */
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
  readonly attempt: number;
  /** Aborted if the work is no longer wanted, or if another worker may have taken it. */
  readonly signal: AbortSignal;
  /** Whether the lease could not be renewed in time. Another worker may have taken the work by now. */
  isLost(): boolean;
  /**
   * Writes the outcome of the work. If the database is down for a moment, finished work is not lost: the lease is
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
/** How long before the end of its lease the work is stopped, so that it has stopped when another worker starts it. */
const marginMs = 1_000;
const relayAfterMs = 60_000;

/** Takes the lease of a row. Null: another worker has it, or the work is no longer wanted. */
export async function takeLease(ctx: LeaseContext, leased: LeasedRow): Promise<Lease | null> {
  const { table, id, wanted } = leased;
  const holder = randomUUID();
  const requestedAt = performance.now();
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
    attempt: taken.calls,
    ...keepRenewing(ctx, leased, { holder, requestedAt }),
    write: async (write) => await retryDuringOutage(write, ctx.log),
    giveBack: async () => await retryDuringOutage(async () => await giveBack(ctx, leased, holder), ctx.log),
  };
}

/**
 * Renews the lease once a second until `end` is called. A lease counts from the moment before it was requested. A timer
 * ends the work, because a renewal may wait for an answer of the database for longer than the lease.
 */
function keepRenewing(
  ctx: LeaseContext,
  leased: LeasedRow,
  { holder, requestedAt }: { readonly holder: string; readonly requestedAt: number },
): Pick<Lease, 'signal' | 'isLost' | 'end'> {
  const stop = new AbortController();
  const ended = new AbortController();
  const lost = Promise.withResolvers<void>();
  let isLost = false;
  let isFailing = false;
  let timer = loseAfter(requestedAt);

  function loseAfter(countedFrom: number): NodeJS.Timeout {
    return setTimeout(
      () => {
        isLost = true;
        ctx.log.warn({ table: leased.table, id: leased.id }, 'A lease was not renewed in time. Its work stops.');
        stop.abort();
        lost.resolve();
      },
      countedFrom + leaseMs - marginMs - performance.now(),
    );
  }

  async function renewUntilEnd(): Promise<void> {
    while (!ended.signal.aborted) {
      await delay(renewEveryMs, undefined, { signal: ended.signal }).catch(() => {});
      if (ended.signal.aborted) return;
      const renewedAt = performance.now();
      try {
        if (!(await renew(ctx, leased, holder))) stop.abort();
        if (ended.signal.aborted) return;
        isFailing = false;
        clearTimeout(timer);
        timer = loseAfter(renewedAt);
      } catch (error) {
        // During an outage each renewal fails. The log has the first failure.
        if (isFailing) continue;
        isFailing = true;
        ctx.log.warn({ error: String(error), table: leased.table, id: leased.id }, 'A lease could not be renewed.');
      }
    }
  }

  const renewing = renewUntilEnd();
  return {
    signal: stop.signal,
    isLost: () => isLost,
    end: async () => {
      ended.abort();
      // A renewal without an answer does not hold up the end of the work.
      await Promise.race([renewing, lost.promise]);
      clearTimeout(timer);
    },
  };
}

/** False: another worker has the lease, or the work is no longer wanted. */
async function renew(ctx: LeaseContext, { table, id, wanted, kept }: LeasedRow, holder: string): Promise<boolean> {
  const now = ctx.clock();
  const [row] = await query<{ wanted: boolean }>(
    ctx,
    `update ${table} set supervised_until = $4, next_look_at = $5
     where account_id = $1 and id = $2 and supervised_by = $3 and ${kept} returning ${wanted} as wanted`,
    [ctx.accountId, id, holder, after(now, leaseMs), after(now, relayAfterMs)],
  );
  return row?.wanted === true;
}

async function giveBack(ctx: LeaseContext, { table, id }: LeasedRow, holder: string): Promise<void> {
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
