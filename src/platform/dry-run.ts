// A change is tried out by the very code that makes it, in a transaction that is rolled back.
import type { Database, Transaction } from './database.ts';

/** Ends the transaction the way a refusal would. */
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
