// Heads that the service pushed to the branches of pull requests. Each is recorded before the push, so that nobody
// takes it for a person's commit.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';

/** How many of our pushes lead from one head to another. 0: another person's commit is between them. */
export async function countOwnPushes(
  ctx: Context,
  tx: Transaction,
  heads: { readonly repositoryId: string; readonly from: string; readonly to: string },
): Promise<number> {
  const [found] = await tx.query<{ steps: number }>(
    `with recursive back (head, steps) as (
       select previous, 1 from pushed_head where account_id = $1 and repository_id = $2 and head = $4
       union
       select p.previous, b.steps + 1 from pushed_head p join back b on p.head = b.head
       where p.account_id = $1 and p.repository_id = $2 and b.steps < 20)
     select min(steps) as steps from back where head = $3`,
    [ctx.accountId, heads.repositoryId, heads.from, heads.to],
  );
  return found?.steps ?? 0;
}
