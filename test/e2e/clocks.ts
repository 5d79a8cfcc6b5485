// Processes whose clocks can be set while they run, by libfaketime (https://github.com/wolfcw/libfaketime), which answers
// in place of the C library when a process asks for the time. Monotonic clocks stay as they are, as on a machine whose
// clock is set.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from './interlock.ts';

interface Clocks {
  /** Makes the clock of one process, which is right. The process must be started with its `environment`. */
  add(): Promise<Clock>;
}

export interface Clock {
  readonly environment: Readonly<Record<string, string>>;
  /** Sets the clock ahead by `offsetMs`, or behind if it is negative. The process sees the new time within seconds. */
  set(offsetMs: number): Promise<void>;
}

const folders = [
  '/usr/lib/*-linux-gnu/faketime',
  '/usr/lib/faketime',
  '/usr/lib64/faketime',
  '/usr/local/lib/faketime',
  '/usr/lib',
];

/** Returns null, and says why, if this machine has no libfaketime that Node works with. */
export async function findClocks(folder: string): Promise<Clocks | null> {
  const library = process.env['FAKETIME_LIBRARY'] ?? globSync(folders.map((at) => `${at}/libfaketimeMT.so.1`))[0];
  if (library === undefined || !existsSync(library)) {
    console.log('No clock is set in this run, because libfaketime is missing. Debian has it as a package.');
    return null;
  }
  let added = 0;
  const clocks: Clocks = {
    async add() {
      added += 1;
      const file = join(folder, `clock-${added}`);
      const set = async (offsetMs: number): Promise<void> => {
        await writeFile(`${file}.next`, `${offsetMs < 0 ? '-' : '+'}${Math.abs(offsetMs) / 1_000}`);
        await rename(`${file}.next`, file);
      };
      await set(0);
      return {
        set,
        environment: {
          LD_PRELOAD: library,
          FAKETIME_TIMESTAMP_FILE: file,
          // After so many seconds libfaketime reads the file again.
          FAKETIME_CACHE_DURATION: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
          NO_FAKE_STAT: '1',
        },
      };
    },
  };
  const refused = await tryOut(await clocks.add());
  if (refused === null) return clocks;
  console.log(`No clock is set in this run. ${library} does not work with this Node: ${refused}`);
  return null;
}

/** Sets the clock of the process at this address, and sets it right after `heldMs`. */
export async function setForAWhile(
  clock: Clock,
  { url, offsetMs, heldMs }: { readonly url: string; readonly offsetMs: number; readonly heldMs: number },
): Promise<void> {
  await clock.set(offsetMs);
  await awaitTime(url, offsetMs);
  await delay(heldMs);
  await clock.set(0);
  await awaitTime(url, 0);
}

/** Resolves when the answers of the process show that its clock is ahead by `offsetMs`. */
async function awaitTime(url: string, offsetMs: number): Promise<void> {
  await until(async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    return Math.abs(Date.parse(answer?.headers.get('date') ?? '') - Date.now() - offsetMs) < 10_000;
  });
}

/** libfaketime shares two files in memory with the children of a process, and leaves them there if it is killed. */
export async function removeSharedFiles(pid: number | undefined): Promise<void> {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) await rm(`/dev/shm/${name}`, { force: true });
}

/** Returns what is wrong, or null if Node sees the time of its clock. */
async function tryOut(clock: Clock): Promise<string | null> {
  await clock.set(3_600_000);
  const env = { ...process.env, ...clock.environment };
  const { stdout, stderr } = spawnSync(process.execPath, ['-p', 'Date.now()'], { env, encoding: 'utf8' });
  const aheadMs = Number(stdout) - Date.now();
  if (Math.abs(aheadMs - 3_600_000) < 60_000) return null;
  return `its clock was ${aheadMs} ms ahead instead of one hour. ${stderr}`;
}
