// One operation reads the JSON body of a GET. All other operations ignore such a body.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { send } from './contract/request.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => await server.close());

const json = { 'content-type': 'application/json' };
const paths = [
  '/graphql?query=%7Bviewer%7Bscopes%7D%7D',
  '/healthz',
  '/readyz',
  '/schema/openapi.yaml',
  '/schema/config.json',
  '/api/v1/repo',
];
const preflight = { 'apollo-require-preflight': 'true' };

async function get(path: string, headers: Record<string, string>, body?: string): Promise<number> {
  const all = { authorization: `Bearer ${server.token}`, ...preflight, ...headers };
  return (await send(new URL(path, server.url), { method: 'GET', headers: all, body })).status;
}

describe.each(paths)('GET %s', (path) => {
  it('accepts a JSON content type without a body', async () => {
    const plain = await get(path, {});
    expect(plain).toBe(200);
    expect(await get(path, json)).toBe(200);
    expect(await get(path, { ...json, 'content-length': '0' })).toBe(200);
  });

  it('ignores a body', async () => {
    expect(await get(path, json, '{')).toBe(200);
  });
});

describe('GET /api/v1/branches', () => {
  const ask = async (headers: Record<string, string>, body?: string) =>
    await send(new URL('/api/v1/branches', server.url), {
      method: 'GET',
      headers: { authorization: `Bearer ${server.token}`, ...headers },
      body,
    });

  it('reads its body, and an empty body counts as no body', async () => {
    const unknown = await ask(json, '{"repository":{"org":"acme","name":"none"}}');
    expect([unknown.status, unknown.body]).toEqual([404, '{"error":"Repository not found"}']);
    const empty = await ask(json, '');
    expect([empty.status, empty.body]).toEqual([400, '{"error":"repository is required"}']);
  });

  it('refuses a body that is not JSON, has another type, or is too large', async () => {
    expect((await ask(json, '{')).body).toBe('{"error":"The body is not valid JSON"}');
    expect((await ask({ 'content-type': 'text/plain' }, '{}')).status).toBe(415);
    expect((await ask(json, `"${'x'.repeat(2 ** 20)}"`)).status).toBe(413);
    expect((await ask({ ...json, 'transfer-encoding': 'chunked' }, `"${'x'.repeat(2 ** 20)}"`)).status).toBe(413);
  });
});
