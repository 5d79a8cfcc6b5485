// Requests that are refused whatever their body is. The client announces a large body and sends none of it, so an answer
// arrives only if the server does not wait for the body.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appWorld, type AppWorld } from '../hosts/github/app-world.ts';

let w: AppWorld;
beforeAll(async () => {
  w = await appWorld();
  await w.addFirstApp();
});
afterAll(async () => await w.close());

/** Sends the head of a request with a body of 20 MB. Returns the status and the body of the answer. */
async function announce(path: string, headers: readonly string[]): Promise<readonly [status: string, body: string]> {
  const { hostname, port } = new URL(w.url);
  const stream = connect({ host: hostname, port: Number(port) });
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    'Content-Type: application/json',
    'Content-Length: 20000000',
    ...headers,
  ];
  stream.write(`${lines.join('\r\n')}\r\n\r\n`);
  let answer = '';
  while (!answer.includes('}')) answer += String(await once(stream, 'data'));
  stream.destroy();
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return [head.split(' ')[1] ?? '', body];
}

const wrong = 'Authorization: Bearer itlk_0000';

describe('a request is refused before its body is read', () => {
  it.each([
    { title: 'GraphQL without a token', path: '/graphql', headers: [], answer: ['401', 'UNAUTHENTICATED'] },
    { title: 'GraphQL with a wrong token', path: '/graphql', headers: [wrong], answer: ['401', 'UNAUTHENTICATED'] },
    { title: 'a tool without a token', path: '/mcp', headers: [], answer: ['401', 'Unauthorized'] },
    { title: 'REST without a token', path: '/api/v1/pull_request', headers: [], answer: ['401', 'Unauthorized'] },
    {
      title: 'a webhook of an unknown App',
      path: '/github/webhooks/none',
      headers: ['X-Hub-Signature-256: sha256=00'],
      answer: ['404', 'No App has this address.'],
    },
  ])('$title', async ({ path, headers, answer: [status, text] }) => {
    expect(await announce(path, headers)).toEqual([status, expect.stringContaining(text ?? '')]);
  });

  it('a webhook without a signature', async () => {
    const answer = ['401', expect.stringContaining('The signature was not made')];
    expect(await announce(`/github/webhooks/${await w.webhookPath()}`, [])).toEqual(answer);
  });
});
