// Writes the events of freezes that begin or end at a given time. Every server and worker runs this, and the first
// process that locks a row writes its event. Only rows that are due are read.
import { systemContext, type Context, type Ports } from '../../context.ts';
import { announceBranchFreezes, lockRepository } from '../repositories/index.ts';
import { announceFreeze } from './freezes.announce.ts';
import { changeEnvironment } from './releases.locks.ts';

const maxAtOnce = 100;

interface Due {
  readonly account_id: string;
  readonly id: string;
}

/** SQL: whether `announceDueFreezes` would write an event. */
export const freezesAreDue = `exists (select from environment where next_freeze_change_at <= $1)
  or exists (select from repository where next_freeze_change_at <= $1)`;

export async function announceDueFreezes(ports: Ports): Promise<void> {
  for (const { account_id: accountId, id } of await readDue(ports, 'environment'))
    await announceEnvironment(systemContext(ports, accountId), id);
  for (const { account_id: accountId, id } of await readDue(ports, 'repository'))
    await announceRepository(systemContext(ports, accountId), id);
}

async function announceEnvironment(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await announceFreeze(ctx, tx, await changeEnvironment(ctx, tx, id));
  });
}

async function announceRepository(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockRepository(ctx, tx, id);
    await announceBranchFreezes(ctx, tx, id);
  });
}

async function readDue({ db, clock }: Ports, table: 'environment' | 'repository'): Promise<Due[]> {
  return await db.system.query<Due>(
    `select account_id, id from ${table} where next_freeze_change_at <= $1 order by next_freeze_change_at limit ${maxAtOnce}`,
    [clock().toISOString()],
  );
}
