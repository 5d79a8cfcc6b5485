// Reads the tool calls and the log of an agent.
import type { Context } from '../../context.ts';
import type { ReadLog } from '../../graphql/logs.ts';
import { readPieces } from '../../platform/log-pieces.ts';
import { requireScope } from '../accounts/index.ts';
import { ownerOfLog } from './driving/session.rows.ts';
import type { RunbookToolCall } from './steps.types.ts';

/** Selects the activity of a whole runbook, or of one leaf. `leafId` is null for the whole runbook. */
export interface ActivitySelection {
  readonly runbookId: string;
  readonly leafId: string | null;
}

/**
 * Returns the oldest tool calls first. Reads one more than the page holds, which shows whether there is a next page.
 */
export async function readToolCalls(
  ctx: Context,
  { runbookId, leafId }: ActivitySelection,
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

// SQL: whether a runbook has no work left. No leaf is queued or in progress, no leaf will start without a retry, and no
// prompt waits to be planned.
const isOver = `run.queued + run.in_progress = 0 and (run.not_started = 0 or run.failed > 0 and exists (
    select from runbook_step f
    where f.account_id = run.account_id and f.runbook_id = run.id and f.status = 'failed' and not f.passed_over))
  and not exists (
    select from runbook_prompt p where p.account_id = run.account_id and p.runbook_id = run.id and p.planned_at is null)`;

export function logOfRunbook(ctx: Context, { runbookId, leafId }: ActivitySelection): ReadLog {
  const row = { table: 'runbook', id: runbookId, isOver };
  const owner = ownerOfLog({ runbookId, stepId: leafId });
  return async (page) => {
    requireScope(ctx, 'runbook:write');
    return await readPieces(ctx, { row, owner }, page);
  };
}

const maxPiecesAtOnce = 20;

/**
 * Pieces of the log after a given piece and instant, oldest first, at most `maxPiecesAtOnce`. The next call reads the
 * rest.
 */
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
           order by id limit ${maxPiecesAtOnce}`,
    values: [ctx.accountId, runbookId, after, since.toISOString()],
  });
}
