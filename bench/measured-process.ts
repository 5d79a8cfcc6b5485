// Starts a server in a process of its own. The server reports how much CPU it has used. This file has the code of both
// processes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

type Answer =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'cpu'; readonly micros: number; readonly residentBytes: number };

export interface MeasuredProcess {
  readonly url: string;
  /** The CPU of the whole process so far, with its threads and garbage collection. */
  cpuMicros(): Promise<number>;
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts `<name>.ts` or `<name>.js` in the folder of this file. The server gets the environment of this process and
 * `environment`.
 */
export async function startMeasuredServer(
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<MeasuredProcess> {
  const script = new URL(`./${name}${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
  const child = fork(fileURLToPath(script), [], { env: { ...process.env, NODE_ENV: 'production', ...environment } });
  const exited = once(child, 'exit');
  const answer = async (): Promise<Answer> => {
    const [first] = (await Promise.race([once(child, 'message'), exited.then(() => [undefined])])) as [
      Answer | undefined,
    ];
    if (first === undefined) throw new Error(`The server ${name} of the bench ended. Its output is above.`);
    return first;
  };
  const ready = await answer();
  if (ready.kind !== 'ready') throw new Error(`The server ${name} of the bench did not send its URL.`);
  const ask = async (): Promise<Extract<Answer, { kind: 'cpu' }>> => {
    child.send('cpu');
    const reply = await answer();
    if (reply.kind !== 'cpu') throw new Error(`The server ${name} of the bench did not tell its CPU time.`);
    return reply;
  };
  return {
    url: ready.url,
    cpuMicros: async () => (await ask()).micros,
    residentBytes: async () => (await ask()).residentBytes,
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}

/**
 * The server calls this function when it answers requests at `url`. Afterwards it answers questions about its CPU, and
 * ends with the bench.
 */
export function serveMeasurements(url: string): void {
  if (process.send === undefined) throw new Error('This server can only be started by the bench.');
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const residentBytes = process.memoryUsage.rss();
    process.send?.({ kind: 'cpu', micros: user + system, residentBytes } satisfies Answer);
  });
  process.on('disconnect', () => process.exit());
  process.send({ kind: 'ready', url } satisfies Answer);
}
