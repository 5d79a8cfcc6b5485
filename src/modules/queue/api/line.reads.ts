import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Page } from '../../../graphql/connection.ts';
import { requireScope } from '../../accounts/index.ts';
import type { QueueEntry } from './line.types.ts';
import { inRepository, pullRequestColumns } from './pull-requests.reads.ts';
import type { PullRequest } from './pull-requests.types.ts';
import type { Queue } from './queue.types.ts';

export interface LinePage extends Page {
  /** The place at which the page begins, counted from 1. */
  readonly from: number;
}

type Row = Omit<PullRequest, 'repository' | 'latestBot'> & Pick<QueueEntry, 'position' | 'rank'>;

/** A page of the line, in queue order. Reads one more than `page.size`, to show whether there is a next page. */
export async function readLinePage(ctx: Context, queue: Queue, page: LinePage): Promise<QueueEntry[]> {
  requireScope(ctx, 'queue:read');
  const [behind, rank] = page.after ?? [-1, 0];
  if (typeof behind !== 'number' || typeof rank !== 'number' || !Number.isSafeInteger(rank))
    throw new DomainError('BAD_INPUT', 'after must be a cursor of this connection', 'after');
  const rows = await ctx.db.read<Row>(ctx.accountId, {
    name: 'line_page',
    text: `select ${pullRequestColumns}, p.rank::float8 as rank, line.position::integer from (
             select o.id, not o.skip_line as behind, o.rank, row_number() over (order by not o.skip_line, o.rank) as position
             from pull_request o where o.account_id = $1 and o.queue_id = $2 and o.status in ('queued', 'tagged')) line
           join pull_request p on p.account_id = $1 and p.id = line.id
           where (line.behind::integer, line.rank) > ($3::integer, $4::bigint) and line.position >= $6
           order by line.position limit $5::bigint + 1`,
    values: [ctx.accountId, queue.id, behind, rank, page.size, page.from],
  });
  return inRepository(rows, queue.repository).map(toEntry);
}

function toEntry({ position, rank, ...pullRequest }: Row & Pick<PullRequest, 'repository'>): QueueEntry {
  return { position, rank, pullRequest, asOf: null };
}
