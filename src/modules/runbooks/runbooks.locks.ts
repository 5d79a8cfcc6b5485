// The lock on a runbook's row protects its prompts, steps, commits and pull requests.
import type { Context } from '../../context.ts';
import { notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { RunbookEntity, type RunbookRow } from './runbooks.entities.ts';

/** Locks a runbook's row, and reads it. Throws NOT_FOUND. */
export async function lockRunbook(ctx: Context, tx: Transaction, runbookId: string): Promise<RunbookRow> {
  return await lock(ctx, tx, { column: 'id', value: runbookId });
}

/**
 * Like `lockRunbook`, by the number that users see. Also increases the row's version, so that the workflow takes
 * another turn.
 */
export async function changeRunbook(ctx: Context, tx: Transaction, number: number): Promise<RunbookRow> {
  const runbook = await lock(ctx, tx, { column: 'number', value: number });
  runbook.version += 1;
  return runbook;
}

async function lock(
  ctx: Context,
  tx: Transaction,
  { column, value }: { readonly column: 'id' | 'number'; readonly value: string | number },
): Promise<RunbookRow> {
  const [found] = await tx.query<{ id: string }>(
    `select id from runbook where account_id = $1 and ${column} = $2 for no key update`,
    [ctx.accountId, value],
  );
  if (found === undefined) throw notFound('Runbook');
  // The row is read again under the lock, because a row that the unit of work loaded earlier may be out of date.
  return await tx.em.findOneOrFail(RunbookEntity, { id: found.id, accountId: ctx.accountId }, { refresh: true });
}
