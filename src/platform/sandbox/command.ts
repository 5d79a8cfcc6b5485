// Runs the program that makes a sandbox (the wrapper), and ends it together with all processes that it started.
import { type ChildProcess, spawn as spawnHere } from 'node:child_process';
import type { Server } from 'node:net';
import { spawn, SpawnedProcess } from '../spawning/index.ts';
import { megabytes, type ExceededLimit, type RunBounds } from '../../domain/runs/bounds.ts';
import { findExceededSize, watchGrowth } from './growth.ts';
import { findProgram, findTool } from './layout.ts';
import type { SandboxOutcome, SandboxRun } from './port.ts';

export interface WrappedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * The last arguments of every wrapper: the shell that runs the command. The shell writes a word to descriptor 3 when
 * the sandbox is ready and the command begins. Without this word, the exit code is the wrapper's own. Descriptor 4
 * closes when this process dies. Then a guard kills the whole process group, if the wrapper does not do this itself.
 * Output and errors share a pipe, so that their order is known.
 */
export function shellOf({ command, bounds, listeners = [] }: BoundedRun, isGuarded = false): string[] {
  const guard = isGuarded ? '(read -r _ <&4; kill -9 0) </dev/null >/dev/null 2>&1 3>&- & ' : '';
  // If memory runs out, the kernel kills the command before any process of Interlock.
  const first = 'echo 1000 2>/dev/null >/proc/self/oom_score_adj || true; ';
  return [
    // A preview answers people, so it has the priority of the service.
    ...(listeners.length === 0 ? lowPriority() : []),
    ...limitsOf(bounds, isGuarded),
    '/bin/sh',
    '-c',
    `${fileLimitOf(bounds)}${first}${guard}echo started >&3; exec 3>&- 4<&-; exec /bin/sh -e -c "$1" 2>&1`,
    'sandbox',
    command,
  ];
}

export type BoundedRun = SandboxRun & { readonly bounds: RunBounds };

/** On a busy machine, requests and landings get the CPU before checks, deployments and agents. */
function lowPriority(): string[] {
  // The path is not resolved, because `nice` may be a link to a program that looks at its name.
  const nice = findTool('nice') === null ? null : findProgram('nice');
  return nice === null ? [] : [nice, '-n', '10'];
}

/**
 * The limits apply to all processes of the command, and none of them can raise the limits. The number of processes of a
 * plain command is not limited here but only watched, because the kernel would count all processes of the user.
 */
function limitsOf({ bytesPerFile, processes }: RunBounds, isPlain: boolean): string[] {
  const prlimit = findTool('prlimit');
  if (prlimit === null) return [];
  return [prlimit, '--core=0', `--fsize=${bytesPerFile}`, ...(isPlain ? [] : [`--nproc=${processes}`]), '--'];
}

/** Limits the size of files on a machine without prlimit, in blocks of 512 bytes. */
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
  // If the child is killed while a pipe has unread bytes, the stream emits an error. It is ignored, because the exit
  // code says enough.
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
    // Measures what the command wrote after the last measurement.
    const exceeded = ended === undefined && run.isKept === true ? await findExceededSize(run.folders, bounds) : null;
    if (exceeded !== null) return outcomeOf(exceeded);
    return ended ?? outcomeOfExit(exit, { file: command.file, bounds, hasStarted });
  } finally {
    clearTimeout(timer);
    run.signal?.removeEventListener('abort', onAbort);
    await growth.stop();
  }
}

interface EndedCommand {
  readonly file: string;
  readonly bounds: RunBounds;
  /** Whether the command has started in the sandbox. */
  readonly hasStarted: boolean;
}

/** `exit`: the exit code, or a text that says why there is none. */
function outcomeOfExit(exit: number | string, { file, bounds, hasStarted }: EndedCommand): SandboxOutcome {
  if (typeof exit === 'string') return { kind: 'failed', reason: exit };
  if (exit === fileTooLarge)
    return {
      kind: 'stopped',
      because: `one of its files reached ${megabytes(bounds.bytesPerFile)}, the limit for a file`,
    };
  return hasStarted
    ? { kind: 'exited', code: exit }
    : { kind: 'failed', reason: `the sandbox could not be made (${file} exited with ${exit})` };
}

type Started = ChildProcess | SpawnedProcess;

/** Starts the command in a process group of its own, so that one signal reaches all processes of a plain command. */
function start({ file, args, cwd, env }: WrappedCommand, listeners: readonly Server[]): Started {
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const;
  if (listeners.length === 0) return spawn(file, args, { cwd, env, stdio, detached: true });
  // Sockets are passed on by their descriptors, which only this process has, so the spawner cannot start the command.
  const child = spawnHere(file, [...args], {
    cwd,
    env: { ...env },
    stdio: [...stdio, ...listeners.map(descriptorOf)],
    detached: true,
  });
  for (const listener of listeners) listener.close();
  return child;
}

/** If the reserves of the machine are used up, the run has not failed, because another run may have used them. */
function outcomeOf({ owner, message }: ExceededLimit): SandboxOutcome {
  return owner === 'run' ? { kind: 'stopped', because: message } : { kind: 'failed', reason: message };
}

/** 128 + SIGXFSZ: the exit code of a command that wrote a file beyond the size limit. */
const fileTooLarge = 153;

/** The file descriptor of a server. Node has no public property for it. */
function descriptorOf(listener: Server): number {
  return (listener as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

/**
 * Returns the exit code, or a text that says why there is none. Waits at most a second for the output of processes that
 * still run when the command has ended.
 */
async function exitOf(child: Started): Promise<number | string> {
  return await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => {
      killGroup(child);
      const answer = code ?? `the sandbox was killed by ${String(signal)}`;
      const lateOutputTimer = setTimeout(() => resolve(answer), 1000);
      child.on('close', () => {
        clearTimeout(lateOutputTimer);
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
    // All processes of the group have ended already.
  }
}
