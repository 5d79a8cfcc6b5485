// What an agent did and said, in the order in which it did.
import type { Context } from '../../context.ts';
import type { LogPieceRead, ReadLog } from '../../graphql/logs.ts';
import { requireScope } from '../accounts/index.ts';
import type { RunbookToolCall } from './steps.types.ts';

/** All of a runbook's, or those of one leaf. */
export interface ActivityOf {
  readonly runbookId: string;
  readonly leafId: string | null;
}

/** Oldest first; one more than the page when there is a next one. */
export async function readToolCalls(
  ctx: Context,
  { runbookId, leafId }: ActivityOf,
  { after, size }: { readonly after: string; readonly size: number },
): Promise<RunbookToolCall[]> {
  requireScope(ctx, 'runbook:write');
  const { column, id } = leafId === null ? { column: 'runbook_id', id: runbookId } : { column: 'step_id', id: leafId };
  return await ctx.db.read<RunbookToolCall>(ctx.accountId, {
    name: `runbook_tool_calls_by_${column}`,
    text: `select c.id, c.tool, c.arguments, c.outcome, c.answer, s.number as "stepNumber", c.started_at as "startedAt", c.ended_at as "endedAt"
           from (select * from runbook_tool_call where account_id = $1 and ${column} = $2 and id > $3::bigint
                 order by id limit $4::bigint + 1) c
           left join runbook_step s on s.account_id = c.account_id and s.id = c.step_id
           order by c.id`,
    values: [ctx.accountId, id, after, size],
  });
}

interface PieceRow {
  readonly isOver: boolean;
  readonly id: string | null;
  readonly text: string;
  readonly at: Date;
}

// Nothing is being worked on, nothing will be by itself, and nothing waits to be planned.
const isOver = `r.queued + r.in_progress = 0 and (r.not_started = 0 or r.failed > 0 and exists (
    select from runbook_step f
    where f.account_id = r.account_id and f.runbook_id = r.id and f.status = 'failed' and not f.passed_over))
  and not exists (
    select from runbook_prompt p where p.account_id = r.account_id and p.runbook_id = r.id and p.planned_at is null)`;

export function logOfRunbook(ctx: Context, { runbookId, leafId }: ActivityOf): ReadLog {
  const ofLeaf = leafId === null ? '' : ' and step_id = $5';
  return async ({ after, size }) => {
    requireScope(ctx, 'runbook:write');
    const rows = await ctx.db.read<PieceRow>(ctx.accountId, {
      name: leafId === null ? 'runbook_log' : 'runbook_leaf_log',
      text: `select ${isOver} as "isOver", l.id::text as id, l.text, l.at from runbook r
             left join lateral (
               select id, text, at from runbook_log
               where account_id = $1 and runbook_id = r.id${ofLeaf} and id > $3::bigint order by id limit $4::bigint
             ) l on true
             where r.account_id = $1 and r.id = $2 order by l.id`,
      values: [ctx.accountId, runbookId, after, size, ...(leafId === null ? [] : [leafId])],
    });
    const [first] = rows;
    if (first === undefined) return null;
    const pieces = rows.flatMap(({ id, text, at }): LogPieceRead[] => (id === null ? [] : [{ id, text, at }]));
    return { isOver: first.isOver, pieces };
  };
}

const mostPiecesAtOnce = 20;

/** What was kept after a piece and after an instant, oldest first; what is more than a few pieces is left for the next time. */
export async function readNewPieces(
  ctx: Context,
  runbookId: string,
  { after, since }: { readonly after: string; readonly since: Date },
): Promise<{ readonly id: string; readonly text: string }[]> {
  requireScope(ctx, 'runbook:write');
  return await ctx.db.read(ctx.accountId, {
    name: 'runbook_log_news',
    text: `select id::text, text from runbook_log
           where account_id = $1 and runbook_id = $2 and id > $3::bigint and at >= $4::timestamptz
           order by id limit ${mostPiecesAtOnce}`,
    values: [ctx.accountId, runbookId, after, since.toISOString()],
  });
}
