// What a client is told whose request arrives while the server stops.
import { connect } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeEach(async () => void (server = await startServer()));
afterEach(async () => await server.close());

const sentence = 'The server is stopping. Try again.';

it.each([
  ['/api/v1/pull_request', { error: sentence }],
  ['/graphql', { errors: [{ message: sentence, extensions: { code: 'UNAVAILABLE', retryAfterSec: 1 } }] }],
])('a request to %s that arrives while the server stops is told to try again, and when', async (path, body) => {
  const { hostname, port } = new URL(server.url);
  const request = `POST ${path} HTTP/1.1\r\nhost: interlock\r\ncontent-length: 2\r\n\r\n{}`;
  // Node closes a connection only between two requests, and the first one has not arrived completely.
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(request.slice(0, 20));
  // The server reads what arrives in the order in which it arrives.
  await server.rest('GET', '/api/v1/repo');
  const closed = server.close();
  await expect
    .poll(
      async () =>
        await fetch(server.url).then(
          () => 'open',
          () => 'closed',
        ),
    )
    .toBe('closed');
  socket.write(request.slice(20));
  const answer = await text(socket);
  await closed;
  expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  expect(answer.toLowerCase()).toMatch(/\r\nretry-after: 1\r\n/);
  expect(answer.toLowerCase()).toMatch(/\r\nconnection: close\r\n/);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual(body);
});
