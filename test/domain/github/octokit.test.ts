// Clients of a server of GitHub that answers badly: it never answers, or its answer is incomplete.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { judgeFailure, readFailedCall } from '../../../src/hosts/github/answers.ts';
import { createOctokit } from '../../../src/hosts/github/octokit.ts';

async function withServer(answer: RequestListener, use: (apiUrl: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('every client ends a call that GitHub does not answer', async () => {
  await withServer(
    () => {},
    async (apiUrl) => {
      for (const as of [undefined, { token: 'a-token' }])
        await expect(createOctokit({ apiUrl, timeoutMs: 20, ...(as && { as }) }).request('GET /user')).rejects.toThrow(
          'aborted due to timeout',
        );
    },
  );
});

const json = { 'content-type': 'application/json; charset=utf-8' };

it.each<{ name: string; answer: RequestListener }>([
  {
    name: 'a connection that breaks in the body',
    answer: (_, response) =>
      void response.writeHead(200, { ...json, 'content-length': '1000' }).write('[{"id": 1', () => response.destroy()),
  },
  { name: 'a body that takes too long', answer: (_, response) => void response.writeHead(200, json).write('[') },
  { name: 'a body that is no JSON', answer: (_, response) => void response.writeHead(200, json).end('[{"id"') },
  { name: 'an empty body', answer: (_, response) => void response.writeHead(201, json).end() },
])('$name is no answer', async ({ answer }) => {
  await withServer(answer, async (apiUrl) => {
    const octokit = createOctokit({ apiUrl, timeoutMs: 200 });
    for (const call of [
      async () => await octokit.request('GET /app/installations'),
      async () => await octokit.request('POST /repos/{owner}/{repo}/forks', { owner: 'acme', repo: 'shop' }),
      async () => await octokit.graphql('query { viewer { login } }'),
    ]) {
      const failed = readFailedCall(await call().catch((error: unknown) => error));
      expect(failed && judgeFailure(failed, 0)).toMatchObject({ kind: 'unavailable', retryAt: null });
    }
  });
});

it.each<{ name: string; route: string; answer: RequestListener; data: unknown }>([
  { name: 'JSON', route: 'GET /', answer: (_, response) => void response.writeHead(200, json).end('[]'), data: [] },
  { name: '204', route: 'DELETE /', answer: (_, response) => void response.writeHead(204, json).end(), data: '' },
  { name: 'a head', route: 'HEAD /', answer: (_, response) => void response.writeHead(200, json).end(), data: '' },
  {
    name: 'an empty text',
    route: 'GET /',
    answer: (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(),
    data: '',
  },
])('$name is a complete answer', async ({ route, answer, data }) => {
  await withServer(answer, async (apiUrl) => {
    expect((await createOctokit({ apiUrl }).request(route)).data).toEqual(data);
  });
});
