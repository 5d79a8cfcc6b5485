// Asks to queue a finished pull request in the name of the runbook's author, once for each head. The queue itself waits for
// its checks, and says why it does not take it.
import type { Context } from '../../../context.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { queuePullRequest } from '../../queue/index.ts';
import { numberOf, type Called } from './publishing.ts';
import { pullRequestOf, type RunbookRows } from './runbook.rows.ts';
import { announcePullRequest } from './pull-requests.ended.ts';

export async function askToQueue(ctx: Context, rows: RunbookRows, id: string): Promise<Called> {
  const { repository, runbook } = rows;
  const row = pullRequestOf(rows, id);
  const number = numberOf(row);
  const actor = { ...ctx.actor, userId: runbook.authorUserId ?? null, email: runbook.authorEmail };
  const author = { ...ctx, actor: { ...actor, handle: runbook.authorHandle ?? null } };
  await passFailpoint('runbook:before_queue');
  const { owner, name } = repository;
  await queuePullRequest(author, { repository: { owner, name }, number, source: 'runbook' });
  await passFailpoint('runbook:queued');
  return {
    words: `Asked to queue #${number}`,
    write: async (tx, now) => {
      const there = pullRequestOf(now, id);
      Object.assign(there, { queuedAt: ctx.clock(), queuedHead: row.headCommit });
      await announcePullRequest(ctx, tx, now.runbook, there);
    },
  };
}
