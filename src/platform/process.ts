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
