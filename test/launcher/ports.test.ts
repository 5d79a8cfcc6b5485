import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { assertPortFree, chooseFreePort, findFreePort } from '../../src/launcher/ports.ts';

async function busyPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

test('a busy port is reported in one line with advice', async () => {
  const port = await busyPort();
  await expect(assertPortFree(port)).rejects.toThrow(
    `Port ${port} is in use. Use --port <n>, or stop the program that listens there.`,
  );
});

test('the port of the last start is used again if it is free', async () => {
  const free = await findFreePort();
  await assertPortFree(free);
  expect(await chooseFreePort(free)).toBe(free);
  const busy = await busyPort();
  expect(await chooseFreePort(busy)).not.toBe(busy);
});
