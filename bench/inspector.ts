// Asks a running Node for its heap by the protocol of its inspector, which `--inspect` opens.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

export interface Inspector {
  /** The bytes of the heaps of all threads that are in use after a garbage collection. */
  heapBytes(): Promise<number>;
  /** Writes a snapshot of the heap of the main thread into a file, which the developer tools of Chromium open. */
  writeSnapshot(file: string): Promise<void>;
  close(): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly chunk?: string; readonly sessionId?: string; readonly message?: string };
  readonly result?: Readonly<Record<string, number>>;
}

type Ask = (method: string, params?: object) => Promise<Message['result']>;

const opensWithinMs = 30_000;

export async function openInspector(port: number): Promise<Inspector> {
  const socket = new WebSocket(await findUrl(port), { perMessageDeflate: false, maxPayload: 2 ** 30 });
  await once(socket, 'open');
  const waiting = new Map<number, (result: Message['result']) => void>();
  const threads = new Map<string, Ask>();
  let onChunk = (_chunk: string): void => {};
  let count = 0;
  const askBy =
    (send: (message: string) => void): Ask =>
    async (method, params = {}) => {
      count += 1;
      const id = count;
      const answer = new Promise<Message['result']>((resolve) => waiting.set(id, resolve));
      send(JSON.stringify({ id, method, params }));
      return await answer;
    };
  const ask = askBy((message) => socket.send(message));
  const handle = ({ id, method, params, result }: Message): void => {
    const { sessionId = '' } = params ?? {};
    if (method === 'HeapProfiler.addHeapSnapshotChunk') onChunk(params?.chunk ?? '');
    if (method === 'NodeWorker.attachedToWorker')
      threads.set(
        sessionId,
        askBy((message) => void ask('NodeWorker.sendMessageToWorker', { sessionId, message })),
      );
    if (method === 'NodeWorker.detachedFromWorker') threads.delete(sessionId);
    if (method === 'NodeWorker.receivedMessageFromWorker') handle(JSON.parse(params?.message ?? '{}') as Message);
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  socket.on('message', (bytes: Buffer) => handle(JSON.parse(bytes.toString('utf8')) as Message));
  await ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return {
    async heapBytes() {
      const heaps = await Promise.all(
        [ask, ...threads.values()].map(async (each) => {
          await each('HeapProfiler.collectGarbage');
          return (await each('Runtime.getHeapUsage'))?.['usedSize'] ?? Number.NaN;
        }),
      );
      return heaps.reduce((sum, bytes) => sum + bytes, 0);
    },
    async writeSnapshot(file) {
      const stream = createWriteStream(file);
      onChunk = (chunk) => void stream.write(chunk);
      await ask('HeapProfiler.takeHeapSnapshot');
      stream.end();
      await once(stream, 'finish');
    },
    close: () => socket.terminate(),
  };
}

async function findUrl(port: number): Promise<string> {
  const deadline = performance.now() + opensWithinMs;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => null);
    const [target] = answer === null ? [] : ((await answer.json()) as { readonly webSocketDebuggerUrl: string }[]);
    if (target !== undefined) return target.webSocketDebuggerUrl;
    if (performance.now() > deadline) throw new Error(`No inspector answers at port ${port}.`);
    await delay(100);
  }
}
