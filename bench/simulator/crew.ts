// Measures policies in worker threads. Each thread takes the next task of the list when it is idle.
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { measureTask, type Task } from './measurement.ts';
import type { MeasuredTask } from './rows.ts';

interface Answer extends MeasuredTask {
  readonly tookSec: number;
}

/** Calls `onMeasured` for each task as soon as it is measured. */
export async function measureAll(
  tasks: readonly Task[],
  threads: number,
  onMeasured: (measured: MeasuredTask, tookSec: number) => void,
): Promise<void> {
  let next = 0;
  const runThread = async (): Promise<void> => {
    const worker = new Worker(new URL(import.meta.url));
    try {
      for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) {
        const { tookSec, ...measured } = await measureIn(worker, task);
        onMeasured(measured, tookSec);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, tasks.length) }, runThread));
}

async function measureIn(worker: Worker, task: Task): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(new Error(`${task.policy}, seed ${task.seed}`, { cause: error }));
    worker.removeAllListeners();
    worker.once('message', resolve).once('error', fail);
    worker.postMessage(task);
  });
}

if (!isMainThread)
  parentPort?.on('message', (task: Task) => {
    const begin = performance.now();
    const measurement = measureTask(task);
    parentPort?.postMessage({ task, measurement, tookSec: (performance.now() - begin) / 1000 } satisfies Answer);
  });
