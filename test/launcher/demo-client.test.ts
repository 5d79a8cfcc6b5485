import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Client } from '../../src/demo/client.ts';

/** A server that answers the requests with the statuses in turn, and then with 200. Returns what it was sent. */
async function answering(...statuses: number[]): Promise<{ readonly client: Client; readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    requests.push(`${request.method} ${request.url}`);
    const status = statuses.shift() ?? 200;
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(status === 200 ? '{"data":{"done":true}}' : '{"errors":[{"message":"Too many requests"}]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: createClient({ url, token: 'token' }), requests };
}

test('a request that the rate limit refused is sent again after the time that the answer names', async () => {
  const { client, requests } = await answering(429, 429);
  await expect(client.graphql('mutation { done }')).resolves.toEqual({ done: true });
  expect(requests).toEqual(['POST /graphql', 'POST /graphql', 'POST /graphql']);
});

test('a request that may have had an effect is not sent again', async () => {
  const { client, requests } = await answering(503);
  await expect(client.rest('POST', '/api/v1/repo', {})).rejects.toThrow('POST /api/v1/repo answered 503');
  expect(requests).toHaveLength(1);
});

test('a read is sent again after 503', async () => {
  const { client, requests } = await answering(503);
  await client.rest('GET', '/api/v1/repo');
  expect(requests).toEqual(['GET /api/v1/repo', 'GET /api/v1/repo']);
});
