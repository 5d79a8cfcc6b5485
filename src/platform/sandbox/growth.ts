// Measures how much disk and memory and how many processes a run uses while it runs. A command can hide disk space
// (deleted files that it holds open, unreadable folders) and memory (shared between processes) from these measurements.
// Therefore the free reserves of the whole machine are watched too.
import { readdir, readFile, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  findExceededLimit,
  isWorthALook,
  type ExceededLimit,
  type RunBounds,
  type RunMeasurements,
} from '../../domain/runs/bounds.ts';
import { spawn } from '../spawning/index.ts';
import type { RunFolders } from './port.ts';

export interface RunSize {
  /** The bytes that the files take on the disk, in whole blocks. */
  readonly bytes: number;
  /** Files, folders and links. */
  readonly files: number;
}

/** Measures the present size of a run's writable folders. Unreadable files are not counted. */
export async function measureFolders({ checkout, home, tmp }: RunFolders, maxFiles = Infinity): Promise<RunSize> {
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
      return files <= maxFiles;
    }),
  ]);
  const bytes = sums.split('\n').reduce((sum, line) => sum + (Number.parseInt(line, 10) || 0) * 1024, 0);
  return { bytes, files };
}

const newline = 0x0a;

/**
 * Runs a program and passes its output to `take`, until the program ends or `take` returns false. The exit code is
 * ignored, because folders may disappear while they are read.
 */
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

/**
 * Counts a process and its descendants, and their private memory. Without `/proc`, only the process itself is counted,
 * with 0 bytes.
 */
async function measureProcesses(root: number, maxProcesses: number): Promise<Running> {
  let memoryBytes = 0;
  let found = [root];
  let processes = 0;
  while (found.length > 0 && processes <= maxProcesses) {
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

/** The free reserves of the machine. Reading them takes two system calls, so they are read often. */
interface Gauges {
  readonly freeBytes: number;
  readonly freeFiles: number;
  /** The memory that is available to programs. Null except on Linux, because only Linux reports it. */
  readonly freeMemoryBytes: number | null;
}

async function readGauges({ checkout }: RunFolders): Promise<Gauges> {
  const { bavail, bsize, ffree } = await statfs(checkout);
  const freeMemoryBytes = process.platform === 'linux' ? freemem() : null;
  return { freeBytes: bavail * bsize, freeFiles: ffree, freeMemoryBytes };
}

/** Measures the run's folders and the machine's free disk space. Null: no bound is exceeded. */
export async function findExceededSize(folders: RunFolders, bounds: RunBounds): Promise<ExceededLimit | null> {
  const [{ freeBytes }, grown] = await Promise.all([readGauges(folders), measureFolders(folders, bounds.files)]);
  return findExceededLimit({ freeBytes, ...grown }, bounds);
}

const gaugesEveryMs = 250;
const processesEveryMs = 1_000;
const foldersEveryMs = 5_000;
/**
 * The pause after a measurement is 9 times as long as the measurement took, so that measuring takes at most a tenth of
 * the time.
 */
const pausePerLook = 9;

export interface WatchedRun {
  readonly folders: RunFolders;
  readonly bounds: RunBounds;
  /** The process id of the wrapper of the run. Undefined until it is known. */
  readonly pid: () => number | undefined;
}

/** Measures a run until it is stopped or until a bound is exceeded, which is reported once. */
export function watchGrowth(
  watched: WatchedRun,
  onExceeded: (exceeded: ExceededLimit) => void,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const watching = watch();
  // The error is thrown to the caller of `stop`.
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
      const exceeded = findExceededLimit(seen, bounds);
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

/**
 * Returns a function that measures if `everyMs` have passed, or earlier if its argument is true, but never within the
 * pause after a measurement. The function returns null if it did not measure.
 */
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
