// Identifies processes. The system reuses process ids, so a process is identified by its id together with its start
// time or command line.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * An opaque text for the start time of a process. It does not change while the process runs. Null: there is no such
 * process.
 */
export async function processStartedAt(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (stat === null) return null;
    // The name in parentheses may contain blanks and parentheses, so the fields are counted after it: field 3 is the
    // state, and field 22 the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  }
  return askPs(pid, 'lstart=');
}

/** The command line of a process. Null: there is no such process. */
export async function processCommandLine(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return commandLine === '' ? null : commandLine.replaceAll('\0', ' ').trim();
  }
  return askPs(pid, 'command=');
}

/** Waits for the end of a process. False: it still runs after `withinSec`. */
export async function waitForExit(pid: number, withinSec: number): Promise<boolean> {
  const startedAt = await processStartedAt(pid);
  const deadline = performance.now() + withinSec * 1000;
  for (;;) {
    const now = await processStartedAt(pid);
    if (now === null || now !== startedAt) return true;
    if (performance.now() > deadline) return false;
    await delay(20);
  }
}

async function askPs(pid: number, column: string): Promise<string | null> {
  try {
    const { stdout } = await run('ps', ['-o', column, '-p', String(pid)]);
    return stdout.trim() || null;
  } catch {
    return null;
  }
}
