// Reads how many pull requests were in line over time, and how many landings and resets there were. The database counts
// versions of pull requests and ends of batches for each interval.
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { requireScope } from '../../accounts/index.ts';
import type { QueueDepthPoint } from './depth-history.types.ts';
import type { Queue } from './queue.types.ts';

const maxPoints = 500;
const longestMs = 31 * 24 * 3_600_000;

export interface DepthSpan {
  readonly from: Date;
  readonly to: Date;
  readonly points: number;
}

interface Interval {
  readonly interval: number;
  /** How many more pull requests are in line at the start of this interval than at the start of the interval before. */
  readonly change: number;
  readonly landings: number;
  readonly resets: number;
}

export async function readDepthHistory(ctx: Context, queue: Queue, span: DepthSpan): Promise<QueueDepthPoint[]> {
  requireScope(ctx, 'queue:read');
  checkSpan(span);
  const { from, to, points } = span;
  const stepMs = (to.getTime() - from.getTime()) / points;
  const rows = await ctx.db.read<Interval>(ctx.accountId, {
    name: 'depth_history',
    text: depthHistory,
    values: [ctx.accountId, queue.id, from, to, stepMs / 1000],
  });
  const intervals = new Map(rows.map((row) => [row.interval, row]));
  let queued = 0;
  return Array.from({ length: points }, (_, at) => {
    const { change = 0, landings = 0, resets = 0 } = intervals.get(at) ?? {};
    queued += change;
    return { at: new Date(from.getTime() + at * stepMs), queued, landings, resets };
  });
}

function checkSpan({ from, to, points }: DepthSpan): void {
  if (from >= to) throw new DomainError('BAD_INPUT', 'to must be later than from.', 'to');
  if (to.getTime() - from.getTime() > longestMs)
    throw new DomainError('BAD_INPUT', 'from and to must be at most 31 days apart.', 'from');
  if (points < 1 || points > maxPoints)
    throw new DomainError('BAD_INPUT', `points must be between 1 and ${maxPoints}.`, 'points');
}

/** Returns SQL for the number of the first interval that starts at an instant or later. */
const intervalFrom = (instant: string): string =>
  `greatest(0, ceil(extract(epoch from ${instant} - $3::timestamptz) / $5::float8))::integer`;

const depthHistory = `
  with stood as (
    select p.version_since as since, null::timestamptz as until_at from pull_request p
    where p.account_id = $1 and p.queue_id = $2 and p.status in ('queued', 'tagged') and p.version_since < $4
    union all
    select v.since, v.until_at from pull_request_past v
    where v.account_id = $1 and v.queue_id = $2 and v.is_in_line and v.until_at > $3 and v.since < $4),
  moves as (
    select ${intervalFrom('since')} as interval, 1 as change, 0 as landings, 0 as resets from stood
    union all
    select ${intervalFrom('until_at')}, -1, 0, 0 from stood where until_at < $4
    union all
    select floor(extract(epoch from b.ended_at - $3::timestamptz) / $5::float8)::integer, 0, (b.state = 'landed')::integer, (b.state = 'superseded')::integer
    from batch b where b.account_id = $1 and b.queue_id = $2 and b.ended_at >= $3 and b.ended_at < $4 and b.state in ('landed', 'superseded'))
  select interval, sum(change)::integer as change, sum(landings)::integer as landings, sum(resets)::integer as resets
  from moves group by interval`;
