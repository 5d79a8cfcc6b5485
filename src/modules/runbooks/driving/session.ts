// The session of an agent. It writes the tool calls, the turns and the output of the agent to the database at once. The
// cost of a turn is deducted from the budget in the database before the agent continues.
import type { Context } from '../../../context.ts';
import { BudgetSpent, type AgentSession, type ToolAnswer } from '../../../platform/agents/port.ts';
import type { Tools } from '../../../platform/agents/tools/index.ts';
import { toStorableText } from '../../../platform/storable-text.ts';
import { maskSecrets } from '../../../platform/providers/mask.ts';
import { writeToolCall, writeTurn } from './session.rows.ts';

export interface SessionOptions {
  readonly runbookId: string;
  /** Null: the agent plans. */
  readonly stepId: string | null;
  readonly tools: Tools;
  readonly secret: string | null;
  readonly budgetMicros: number;
  readonly spentMicros: number;
  readonly signal: AbortSignal;
  /** Writes to the log. The log masks the secret, even if the secret arrives in several pieces. */
  readonly write: (text: string) => void;
  /** Called after every write, so that the progress can be reported. */
  readonly onChange: () => void;
}

const maxKeptCharacters = 4_000;

export function openSession(ctx: Context, options: SessionOptions): AgentSession {
  const { runbookId, stepId, tools, secret, signal } = options;
  let remaining = options.budgetMicros - options.spentMicros;
  const clean = (text: string): string => toStorableText(maskSecrets(secret, text));
  return {
    tools: tools.tools,
    signal,
    remainingMicros: () => Math.max(0, remaining),
    say: (text) => options.write(text),
    async call(tool, args) {
      const startedAt = ctx.clock();
      options.write(`\n[interlock] ${tool} ${shortly(args)}\n`);
      const answer = await tools.call(tool, args);
      await writeToolCall(ctx, {
        runbookId,
        stepId,
        tool: clean(tool).slice(0, 200),
        args: cut(args, clean),
        outcome: answer.outcome,
        answer: clean(answer.text).slice(0, maxKeptCharacters).toWellFormed(),
        startedAt,
      });
      if (answer.outcome !== 'done') options.write(`[interlock] ${outcomeText(answer)}\n`);
      options.onChange();
      return answer;
    },
    async spend(turn) {
      const text = clean(turn.text)
        .slice(0, 64 * 1024)
        .toWellFormed();
      remaining = await writeTurn(ctx, { runbookId, stepId, turn: { ...turn, text } });
      options.onChange();
      if (turn.costMicros > 0 && remaining <= 0) throw new BudgetSpent(budgetSpent(options.budgetMicros));
    },
  };
}

export function budgetSpent(budgetMicros: number): string {
  return `The budget of ${dollars(budgetMicros)} is spent. Retry the runbook with a higher budget, or do the rest by hand.`;
}

export function dollars(micros: number): string {
  return `$${(micros / 1_000_000).toFixed(2)}`;
}

function outcomeText({ outcome, text }: ToolAnswer): string {
  return `${outcome}: ${text.slice(0, 500)}`;
}

function shortly(args: unknown): string {
  const text = JSON.stringify(args) ?? '';
  return text.length <= 300 ? text : `${text.slice(0, 300).toWellFormed()}…`;
}

/** The arguments of a call, without the lower levels of deep nesting. Long values are cut. */
function cut(value: unknown, clean: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') {
    const text = clean(value);
    return text.length <= maxKeptCharacters ? text : `${text.slice(0, maxKeptCharacters).toWellFormed()}…`;
  }
  if (value === null || typeof value !== 'object') return value ?? null;
  if (depth > 8) return '…';
  if (Array.isArray(value)) return value.slice(0, 100).map((inner) => cut(inner, clean, depth + 1));
  const entries = Object.entries(value).slice(0, 100);
  return Object.fromEntries(
    entries.map(([key, inner]) => [clean(key.slice(0, 200)).toWellFormed(), cut(inner, clean, depth + 1)]),
  );
}
