import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * A name for the range in which process ids are unique: the host name and the PID namespace. Containers may have the
 * same host name, but have different PID namespaces.
 */
export function machineName(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Whether a process with this id exists on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A process that wrote a file which other processes read. */
export interface Writer {
  /** The machine whose processes `pid` refers to. Left out by earlier versions: the machine of the reader. */
  readonly machine?: string;
  readonly pid: number;
  /** Distinguishes this process from an earlier process with the same pid. */
  readonly process: string;
}

export const thisProcess = { machine: machineName(), pid: process.pid, process: randomUUID() } satisfies Writer;

/**
 * Whether the process has ended. False for a process of another machine: containers that share a disk number their
 * processes independently, so this process cannot tell whether the other one is alive.
 */
export function isDead(writer: Writer): boolean {
  if (writer.machine !== undefined && writer.machine !== thisProcess.machine) return false;
  return writer.pid === process.pid ? writer.process !== thisProcess.process : !isAlive(writer.pid);
}
