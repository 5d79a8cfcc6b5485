// A session of a runbook with a real worktree and its tools. It records in order what was said, called and spent.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BudgetSpent, type AgentSession, type Turn } from '../../src/platform/agents/port.ts';
import { bench } from './workspace.ts';

export interface TestSession extends AgentSession, AsyncDisposable {
  readonly history: readonly (readonly [what: 'say' | 'call' | 'spend', words: string])[];
  readonly turns: readonly Turn[];
  cancel(): void;
  /** The text of a file. Null: there is no such file. */
  text(path: string): string | null;
}

export interface TestSessionOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly budgetMicros?: number;
  readonly mode?: 'plan' | 'work';
  /** Called when it has been said. */
  readonly onSay?: (text: string) => void;
}

export async function testSession(options: TestSessionOptions = {}): Promise<TestSession> {
  const { files, budgetMicros = 1_000_000, mode = 'work', onSay } = options;
  const stop = new AbortController();
  const workspace = await bench(files, { mode, signal: stop.signal });
  const history: TestSession['history'][number][] = [];
  const turns: Turn[] = [];
  const remainingMicros = (): number => budgetMicros - turns.reduce((sum, turn) => sum + turn.costMicros, 0);
  return {
    history,
    turns,
    remainingMicros,
    tools: workspace.tools.tools,
    signal: stop.signal,
    async call(tool, args) {
      const answer = await workspace.call(tool, args);
      history.push(['call', `${tool} ${answer.outcome}`]);
      return answer as Awaited<ReturnType<AgentSession['call']>>;
    },
    say(text) {
      history.push(['say', text]);
      onSay?.(text);
    },
    async spend(turn) {
      turns.push(turn);
      history.push(['spend', String(turn.costMicros)]);
      if (remainingMicros() <= 0) throw new BudgetSpent('The budget is spent.');
    },
    cancel: () => stop.abort(new Error('The runbook was canceled.')),
    text: (path) => (existsSync(join(workspace.folders.checkout, path)) ? workspace.text(path) : null),
    [Symbol.asyncDispose]: async () => await workspace[Symbol.asyncDispose](),
  };
}
