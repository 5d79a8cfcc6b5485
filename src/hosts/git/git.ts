// Runs git for all of Interlock. Arguments are arrays, never a command line for a shell. Object ids and refs are
// validated before they become arguments. The configuration, hooks and environment of the operator do not apply, and
// git never prompts.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { UnpackBounds } from '../../domain/runs/push-bounds.ts';
import { findProgram } from '../../platform/sandbox/index.ts';
import { spawn, type SpawnedProcess } from '../../platform/spawning/index.ts';
import { inSpan } from '../../platform/tracing/index.ts';
import { HostUnavailable } from '../port.ts';
import { type GitProcesses, createGitProcesses, type GitProcessLimits, defaultLimits } from './git-processes.ts';
import { GitFailed, describeUnavailable } from './git-failed.ts';
import { receivingCommand, writeHook } from './receiving.ts';

export interface GitInput {
  readonly stdin?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are not failures. Every other exit code throws GitFailed. Default: only 0. */
  readonly accept?: readonly number[];
  readonly maxOutputBytes?: number;
  readonly timeoutMs?: number;
  /** Whether git runs with the lowest priority. */
  readonly isBackground?: boolean;
  /** Ends git and the processes that git has started. `run` throws HostUnavailable. */
  readonly signal?: AbortSignal;
  /**
   * Receives the standard error while git runs. The output and errors of git then have the last 64 KiB of the standard
   * error instead of the first, because progress fills the beginning.
   */
  readonly onStderr?: (text: string) => void;
}

export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Git {
  /**
   * Runs git in the directory of a repository. Throws GitFailed. Throws HostUnavailable if git could not be started,
   * took too long or wrote too much.
   */
  run(directory: string, args: readonly string[], input?: GitInput): Promise<GitOutput>;
  /** The trimmed standard output of `run`. */
  text(directory: string, args: readonly string[], input?: GitInput): Promise<string>;
  /** Starts git with its three streams as pipes, for input or output that is too large for memory. */
  spawn(
    directory: string,
    args: readonly string[],
    options?: { readonly env?: Readonly<Record<string, string>> | undefined; readonly passesPipes?: boolean },
  ): SpawnedProcess;
  /** Starts `git receive-pack`, which refuses a push that exceeds the bounds. */
  receive(directory: string, bounds: UnpackBounds, options: { readonly forwardOnly: boolean }): SpawnedProcess;
  /** Starts `git upload-pack` with limited processor time. The programs that it starts are in its process group. */
  upload(directory: string, env: Readonly<Record<string, string>>): SpawnedProcess;
  /** Long-running processes for frequent requests, for which starting a process would take longer than the answer. */
  readonly processes: GitProcesses;
}

const configuration = `# Written by Interlock; read instead of the system's and the user's configuration.
[core]
	hooksPath = /dev/null
	fsync = committed,loose-object,reference
	filesRefLockTimeout = 2000
	packedRefsTimeout = 2000
	attributesFile = /dev/null
	excludesFile = /dev/null
[gc]
	auto = 0
[maintenance]
	auto = false
[receive]
	autoGC = false
	advertiseAtomic = true
	denyDeleteCurrent = ignore
	fsckObjects = true
[fetch]
	fsckObjects = true
# Faults of old programs in histories that are imported: they harm nobody, and nobody can mend them.
[fetch "fsck"]
	zeroPaddedFilemode = ignore
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
[uploadpack]
	allowFilter = true
	hideRefs = refs/interlock/builds
	hideRefs = refs/interlock/last-number
# Other filters compare each path with patterns of the client, which can take git for ever.
[uploadpackfilter]
	allow = false
[uploadpackfilter "blob:none"]
	allow = true
[uploadpackfilter "blob:limit"]
	allow = true
[uploadpackfilter "tree"]
	allow = true
	maxDepth = 0
[transfer]
	unpackLimit = 100
[safe]
	directory = *
[init]
	defaultBranch = main
[user]
	useConfigOnly = true
[protocol]
	version = 2
[advice]
	detachedHead = false
`;

/** The processor time of each program that answers a fetch. A clone of the largest repositories takes minutes. */
const uploadProcessorSec = 1_800;
const outputLimit = 64 * 1024 * 1024;
const errorLimit = 64 * 1024;

export function createGit(configFile: string, limits: GitProcessLimits = defaultLimits): Git {
  writeConfiguration(configFile);
  const hooks = writeHook(dirname(configFile));
  const prlimit = findProgram('prlimit');
  const environment = (extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: dirname(configFile),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TEMPLATE_DIR: '',
    GIT_CONFIG_GLOBAL: configFile,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    // Interlock reads refs from their files and expects ids of forty digits. A later version of git may have other
    // defaults.
    GIT_DEFAULT_REF_FORMAT: 'files',
    GIT_DEFAULT_HASH: 'sha1',
    ...extra,
  });
  const git: Git = {
    spawn: (directory, args, { env, passesPipes = false } = {}) =>
      spawn('git', args, { cwd: directory, env: environment(env), passesPipes }),
    receive: (directory, bounds, { forwardOnly }) => {
      const { before, options, env } = receivingCommand(bounds, hooks, prlimit);
      const strict = forwardOnly ? ['-c', 'receive.denyNonFastForwards=true'] : [];
      const receiving = ['git', ...options, ...strict, 'receive-pack', '--stateless-rpc', '.'];
      const [file = 'git', ...rest] = [...before, ...receiving];
      return spawn(file, rest, { cwd: directory, env: environment(env) });
    },
    upload: (directory, env) => {
      const before = prlimit === null ? [] : [prlimit, '--core=0', `--cpu=${uploadProcessorSec}`, '--'];
      const [file, ...rest] = [...before, 'git', 'upload-pack', '--stateless-rpc', '.'];
      return spawn(file, rest, { cwd: directory, env: environment(env), detached: true });
    },
    run: async (directory, args, input = {}) => {
      const [file = 'git', ...rest] = [...(input.isBackground ? ['nice', '-n', '19'] : []), 'git', ...args];
      const child = spawn(file, rest, {
        cwd: directory,
        env: environment(input.env),
        detached: input.signal !== undefined,
      });
      return await inSpan(`git ${commandOf(args)}`, { kind: 'client' }, async () => await collect(child, args, input));
    },
    text: async (directory, args, input) => (await git.run(directory, args, input)).stdout.toString('utf8').trim(),
    processes: createGitProcesses((directory, args) => git.spawn(directory, args, { passesPipes: true }), limits),
  };
  return git;
}

/** The command of git, such as `push`, without the options before it. */
function commandOf(args: readonly string[]): string {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c');
  return args[at] ?? '';
}

function writeConfiguration(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  try {
    if (readFileSync(file, 'utf8') === configuration) return;
  } catch {
    // The file does not exist yet.
  }
  const fresh = `${file}.${randomUUID()}`;
  writeFileSync(fresh, configuration, { mode: 0o644 });
  renameSync(fresh, file);
}

async function collect(child: SpawnedProcess, args: readonly string[], input: GitInput): Promise<GitOutput> {
  const limit = input.maxOutputBytes ?? outputLimit;
  const command = commandOf(args);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let size = 0;
  let errSize = 0;
  return await new Promise((resolve, reject) => {
    let refusal: Error | undefined;
    const kill = (why: Error): void => {
      refusal ??= why;
      child.kill('SIGKILL');
    };
    const stop = (): void => {
      refusal ??= new HostUnavailable(`git ${command} was stopped`);
      // At this signal git removes its temporary files.
      child.killGroup('SIGTERM');
    };
    if (input.signal?.aborted) stop();
    input.signal?.addEventListener('abort', stop, { once: true });
    const timeoutMs = input.timeoutMs ?? 120_000;
    const timer = setTimeout(
      () => kill(new HostUnavailable(`git ${command} took longer than ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) kill(new HostUnavailable(`git ${command} wrote more than ${limit} bytes`));
      else out.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      errSize += chunk.length;
      if (errSize <= errorLimit || input.onStderr !== undefined) err.push(chunk);
      input.onStderr?.(chunk.toString('utf8'));
      while (errSize > errorLimit && input.onStderr !== undefined && err.length > 1)
        errSize -= err.shift()?.length ?? 0;
    });
    const end = (): void => {
      clearTimeout(timer);
      input.signal?.removeEventListener('abort', stop);
    };
    child.on('error', (error) => {
      end();
      reject(new HostUnavailable(describeUnavailable(error)));
    });
    child.on('close', (exitCode) => {
      end();
      const stderr = Buffer.concat(err).toString('utf8');
      if (refusal !== undefined) reject(refusal);
      else if (exitCode === null || !(input.accept ?? [0]).includes(exitCode))
        reject(new GitFailed(command, exitCode, stderr));
      else resolve({ exitCode, stdout: Buffer.concat(out), stderr });
    });
    // git may exit before it has read its whole input. Its exit code then says whether it failed.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input.stdin ?? '');
  });
}
