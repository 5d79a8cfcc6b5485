// Places where the kill tests stop the process, and where the tests of arrivals make something happen in between.
// Without either this is two comparisons.
const armed = process.env['INTERLOCK_FAILPOINT'];
const hooks = new Map<string, () => Promise<void>>();

/** `INTERLOCK_FAILPOINT=<name>` kills this process with SIGKILL when it first comes past that place. */
export async function passFailpoint(name: string): Promise<void> {
  await hooks.get(name)?.();
  if (armed !== name) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
}

/** For tests: runs `hook` each time this process comes past the place, until the answered function is called. */
export function onFailpoint(name: string, hook: () => Promise<void>): () => void {
  hooks.set(name, hook);
  return () => void hooks.delete(name);
}
