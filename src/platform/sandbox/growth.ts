// What a run takes of the machine, looked at while it runs. A command can hide what it writes from a look at names
// (files it deleted and holds open, folders it closed), and memory from a look at processes (what they share): for
// these there are the reserves of the whole machine.
import { readdir, readFile, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  decideExceeded,
  isWorthALook,
  type ExceededLimit,
  type RunBounds,
  type RunMeasurements,
} from '../../domain/runs/bounds.ts';
import { spawn } from '../spawning/index.ts';
import type { RunFolders } from './port.ts';

export interface Grown {
  /** The bytes that the files take on the disk, in whole blocks. */
  readonly bytes: number;
  /** Files, folders and links. */
  readonly files: number;
}

/** The size of a run's writable folders now. Files that cannot be read count nothing. */
export async function measureFolders({ checkout, home, tmp }: RunFolders, mostFiles = Infinity): Promise<Grown> {
  const folders = [checkout, home, tmp];
  let sums = '';
  let files = 0;
  await Promise.all([
    outputOf('du', ['-skx', ...folders], (chunk) => {
      sums += chunk.toString('latin1');
      return true;
    }),
    outputOf('find', [...folders, '-xdev'], (chunk) => {
      for (const byte of chunk) if (byte === newline) files += 1;
      return files <= mostFiles;
    }),
  ]);
  const bytes = sums.split('\n').reduce((sum, line) => sum + (Number.parseInt(line, 10) || 0) * 1024, 0);
  return { bytes, files };
}

const newline = 0x0a;

/** Until it ends, or nothing more is wanted. Folders that go while they are read are no failure. */
async function outputOf(program: string, args: readonly string[], take: (chunk: Buffer) => boolean): Promise<void> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    if (!take(chunk)) child.kill('SIGKILL');
  });
  await new Promise<void>((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`${program} could not be run: ${error.message}`)));
    child.on('close', () => resolve());
  });
}

interface Running {
  readonly processes: number;
  readonly memoryBytes: number;
}

const pageBytes = 4096;

/** A process and all that it started. Memory is what is each one's own. None where there is no `/proc`. */
async function measureProcesses(root: number, mostProcesses: number): Promise<Running> {
  let memoryBytes = 0;
  let found = [root];
  let processes = 0;
  while (found.length > 0 && processes <= mostProcesses) {
    processes += found.length;
    const all = await Promise.all(found.map(async (pid) => await lookAt(pid)));
    memoryBytes += all.reduce((sum, { bytes }) => sum + bytes, 0);
    found = all.flatMap(({ children }) => children);
  }
  return { processes, memoryBytes };
}

/** The memory and the children of a process. A process that has ended has 0 bytes and no children. */
async function lookAt(pid: number): Promise<{ readonly bytes: number; readonly children: number[] }> {
  try {
    const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'latin1')).split(' ').map(Number);
    const threads = await readdir(`/proc/${pid}/task`);
    const children = await Promise.all(
      threads.map(async (thread) => await readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(() => '')),
    );
    const numbers = children.join(' ').split(' ').filter(Boolean).map(Number);
    return { bytes: (resident - shared) * pageBytes, children: numbers };
  } catch {
    return { bytes: 0, children: [] };
  }
}

/** Cheap to read, by two system calls, so that it may be read often. */
interface Gauges {
  readonly freeBytes: number;
  readonly freeFiles: number;
  /** Null: what is free is not what could be had, but on Linux. */
  readonly freeMemoryBytes: number | null;
}

async function readGauges({ checkout }: RunFolders): Promise<Gauges> {
  const { bavail, bsize, ffree } = await statfs(checkout);
  const freeMemoryBytes = process.platform === 'linux' ? freemem() : null;
  return { freeBytes: bavail * bsize, freeFiles: ffree, freeMemoryBytes };
}

/** The size of its folders, and the machine's free disk. Null: no bound was passed. */
export async function findGrown(folders: RunFolders, bounds: RunBounds): Promise<ExceededLimit | null> {
  const [{ freeBytes }, grown] = await Promise.all([readGauges(folders), measureFolders(folders, bounds.files)]);
  return decideExceeded({ freeBytes, ...grown }, bounds);
}

const gaugesEveryMs = 250;
const processesEveryMs = 1_000;
const foldersEveryMs = 5_000;
/** Looking takes a tenth of the time at most. */
const pausePerLook = 9;

export interface Watched {
  readonly folders: RunFolders;
  readonly bounds: RunBounds;
  /** The process id of the wrapper of the run. Undefined until it is known. */
  readonly pid: () => number | undefined;
}

/** Looks until it is stopped, or until a bound is passed, which it reports once. */
export function watchGrowth(
  watched: Watched,
  onExceeded: (exceeded: ExceededLimit) => void,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const watching = watch();
  // The caller of stop gets the error.
  watching.catch(() => {});
  return {
    stop: async () => {
      stopped.abort();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    const { folders, bounds, pid } = watched;
    const lookAtFolders = paced(foldersEveryMs, async () => await measureFolders(folders, bounds.files));
    const lookAtProcesses = paced(processesEveryMs, async () => await measureProcesses(pid() ?? 0, bounds.processes));
    let before = await readGauges(folders);
    for (;;) {
      await delay(gaugesEveryMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const now = await readGauges(folders);
      const has = hasTaken(before, now, bounds);
      const grown = await lookAtFolders(has.disk);
      const running = await lookAtProcesses(has.memory);
      before = {
        ...(grown === null ? before : now),
        freeMemoryBytes: (running === null ? before : now).freeMemoryBytes,
      };
      const seen: RunMeasurements = { ...now, ...grown, ...running };
      const exceeded = decideExceeded(seen, bounds);
      if (exceeded !== null) return onExceeded(exceeded);
    }
  }
}

function hasTaken(
  before: Gauges,
  now: Gauges,
  bounds: RunBounds,
): { readonly disk: boolean; readonly memory: boolean } {
  const memoryOf = ({ freeMemoryBytes }: Gauges): number => freeMemoryBytes ?? 0;
  return {
    disk:
      isWorthALook(before.freeBytes, now.freeBytes, bounds.bytes) ||
      isWorthALook(before.freeFiles, now.freeFiles, bounds.files),
    memory: isWorthALook(memoryOf(before), memoryOf(now), bounds.memoryBytes),
  };
}

/** Looks when it is time, or sooner when that is worth it; null when it did not look. */
function paced<T>(everyMs: number, look: () => Promise<T>): (isWorthIt: boolean) => Promise<T | null> {
  let restUntil = 0;
  let dueAt = performance.now() + everyMs;
  return async (isWorthIt) => {
    const startedAt = performance.now();
    if (startedAt < restUntil || (startedAt < dueAt && !isWorthIt)) return null;
    const seen = await look();
    const endedAt = performance.now();
    restUntil = endedAt + (endedAt - startedAt) * pausePerLook;
    dueAt = Math.max(restUntil, endedAt + everyMs);
    return seen;
  };
}
