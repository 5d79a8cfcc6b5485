// Asks a running Node for its heap by the protocol of its inspector, which `--inspect` opens.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

export interface Inspector {
  /** The bytes of the heap of the main thread that are in use after a garbage collection. */
  heapBytes(): Promise<number>;
  /** Writes a snapshot of the heap into a file, which the developer tools of Chromium open. */
  writeSnapshot(file: string): Promise<void>;
  close(): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly chunk?: string };
  readonly result?: Readonly<Record<string, number>>;
}

const opensWithinMs = 30_000;

export async function openInspector(port: number): Promise<Inspector> {
  const socket = new WebSocket(await findUrl(port), { perMessageDeflate: false, maxPayload: 2 ** 30 });
  await once(socket, 'open');
  const waiting = new Map<number, (result: Message['result']) => void>();
  let onChunk = (_chunk: string): void => {};
  socket.on('message', (bytes: Buffer) => {
    const { id, method, params, result } = JSON.parse(bytes.toString('utf8')) as Message;
    if (method === 'HeapProfiler.addHeapSnapshotChunk') onChunk(params?.chunk ?? '');
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let count = 0;
  const ask = async (method: string): Promise<Message['result']> => {
    count += 1;
    const id = count;
    const answer = new Promise<Message['result']>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method }));
    return await answer;
  };
  return {
    async heapBytes() {
      await ask('HeapProfiler.collectGarbage');
      return (await ask('Runtime.getHeapUsage'))?.['usedSize'] ?? Number.NaN;
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
