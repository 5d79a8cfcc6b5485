// Finds the pull requests of a runbook that were merged or closed, by the rows of the queue. Such pull requests get no
// more commits.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { RunbookPullRequestRow, RunbookRow } from '../runbooks.entities.ts';
import { announceRunbook } from '../runbooks.events.ts';
import type { RunbookRows } from './runbook.rows.ts';

/** The caller locks the runbook's row. */
export async function writeEndedPullRequests(
  ctx: Context,
  tx: Transaction,
  { runbook, pullRequests }: RunbookRows,
): Promise<void> {
  const open = pullRequests.filter(({ state }) => state === 'open');
  if (open.length === 0) return;
  const endings = await tx.query<{ number: number; status: 'merged' | 'closed' }>(
    `select number, status from pull_request
     where account_id = $1 and repository_id = $2 and number = any ($3::int[]) and status in ('merged', 'closed')`,
    [ctx.accountId, runbook.repositoryId, open.map(({ number }) => number)],
  );
  for (const row of open) {
    const ending = endings.find(({ number }) => number === row.number);
    if (ending === undefined) continue;
    Object.assign(row, { state: ending.status, endedAt: ctx.clock() });
    await announcePullRequest(ctx, tx, { runbook, pullRequest: row });
  }
}

export async function announcePullRequest(
  ctx: Context,
  tx: Transaction,
  { runbook, pullRequest }: { readonly runbook: RunbookRow; readonly pullRequest: RunbookPullRequestRow },
): Promise<void> {
  const { number, url, state, branch, headCommit } = pullRequest;
  const more = { pullRequest: number ?? null, url: url ?? null, state, branch, headCommit: headCommit ?? null };
  await announceRunbook(ctx, tx, { runbook, action: 'runbook_pull_request_changed', more });
}
