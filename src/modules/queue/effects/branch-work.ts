// Starts and ends branch work of every kind, and carries out the refresh, which is the shortest kind.
import type { Context } from '../../../context.ts';
import { hostClient, HostRefused, toHostedRepository, type HostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { PullRequestEntity, type IntentRow, type PullRequestRow } from '../store/queue.entities.ts';
import { recordChecks } from '../facts/build.records.ts';
import { syncBase } from '../facts/base-branches.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { changeQueueOf } from '../store/queue.locks.ts';

export interface LoadedWork {
  readonly intent: IntentRow;
  readonly row: PullRequestRow;
  readonly repository: RepositoryRow;
  readonly host: HostedRepository;
}

/** Counts an attempt and loads the pull request. Null: the work has ended or was requested again. */
export async function startBranchWork(ctx: Context, intent: IntentRow): Promise<LoadedWork | null> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const started = await tx.query(
      `update intent set state = 'started', attempt = attempt + 1, started_at = $3
       where account_id = $1 and id = $2 and state in ('planned', 'started') and payload = $4::jsonb returning 1`,
      [ctx.accountId, intent.id, ctx.clock().toISOString(), JSON.stringify(intent.payload)],
    );
    if (started.length === 0) return null;
    const row = await tx.em.findOneOrFail(PullRequestEntity, { id: intent.pullRequestId ?? '' });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
    return { intent, row, repository, host: toHostedRepository(repository) };
  });
}

/**
 * Ends the work, unless it was requested again in the meantime. The caller has changed the queue of the intent
 * (`changeQueue`), because its line or other work may wait for this end.
 */
export async function endBranchWork(
  ctx: Context,
  tx: Transaction,
  {
    intent,
    end,
  }: {
    readonly intent: IntentRow;
    readonly end: { readonly state: 'done' | 'failed'; readonly outcome: Readonly<Record<string, unknown>> };
  },
): Promise<void> {
  await tx.send(
    `update intent set state = $3, outcome = $4, concluded_at = $5
     where account_id = $1 and id = $2 and state in ('planned', 'started') and payload = $6::jsonb`,
    [
      ctx.accountId,
      intent.id,
      end.state,
      JSON.stringify(end.outcome),
      ctx.clock().toISOString(),
      JSON.stringify(intent.payload),
    ],
  );
}

/**
 * Comments on the pull request. If the host accepts no comment, the work continues, because events contain the same
 * facts.
 */
export async function comment(
  ctx: Context,
  { host, row }: Pick<LoadedWork, 'host' | 'row'>,
  content: { readonly key: string; readonly body: string },
): Promise<void> {
  try {
    await hostClient(ctx, host).upsertComment(row.number, content);
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    ctx.log.warn({ number: row.number, refusal: error.message }, 'The host refused a comment.');
  }
}

/** Reads all facts about a pull request from the host again, and lets the queue decide again. */
export async function carryOutRefresh(ctx: Context, intent: IntentRow): Promise<void> {
  const loaded = await startBranchWork(ctx, intent);
  if (loaded === null) return;
  const { host, row } = loaded;
  const seen = await syncPullRequest(ctx, host, row.number);
  await syncBase(ctx, host, seen?.baseBranch ?? row.baseBranch, { areRulesStale: true });
  for (const commit of await readTestedCommits(ctx, row.id)) await recordChecks(ctx, host, commit);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    // The queue is woken even if the host has no new facts, because the next turn judges admission and reviews again.
    await changeQueueOf(ctx, tx, row.id, [intent.queueId]);
    await endBranchWork(ctx, tx, { intent, end: { state: 'done', outcome: {} } });
  });
}

/** The commits that CI tests for the pull request now, other than its head. */
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
