// One turn: read, decide, write, in one transaction under the row. The caller carries
// out what is left.
import { quietFor, type Context } from '../../context.ts';
import { relayAt, type AfterTurn } from '../../domain/turns.ts';
import type { Transaction } from '../database.ts';
import { changeRows, isLeft, type Decided, type Kind, type KindTypes } from './kind.ts';

/** How a turn ended, with what people read of it. */
export type TurnOf<T extends KindTypes> = T['shown'] & {
  /** `call` and `supervise` are left to be carried out. */
  readonly need: AfterTurn['kind'];
  /** When to look again although nothing wakes it; null: never. Milliseconds since the epoch. */
  readonly nextLookAt: number | null;
};

export async function takeTurn<T extends KindTypes>(ctx: Context, kind: Kind<T>, id: string): Promise<TurnOf<T>> {
  const quiet = quietFor(ctx, kind.whose(id));
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const locked = await kind.lock(quiet, tx, id);
    const decided = await changeRows(quiet, tx, { kind, rows: locked }, async () => {
      const rows = (await kind.prepare?.(quiet, tx, locked)) ?? locked;
      return await writeUntilDone(quiet, tx, kind, rows);
    });
    const { rows, step } = decided;
    kind.rowOf(rows).nextLookAt = relayAt(step, ctx.clock());
    return {
      ...(await kind.show(quiet, tx, decided)),
      need: step.kind,
      nextLookAt: step.kind === 'wait' ? step.until : null,
    };
  });
}

/** Writes what has to be written, until something is left to do or to wait for. */
async function writeUntilDone<T extends KindTypes>(
  ctx: Context,
  tx: Transaction,
  kind: Kind<T>,
  first: T['rows'],
): Promise<Decided<T>> {
  let rows = first;
  for (;;) {
    const situation = await kind.read(ctx, tx, rows);
    const step = kind.decide(situation, ctx.clock().getTime());
    if (isLeft<T>(step)) return { rows, situation, step };
    rows = await kind.write(ctx, tx, rows, step);
  }
}
