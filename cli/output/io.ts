// The parts of the process that commands use: streams, environment, folder and programs. Tests replace them.
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import picocolors from 'picocolors';

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Shows a page in a browser. */
  openPage(url: string): Promise<void>;
  /** Runs a program of this package in this terminal, and resolves with its exit code. */
  runProgram(name: ProgramName, args: readonly string[]): Promise<number>;
}

export type ProgramName = 'start' | 'import' | 'recover' | 'backup' | 'restore' | 'export' | 'verify' | 'doctor';

export type Colors = ReturnType<typeof picocolors.createColors>;

export interface ColorChoice {
  /** Whether an option forbids colours: `--no-color` or `--json`. */
  readonly isRefused: boolean;
  readonly isTTY: boolean;
  readonly env: Io['env'];
}

/** Whether colours are used. NO_COLOR turns them off unless it is empty (no-color.org). */
export function wantsColor({ isRefused, isTTY, env }: ColorChoice): boolean {
  return !isRefused && isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

export function colorsOf(choice: ColorChoice): Colors {
  return picocolors.createColors(wantsColor(choice));
}

/** Asks a question at the terminal. Every answer except yes means no, as does the end of the input. */
export async function ask(
  { stdin, stderr, signal }: Pick<Io, 'stdin' | 'stderr' | 'signal'>,
  question: string,
): Promise<boolean> {
  const reader = createInterface({ input: stdin });
  stderr.write(`${question} [y/N] `);
  try {
    return /^y(?:es)?$/i.test(await firstLine(reader, signal));
  } finally {
    reader.close();
  }
}

/** Reads the first line, without spaces at its ends. Empty: the input has ended. */
async function firstLine(reader: Interface, signal: AbortSignal): Promise<string> {
  const ended = once(reader, 'close', { signal }).then(() => ['']);
  const [line] = await Promise.race([once(reader, 'line', { signal }), ended]);
  return String(line).trim();
}

/** Reads a line that is typed without an echo. Without a terminal, reads the first line of the standard input. */
export async function readSecret({ stdin, stderr, signal }: Io, prompt: string): Promise<string> {
  const isTyped = stdin.isTTY === true;
  if (isTyped) stderr.write(prompt);
  // With an output, readline would echo what is typed.
  if (isTyped) stdin.setRawMode?.(true);
  const reader = createInterface({ input: stdin, terminal: isTyped });
  try {
    return await firstLine(reader, signal);
  } finally {
    reader.close();
    if (isTyped) stdin.setRawMode?.(false);
    if (isTyped) stderr.write('\n');
  }
}
