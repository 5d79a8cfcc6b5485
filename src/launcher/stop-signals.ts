// Stops the program at a signal, or when the npm that started it has ended.

export interface StopOptions {
  /** Drains and stops the program. Called once. */
  readonly stop: (reason: string) => Promise<void>;
  readonly exit?: (code: number) => void;
}

// One press of Ctrl-C arrives twice, because the terminal sends the signal to all its processes, and npm forwards it.
const samePressMs = 1000;
const parentCheckMs = 500;

/** Drains and exits at the first signal. A second Ctrl-C exits at once. */
export function stopOnSignals({ stop, exit = (code) => process.exit(code) }: StopOptions): void {
  let stoppedAt: number | null = null;
  const begin = (reason: string) => {
    if (stoppedAt !== null) {
      if (performance.now() - stoppedAt > samePressMs) exit(130);
      return;
    }
    stoppedAt = performance.now();
    stop(reason).then(
      () => exit(0),
      (error: unknown) => {
        console.error(error);
        exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => begin(signal));
  watchNpm(begin);
}

// If npm is killed, its child gets no signal, so the parent's id is polled. The npm scripts start with `exec`, so that
// npm is the direct parent. The script scripts/run.mjs sets `INTERLOCK_PARENT` only under npm, because a program that
// was started by a shell may outlive the shell.
function watchNpm(begin: (reason: string) => void): void {
  const parent = Number(process.env['INTERLOCK_PARENT']);
  delete process.env['INTERLOCK_PARENT'];
  if (!parent) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    begin('npm has ended');
  }, parentCheckMs);
  timer.unref();
}
