// CPU-bound work outside of the event loop: a worker thread that carries out one task after the other.
import { parentPort, Worker } from 'node:worker_threads';

/** A task took too long, so its thread was stopped. Tasks that waited for the thread fail as well. */
export class ThreadTimeout extends Error {}

/** A task threw an error in its thread. */
export class TaskFailed extends Error {}

interface PendingTask {
  readonly onProgress: (progress: number) => void;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Reply = { readonly id: number } & (
  | { readonly answer: unknown }
  | { readonly error: string }
  | { readonly progress: number }
);

/** The thread starts with the first task, and again after it was stopped. It does not keep the process alive. */
export class Thread {
  readonly #script: URL;
  readonly #asked = new Map<number, PendingTask>();
  #worker: Worker | null = null;
  #count = 0;

  constructor(script: URL) {
    this.#script = script;
  }

  /** The number of tasks that run or wait. */
  get load(): number {
    return this.#asked.size;
  }

  async ask<Answer>(
    task: unknown,
    timeoutMs: number,
    onProgress: (progress: number) => void = () => {},
  ): Promise<Answer> {
    const worker = (this.#worker ??= this.#start());
    this.#count += 1;
    const id = this.#count;
    const late = setTimeout(() => this.#end(new ThreadTimeout(`No answer within ${timeoutMs} ms.`)), timeoutMs);
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#asked.set(id, { resolve: (answer) => resolve(answer as Answer), reject, onProgress });
        worker.postMessage({ id, task });
      });
    } finally {
      clearTimeout(late);
      this.#asked.delete(id);
    }
  }

  stop(): void {
    this.#end(new Error('The thread was stopped.'));
  }

  #start(): Worker {
    const worker = new Worker(this.#script);
    worker.on('message', (reply: Reply) => {
      const asked = this.#asked.get(reply.id);
      if ('progress' in reply) asked?.onProgress(reply.progress);
      else if ('error' in reply) asked?.reject(new TaskFailed(reply.error));
      else asked?.resolve(reply.answer);
    });
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#end(error instanceof Error ? error : new Error(String(error)));
    });
    // This must follow `on('message')`, because adding a message listener undoes an earlier `unref`.
    worker.unref();
    return worker;
  }

  #end(reason: Error): void {
    const worker = this.#worker;
    this.#worker = null;
    for (const { reject } of this.#asked.values()) reject(reason);
    this.#asked.clear();
    void worker?.terminate();
  }
}

/**
 * Each task has a thread of its own while it runs, so that a task that is stopped takes no other task with it. One idle
 * thread is kept for the next task, because starting a thread takes longer than most tasks. The thread of a task that
 * failed is not kept, because the task may have broken what the thread has loaded.
 */
export class ThreadPerTask {
  readonly #script: URL;
  #idle: Thread | null = null;

  constructor(script: URL) {
    this.#script = script;
  }

  async ask<Answer>(task: unknown, timeoutMs: number): Promise<Answer> {
    const thread = this.#idle ?? new Thread(this.#script);
    this.#idle = null;
    let isKept = false;
    try {
      const answer = await thread.ask<Answer>(task, timeoutMs);
      isKept = this.#idle === null;
      return answer;
    } finally {
      if (isKept) this.#idle = thread;
      else thread.stop();
    }
  }
}

/** The file of a thread, in the folder of the file that starts it and with the same extension. */
export function threadScript(asker: string, name: string): URL {
  return new URL(`./${name}.${asker.endsWith('.ts') ? 'ts' : 'js'}`, asker);
}

/** Called in the thread. `perform` carries out each task, and may report its progress. */
export function answerTasks(perform: (task: unknown, report: (progress: number) => void) => unknown): void {
  parentPort?.on('message', ({ id, task }: { readonly id: number; readonly task: unknown }) => {
    const report = (progress: number): void => parentPort?.postMessage({ id, progress } satisfies Reply);
    parentPort?.postMessage(replyTo(id, () => perform(task, report)));
  });
}

function replyTo(id: number, perform: () => unknown): Reply {
  try {
    return { id, answer: perform() };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
