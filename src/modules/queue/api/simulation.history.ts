// Reads the past days of a queue: its events and its batches, newest first up to a limit.
import type { Context } from '../../../context.ts';
import { judgeChecks } from '../../../domain/queue/evidence/evidence.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { CheckState } from '../../../domain/queue/model/snapshot.ts';
import type { LogEntry, PastBatch } from '../../../domain/simulation/history.ts';

export interface Span {
  readonly repositoryId: string;
  readonly queueId: string;
  readonly since: Date;
}

/** The largest number of rows that can be read and simulated within a minute. */
export const maxRows = 200_000;
const logPage = 20_000;
const batchPage = 5_000;

/** The events of the queue in chronological order. */
export async function readLog(ctx: Context, span: Span): Promise<LogEntry[]> {
  const [last] = await ctx.db.read<{ position: number }>(ctx.accountId, {
    name: 'log_before',
    // Without this lower bound, the page that contains the start of the span would scan all events before the span.
    text: `select e.position::float8 as position from event e
           where e.account_id = $1::bigint and e.repository_id = $2::bigint and e.position is not null and e.at < $3::timestamptz
           order by e.position desc limit 1`,
    values: [ctx.accountId, span.repositoryId, span.since],
  });
  const read = async (before: number | null): Promise<(LogEntry & { readonly position: number })[]> =>
    await ctx.db.read(ctx.accountId, {
      name: 'log_of_queue',
      text: `select e.position::float8 as position, e.action, e.pull_request_id::text as "pullRequest", extract(epoch from e.at)::float8 * 1000 as at,
               (e.payload ->> 'statusCode')::integer as code, p.author, coalesce((e.payload ->> 'skipLine')::boolean, false) as "skipLine",
               p.affected_targets as targets
             from event e join pull_request p on p.account_id = e.account_id and p.id = e.pull_request_id
             where e.account_id = $1::bigint and e.repository_id = $2::bigint and e.queue_id = $3::bigint
               and e.position > $4::bigint and e.position < coalesce($5::bigint, 9223372036854775807)
               and e.action in ('queued', 'merged', 'blocked', 'dequeued')
             order by e.position desc limit ${logPage}`,
      values: [ctx.accountId, span.repositoryId, span.queueId, last?.position ?? -1, before],
    });
  const log = await readBack(read, { pageSize: logPage, keyOf: ({ position }) => position });
  return log.toReversed();
}

interface BatchRow extends Omit<PastBatch, 'verdict'> {
  readonly state: string;
  readonly complete: boolean;
  /** The newest attempts of the checks, for ended builds of batches without a recorded result. Otherwise null. */
  readonly checks: readonly CheckState[] | null;
}

/** The batches of the queue, oldest first. */
export async function readBatches(ctx: Context, span: Span, rules: QueueRules): Promise<PastBatch[]> {
  const read = async (before: number | null): Promise<BatchRow[]> => {
    const rows = await ctx.db.read<BatchRow>(ctx.accountId, {
      name: 'past_batches',
      text: `select b.id::text, b.parent_batch_id::text as parent, b.state, b.build_started_at is not null as "isBuilt", extract(epoch from b.created_at)::float8 * 1000 as "startedAt",
               extract(epoch from c.finished_at)::float8 * 1000 as "endedAt", coalesce(c.complete, false) as complete,
               array(select m.pull_request_id::text from batch_member m where m.account_id = $1::bigint and m.batch_id = b.id order by m.ordinal) as members,
               array(select a.pull_request_id::text from batch_assumption a where a.account_id = $1::bigint and a.batch_id = b.id order by a.ordinal) as assumes,
               case when b.state = 'superseded' and c.finished_at is not null then (
                 select json_agg(json_build_object('name', r.name, 'attempt', r.attempt, 'conclusion', r.conclusion)) from check_result r
                 where r.account_id = $1::bigint and r.repository_id = $2::bigint and r.commit = b.tested_commit) end as checks
             from batch b left join build c
               on c.account_id = $1::bigint and c.repository_id = $2::bigint and c.commit = b.tested_commit and not c.canceled
             where b.account_id = $1::bigint and b.queue_id = $3::bigint and b.id < coalesce($4::bigint, 9223372036854775807)
             order by b.id desc limit ${batchPage}`,
      values: [ctx.accountId, span.repositoryId, span.queueId, before],
    });
    return rows.filter(({ startedAt }) => startedAt >= span.since.getTime());
  };
  const rows = await readBack(read, { pageSize: batchPage, keyOf: ({ id }) => Number(id) });
  return rows.toReversed().map(({ state, complete, checks, ...batch }) => ({
    ...batch,
    verdict: batch.endedAt === null ? null : verdictOf({ state, complete, checks: checks ?? [] }, rules),
  }));
}

/** The verdict of an ended batch. The build of a superseded batch is judged by the present rules. */
function verdictOf(
  { state, complete, checks }: Pick<BatchRow, 'state' | 'complete'> & { readonly checks: readonly CheckState[] },
  rules: QueueRules,
): PastBatch['verdict'] {
  if (state === 'landed') return 'green';
  if (state === 'failed' || state === 'bisected') return 'red';
  const verdict = judgeChecks({ checks, complete }, rules.requiredChecks);
  return verdict === 'green' || verdict === 'red' ? verdict : null;
}

async function readBack<Row>(
  read: (before: number | null) => Promise<Row[]>,
  { pageSize, keyOf }: { readonly pageSize: number; readonly keyOf: (row: Row) => number },
): Promise<Row[]> {
  const rows: Row[] = [];
  let before: number | null = null;
  for (;;) {
    const page: Row[] = await read(before);
    rows.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize || rows.length >= maxRows) return rows;
    before = keyOf(last);
  }
}
