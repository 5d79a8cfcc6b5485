// The agent that executes prompts which are scripts, without a model. The same prompt on the same files always makes
// the same commits.
import { AgentRefused, type Agent, type AgentSession, type Plan, type WorkReport } from '../port.ts';
import { threadScript, ThreadPerTask, ThreadTimeout } from '../../threads.ts';
import type { Reading } from './parse.thread.ts';
import { firstLine, instructionsSchema, describeAction, type Action, type Script } from './script.ts';

const example = `1. Say hello
   \`\`\`sh
   echo hello > hello.txt
   \`\`\`
   verify: test -s hello.txt`;

/** `readingMs`: a prompt that takes longer to read is refused. */
export function createScriptAgent({ readingMs = 15_000 }: { readonly readingMs?: number } = {}): Agent {
  return {
    kind: 'script',
    plan: async (request, session) => {
      session.signal.throwIfAborted();
      return planOf(await read(request.prompts.at(-1) ?? '', readingMs), request.title);
    },
    work: async ({ step }, session) => {
      const instructions = instructionsSchema.safeParse(step.instructions);
      if (!instructions.success) throw new AgentRefused('These instructions are not those of a script.');
      return await execute(step.title, instructions.data.actions, session);
    },
  };
}

const readingThreads = new ThreadPerTask(threadScript(import.meta.url, 'parse.thread'));

async function read(prompt: string, readingMs: number): Promise<Script> {
  try {
    const reading = await readingThreads.ask<Reading>(prompt, readingMs);
    if ('script' in reading) return reading.script;
    throw new AgentRefused(
      `${reading.fault}\n\nWithout a model a prompt is a script: numbered steps, each with what it executes. For example:\n\n${example}\n\nPrompts in prose need a model, which the operator configures by RUNBOOK_MODEL (docs/runbooks.md).`,
    );
  } catch (error) {
    if (error instanceof ThreadTimeout)
      throw new AgentRefused(`This prompt was not read within ${readingMs / 1000} s: make it shorter.`);
    throw error;
  }
}

function planOf(script: Script, given: string | null): Plan {
  return {
    title: given ?? script.title ?? script.steps[0]?.title ?? 'Script',
    steps: script.steps.map(({ title, leaves }) => ({
      title,
      leaves: leaves.map((leaf) => ({ title: leaf.title, instructions: { actions: leaf.actions } })),
    })),
  };
}

async function execute(title: string, actions: readonly Action[], session: AgentSession): Promise<WorkReport> {
  const sentences: string[] = [];
  for (const action of actions) {
    session.signal.throwIfAborted();
    session.say(`Line ${action.line}: ${describeAction(action)}.\n`);
    const answer = await perform(action, session);
    if (answer.outcome !== 'done')
      throw new AgentRefused(`Line ${action.line}, ${describeAction(action)}: ${firstLineOf(answer.text)}`);
    sentences.push(sentenceOf(action, answer.text));
  }
  return { summary: sentences.join(' ').slice(0, 2_000), commitMessage: commitMessage(title, actions) };
}

async function perform(action: Action, session: AgentSession) {
  switch (action.kind) {
    case 'run':
      return await session.call('run_command', { command: commandOf(action.shell, action.command) });
    case 'verify':
      return await session.call('run_command', { command: action.command });
    case 'write': {
      const { path, content, isExecutable } = action;
      return await session.call('write_file', { path, content, ...(isExecutable && { executable: true }) });
    }
    case 'patch':
      return await session.call('apply_patch', { patch: action.patch });
    default: {
      const never: never = action;
      throw new Error(`Unknown action ${JSON.stringify(never)}`);
    }
  }
}

function commandOf(shell: 'sh' | 'bash', command: string): string {
  return shell === 'sh' ? command : `exec bash -e -c '${command.replaceAll("'", `'\\''`)}'`;
}

/** The sentence contains no durations, so that the same run gives the same text. */
function sentenceOf(action: Action, answer: string): string {
  switch (action.kind) {
    case 'run':
    case 'verify': {
      const output = answer.slice(firstLineOf(answer).length).trimEnd();
      const last = (output.split('\n').at(-1) ?? '').trim().slice(0, 200);
      const done = action.kind === 'run' ? 'Ran' : 'Verified';
      return `${done} \`${firstLine(action.command)}\`${last === '' ? '' : `, which printed last: ${last}`}.`;
    }
    case 'write':
      return `Wrote ${action.path}.`;
    case 'patch':
      return `Applied a patch: ${answer.split('\n').join(' ')}`;
    default: {
      const never: never = action;
      throw new Error(`Unknown action ${JSON.stringify(never)}`);
    }
  }
}

const longestSubject = 72;

function commitMessage(title: string, actions: readonly Action[]): string {
  const subject = title.length > longestSubject ? `${title.slice(0, longestSubject - 1).trimEnd()}…` : title;
  return `${subject}\n\n${actions.map((action) => `- ${describeAction(action)}`).join('\n')}\n`;
}

function firstLineOf(text: string): string {
  return text.split('\n')[0] ?? '';
}
