// Runs git without the configuration and the environment of the machine.
import type { Readable, Writable } from 'node:stream';
import { spawn } from '../../src/platform/spawning/index.ts';
import { countGit } from '../usage.ts';

export interface GitInput {
  readonly stdin?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are not failures. Default: only 0. */
  readonly accept?: readonly number[];
}

export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export class GitError extends Error {
  readonly stderr: string;

  constructor(args: readonly string[], exitCode: number | null, stderr: string) {
    super(`git ${args.join(' ')} ended with ${exitCode}: ${stderr.trim()}`);
    this.name = 'GitError';
    this.stderr = stderr;
  }
}

/**
 * A git process. `ended` resolves with its exit code, or null after a signal. It rejects if git could not be started.
 */
export interface RunningGit {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<number | null>;
  readonly kill: () => void;
}

export function spawnGit(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningGit {
  countGit(args);
  const child = spawn('git', args, {
    cwd: directory,
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: directory,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_LITERAL_PATHSPECS: '1',
      ...env,
    },
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('git was started without its pipes.');
  // If git has ended, its exit code reports this, so errors of writing are ignored.
  stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { stdin, stdout, stderr, ended, kill: () => child.kill('SIGKILL') };
}

export async function runGit(directory: string, args: readonly string[], input: GitInput = {}): Promise<GitOutput> {
  const child = spawnGit(directory, args, input.env);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.end(input.stdin ?? '');
  const exitCode = await child.ended;
  const stderr = Buffer.concat(err).toString('utf8');
  if (exitCode === null || !(input.accept ?? [0]).includes(exitCode)) throw new GitError(args, exitCode, stderr);
  return { exitCode, stdout: Buffer.concat(out), stderr };
}
