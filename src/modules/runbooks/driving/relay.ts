// Wakes runbooks whose wake was lost, whose workflow went with all of Temporal's data, or whose pull request has merged
// or been closed: no event reports this to them.
import type { Ports } from '../../../context.ts';
import { wakeDue, type DueRow } from '../../../platform/turns/index.ts';

const mostOverAtOnce = 200;
const againMs = 10_000;

export async function wakeDueRunbooks(ports: Ports): Promise<void> {
  const { db, clock, wake } = ports;
  await wakeDue(ports, { table: 'runbook', whose: ({ id }) => ({ runbookId: id }) });
  const over = await db.system.query<DueRow>(
    `update runbook r set next_look_at = $1
     from (select distinct o.account_id, o.runbook_id from runbook_pull_request o
           join runbook b on b.account_id = o.account_id and b.id = o.runbook_id
           join pull_request p on p.account_id = b.account_id and p.repository_id = b.repository_id and p.number = o.number
           where o.state = 'open' and p.status in ('merged', 'closed') and (b.next_look_at is null or b.next_look_at > $1)
           limit $2) over
     where r.account_id = over.account_id and r.id = over.runbook_id returning r.account_id, r.id`,
    [new Date(clock().getTime() + againMs).toISOString(), mostOverAtOnce],
  );
  for (const { account_id: accountId, id } of over) await wake({ accountId, runbookId: id });
}
