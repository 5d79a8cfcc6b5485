// One turn: read, decide and write, in one transaction that locks the row. The caller carries out the work that the
// turn has left to do.
import { contextWithoutWake, type Context } from '../../context.ts';
import { relayAt, type AfterTurn } from '../../domain/turns.ts';
import type { Transaction } from '../database.ts';
import { changeRows, endsTurn, type DecidedTurn, type Kind, type KindTypes } from './kind.ts';

/** The end of a turn, and how it is shown to people. */
export type TurnOf<T extends KindTypes> = T['shown'] & {
  /** What comes next. After `call` and `supervise`, the caller carries out the work. */
  readonly need: AfterTurn['kind'];
  /** When to take the next turn even if no wake arrives, in milliseconds since the epoch. Null: never. */
  readonly nextLookAt: number | null;
};

export async function takeTurn<T extends KindTypes>(ctx: Context, kind: Kind<T>, id: string): Promise<TurnOf<T>> {
  const quiet = contextWithoutWake(ctx, kind.whose(id));
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const locked = await kind.lock(quiet, tx, id);
    const work = async (): Promise<DecidedTurn<T>> => {
      const rows = (await kind.prepare?.(quiet, tx, locked)) ?? locked;
      return await writeUntilDone(quiet, tx, { kind, rows });
    };
    const decided = await changeRows(quiet, tx, { kind, rows: locked, work });
    const { rows, step } = decided;
    kind.rowOf(rows).nextLookAt = relayAt(step, ctx.clock());
    return {
      ...(await kind.show(quiet, tx, decided)),
      need: step.kind,
      nextLookAt: step.kind === 'wait' ? step.until : null,
    };
  });
}

/** Writes decisions one after the other, until the decision is to do work or to wait. */
async function writeUntilDone<T extends KindTypes>(
  ctx: Context,
  tx: Transaction,
  { kind, rows: first }: { readonly kind: Kind<T>; readonly rows: T['rows'] },
): Promise<DecidedTurn<T>> {
  let rows = first;
  for (;;) {
    const situation = await kind.read(ctx, tx, rows);
    const step = kind.decide(situation, ctx.clock().getTime());
    if (endsTurn<T>(step)) return { rows, situation, step };
    rows = await kind.write(ctx, tx, { rows, step });
  }
}
