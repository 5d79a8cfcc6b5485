// An agent that does exactly what a test says. Each line of a prompt is a step, and its parts between ` | ` are the
// leaves: `write <path> <text>`, `remove <path>`, `run <command>`, `nothing`, `fail <text>` (cannot be retried),
// `stumble <text>` (can be retried), `busy <seconds>` (can be retried after this time), `spend <millionths>`, `hold
// <file>` (until the file exists), `ignore <file>` (like `hold`, but ignores the signal), `say <text>`. The plan of `no
// plan <text>` is refused.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultStepLimitMs } from '../../src/domain/runbooks/drive.ts';
import type { RunbookDriving } from '../../src/modules/runbooks/index.ts';
import { createTools } from '../../src/platform/agents/index.ts';
import {
  AgentBusy,
  AgentRefused,
  type Agent,
  type AgentSession,
  type Plan,
  type WorkReport,
  type WorkRequest,
} from '../../src/platform/agents/port.ts';
import type { Sandbox } from '../../src/platform/sandbox/index.ts';

const agent = (kind: Agent['kind']): Agent => ({
  kind,
  async plan({ prompts, steps }): Promise<Plan> {
    const prompt = prompts.at(-1) ?? '';
    if (prompt.startsWith('no plan ')) throw new AgentRefused(prompt.slice('no plan '.length));
    return {
      title: `Plan ${steps.length + 1}`,
      steps: prompt.split('\n').map((line) => ({
        title: line,
        leaves: line.includes(' | ') ? line.split(' | ').map((part) => ({ title: part, instructions: part })) : [],
      })),
    };
  },
  async work({ step }: WorkRequest, session: AgentSession): Promise<WorkReport> {
    const instructions = typeof step.instructions === 'string' ? step.instructions : step.title;
    const [verb = '', first = '', ...rest] = instructions.split(' ');
    const text = [first, ...rest].join(' ');
    session.say(`I am to ${instructions}.\n`);
    switch (verb) {
      case 'write':
        await session.call('write_file', { path: first, content: `${rest.join(' ')}\n` });
        break;
      case 'remove':
        await session.call('delete_file', { path: first });
        break;
      case 'run':
        await session.call('run_command', { command: text });
        break;
      case 'fail':
        throw new AgentRefused(text);
      case 'stumble':
        throw new Error(text);
      case 'busy':
        throw new AgentBusy('Too many at once.', Number(first) * 1000);
      case 'spend':
        await session.spend({ text: 'I think.', inputTokens: 10, outputTokens: 1, costMicros: Number(first) });
        break;
      case 'hold':
        while (!existsSync(first)) await delay(25, undefined, { signal: session.signal });
        await session.call('write_file', { path: 'held.txt', content: 'held\n' });
        break;
      case 'ignore':
        while (!existsSync(first)) await delay(25);
        break;
      case 'say':
        session.say(text);
        break;
      case 'nothing':
        break;
      default:
        throw new AgentRefused(`I do not know what ${instructions} means.`);
    }
    return { summary: `I did ${instructions}.`, commitMessage: instructions };
  },
});

export const testAgents: Pick<RunbookDriving, 'agents'> = { agents: agent };

export function runbookDrivingOf(sandbox: Sandbox | null): RunbookDriving {
  return {
    ...testAgents,
    createTools,
    sandbox,
    secret: 'hunter2-is-secret',
    workDir: tmpdir(),
    stepLimitMs: defaultStepLimitMs,
  };
}
