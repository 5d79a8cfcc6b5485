// Carries out a refresh: everything the host knows of a pull request is read again, and the queue looks at it anew.
import type { Context } from '../../../context.ts';
import { beginBranchWork, endBranchWork } from '../planning/branch-work.ts';
import { recordChecks } from '../facts/build.records.ts';
import { syncBase } from '../facts/base-branches.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import type { IntentRow } from '../store/queue.entities.ts';
import { changeQueueOf } from '../store/queue.locks.ts';

export async function carryOutRefresh(ctx: Context, intent: IntentRow): Promise<void> {
  const loaded = await beginBranchWork(ctx, intent);
  if (loaded === null) return;
  const { host, row } = loaded;
  const seen = await syncPullRequest(ctx, host, row.number);
  await syncBase(ctx, host, seen?.baseBranch ?? row.baseBranch);
  for (const commit of await readTestedCommits(ctx, row.id)) await recordChecks(ctx, host, commit);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    // Even when the host says nothing new: admission and reviews are judged again in the turn that follows.
    await changeQueueOf(ctx, tx, row.id);
    await endBranchWork(ctx, tx, intent, { state: 'done', outcome: {} });
  });
}

/** The commits CI tests for it now, besides its own head. */
async function readTestedCommits(ctx: Context, pullRequestId: string): Promise<string[]> {
  const rows = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ tested_commit: string }>(
        `select b.tested_commit from batch b join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
         where m.account_id = $1 and m.pull_request_id = $2 and b.state in ('building', 'landing') and b.tested_commit is not null`,
        [ctx.accountId, pullRequestId],
      ),
  );
  return rows.map((row) => row.tested_commit);
}
