// Places where the kill tests stop the process. Without INTERLOCK_FAILPOINT this is one comparison.
const armed = process.env['INTERLOCK_FAILPOINT'];

/** `INTERLOCK_FAILPOINT=<name>` kills this process with SIGKILL the first time it comes past that place. */
export async function passFailpoint(name: string): Promise<void> {
  if (armed !== name) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
}
