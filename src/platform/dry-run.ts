// A change is tried out by the code that makes it, in a transaction that is rolled back.
import type { Context } from '../context.ts';
import type { Database, Transaction } from './database.ts';

/** Ends the transaction like a refusal. */
class RolledBack extends Error {}

/** What the change would answer. Nothing is written, and nobody is woken: both would follow the commit. */
export async function dryRun<Answered>(
  db: Database,
  accountId: string,
  act: (tx: Transaction) => Promise<Answered>,
): Promise<Answered> {
  const answers: Answered[] = [];
  try {
    await db.transaction(accountId, async (tx) => {
      answers.push(await act(tx));
      throw new RolledBack('This was a dry run.');
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  const [answered] = answers;
  if (answered === undefined) throw new Error('A dry run had no answer.');
  return answered;
}

/** Like `dryRun`, for code that begins its transaction itself. */
export async function tryOut<Answered>(
  ctx: Context,
  act: (dryContext: Context) => Promise<Answered>,
): Promise<Answered> {
  return await dryRun(ctx.db, ctx.accountId, async (tx) => await act(contextWithin(ctx, tx)));
}

/** A context whose transactions are parts of this one. Actions after a commit never run. */
export function contextWithin(ctx: Context, tx: Transaction): Context {
  return {
    ...ctx,
    db: {
      ...ctx.db,
      transaction: async (_, work) => {
        const result = await work({ ...tx, afterCommit: () => {} });
        await tx.em.flush();
        return result;
      },
    },
    wake: async () => {},
    eventsWritten: () => {},
  };
}
