// Reads the CPU and memory of a process and of all processes that it started, by program. On systems other than Linux
// nothing is read.
import { readdir, readFile } from 'node:fs/promises';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  readonly ownSec: number;
  /** The CPU of the children that have ended. */
  readonly endedSec: number;
}

/** `sysconf(_SC_CLK_TCK)`, which is 100 on every Linux on which Node runs. */
const ticksPerSec = 100;

/**
 * The seconds of CPU so far by program, such as `postgres`. The CPU of ended children is under `children of …`, except
 * for children of PostgreSQL. `root` is the process that started all others.
 */
export async function cpuByProgram(root: number = process.pid): Promise<ReadonlyMap<string, number>> {
  const seconds = new Map<string, number>();
  const add = (name: string, sec: number): void => void seconds.set(name, (seconds.get(name) ?? 0) + sec);
  for (const { program, ownSec, endedSec } of await readTree(root)) {
    add(program, ownSec);
    // The CPU of ended sessions of PostgreSQL counts for PostgreSQL.
    add(program === 'postgres' ? program : `children of ${program}`, endedSec);
  }
  return seconds;
}

/** The bytes of memory that all processes use together. A page that several processes share counts once. */
export async function memoryOfTree(root: number): Promise<number> {
  return [...(await memoryByProgram(root)).values()].reduce((sum, size) => sum + size, 0);
}

/** The bytes of memory by program. A page that several processes share is divided equally among them. */
export async function memoryByProgram(root: number): Promise<ReadonlyMap<string, number>> {
  const sizes = (await readTree(root)).map(async ({ pid, program }) => {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    return [program, Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024] as const;
  });
  const bytes = new Map<string, number>();
  for (const [program, size] of await Promise.all(sizes)) bytes.set(program, (bytes.get(program) ?? 0) + size);
  return bytes;
}

async function readTree(root: number): Promise<Process[]> {
  const all = await readProcesses(root);
  const ours = new Set([root]);
  for (let size = 0; size < ours.size; ) {
    size = ours.size;
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
  }
  return all.filter(({ pid }) => ours.has(pid));
}

async function readProcesses(root: number): Promise<Process[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map(async (pid) => await readProcess(pid, root)),
  );
  return found.filter((each) => each !== null);
}

/** Null: the process has ended, or cannot be read. */
async function readProcess(pid: string, root: number): Promise<Process | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    // The name is in parentheses and may contain any character. After it come the state, the parent, …
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const secondsOf = (...at: readonly number[]): number =>
      at.reduce((sum, index) => sum + Number(fields[index]), 0) / ticksPerSec;
    return {
      pid: Number(pid),
      parent: Number(fields[1]),
      program: Number(pid) === root ? 'service and worker' : programOf(/\((.*)\)/.exec(stat)?.[1] ?? '', command),
      ownSec: secondsOf(11, 12),
      endedSec: secondsOf(13, 14),
    };
  } catch {
    return null;
  }
}

function programOf(name: string, command: string): string {
  if (command.includes('github-emulator')) return name === 'sh' ? 'sh' : 'emulator';
  if (/temporal/i.test(command)) return name === 'sh' ? 'sh' : 'temporal';
  return name.startsWith('postgres') || command.startsWith('postgres') ? 'postgres' : name;
}
