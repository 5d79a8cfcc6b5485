// The CPU that a simulation takes: of this process, of git with the process that starts it, and of PostgreSQL.
import { readdir, readFile } from 'node:fs/promises';
import { findPostmaster } from '../support/postgres.ts';

/** The kernel counts in hundredths of a second. */
const ticksPerSec = 100;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** With the children of the process that have ended. */
  readonly sec: number;
}

/** In seconds since an unknown instant. */
export interface CpuSec {
  readonly own: number;
  readonly git: number;
  readonly postgres: number;
}

/** Null: there is no such process, or this is not Linux. */
async function readStat(pid: number): Promise<Stat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name of the program may contain spaces. It ends at the last parenthesis.
  const [, parent, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = rest.slice(9, 13).reduce((sum, each) => sum + Number(each), 0);
  return { pid, parent: Number(parent), sec: ticks / ticksPerSec };
}

/** Elsewhere than on Linux, only this process is counted. */
export async function readCpuSec(): Promise<CpuSec> {
  const own = await readStat(process.pid);
  if (own === null) {
    const { user, system } = process.cpuUsage();
    return { own: (user + system) / 1_000_000, git: 0, postgres: 0 };
  }
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name)).map(Number);
  const stats = (await Promise.all(pids.map(readStat))).filter((stat) => stat !== null);
  const postmaster = await findPostmaster();
  const postgres = stats.filter(({ pid }) => pid === postmaster);
  return {
    own: own.sec,
    git: sumOf(descendantsOf([own], stats)),
    postgres: sumOf([...postgres, ...descendantsOf(postgres, stats)]),
  };
}

export function totalOf({ own, git, postgres }: CpuSec): number {
  return own + git + postgres;
}

function sumOf(stats: readonly Stat[]): number {
  return stats.reduce((sum, { sec }) => sum + sec, 0);
}

function descendantsOf(parents: readonly Stat[], all: readonly Stat[]): readonly Stat[] {
  const children = all.filter(({ parent }) => parents.some(({ pid }) => pid === parent));
  return children.length === 0 ? [] : [...children, ...descendantsOf(children, all)];
}
