// Wakes deployments and builds whose wake was lost, whose deadline nobody watches, or whose workflow went with all of
// Temporal's data: their rows say when they are to be looked at at the latest. Run by every server and worker; whoever
// takes a row puts it off for the others.
import type { Ports } from '../../../context.ts';

const mostAtOnce = 200;
const againMs = 10_000;

interface DueDeployment {
  readonly account_id: string;
  readonly id: string;
  readonly kind: string;
}

export async function wakeDueReleases({ db, clock, wake }: Ports): Promise<void> {
  const now = clock();
  const values = [now.toISOString(), new Date(now.getTime() + againMs).toISOString(), mostAtOnce];
  const take = (table: string): string =>
    `update ${table} t set next_look_at = $2
     from (select account_id, id from ${table} where next_look_at <= $1 order by next_look_at limit $3 for no key update skip locked) due
     where t.account_id = due.account_id and t.id = due.id returning t.*`;
  const deployments = await db.system.query<DueDeployment>(
    `with taken as (${take('deployment')}) select account_id, id, kind from taken`,
    values,
  );
  const candidates = await db.system.query<{ account_id: string; id: string }>(
    `with taken as (${take('release_candidate')}) select account_id, id from taken`,
    values,
  );
  for (const { account_id: accountId, id, kind } of deployments)
    await wake({ accountId, deploymentId: id, isRollback: kind === 'rollback' });
  for (const { account_id: accountId, id } of candidates) await wake({ accountId, candidateId: id });
}
