// Named places in the code where tests kill the process, or run code at that moment. Outside of tests, a failpoint
// costs two comparisons.
const armed = process.env['INTERLOCK_FAILPOINT'];
const hooks = new Map<string, () => Promise<void>>();

/**
 * With `INTERLOCK_FAILPOINT=<name>`, this process is killed by SIGKILL when it first reaches the failpoint of this
 * name.
 */
export async function passFailpoint(name: string): Promise<void> {
  await hooks.get(name)?.();
  if (armed !== name) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
}

/** For tests: runs `hook` each time this process reaches the failpoint, until the returned function is called. */
export function onFailpoint(name: string, hook: () => Promise<void>): () => void {
  hooks.set(name, hook);
  return () => void hooks.delete(name);
}
