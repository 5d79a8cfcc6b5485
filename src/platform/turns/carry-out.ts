// Carries out the work that a turn has left to do. The row itself records the intent, so the due work is read from the
// row again. The work is idempotent. Its outcome is written while the row is locked.
import { contextWithoutWake, type Context } from '../../context.ts';
import type { AfterTurn } from '../../domain/turns.ts';
import type { Transaction } from '../database.ts';
import { awaitHost } from '../../domain/queue/landing/host-retry.ts';
import type { DrivenRow } from './columns.ts';
import { changeRows, type Kind, type KindTypes } from './kind.ts';

/** The due work, with the rows by which it was decided. */
export interface DueStep<T extends KindTypes, Step extends T['left'] | T['written'] = T['left']> {
  readonly id: string;
  readonly rows: T['rows'];
  readonly situation: T['situation'];
  readonly step: Step;
  /** Wakes the workflow, so that a turn shows the progress of supervised work. */
  readonly report: () => Promise<void>;
}

export type CallOf<T extends KindTypes> = Extract<T['left'], { kind: 'call' }>;
export type SuperviseOf<T extends KindTypes> = Extract<T['left'], { kind: 'supervise' }>;

/** The outcome of the work. It is written while the row is locked, if the row still says that the work is wanted. */
export interface WorkOutcome<T extends KindTypes> {
  readonly message: string;
  /** Writes the outcome. Left out: the outcome is written already. */
  readonly write?: (tx: Transaction, rows: T['rows']) => Promise<void>;
}

/** Why the due work failed. */
export interface Failure {
  readonly message: string;
  /** Whether the work is not tried again. */
  readonly isFinal: boolean;
  /** Whether the code host failed. Absent: something else failed, or the kind does not ask. */
  readonly isHostAway?: boolean;
  /** Until when the code host has asked to wait, in milliseconds since the epoch. Null or absent: it has not asked. */
  readonly retryAt?: number | null;
}

/** A failure of the due work, and the rows as they are now. */
export interface Failed<T extends KindTypes> extends Failure {
  readonly rows: T['rows'];
  readonly due: DueStep<T>;
}

export interface CarryOut<T extends KindTypes> {
  readonly kind: Kind<T>;
  call(ctx: Context, due: DueStep<T, CallOf<T>>, by: T['by']): Promise<WorkOutcome<T>>;
  /** Carries out work under supervision. Returns a sentence that says how it ended. */
  supervise(ctx: Context, due: DueStep<T, SuperviseOf<T>>, by: T['by']): Promise<string>;
  /** Translates an error into a failure. Null: the error is thrown, and Temporal retries the activity. */
  failureOf(
    ctx: Context,
    error: unknown,
    due: Pick<DueStep<T>, 'id' | 'step'> & { readonly by: T['by'] },
  ): Failure | null;
  /** Writes a failure into the row, usually together with the time of the next attempt. */
  fail(ctx: Context, tx: Transaction, failed: Failed<T>): Promise<void>;
}

/** Carries out the due work of a row. Returns a sentence that says how it ended. */
export async function carryOutDue<T extends KindTypes>(
  ctx: Context,
  carryOut: CarryOut<T>,
  { id, by }: { readonly id: string; readonly by: T['by'] },
): Promise<string> {
  const { kind } = carryOut;
  const quiet = contextWithoutWake(ctx, kind.whose(id));
  const due = await readDue(ctx, { kind, id });
  if (!isKind(due, 'call') && !isKind(due, 'supervise')) return 'nothing was left to do';
  try {
    if (isKind(due, 'supervise')) return await carryOut.supervise(quiet, due, by);
    return await writeDone(quiet, { kind, id }, await carryOut.call(quiet, due, by));
  } catch (error) {
    const failure = carryOut.failureOf(quiet, error, { id, step: due.step, by });
    if (failure === null) throw error;
    await changeLocked(quiet, { kind, id }, async (tx, rows) => {
      const row = kind.rowOf(rows);
      const { calls } = row;
      await carryOut.fail(quiet, tx, { ...failure, rows, due });
      if (!failure.isFinal) waitForHost(row, { calls, now: ctx.clock().getTime(), retryAt: failure.retryAt ?? null });
    });
    return failure.isFinal ? `refused: ${failure.message}` : `failed, and is tried again: ${failure.message}`;
  }
}

/**
 * If a code host asks to wait, this is not counted as a failed call, and the next call is made when the wait is over.
 */
function waitForHost(
  row: DrivenRow,
  { calls, now, retryAt }: { readonly calls: number; readonly now: number; readonly retryAt: number | null },
): void {
  if (retryAt === null || retryAt <= now || !row.callAt) return;
  row.calls = calls;
  row.callAt = new Date(now + awaitHost(0, { retryAt, now }));
}

/**
 * Writes the outcome of the work, and returns its message. `supervise` functions use it too, for work that they do not
 * supervise.
 */
export async function writeDone<T extends KindTypes>(
  ctx: Context,
  { kind, id }: { readonly kind: Kind<T>; readonly id: string },
  done: WorkOutcome<T>,
): Promise<string> {
  const { message, write } = done;
  if (write !== undefined) await changeLocked(ctx, { kind, id }, write);
  return message;
}

async function changeLocked<T extends KindTypes>(
  ctx: Context,
  { kind, id }: { readonly kind: Kind<T>; readonly id: string },
  write: (tx: Transaction, rows: T['rows']) => Promise<void>,
): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rows = await kind.lock(ctx, tx, id);
    await changeRows(ctx, tx, { kind, rows, work: async () => await write(tx, rows) });
  });
}

function isKind<T extends KindTypes, What extends AfterTurn['kind']>(
  due: DueStep<T, T['left'] | T['written']>,
  what: What,
): due is DueStep<T, Extract<T['left'], { kind: What }>> {
  return due.step.kind === what;
}

async function readDue<T extends KindTypes>(
  ctx: Context,
  { kind, id }: { readonly kind: Kind<T>; readonly id: string },
): Promise<DueStep<T, T['left'] | T['written']>> {
  const { accountId } = ctx;
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rows = await kind.lock(ctx, tx, id);
    const situation = await kind.read(ctx, tx, rows);
    const step = kind.decide(situation, ctx.clock().getTime());
    return { id, rows, situation, step, report: async () => await ctx.wake({ accountId, ...kind.whose(id) }) };
  });
}
