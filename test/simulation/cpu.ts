// The CPU that a simulation takes: of this process, of its git processes that have ended, and of PostgreSQL.
import { readdir, readFile } from 'node:fs/promises';
import { findPostmaster } from '../support/postgres.ts';

/** The kernel counts in hundredths of a second. */
const ticksPerSec = 100;

interface Stat {
  readonly parent: number;
  readonly sec: number;
}

/** Null: there is no such process, or this is not Linux. */
async function readStat(pid: number | string): Promise<Stat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name of the program may contain spaces. It ends at the last parenthesis.
  const [, parent, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = rest.slice(9, 13).reduce((sum, each) => sum + Number(each), 0);
  return { parent: Number(parent), sec: ticks / ticksPerSec };
}

/** In seconds since an unknown instant. Elsewhere than on Linux, only this process is counted. */
export async function readCpuSec(): Promise<number> {
  const own = await readStat('self');
  if (own === null) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
  const postmaster = await findPostmaster();
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name));
  const stats = await Promise.all(pids.map(async (pid) => ({ pid: Number(pid), stat: await readStat(pid) })));
  const ofPostgres = stats.filter(({ pid, stat }) => pid === postmaster || stat?.parent === postmaster);
  return ofPostgres.reduce((sum, { stat }) => sum + (stat?.sec ?? 0), own.sec);
}
