// A process and its PostgreSQL, which wake each other a thousand times a second, can be kept on one core. To wake a core
// that sleeps takes time, above all in a virtual machine.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The cores of a list of the kernel: `0-2,5` are 0, 1, 2 and 5. */
export function coresOf(list) {
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** The cores that this process may use. Empty: processes cannot be kept on a core here. */
export function findCores() {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).status !== 0) return [];
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return list === undefined ? [] : coresOf(list);
}

/** The command that runs `command` on the core, with all processes that it starts. Undefined: on any core. */
export function onCore(core, command) {
  return core === undefined ? command : ['taskset', '--cpu-list', String(core), ...command];
}
