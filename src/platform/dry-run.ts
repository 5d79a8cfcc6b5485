// Dry runs: the code that makes a change runs in a transaction that is rolled back.
import type { Context } from '../context.ts';
import type { Database, Transaction } from './database.ts';

/** Thrown at the end of a dry run, so that the transaction is rolled back. */
class RolledBack extends Error {}

/** Returns what the change would return. Nothing is committed, and no wakes are sent, because they follow a commit. */
export async function dryRun<Result>(
  db: Database,
  accountId: string,
  act: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const answers: Result[] = [];
  try {
    await db.transaction(accountId, async (tx) => {
      answers.push(await act(tx));
      throw new RolledBack('This was a dry run.');
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  const [result] = answers;
  if (result === undefined) throw new Error('A dry run had no answer.');
  return result;
}

/** Like `dryRun`, for code that begins its transaction itself. */
export async function tryOut<Result>(ctx: Context, act: (dryContext: Context) => Promise<Result>): Promise<Result> {
  return await dryRun(ctx.db, ctx.accountId, async (tx) => await act(contextWithin(ctx, tx)));
}

/** A context whose transactions are parts of the given transaction. Its effects after a commit never run. */
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
