import { expect, it } from 'vitest';
import { openRawSocket } from '../support/raw-socket.ts';
import { startServer } from '../support/server.ts';

it('a server stops within seconds, even if a client does not answer that its socket is closed', async () => {
  const s = await startServer();
  using answering = await openRawSocket(s.url, { token: s.token });
  using silent = await openRawSocket(s.url, { token: s.token });
  // The client reads nothing any more, so it does not answer.
  silent.socket.pause();
  const begunAt = performance.now();
  await s.close();
  // The library waits 30 s for the answer.
  expect(performance.now() - begunAt).toBeLessThan(20_000);
  expect(await answering.closed).toEqual([1001, 'The server is stopping']);
});
