import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Page } from '../../../graphql/connection.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { requireScope } from '../../accounts/index.ts';
import type { QueueEntry } from './line.types.ts';
import { pullRequestColumns } from './pull-requests.columns.ts';
import { addRepository } from './pull-requests.reads.ts';
import type { PullRequest } from './pull-requests.types.ts';
import type { Queue } from './queue.types.ts';

export interface LinePage extends Page {
  /** The place at which the page begins, counted from 1. */
  readonly from: number;
}

type Row = Omit<PullRequest, 'repository' | 'latestBot'> & Pick<QueueEntry, 'position' | 'rank'>;

const inLine = "o.account_id = $1 and o.queue_id = $2 and o.status in ('queued', 'tagged')";

// SQL for a page of the line. The pull requests that skip the line are read apart from the others. Both are read in the
// order of an index, so that only the rows of the page are read. In `place`, `start` is the number of pull requests
// before the page, `skipping` is the number of pull requests that skip the line, and `passed` is the number of pull
// requests up to the cursor.
const linePage = `
  with skipping as (
    select count(*) as total, count(*) filter (where o.rank <= $4::bigint) as passed from pull_request o where ${inLine} and o.skip_line),
  passed as (
    select case $3::integer when -1 then 0 when 0 then s.passed
      else s.total - s.passed + (select count(*) from pull_request o where ${inLine} and o.rank <= $4::bigint) end as total
    from skipping s),
  place as (
    select s.total as skipping, p.total as passed, greatest(p.total, $6::bigint - 1) as start from skipping s, passed p),
  page as (
    select id, place.start + row_number() over (order by rank) as position from place, lateral (
      select o.id, o.rank from pull_request o where ${inLine} and o.skip_line
      order by o.rank offset place.start limit $5::bigint + 1) o
    union all
    select id, greatest(place.start, place.skipping) + row_number() over (order by rank) from place, lateral (
      select o.id, o.rank from pull_request o
      where ${inLine} and not o.skip_line and o.rank > case $3::integer when 1 then $4::bigint else -1 end
      order by o.rank offset greatest(place.start - case $3::integer when 1 then place.passed else place.skipping end, 0)
      limit $5::bigint + 1) o)
  select ${pullRequestColumns}, p.rank::float8 as rank, page.position::integer
  from (select * from page order by position limit $5::bigint + 1) page
  join pull_request p on p.account_id = $1 and p.id = page.id
  order by page.position`;

/** A page of the line, in queue order. Reads one more than `page.size`, to show whether there is a next page. */
export async function readLinePage(ctx: Context, queue: Queue, page: LinePage): Promise<QueueEntry[]> {
  requireScope(ctx, 'queue:read');
  const [behind, rank] = page.after ?? [-1, 0];
  if ((behind !== -1 && behind !== 0 && behind !== 1) || !Number.isSafeInteger(rank))
    throw new DomainError('BAD_INPUT', 'after must be a cursor of this connection', 'after');
  const rows = await ctx.db.read<Row>(ctx.accountId, {
    name: 'line_page',
    text: linePage,
    values: [ctx.accountId, queue.id, behind, rank, page.size, page.from],
  });
  await passFailpoint('line.read');
  return addRepository(rows, queue.repository).map(toEntry);
}

function toEntry({ position, rank, ...pullRequest }: Row & Pick<PullRequest, 'repository'>): QueueEntry {
  return { position, rank, pullRequest, asOf: null };
}
