// How much a run leaves on the disk, looked at while it writes. A command can hide what it writes from whoever looks at
// names (files it deleted and holds open, folders it closed): for these there is the reserve of the whole disk.
import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { spawn } from '../spawning/index.ts';
import type { RunFolders, SandboxBounds } from './port.ts';

export interface Grown {
  /** As the disk counts them, in blocks. */
  readonly bytes: number;
  /** Files, folders and links. */
  readonly files: number;
}

/** What the writable folders of a run hold now. What cannot be read counts nothing. */
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

/** Which bound was passed, in words about the run. `disk`: through nobody's fault that is known. */
export interface Exceeded {
  readonly of: 'run' | 'disk';
  readonly words: string;
}

/** Null: none. */
export async function findExceeded(folders: RunFolders, bounds: SandboxBounds): Promise<Exceeded | null> {
  return (await findFullDisk(folders, bounds)) ?? (await findGrown(folders, bounds));
}

async function findFullDisk({ checkout }: RunFolders, { freeBytes }: SandboxBounds): Promise<Exceeded | null> {
  const { bavail, bsize } = await statfs(checkout);
  return bavail * bsize >= freeBytes
    ? null
    : { of: 'disk', words: `less than ${megabytes(freeBytes)} are free on this machine's disk` };
}

async function findGrown(folders: RunFolders, bounds: SandboxBounds): Promise<Exceeded | null> {
  const { bytes, files } = await measureFolders(folders, bounds.files);
  if (bytes > bounds.bytes) return { of: 'run', words: `its files take more than ${megabytes(bounds.bytes)} together` };
  if (files > bounds.files) return { of: 'run', words: `it has more than ${bounds.files} files` };
  return null;
}

export function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}

const diskEveryMs = 250;
/** Looking takes a tenth of the time at most. */
const pausePerLook = 9;

/** Looks until it is stopped, or a bound is passed: then it tells so once. */
export function watchGrowth(
  folders: RunFolders,
  bounds: SandboxBounds,
  onExceeded: (exceeded: Exceeded) => void,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const watching = watch();
  // Told to whoever stops it.
  watching.catch(() => {});
  return {
    stop: async () => {
      stopped.abort();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    let lookAt = 0;
    for (;;) {
      await delay(diskEveryMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const startedAt = performance.now();
      const exceeded = startedAt < lookAt ? await findFullDisk(folders, bounds) : await findExceeded(folders, bounds);
      if (startedAt >= lookAt) lookAt = performance.now() + (performance.now() - startedAt) * pausePerLook;
      if (exceeded !== null) return onExceeded(exceeded);
    }
  }
}
