// Plans retries of failed checks in a turn of the queue, at most one for each commit and check.
import { decideRetries } from '../../../domain/queue/evidence/check-retry.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import { loadBuilds } from '../facts/builds.loader.ts';
import { loadRetries } from '../facts/judged-builds.ts';
import { isWanted } from '../store/line.rows.ts';
import type { QueueWork } from '../store/status.writer.ts';

/** Plans the retries that are due. Returns when the queue must take a turn for the next retry. Null: there is none. */
export async function planRetries(work: QueueWork, rules: QueueRules): Promise<number | null> {
  if (rules.retriableChecks === null) return null;
  const { ctx, tx, queue, now } = work;
  const commits = await readFailedCommits(work);
  if (commits.length === 0) return null;
  const builds = await loadBuilds(ctx, tx, { repositoryId: queue.repositoryId, commits, trees: [] });
  const retries = await loadRetries(ctx, tx, { repositoryId: queue.repositoryId, builds, at: null });
  const ends: number[] = [];
  for (const build of builds) {
    const outlook = decideRetries(build, { rules, retries, now: now.getTime() });
    for (const check of outlook.due) await planRetry(work, { commit: build.commit, ...check });
    if (outlook.until !== null) ends.push(outlook.until);
  }
  return ends.length === 0 ? null : Math.min(...ends);
}

/**
 * Commits that the queue judges and that have a failed check: builds of live batches, and heads of requested pull
 * requests.
 */
async function readFailedCommits({ ctx, tx, queue }: QueueWork): Promise<string[]> {
  const rows = await tx.query<{ commit: string }>(
    `select distinct c.commit from (${judgedCommits}) c (commit)
     where exists (select from check_result r where r.account_id = $1 and r.repository_id = $3 and r.commit = c.commit
                     and r.conclusion not in ('success', 'pending'))`,
    [ctx.accountId, queue.id, queue.repositoryId],
  );
  return rows.map((row) => row.commit);
}

const judgedCommits = `
  select tested_commit from batch where account_id = $1 and queue_id = $2 and state in ('making', 'building', 'landing')
  union all
  select head_sha from pull_request where account_id = $1 and queue_id = $2 and ${isWanted}`;

async function planRetry(
  { ctx, tx, queue, now }: QueueWork,
  check: { readonly commit: string; readonly name: string; readonly attempt: number },
): Promise<void> {
  const planned = await tx.query(
    `insert into check_retry (account_id, repository_id, commit, name, attempt, planned_at) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing returning 1`,
    [ctx.accountId, queue.repositoryId, check.commit, check.name, check.attempt, now.toISOString()],
  );
  if (planned.length === 0) return;
  await tx.send(
    `insert into intent (account_id, queue_id, kind, key, payload, planned_at) values ($1, $2, 'retry_check', $3, $4, $5)
     on conflict (account_id, queue_id, kind, key) do nothing`,
    [
      ctx.accountId,
      queue.id,
      `${check.commit}:${check.name}`,
      JSON.stringify({ commit: check.commit, name: check.name, attempt: check.attempt }),
      now.toISOString(),
    ],
  );
}
