// Runs the command line at a terminal that the test controls.
import { PassThrough } from 'node:stream';
import type { Io, ProgramName } from '../../cli/output/io.ts';
import { run } from '../../cli/run.ts';

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Pages that the command asked a browser to show. */
  readonly opened: readonly string[];
  readonly started: readonly { readonly name: ProgramName; readonly args: readonly string[] }[];
}

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Lines on the standard input, or when they are typed. Null: there is nothing to read. */
  readonly typed?: string | null | Promise<string>;
  readonly isTTY?: boolean;
  /** Aborts like Ctrl-C. */
  readonly signal?: AbortSignal;
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
  /** The exit code of each program that the command starts. */
  readonly programCode?: number;
}

export async function runIn(terminal: Terminal, ...argv: readonly string[]): Promise<CommandRun> {
  const said = { stdout: '', stderr: '' };
  const opened: string[] = [];
  const started: { name: ProgramName; args: readonly string[] }[] = [];
  const isTTY = terminal.isTTY ?? false;
  const stdin = new PassThrough();
  if (terminal.typed instanceof Promise) void terminal.typed.then((typed) => stdin.end(typed));
  else stdin.end(terminal.typed ?? '');
  const io: Io = {
    stdin: Object.assign(stdin, { isTTY }),
    stdout: {
      isTTY,
      write(text) {
        said.stdout += text;
        terminal.onStdout?.(text);
      },
    },
    stderr: {
      isTTY,
      write(text) {
        said.stderr += text;
        terminal.onStderr?.(text);
      },
    },
    env: terminal.env,
    cwd: terminal.cwd,
    signal: terminal.signal ?? new AbortController().signal,
    openPage: async (url) => void opened.push(url),
    runProgram: async (name, args) => {
      started.push({ name, args });
      return terminal.programCode ?? 0;
    },
  };
  const code = await run(argv, io, { version: '1.2.3' });
  return { code, ...said, opened, started };
}
