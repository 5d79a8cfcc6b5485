// How `interlock mcp` forwards messages to a service.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createApi } from '../../cli/client/api.ts';
import { createForwarder } from '../../cli/commands/mcp.ts';

test('a service that accepts a tool call and never answers is given up, and the client is told so', async () => {
  const server = createServer(() => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  const forward = createForwarder(createApi({ url, token: 'itk_1', signal, answerWithinMs: 100 }), '');
  const answer = await forward({ id: 7, method: 'tools/call' }, { line: '{}', signal });
  expect(JSON.parse(answer ?? 'null')).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32_000,
      message: `${url} does not answer (no answer within 0.1 s). Start Interlock there, or name another address by --url.`,
    },
  });
});
