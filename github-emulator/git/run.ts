// Runs git, without the configuration and the environment of the machine.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

export interface GitInput {
  readonly stdin?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are answers. Default: 0 alone. */
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

export function spawnGit(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  return spawn('git', args, {
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
}

export async function runGit(directory: string, args: readonly string[], input: GitInput = {}): Promise<GitOutput> {
  const child = spawnGit(directory, args, input.env);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input.stdin ?? '');
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const stderr = Buffer.concat(err).toString('utf8');
  if (exitCode === null || !(input.accept ?? [0]).includes(exitCode)) throw new GitError(args, exitCode, stderr);
  return { exitCode, stdout: Buffer.concat(out), stderr };
}
