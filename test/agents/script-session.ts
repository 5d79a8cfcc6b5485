// A session of an agent over real tools, as a worker makes it when it supervises a runbook.
import type { AgentSession, Plan } from '../../src/platform/agents/port.ts';
import type { Bench } from './workspace.ts';

export interface RecordedSession extends AgentSession {
  readonly calls: { readonly tool: string; readonly args: unknown; readonly answer: string }[];
  readonly said: string[];
}

export function sessionOf({ tools }: Pick<Bench, 'tools'>, signal = new AbortController().signal): RecordedSession {
  const calls: RecordedSession['calls'] = [];
  const said: string[] = [];
  return {
    tools: tools.tools,
    calls,
    said,
    call: async (tool, args) => {
      const answer = await tools.call(tool, args);
      calls.push({ tool, args, answer: answer.text });
      return answer;
    },
    say: (text) => void said.push(text),
    spend: async () => {},
    remainingMicros: () => 0,
    signal,
  };
}

export function outlineOf(...prompts: string[]) {
  return { title: null, repository: 'acme/app', prompts, steps: [] };
}

/** The numbers and titles of steps and leaves, as a runbook shows them. */
export function numberedTitles(plan: Plan): string[] {
  return plan.steps.flatMap(({ title, leaves }, step) => [
    `${step + 1} ${title}`,
    ...leaves.map((leaf, part) => `${step + 1}.${part + 1} ${leaf.title}`),
  ]);
}
