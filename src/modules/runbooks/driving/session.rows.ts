// Writes the tool calls, the turns and the log of an agent while it works.
import type { Context } from '../../../context.ts';
import type { ToolAnswer, Turn } from '../../../platform/agents/port.ts';
import { openPieceLog, type PieceLog, type PieceOwner } from '../../../platform/log-pieces.ts';

interface ToolCall {
  readonly runbookId: string;
  readonly stepId: string | null;
  readonly tool: string;
  readonly args: unknown;
  readonly outcome: ToolAnswer['outcome'];
  readonly answer: string;
  readonly startedAt: Date;
}

export async function writeToolCall(ctx: Context, call: ToolCall): Promise<void> {
  const { runbookId, stepId, tool, args, outcome, answer, startedAt } = call;
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.send(
        `insert into runbook_tool_call (account_id, runbook_id, step_id, tool, arguments, outcome, answer, started_at, ended_at)
         values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9)`,
        [
          ctx.accountId,
          runbookId,
          stepId,
          tool,
          JSON.stringify(args),
          outcome,
          answer,
          startedAt.toISOString(),
          ctx.clock().toISOString(),
        ],
      ),
  );
}

/** Writes a turn and its cost. Returns the remaining budget, in millionths of a US dollar. */
export async function writeTurn(
  ctx: Context,
  { runbookId, stepId, turn }: { readonly runbookId: string; readonly stepId: string | null; readonly turn: Turn },
): Promise<number> {
  const { text, inputTokens, outputTokens, costMicros } = turn;
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send(
      `insert into runbook_turn (account_id, runbook_id, step_id, text, input_tokens, output_tokens, cost_micros, at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [ctx.accountId, runbookId, stepId, text, inputTokens, outputTokens, costMicros, ctx.clock().toISOString()],
    );
    const [left] = await tx.query<{ left: string }>(
      `update runbook set spent_micros = spent_micros + $3, input_tokens = input_tokens + $4, output_tokens = output_tokens + $5
       where account_id = $1 and id = $2 returning (budget_micros - spent_micros)::text as left`,
      [ctx.accountId, runbookId, costMicros, inputTokens, outputTokens],
    );
    return Number(left?.left ?? 0);
  });
}

export function openRunbookLog(
  ctx: Context,
  of: { readonly runbookId: string; readonly stepId: string | null },
): PieceLog {
  return openPieceLog(ctx, ownerOfLog(of));
}

export function ownerOfLog(of: { readonly runbookId: string; readonly stepId: string | null }): PieceOwner {
  return { table: 'runbook_log', columns: { runbook_id: of.runbookId, step_id: of.stepId } };
}
