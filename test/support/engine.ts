// Starts the engine in a process of its own, so that a test can kill it or have it killed at a failpoint.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { inject } from 'vitest';
import type { EngineSettings } from './engine-process.ts';

export interface Engine extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Resolves with the signal or the exit code of the process. */
  readonly ended: Promise<string>;
  kill(): Promise<void>;
  /** Stops the worker as an operator does. The worker finishes what it can in time, and releases the rest. */
  stop(): Promise<void>;
}

export async function startEngine(
  settings: EngineSettings,
  failpoint?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Engine> {
  const child = spawn(process.execPath, [inject('engineBundle'), JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...(failpoint === undefined ? {} : { INTERLOCK_FAILPOINT: failpoint }), ...env },
    detached: true,
  });
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? code));
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then((how) => Promise.reject(new Error(`The engine ended before it was ready: ${how}.`))),
  ]);
  // The checks that it runs are killed too, as when a machine loses power.
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    await ended;
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const how = await ended;
    if (how !== '0') throw new Error(`The engine did not stop by itself: ${how}.`);
  };
  return { child, ended, kill, stop, [Symbol.asyncDispose]: kill };
}
