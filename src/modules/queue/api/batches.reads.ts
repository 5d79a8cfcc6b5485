import DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import { statusCheckName } from '../../../domain/queue/explain/status-comment.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { loadMany, loadOne } from '../../../graphql/loaders.ts';
import { requireScope } from '../../accounts/index.ts';
import type { Repository } from '../../repositories/repositories.types.ts';
import type { Batch, BatchMember, BatchState, Check, FinalGate, Proof } from './batches.types.ts';
import { botColumns, type BotRow } from './bot-pull-requests.rows.ts';
import { sqlConclusion, sqlHadEnded, sqlWasKnown } from '../facts/builds.loader.ts';
import { pullRequestColumns } from './pull-requests.columns.ts';
import { addRepository, withRepositories } from './pull-requests.reads.ts';
import type { PullRequest } from './pull-requests.types.ts';
import type { PublishedCheck } from '../store/queue.entities.ts';
import type { BotPullRequest } from './bot-pull-requests.types.ts';

export const batchColumns = `b.id, b.repository_id as "repositoryId", b.queue_id as "queueId", b.position::integer, b.state, b.cause, coalesce(b.side_build, 'line') as role,
  b.parent_batch_id as "parentBatchId", coalesce(b.pre_batch_commit, b.parent_commit) as "parentCommit", b.rests_on as "restsOn", b.base_commit as "baseCommit", b.commit, b.tree,
  b.tested_commit as "testedCommit", b.reset_code as "resetCode", b.ended_reason as "endedReason", b.created_at as "createdAt",
  b.build_started_at as "buildStartedAt", b.ended_at as "endedAt", l.grade`;
export const batchSource = 'batch b left join landing l on l.account_id = b.account_id and l.batch_id = b.id';

export interface BatchPage {
  readonly size: number;
  readonly before: string;
  /** Null: batches in every state. */
  readonly states: readonly BatchState[] | null;
}

/** The batches of a queue, newest first. Reads one more than `size`, to show whether there is a next page. */
export async function readBatches(ctx: Context, queueId: string, page: BatchPage): Promise<Batch[]> {
  requireScope(ctx, 'queue:read');
  const { states, before, size } = page;
  const values = [ctx.accountId, queueId, before, size];
  if (states === null)
    return await ctx.db.read<Batch>(ctx.accountId, {
      name: 'batches',
      text: `select ${batchColumns} from ${batchSource}
             where b.account_id = $1 and b.queue_id = $2 and b.id < $3 order by b.id desc limit $4::bigint + 1`,
      values,
    });
  return await ctx.db.read<Batch>(ctx.accountId, {
    name: 'batches_by_state',
    text: `select ${batchColumns} from ${batchSource}
           where b.account_id = $1 and b.id = any(array(${newestByState})) order by b.id desc limit $4::bigint + 1`,
    values: [...values, [...new Set(states)]],
  });
}

// Live batches and ended batches each have a partial index, which PostgreSQL cannot use for a condition on a parameter
// alone. Each state contributes its newest rows, so that a rare state does not need a scan of all batches.
const newestByState = `
  select o.id from batch o
  where o.account_id = $1 and o.queue_id = $2 and o.id < $3 and o.state in ('making', 'building', 'landing') and o.state = any($5::text[])
  union all
  select newest.id from unnest($5::text[]) as asked (state), lateral (
    select o.id from batch o
    where o.account_id = $1 and o.queue_id = $2 and o.id < $3 and o.state in ('landed', 'failed', 'bisected', 'superseded') and o.state = asked.state
    order by o.id desc limit $4::bigint + 1) newest`;

/**
 * The batches that a pull request was in, newest first. Reads one more than `size`, to show whether there is a next
 * page.
 */
export async function readBatchesOf(
  ctx: Context,
  pullRequestId: string,
  page: Omit<BatchPage, 'states'>,
): Promise<Batch[]> {
  requireScope(ctx, 'queue:read');
  return await ctx.db.read<Batch>(ctx.accountId, {
    name: 'batches_of_pull_request',
    text: `select ${batchColumns} from ${batchSource} join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
           where m.account_id = $1 and m.pull_request_id = $2 and m.batch_id < $3
           order by m.batch_id desc limit $4::bigint + 1`,
    values: [ctx.accountId, pullRequestId, page.before, page.size],
  });
}

export function batchById(ctx: GraphQLContext): DataLoader<string, Batch | null> {
  return loadOne('id', async (ids) => {
    requireScope(ctx, 'queue:read');
    return await ctx.db.read<Batch>(ctx.accountId, {
      name: 'batches_by_id',
      text: `select ${batchColumns} from ${batchSource} where b.account_id = $1 and b.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
  });
}

/** The batch with which each pull request landed. Null: the queue did not merge the pull request. */
export function landedBatchOf(ctx: GraphQLContext): DataLoader<string, Batch | null> {
  return loadOne('pullRequestId', async (pullRequestIds) => {
    requireScope(ctx, 'queue:read');
    return await ctx.db.read<Batch & { readonly pullRequestId: string }>(ctx.accountId, {
      name: 'landed_batches_of_pull_requests',
      text: `select m.pull_request_id as "pullRequestId", ${batchColumns}
           from landed_member m join landing l on l.account_id = m.account_id and l.id = m.landing_id
           join batch b on b.account_id = l.account_id and b.id = l.batch_id
           where m.account_id = $1 and m.pull_request_id = any ($2::bigint[])`,
      values: [ctx.accountId, pullRequestIds],
    });
  });
}

/**
 * For each batch, the newest batch of its first member that ended before without landing. Isolation builds do not
 * count. For a batch with the cause `new`, only batches count that were created since the member last entered the line.
 */
export function earlierBatchOf(ctx: GraphQLContext): DataLoader<string, Batch | null> {
  return loadOne('laterId', async (batchIds) => {
    requireScope(ctx, 'queue:read');
    return await ctx.db.read<Batch & { readonly laterId: string }>(ctx.accountId, {
      name: 'earlier_batches',
      text: `select later.id as "laterId", ${batchColumns}
           from batch later
           join batch_member f on f.account_id = $1 and f.batch_id = later.id and f.ordinal = 0
           join pull_request p on p.account_id = $1 and p.id = f.pull_request_id
           cross join lateral (
             select o.id from batch_member m join batch o on o.account_id = $1 and o.id = m.batch_id
             where m.account_id = $1 and m.pull_request_id = f.pull_request_id and m.batch_id < later.id and o.queue_id = later.queue_id
               and o.state in ('failed', 'bisected', 'superseded') and o.side_build is distinct from 'isolation' and o.ended_at <= later.created_at
               and (later.cause <> 'new' or o.created_at >= p.queued_at)
             order by m.batch_id desc limit 1) earlier
           join (${batchSource}) on b.account_id = $1 and b.id = earlier.id
           where later.account_id = $1 and later.id = any ($2::bigint[])`,
      values: [ctx.accountId, batchIds],
    });
  });
}

type MemberRow = Omit<PullRequest, 'repository'> & {
  readonly batchId: string;
  readonly pinnedHead: string;
  readonly ownCommit: string | null;
};

/** The members of each batch in queue order, by batch id. */
export function membersOfBatch(ctx: GraphQLContext): DataLoader<string, BatchMember[]> {
  return new DataLoader(
    async (batchIds) => {
      requireScope(ctx, 'queue:read');
      const rows = await ctx.db.read<MemberRow>(ctx.accountId, {
        name: 'batch_members',
        text: `select m.batch_id as "batchId", m.pinned_head as "pinnedHead", m.own_commit as "ownCommit", ${pullRequestColumns}
             from batch_member m join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
             where m.account_id = $1 and m.batch_id = any ($2::bigint[]) order by m.batch_id, m.ordinal`,
        values: [ctx.accountId, batchIds],
      });
      const members = Map.groupBy(await withRepositories(ctx, rows), (row) => row.batchId);
      return batchIds.map((id) =>
        (members.get(id) ?? []).map((row) => ({
          pullRequest: row,
          headCommitSha: row.pinnedHead,
          commit: row.ownCommit,
        })),
      );
    },
    { cache: false },
  );
}

/** The pull requests that each batch assumes to land before it, in queue order, by batch id. */
export function assumedByBatch(ctx: GraphQLContext): DataLoader<string, PullRequest[]> {
  return loadMany('batchId', async (batchIds) => {
    requireScope(ctx, 'queue:read');
    const rows = await ctx.db.read<Omit<PullRequest, 'repository'> & { readonly batchId: string }>(ctx.accountId, {
      name: 'batch_assumptions',
      text: `select a.batch_id as "batchId", ${pullRequestColumns}
           from batch_assumption a join pull_request p on p.account_id = a.account_id and p.id = a.pull_request_id
           where a.account_id = $1 and a.batch_id = any ($2::bigint[]) order by a.batch_id, a.ordinal`,
      values: [ctx.accountId, batchIds],
    });
    return await withRepositories(ctx, rows);
  });
}

/**
 * The bot pull request with this number, as used by its newest batch. Null: the repository has none with this number.
 */
export async function readBotPullRequest(
  ctx: Context,
  repository: Repository,
  number: number,
): Promise<BotPullRequest | null> {
  requireScope(ctx, 'queue:read');
  const rows = await ctx.db.read<BotRow>(ctx.accountId, {
    name: 'bot_pull_request_by_number',
    text: `select ${botColumns} from bot_pull_request bot where bot.account_id = $1 and bot.repository_id = $2 and bot.number = $3
           order by bot.batch_id desc limit 1`,
    values: [ctx.accountId, repository.id, number],
  });
  return addRepository(rows, repository)[0] ?? null;
}

export function botPullRequestById(ctx: GraphQLContext): DataLoader<string, BotPullRequest | null> {
  return botLoader(ctx, { key: 'id', name: 'bot_pull_requests_by_id', column: 'bot.id' });
}

export function botPullRequestOfBatch(ctx: GraphQLContext): DataLoader<string, BotPullRequest | null> {
  return botLoader(ctx, { key: 'batchId', name: 'bot_pull_requests_of_batches', column: 'bot.batch_id' });
}

function botLoader(
  ctx: GraphQLContext,
  { key, name, column }: { readonly key: 'id' | 'batchId'; readonly name: string; readonly column: string },
): DataLoader<string, BotPullRequest | null> {
  return loadOne(key, async (keys) => {
    requireScope(ctx, 'queue:read');
    const rows = await ctx.db.read<BotRow>(ctx.accountId, {
      name,
      text: `select ${botColumns} from bot_pull_request bot where bot.account_id = $1 and ${column} = any ($2::bigint[])`,
      values: [ctx.accountId, keys],
    });
    return await withRepositories(ctx, rows);
  });
}

/**
 * The newest bot pull request of each pull request. Bot pull requests of isolation builds do not count, because
 * isolation builds never land.
 */
export function latestBotPullRequest(ctx: GraphQLContext): DataLoader<PullRequest, BotPullRequest | null, string> {
  return new DataLoader(
    async (pullRequests) => {
      requireScope(ctx, 'queue:read');
      const rows = await ctx.db.read<BotRow & { readonly pullRequestId: string }>(ctx.accountId, {
        name: 'latest_bot_pull_requests',
        text: `select distinct on (m.pull_request_id) m.pull_request_id as "pullRequestId", ${botColumns}
             from batch_member m join bot_pull_request bot on bot.account_id = m.account_id and bot.batch_id = m.batch_id
               join batch b on b.account_id = m.account_id and b.id = m.batch_id and b.side_build is distinct from 'isolation'
             where m.account_id = $1 and m.pull_request_id = any ($2::bigint[]) order by m.pull_request_id, bot.id desc`,
        values: [ctx.accountId, pullRequests.map(({ id }) => id)],
      });
      const found = new Map(rows.map((row) => [row.pullRequestId, row]));
      return pullRequests.map(({ id, repository }) => {
        const row = found.get(id);
        return row ? Object.assign(row, { repository }) : null;
      });
    },
    { cache: false, cacheKeyFn: ({ id }) => id },
  );
}

export interface CommitKey {
  readonly repositoryId: string;
  readonly commit: string;
  /** The time as of which the checks are read. Null or absent: now. */
  readonly at?: Date | null;
}

/** The newest attempt of each check, by commit. */
export function checksOfCommit(ctx: GraphQLContext): DataLoader<CommitKey, Check[]> {
  return new DataLoader(
    async (commits) => {
      requireScope(ctx, 'queue:read');
      const found = new Map<string, Check[]>();
      for (const [at, keys] of Map.groupBy(commits, instantOf)) {
        const rows = await readChecksOf(ctx, keys, at);
        for (const [key, checks] of Map.groupBy(rows, commitKey)) found.set(`${at} ${key}`, checks);
      }
      return commits.map((key) => found.get(`${instantOf(key)} ${commitKey(key)}`) ?? []);
    },
    { cache: false },
  );
}

function instantOf({ at = null }: CommitKey): string {
  return at?.toISOString() ?? 'infinity';
}

async function readChecksOf(ctx: Context, commits: readonly CommitKey[], at: string): Promise<(Check & CommitKey)[]> {
  return await ctx.db.read<Check & CommitKey>(ctx.accountId, {
    name: 'checks_of_commits',
    text: `select distinct on (r.repository_id, r.commit, r.name) r.repository_id as "repositoryId", r.commit, r.name, r.attempt,
             ${sqlConclusion('$4')} as conclusion, r.url, case when ${sqlHadEnded('$4')} then r.summary end as summary, r.started_at as "startedAt",
             case when ${sqlHadEnded('$4')} then r.completed_at end as "completedAt"
           from check_result r
           where r.account_id = $1 and (r.repository_id, r.commit) in (select * from unnest($2::bigint[], $3::text[])) and ${sqlWasKnown('$4')}
           order by r.repository_id, r.commit, r.name, r.attempt desc`,
    values: [ctx.accountId, commits.map((key) => key.repositoryId), commits.map((key) => key.commit), at],
  });
}

/** The check `interlock` on the head of each pull request. Null: there is none on this head. */
export function statusCheckOf(ctx: GraphQLContext): DataLoader<string, Check | null> {
  return new DataLoader(
    async (pullRequestIds) => {
      requireScope(ctx, 'queue:read');
      const rows = await ctx.db.read<{ readonly id: string; readonly check: PublishedCheck }>(ctx.accountId, {
        name: 'status_checks_of_pull_requests',
        text: `select p.id, p.status_check as check from pull_request p
               where p.account_id = $1 and p.id = any ($2::bigint[]) and p.status_check->>'commit' = p.head_sha`,
        values: [ctx.accountId, pullRequestIds],
      });
      const checks = new Map(rows.map(({ id, check }) => [id, shownCheck(check)]));
      return pullRequestIds.map((id) => checks.get(id) ?? null);
    },
    { cache: false },
  );
}

function shownCheck({ commit, state, title, url, publishedAt }: PublishedCheck): Check {
  const at = new Date(publishedAt);
  const completedAt = state === 'pending' ? null : at;
  return {
    name: statusCheckName,
    commit,
    attempt: 1,
    conclusion: state,
    url,
    summary: title,
    startedAt: at,
    completedAt,
  };
}

function commitKey({ repositoryId, commit }: CommitKey): string {
  return `${repositoryId}:${commit}`;
}

export function proofOfBatch(ctx: GraphQLContext): DataLoader<string, Proof | null> {
  return loadOne('batchId', async (batchIds) => {
    requireScope(ctx, 'queue:read');
    return await ctx.db.read<Proof & { readonly batchId: string }>(ctx.accountId, {
      name: 'proofs_of_batches',
      text: `select l.batch_id as "batchId", f.digest, f.body as document, f.created_at as "createdAt",
             f.signature, f.signed_by as "signedBy"
           from landing l join proof f on f.account_id = l.account_id and f.landing_id = l.id
           where l.account_id = $1 and l.batch_id = any ($2::bigint[])`,
      values: [ctx.accountId, batchIds],
    });
  });
}

/** The commits whose builds the proof of each landed batch names, by batch id. None if its validation was skipped. */
export function evidenceOfBatch(ctx: GraphQLContext): DataLoader<string, readonly { readonly commit: string }[]> {
  return loadMany('batchId', async (batchIds) => {
    requireScope(ctx, 'queue:read');
    return await ctx.db.read<{ readonly batchId: string; readonly commit: string }>(ctx.accountId, {
      name: 'evidence_of_batches',
      text: `select l.batch_id as "batchId", e.evidence ->> 'commit' as commit
             from landing l join proof f on f.account_id = l.account_id and f.landing_id = l.id
               cross join lateral jsonb_array_elements(f.body -> 'evidence') with ordinality as e (evidence, place)
             where l.account_id = $1 and l.batch_id = any ($2::bigint[]) order by l.batch_id, e.place`,
      values: [ctx.accountId, batchIds],
    });
  });
}

/** The final gates of each batch, in the order in which they were planned, by batch id. */
export function finalGatesOfBatch(ctx: GraphQLContext): DataLoader<string, FinalGate[]> {
  return loadMany('batchId', async (batchIds) => {
    requireScope(ctx, 'queue:read');
    return await ctx.db.read<FinalGate & { readonly batchId: string }>(ctx.accountId, {
      name: 'final_gates_of_batches',
      text: `select g.batch_id as "batchId", g.workflow, g.state, g.url, g.reason, g.started_at as "startedAt", g.ended_at as "endedAt"
           from gate_run g where g.account_id = $1 and g.batch_id = any ($2::bigint[]) order by g.id`,
      values: [ctx.accountId, batchIds],
    });
  });
}
