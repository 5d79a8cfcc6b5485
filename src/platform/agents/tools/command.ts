// The tool that runs a command in the sandbox. The command sees the worktree and an empty home directory. It has no
// network and none of Interlock's environment variables.
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import type { RunBounds } from '../../../domain/runs/bounds.ts';
import {
  lastLineOf,
  measureFolders,
  describeOutcome,
  type RunSize,
  type Sandbox,
  type SandboxOutcome,
} from '../../sandbox/index.ts';
import { withoutLimit } from '../../at-most.ts';
import { defineTool, type ToolContext } from './tool-context.ts';
import type { ToolLimits } from './limits.ts';
import { ToolFailed, ToolRefused } from './refusal.ts';

const noSandbox =
  'No command was run, because this worker has no sandbox. The operator can install bubblewrap (apt-get install bubblewrap), or allow user namespaces. Files can be read and written without a sandbox.';

// Linux limits an argument of a process to 128 KiB.
const longestCommand = 100_000;

export const runCommand = defineTool({
  name: 'run_command',
  description:
    'Runs a shell command (sh -e) in the root of the repository and returns its exit code and its output. The command has no network. All processes that it started are killed when it ends.',
  isReading: false,
  args: z.strictObject({
    command: z.string().min(1),
    timeout_sec: z.int().min(1).optional().describe('The command is killed after this many seconds.'),
  }),
  run: async (context, args) => {
    if (args.command.includes('\0')) throw new ToolRefused('command: has a NUL character.');
    if (Buffer.byteLength(args.command) > longestCommand)
      throw new ToolRefused(
        `command: has more than ${longestCommand} bytes: write the command into a file, and run the file.`,
      );
    const timeoutSec = Math.min(args.timeout_sec ?? context.limits.commandSec, context.limits.commandSec);
    const { outcome, output, seconds } = await run(context, args.command, timeoutSec);
    const outcomeText = describeOutcome(outcome, {
      what: 'The command',
      seconds,
      timeoutSec,
      lastLine: lastLineOf(output.tail),
    });
    const text = output.text === '' ? `${outcomeText}.` : `${outcomeText}\n\n${output.text}`;
    if (outcome.kind === 'exited' && outcome.code === 0) return text;
    throw new ToolFailed(text);
  },
});

async function run(context: ToolContext, command: string, timeoutSec: number) {
  const { workspace, limits, followed } = context;
  const { sandbox, folders, signal, inTurn = withoutLimit } = workspace;
  if (sandbox === null) throw new ToolRefused(noSandbox);
  let startedAt = 0;
  const decoder = new StringDecoder('utf8');
  const output = new Kept(limits.answerLength);
  const follow = (text: string): void => {
    output.add(text);
    const room = limits.followedLength - followed.length;
    if (room <= 0 || text === '') return;
    followed.length += text.length;
    workspace.onOutput(text.length > room ? `${text.slice(0, room)}\n[what follows is not shown]\n` : text);
  };
  const bounds = await boundsOf(context, sandbox);
  const runNow = async (): Promise<SandboxOutcome> => {
    startedAt = performance.now();
    return await sandbox.run({
      command,
      folders,
      env: {},
      timeoutMs: timeoutSec * 1000,
      network: false,
      bounds,
      isKept: true,
      onOutput: (chunk) => follow(decoder.write(chunk)),
      signal,
    });
  };
  const onWait = (): void => workspace.onOutput('[interlock] The command waits until this worker has room for it.\n');
  const outcome = await inTurn(runNow, { signal, onWait });
  follow(decoder.end());
  signal.throwIfAborted();
  // The sandbox failed, not the agent's command. At the next attempt the sandbox may work.
  if (outcome.kind === 'failed') throw new Error(`The command could not be run: ${outcome.reason}`);
  return { outcome, output, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) };
}

async function boundsOf({ workspace, limits, sizeBefore }: ToolContext, { bounds }: Sandbox): Promise<RunBounds> {
  const first = await sizeBefore();
  const now = await measureFolders(workspace.folders);
  const { fileBytes: bytesPerFile, outputBytes, freeBytes } = limits;
  return { ...bounds, ...decideGrowth({ first, now }, limits), bytesPerFile, outputBytes, freeBytes };
}

/**
 * How large a command's folders may become. If they exceed the leaf's bounds already, a command may still run as long
 * as it adds nothing, because it may delete files.
 */
export function decideGrowth(
  { first, now }: { readonly first: RunSize; readonly now: RunSize },
  { grownBytes, grownFiles }: Pick<ToolLimits, 'grownBytes' | 'grownFiles'>,
): RunSize {
  return {
    bytes: Math.max(first.bytes + grownBytes, now.bytes),
    files: Math.max(first.files + grownFiles, now.files),
  };
}

/** Keeps the beginning and the end of an output. */
class Kept {
  readonly #half: number;
  #head = '';
  #tail = '';
  #left = 0;

  constructor(length: number) {
    this.#half = Math.floor(length / 2);
  }

  add(text: string): void {
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    const rest = this.#tail + text.slice(Math.max(0, room));
    this.#tail = rest.slice(-this.#half);
    this.#left += rest.length - this.#tail.length;
  }

  get tail(): string {
    return this.#tail.trim() === '' ? this.#head : this.#tail;
  }

  get text(): string {
    return this.#left === 0
      ? this.#head + this.#tail
      : `${this.#head}\n[${this.#left} characters left out]\n${this.#tail}`;
  }
}
