import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names the machine as far as numbers of processes mean something there: containers may share a host name, and each
 * counts its processes by itself.
 */
export function machineName(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Whether a process of this machine exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
