// Measures policies in worker threads. Each thread takes the next task of the list when it is idle.
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { measureTask, type MeasuredTask, type Task } from './measurement.ts';

/** Returns the measurements in the order of the tasks. */
export async function measureAll(tasks: readonly Task[], threads: number): Promise<MeasuredTask[]> {
  const measured: MeasuredTask[] = [];
  let next = 0;
  const runThread = async (): Promise<void> => {
    const worker = new Worker(new URL(import.meta.url));
    try {
      for (let at = next++; at < tasks.length; at = next++) {
        const task = tasks[at];
        if (task !== undefined) measured[at] = await measureIn(worker, task);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, tasks.length) }, runThread));
  return measured;
}

async function measureIn(worker: Worker, task: Task): Promise<MeasuredTask> {
  return await new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(new Error(`${task.policy}, seed ${task.seed}`, { cause: error }));
    worker.removeAllListeners();
    worker.once('message', resolve).once('error', fail);
    worker.postMessage(task);
  });
}

if (!isMainThread)
  parentPort?.on('message', (task: Task) => {
    parentPort?.postMessage({ task, measurement: measureTask(task) } satisfies MeasuredTask);
  });
