// Wakes runbooks whose wake was lost, whose workflow went with all of Temporal's data, or whose pull request has merged
// or been closed: nobody tells them of that. Run by every server and worker; whoever takes a row puts it off for the others.
import type { Ports } from '../../../context.ts';

const mostAtOnce = 200;
const againMs = 10_000;

interface Due {
  readonly account_id: string;
  readonly id: string;
}

export async function wakeDueRunbooks({ db, clock, wake }: Ports): Promise<void> {
  const now = clock();
  const values = [now.toISOString(), new Date(now.getTime() + againMs).toISOString(), mostAtOnce];
  const due = await db.system.query<Due>(
    `update runbook r set next_look_at = $2
     from (select account_id, id from runbook where next_look_at <= $1 order by next_look_at limit $3 for no key update skip locked) due
     where r.account_id = due.account_id and r.id = due.id returning r.account_id, r.id`,
    values,
  );
  const over = await db.system.query<Due>(
    `update runbook r set next_look_at = $1
     from (select distinct o.account_id, o.runbook_id from runbook_pull_request o
           join runbook b on b.account_id = o.account_id and b.id = o.runbook_id
           join pull_request p on p.account_id = b.account_id and p.repository_id = b.repository_id and p.number = o.number
           where o.state = 'open' and p.status in ('merged', 'closed') and (b.next_look_at is null or b.next_look_at > $1)
           limit $2) over
     where r.account_id = over.account_id and r.id = over.runbook_id returning r.account_id, r.id`,
    values.slice(1),
  );
  for (const { account_id: accountId, id } of [...due, ...over]) await wake({ accountId, runbookId: id });
}
