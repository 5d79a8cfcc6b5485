// Reads pull requests for GraphQL. Each kind of query has a prepared statement, which returns rows in the shape that
// GraphQL needs.
import DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import type { PullRequestStatus } from '../../../domain/queue/model/snapshot.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { loadOne } from '../../../graphql/loaders.ts';
import { requireScope } from '../../accounts/index.ts';
import type { Statement } from '../../../platform/database.ts';
import { patternsOf, readKnownRepositories } from '../../repositories/index.ts';
import type { Repository } from '../../repositories/repositories.types.ts';
import { botColumns, botOf, type EmbeddedBotRow } from './bot-pull-requests.rows.ts';
import { columnsOf, pullRequestColumns, statuses, type Width } from './pull-requests.columns.ts';
import type { PullRequest } from './pull-requests.types.ts';

type Row = Omit<PullRequest, 'repository' | 'latestBot'>;

// SQL for the order of the line, which is that of the planner: pull requests that skip the line first, then by rank.
const lineOrder = 'p.skip_line desc, p.rank';

// A query for one pull request nearly always selects its bot pull request, so one row contains both.
const latestBot = `left join lateral (
    select ${botColumns} from batch_member m join bot_pull_request bot on bot.account_id = m.account_id and bot.batch_id = m.batch_id
      join batch b on b.account_id = m.account_id and b.id = m.batch_id and b.side_build is distinct from 'isolation'
    where m.account_id = p.account_id and m.pull_request_id = p.id order by bot.id desc limit 1) latest on true`;

type RowWithBot = Row & { latestBot: EmbeddedBotRow | null };

/** Null: the repository has no pull request with this number. */
export async function readPullRequestByNumber(
  ctx: Context,
  repository: Repository,
  { number, width = 'all' }: { readonly number: number; readonly width?: Width },
): Promise<PullRequest | null> {
  requireScope(ctx, 'queue:read');
  const rows = await ctx.db.read<RowWithBot>(ctx.accountId, {
    name: `pull_request_by_number_${width}`,
    text: `select ${columnsOf[width]}, to_jsonb(latest) as "latestBot" from pull_request p ${latestBot} where p.account_id = $1 and p.repository_id = $2 and p.number = $3`,
    values: [ctx.accountId, repository.id, number],
  });
  return withBot(rows[0], repository);
}

/**
 * The open pull request of a head branch, or the newest one if none is open. A pull request from a branch of this
 * repository comes before one from a fork.
 */
export async function readPullRequestByHead(
  ctx: Context,
  repository: Repository,
  headBranch: string,
): Promise<PullRequest | null> {
  requireScope(ctx, 'queue:read');
  const rows = await ctx.db.read<RowWithBot>(ctx.accountId, {
    name: 'pull_request_by_head',
    text: `select ${pullRequestColumns}, to_jsonb(latest) as "latestBot" from pull_request p ${latestBot}
           where p.account_id = $1 and p.repository_id = $2 and p.head_branch = $3
           order by p.status in ('merged', 'closed'), p.head_fork is not null, p.id desc limit 1`,
    values: [ctx.accountId, repository.id, headBranch],
  });
  return withBot(rows[0], repository);
}

function withBot(row: RowWithBot | undefined, repository: Repository): PullRequest | null {
  if (row === undefined) return null;
  const bot = row.latestBot;
  return Object.assign(row, { repository, latestBot: bot && botOf(bot, repository) });
}

export interface PullRequestSelection {
  readonly statuses: readonly PullRequestStatus[] | null;
  readonly baseBranch: string | null;
  readonly author: string | null;
  /**
   * A pull request is selected if its number, title, author and head branch together contain each of these words.
   * Empty: all are selected.
   */
  readonly words: readonly string[];
}

export interface PullRequestPage extends PullRequestSelection {
  readonly size: number;
  readonly before: string;
}

/**
 * The pull requests of a repository, newest first. Reads one more than `size`, to show whether there is a next page.
 */
export async function readPullRequests(
  ctx: Context,
  repository: Repository,
  page: PullRequestPage,
): Promise<PullRequest[]> {
  requireScope(ctx, 'queue:read');
  const rows = await ctx.db.read<Row>(ctx.accountId, pageOf(ctx, repository, page));
  return addRepository(rows, repository);
}

export async function countPullRequests(
  ctx: Context,
  repository: Repository,
  { statuses: wanted, baseBranch, author, words }: PullRequestSelection,
): Promise<number> {
  requireScope(ctx, 'queue:read');
  if (words.length > 0) {
    const [found] = await ctx.db.read<{ n: number }>(ctx.accountId, {
      name: 'count_pull_requests_by_text',
      text: `select count(*)::integer as n from (${newestWithWords}) o`,
      values: [ctx.accountId, repository.id, wanted, baseBranch, author, patternsOf(words)],
    });
    return found?.n ?? 0;
  }
  const [row] = await ctx.db.read<{ n: number }>(ctx.accountId, {
    name: 'count_pull_requests',
    text: `select count(*)::integer as n from pull_request p
           where p.account_id = $1 and p.repository_id = $2 and ($3::text[] is null or p.status = any ($3))
             and ($4::text is null or p.base_branch = $4) and ($5::text is null or p.author = $5)`,
    values: [ctx.accountId, repository.id, wanted, baseBranch, author],
  });
  return row?.n ?? 0;
}

// No index finds words in the middle of a text, so the newest pull requests are searched one by one. $1 is the account,
// $2 the repository, $3 statuses, $4 the base branch, $5 the author, $6 patterns.
const maxSearched = 10_000;
const newestWithWords = `
  select n.id from (select * from pull_request a where a.account_id = $1 and a.repository_id = $2
                    order by a.id desc limit ${maxSearched}) n
  where ($3::text[] is null or n.status = any ($3)) and ($4::text is null or n.base_branch = $4)
    and ($5::text is null or n.author = $5)
    and concat_ws(' ', '#' || n.number, n.title, n.author, n.head_branch) ilike all ($6::text[])`;

// Each kind of filter has its own statement, and its own index that ends in (status, id). Each requested status
// contributes its newest rows, so that a rare status does not need a scan of the whole table.
function pageOfText(
  ctx: Context,
  repository: Repository,
  { statuses: wanted, baseBranch, author, words, before, size }: PullRequestPage,
): Statement {
  return {
    name: 'pull_requests_by_text',
    text: `select ${pullRequestColumns} from pull_request p
             where p.account_id = $1 and p.id in (
               select o.id from (${newestWithWords}) o where o.id < $7::bigint order by o.id desc limit $8::bigint + 1)
             order by p.id desc`,
    values: [ctx.accountId, repository.id, wanted, baseBranch, author, patternsOf(words), before, size],
  };
}

function pageOf(ctx: Context, repository: Repository, page: PullRequestPage): Statement {
  const { baseBranch, author } = page;
  if (page.words.length > 0) return pageOfText(ctx, repository, page);
  const values = [ctx.accountId, repository.id, page.before, page.size];
  if (page.statuses === null && baseBranch === null && author === null) {
    return {
      name: 'pull_requests',
      text: `select ${pullRequestColumns} from pull_request p
             where p.account_id = $1 and p.repository_id = $2 and p.id < $3::bigint order by p.id desc limit $4::bigint + 1`,
      values,
    };
  }
  const filters = [
    { column: 'author', value: author },
    { column: 'base_branch', value: baseBranch },
  ].filter(({ value }) => value !== null);
  const conditions = filters.map(({ column }, n) => ` and o.${column} = $${n + 6}::text`).join('');
  return {
    name: ['pull_requests_by_status', ...filters.map(({ column }) => column)].join('_and_'),
    text: `select ${pullRequestColumns} from (
             select newest.id from unnest($5::text[]) as asked (status), lateral (
               select o.id from pull_request o
               where o.account_id = $1 and o.repository_id = $2 and o.status = asked.status${conditions} and o.id < $3::bigint
               order by o.id desc limit $4::bigint + 1) newest
             order by newest.id desc limit $4::bigint + 1) found
           join pull_request p on p.account_id = $1 and p.id = found.id
           order by p.id desc`,
    values: [...values, [...new Set(page.statuses ?? statuses)], ...filters.map(({ value }) => value)],
  };
}

export interface QueuedSelection {
  readonly baseBranch: string | null;
  readonly width: Width;
}

/** All queued and tagged pull requests in queue order. Without a base branch, the queues follow one another. */
export async function readQueuedPullRequests(
  ctx: Context,
  repository: Repository,
  { baseBranch, width }: QueuedSelection,
): Promise<PullRequest[]> {
  requireScope(ctx, 'queue:read');
  const rows = await ctx.db.read<Row>(ctx.accountId, {
    name: `queued_pull_requests_${width}`,
    text: `select ${columnsOf[width]}
           from queue q join pull_request p on p.account_id = q.account_id and p.queue_id = q.id and p.status in ('queued', 'tagged')
           where q.account_id = $1 and q.repository_id = $2 and ($3::text is null or q.base_branch = $3)
           order by q.id, ${lineOrder}`,
    values: [ctx.accountId, repository.id, baseBranch],
  });
  return addRepository(rows, repository);
}

export async function readPullRequestsById(ctx: Context, ids: readonly string[]): Promise<PullRequest[]> {
  requireScope(ctx, 'queue:read');
  const rows = await ctx.db.read<Row>(ctx.accountId, {
    name: 'pull_requests_by_id',
    text: `select ${pullRequestColumns} from pull_request p where p.account_id = $1 and p.id = any ($2::bigint[])`,
    values: [ctx.accountId, ids],
  });
  return await withRepositories(ctx, rows);
}

export function pullRequestById(ctx: GraphQLContext): DataLoader<string, PullRequest | null> {
  return loadOne('id', async (ids) => await readPullRequestsById(ctx, ids));
}

/** How many pull requests are before each pull request in line, by id. Null for a pull request that is not in line. */
export function placeInLine(ctx: GraphQLContext): DataLoader<string, number | null> {
  return new DataLoader(
    async (ids) => {
      requireScope(ctx, 'queue:read');
      const rows = await ctx.db.read<{ id: string; ahead: number }>(ctx.accountId, {
        name: 'places_in_line',
        // Each pull request in line that is between two of the requested ones is counted once.
        text: `with wanted as (
               select p.id, p.queue_id, p.skip_line, p.rank, lag(p.rank, 1, 0) over (partition by p.queue_id order by p.rank) as previous
               from pull_request p
               where p.account_id = $1 and p.id = any ($2::bigint[]) and p.status in ('queued', 'tagged')),
             counted as (
               select w.*, of_all.between_both, skipping.total, skipping.before
               from wanted w
               cross join lateral (
                 select count(*) as between_both from pull_request o
                 where o.account_id = $1 and o.queue_id = w.queue_id and o.status in ('queued', 'tagged')
                   and o.rank >= w.previous and o.rank < w.rank) of_all
               cross join lateral (
                 select count(*) as total, count(*) filter (where o.rank < w.rank) as before from pull_request o
                 where o.account_id = $1 and o.queue_id = w.queue_id and o.status in ('queued', 'tagged') and o.skip_line) skipping)
             select id, (case when skip_line then before
               else total - before + sum(between_both) over (partition by queue_id order by rank) end)::integer as ahead
             from counted`,
        values: [ctx.accountId, ids],
      });
      const ahead = new Map(rows.map((row) => [row.id, row.ahead]));
      return ids.map((id) => ahead.get(id) ?? null);
    },
    { cache: false },
  );
}

/** Adds its repository to each row. Each repository is read once. */
export async function withRepositories<R extends { readonly repositoryId: string }>(
  ctx: Context,
  rows: readonly R[],
): Promise<(R & { repository: Repository })[]> {
  if (rows.length === 0) return [];
  const repositories = await readKnownRepositories(ctx, new Set(rows.map((row) => row.repositoryId)));
  return rows.flatMap((row) => {
    const repository = repositories.get(row.repositoryId);
    return repository ? [Object.assign(row, { repository })] : [];
  });
}

export function addRepository<R extends object>(
  rows: readonly R[],
  repository: Repository,
): (R & { repository: Repository })[] {
  return rows.map((row) => Object.assign(row, { repository }));
}
