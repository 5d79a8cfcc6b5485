// Supervises work under the lease of its row. Only one worker at a time does the work. The work is stopped when it is
// no longer wanted. The lease is given back when the worker stops, and expires when the worker is killed. In both cases
// another worker starts the work again.
import { awaitHost } from '../../domain/queue/landing/host-retry.ts';
import { hostFailsSince, pauseAfterHost } from '../../domain/turns.ts';
import type { Context } from '../../context.ts';
import type { Transaction } from '../database.ts';
import { passFailpoint } from '../failpoints.ts';
import { cutText } from '../storable-text.ts';
import type { PieceLog } from '../log-pieces.ts';
import type { DueStep, WorkOutcome } from './carry-out.ts';
import { changeRows, type Kind, type KindTypes } from './kind.ts';
import { takeLease, type Lease, type LeasedRow } from './lease.ts';
import { hostFailuresOf, noSupervisor, type DrivenRow } from './columns.ts';

export interface Supervision<T extends KindTypes> {
  readonly kind: Kind<T>;
  readonly due: Pick<DueStep<T>, 'id'>;
  readonly by: T['by'];
  readonly leased: LeasedRow;
  /** Whether the work must not wait behind other work. Urgent work has a limit of its own. Left out: it is not urgent. */
  readonly isUrgent?: boolean;
  readonly openLog: () => PieceLog;
  /** Returns the line with which the log of a repeated attempt begins. */
  readonly again: (attempt: number) => string;
  /** The names of the failpoints before and after the result is written. */
  readonly beforeWrite?: string;
  readonly afterWrite?: string;
  readonly work: (supervised: SupervisedWork<T>) => Promise<WorkOutcome<T>>;
  /**
   * Whether an error of the work is a failure of the code host. The work is then tried again after a pause, and the
   * attempt does not count. `retryAt`: until when the host asks to wait, in milliseconds since the epoch, or null. Left
   * out: the work handles such failures itself.
   */
  readonly hostFailureOf?: (error: unknown) => { readonly retryAt: number | null } | null;
  /** Called if the work threw another error. Left out: the lease expires, and the work is then started again. */
  readonly failed?: (supervised: SupervisedWork<T>, error: unknown) => Promise<void>;
}

export interface SupervisedWork<T extends KindTypes> {
  readonly lease: Lease;
  readonly log: PieceLog;
  /** Aborted when the work must stop, for any reason. */
  readonly signal: AbortSignal;
  /** Whether this worker must stop although the rows still want the work. */
  readonly isHandedOver: () => boolean;
  /** Writes under the row's lock, while this worker still holds the lease. */
  readonly write: <Result>(change: (tx: Transaction, rows: T['rows']) => Promise<Result>) => Promise<Result>;
}

/** Thrown by work that this worker cannot continue. The lease is given back. */
export class WorkHandedOver extends Error {
  constructor(message = 'This worker cannot continue the work. Another worker starts it again.') {
    super(message);
  }
}

/**
 * How much urgent work and how much other work a process supervises at once. Supervised work may take hours, and each
 * piece has an activity slot of the worker. The worker has more slots, so that the activities of queues need not wait
 * for supervised work.
 */
export const mostSupervised = 100;

const longestProblem = 500;

const supervisedNow = { urgent: 0, other: 0 };

/** Another worker has the lease, or the work has ended. */
class Superseded extends Error {
  constructor() {
    super('another worker supervises the work by now');
  }
}

/**
 * Supervises work under a lease. Returns a sentence that says how the work ended. Throws WorkHandedOver if this process
 * supervises as much as it may; the row is then as before, and Temporal tries again after a pause.
 */
export async function supervise<T extends KindTypes>(ctx: Context, supervision: Supervision<T>): Promise<string> {
  const kind = supervision.isUrgent ? 'urgent' : 'other';
  if (supervisedNow[kind] >= mostSupervised)
    throw new WorkHandedOver('This worker supervises as much work as it may. The work starts when a worker has room.');
  supervisedNow[kind] += 1;
  try {
    return await superviseUnderLease(ctx, supervision);
  } finally {
    supervisedNow[kind] -= 1;
  }
}

async function superviseUnderLease<T extends KindTypes>(ctx: Context, supervision: Supervision<T>): Promise<string> {
  const lease = await takeLease(ctx, supervision.leased);
  if (lease === null) return 'another worker supervises the work';
  const supervised = createSupervised(ctx, supervision, lease);
  const { log } = supervised;
  if (lease.attempt > 1) log.write(`[interlock] ${supervision.again(lease.attempt)}\n`);
  try {
    const done = await supervision.work(supervised);
    // Readers who follow the log must get all of it before the run is shown as ended.
    await log.close();
    if (supervision.beforeWrite !== undefined) await passFailpoint(supervision.beforeWrite);
    await supervised.write(async (tx, rows) => {
      Object.assign(supervision.kind.rowOf(rows), noSupervisor);
      await done.write?.(tx, rows);
    });
    if (supervision.afterWrite !== undefined) await passFailpoint(supervision.afterWrite);
    return done.message;
  } catch (error) {
    if (error instanceof Superseded) return error.message;
    const host = supervision.hostFailureOf?.(error) ?? null;
    if (error instanceof WorkHandedOver || supervision.by.signal?.aborted) await giveBack(supervised);
    else if (host !== null && !lease.isLost())
      return await waitForHost(ctx, supervision, { ...host, supervised, error });
    else await supervision.failed?.(supervised, error);
    throw error;
  } finally {
    await lease.end();
    await log.close();
  }
}

async function giveBack<T extends KindTypes>({ lease, log }: SupervisedWork<T>): Promise<void> {
  log.write('[interlock] This worker cannot continue the work. Another worker starts it again.\n');
  await lease.giveBack();
}

/** Gives the lease back, and schedules the next attempt. Returns a sentence about the failure. */
async function waitForHost<T extends KindTypes>(
  ctx: Context,
  { kind }: Supervision<T>,
  failed: {
    readonly supervised: SupervisedWork<T>;
    readonly error: unknown;
    readonly retryAt: number | null;
  },
): Promise<string> {
  const { supervised, error, retryAt } = failed;
  const message = cutText(error instanceof Error ? error.message : String(error), longestProblem);
  const isFirst = await supervised.write(async (_tx, rows) => {
    const row = kind.rowOf(rows);
    const now = ctx.clock().getTime();
    Object.assign(row, noSupervisor, { nextLookAt: new Date(now) });
    return delayAfterHost(row, { now, retryAt, problem: message });
  });
  if (isFirst) supervised.log.write(`[interlock] The code host failed, and is asked again later: ${message}\n`);
  return `the code host failed, and is asked again later: ${message}`;
}

/**
 * Schedules the next attempt of supervised work whose attempt failed because of the code host. The attempt does not
 * count. Returns whether it is the first of such failures in a row.
 */
export function delayAfterHost(
  row: DrivenRow,
  { now, retryAt, problem }: { readonly now: number; readonly retryAt: number | null; readonly problem: string },
): boolean {
  const before = hostFailuresOf(row);
  const since = hostFailsSince(before, now);
  Object.assign(row, {
    // The attempt was counted when the lease was taken.
    calls: row.calls - 1,
    callAt: new Date(now + awaitHost(pauseAfterHost(since, now), { retryAt, now })),
    failingSince: new Date(since),
    problem,
  });
  return since !== before.failingSince;
}

function createSupervised<T extends KindTypes>(
  ctx: Context,
  { kind, due, by, openLog }: Supervision<T>,
  lease: Lease,
): SupervisedWork<T> {
  const { signal } = by;
  return {
    lease,
    log: openLog(),
    signal: signal === undefined ? lease.signal : AbortSignal.any([lease.signal, signal]),
    isHandedOver: () => signal?.aborted === true || lease.isLost(),
    write: async (change) =>
      await lease.write(
        async () =>
          await ctx.db.transaction(ctx.accountId, async (tx) => {
            const rows = await kind.lock(ctx, tx, due.id);
            if (kind.rowOf(rows).supervisedBy !== lease.holder) throw new Superseded();
            return await changeRows(ctx, tx, { kind, rows, work: async () => await change(tx, rows) });
          }),
      ),
  };
}
