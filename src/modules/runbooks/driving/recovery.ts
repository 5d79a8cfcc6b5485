// After a backup of the database was restored, nobody here knows what its open runbooks have pushed and opened since.
// They are stopped. A person looks at their branches and retries them; what is pushed already is not pushed again.
import { systemContext, type Ports } from '../../../context.ts';
import { cancelWork } from '../steps.writer.ts';
import { lockRunbook } from '../runbooks.locks.ts';

interface OpenRunbook {
  readonly accountId: string;
  readonly id: string;
}

const openRunbooks = `select r.account_id as "accountId", r.id from runbook r
                      where r.not_started + r.queued + r.in_progress > 0
                        or exists (select 1 from runbook_prompt p
                                   where p.account_id = r.account_id and p.runbook_id = r.id and p.planned_at is null)
                      order by r.account_id, r.id`;

export async function countOpenRunbooks({ db }: Ports): Promise<number> {
  return (await db.system.query<OpenRunbook>(openRunbooks)).length;
}

/** Answers how many they were. */
export async function stopOpenRunbooks(ports: Ports): Promise<number> {
  const open = await ports.db.system.query<OpenRunbook>(openRunbooks);
  for (const { accountId, id } of open) {
    const ctx = systemContext(ports, accountId);
    await ctx.db.transaction(accountId, async (tx) => {
      await cancelWork(ctx, tx, { runbook: await lockRunbook(ctx, tx, id), message: restored });
    });
  }
  return open.length;
}

const restored = 'The database was restored from a backup: look at what is on the branch already, then retry.';
