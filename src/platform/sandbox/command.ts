// Runs the wrapper a sandbox is made of, and ends it with everything it started.
import { type ChildProcess, spawn as spawnHere } from 'node:child_process';
import type { Server } from 'node:net';
import { spawn, SpawnedProcess } from '../spawning/index.ts';
import { megabytes, type ExceededLimit, type RunBounds } from '../../domain/runs/bounds.ts';
import { findGrown, watchGrowth } from './growth.ts';
import { findTool } from './layout.ts';
import type { SandboxOutcome, SandboxRun } from './port.ts';

export interface WrappedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * The end of every wrapper's command line. The word on descriptor 3 says that the sandbox stands and the command
 * begins; without it, the exit code is that of the wrapper. Descriptor 4 closes when we die: a guard
 * then kills the whole process group, for a wrapper that does not see to it itself. Output and errors share a pipe:
 * of two nobody could tell which was written first.
 */
export function shellOf({ command, bounds }: BoundedRun, isGuarded = false): string[] {
  const guard = isGuarded ? '(read -r _ <&4; kill -9 0) </dev/null >/dev/null 2>&1 3>&- & ' : '';
  // Short of memory, the kernel ends such a command before anything of ours.
  const first = 'echo 1000 2>/dev/null >/proc/self/oom_score_adj || true; ';
  return [
    ...limitsOf(bounds, isGuarded),
    '/bin/sh',
    '-c',
    `${fileLimitOf(bounds)}${first}${guard}echo started >&3; exec 3>&- 4<&-; exec /bin/sh -e -c "$1" 2>&1`,
    'sandbox',
    command,
  ];
}

export type BoundedRun = SandboxRun & { readonly bounds: RunBounds };

/**
 * They hold for all that the command starts, and none of it can raise them again. A command without a namespace has its
 * user's processes counted with its own: these are only watched.
 */
function limitsOf({ bytesPerFile, processes }: RunBounds, isPlain: boolean): string[] {
  const prlimit = findTool('prlimit');
  if (prlimit === null) return [];
  return [prlimit, '--core=0', `--fsize=${bytesPerFile}`, ...(isPlain ? [] : [`--nproc=${processes}`]), '--'];
}

/** Bounds the size of files on a machine without prlimit, in blocks of 512 bytes. */
function fileLimitOf({ bytesPerFile }: RunBounds): string {
  return findTool('prlimit') === null ? `ulimit -f ${Math.ceil(bytesPerFile / 512)}; ` : '';
}

export async function runWrapped(command: WrappedCommand, run: BoundedRun): Promise<SandboxOutcome> {
  if (run.signal?.aborted) {
    for (const listener of run.listeners ?? []) listener.close();
    return { kind: 'canceled' };
  }
  const child = start(command, run.listeners ?? []);
  let hasStarted = false;
  child.stdio[3]?.on('data', () => void (hasStarted = true));
  // Killed with unread bytes in a pipe, its other end gets a reset. The exit code says everything.
  for (const stream of child.stdio) stream?.on('error', () => {});
  let ended: SandboxOutcome | undefined;
  const end = (outcome: SandboxOutcome): void => {
    ended ??= outcome;
    killGroup(child);
  };
  const { bounds } = run;
  let outputBytes = 0;
  const onOutput = (chunk: Buffer): void => {
    outputBytes += chunk.length;
    if (outputBytes <= bounds.outputBytes) run.onOutput(chunk);
    else end({ kind: 'stopped', because: `it wrote more than ${megabytes(bounds.outputBytes)} of output` });
  };
  const watched = { folders: run.folders, bounds, pid: () => child.pid };
  const growth = watchGrowth(watched, (exceeded) => end(outcomeOf(exceeded)));
  const onAbort = (): void => end({ kind: 'canceled' });
  const timer = setTimeout(() => end({ kind: 'timed out' }), run.timeoutMs);
  run.signal?.addEventListener('abort', onAbort, { once: true });
  child.stdout?.on('data', onOutput);
  child.stderr?.on('data', onOutput);
  try {
    const exit = await exitOf(child);
    await growth.stop();
    // What was written since the last look.
    const exceeded = ended === undefined && run.isKept === true ? await findGrown(run.folders, bounds) : null;
    if (exceeded !== null) return outcomeOf(exceeded);
    if (ended !== undefined) return ended;
    if (typeof exit === 'string') return { kind: 'failed', reason: exit };
    if (exit === fileTooLarge)
      return { kind: 'stopped', because: `a file of it reached ${megabytes(bounds.bytesPerFile)}, which is the most` };
    return hasStarted
      ? { kind: 'exited', code: exit }
      : { kind: 'failed', reason: `the sandbox could not be made (${command.file} exited with ${exit})` };
  } finally {
    clearTimeout(timer);
    run.signal?.removeEventListener('abort', onAbort);
    await growth.stop();
  }
}

type Started = ChildProcess | SpawnedProcess;

/** In a process group of its own, so that one signal reaches all of a plain command's children. */
function start({ file, args, cwd, env }: WrappedCommand, listeners: readonly Server[]): Started {
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const;
  if (listeners.length === 0) return spawn(file, args, { cwd, env, stdio, detached: true });
  // Sockets are passed on by their descriptors, which are those of this process.
  const child = spawnHere(file, [...args], {
    cwd,
    env: { ...env },
    stdio: [...stdio, ...listeners.map(descriptorOf)],
    detached: true,
  });
  for (const listener of listeners) listener.close();
  return child;
}

/** If the machine is full, nobody knows which run filled it. */
function outcomeOf({ of, message }: ExceededLimit): SandboxOutcome {
  return of === 'run' ? { kind: 'stopped', because: message } : { kind: 'failed', reason: message };
}

/** 128 and SIGXFSZ: how shells and sandboxes report that a signal ended a command. */
const fileTooLarge = 153;

/** Node hands a socket to a child by its descriptor, and says a server's nowhere else. */
function descriptorOf(listener: Server): number {
  return (listener as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

/** The exit code, or why there is none. Waits a second at most for output of children that were left behind. */
async function exitOf(child: Started): Promise<number | string> {
  return await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => {
      killGroup(child);
      const answer = code ?? `the sandbox was killed by ${String(signal)}`;
      const patience = setTimeout(() => resolve(answer), 1000);
      child.on('close', () => {
        clearTimeout(patience);
        resolve(answer);
      });
    });
  });
}

function killGroup(child: Started): void {
  if (child instanceof SpawnedProcess) return child.killGroup('SIGKILL');
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of it is gone already.
  }
}
