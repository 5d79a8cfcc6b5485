// When the program stops: a signal asks it to, or the npm that started it is gone.

export interface StopOptions {
  /** Drains. Called once. */
  readonly stop: (reason: string) => Promise<void>;
  readonly exit?: (code: number) => void;
}

// npm passes a Ctrl-C on although the terminal has already sent it to everybody: one key press arrives twice.
const samePressMs = 1000;
const parentCheckMs = 500;

/** Drains at the first signal and exits. A second Ctrl-C exits at once. */
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

// A killed npm sends its child nothing; the scripts start with `exec` so that no shell stands between the two.
// `INTERLOCK_PARENT` is set by scripts/run.mjs, under npm only: a program started by a shell may outlive that shell.
function watchNpm(begin: (reason: string) => void): void {
  const parent = Number(process.env['INTERLOCK_PARENT']);
  delete process.env['INTERLOCK_PARENT'];
  if (!parent) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    begin('npm is gone');
  }, parentCheckMs);
  timer.unref();
}
