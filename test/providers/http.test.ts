// The provider `http` calls a server of the user. These tests check what the server receives, and what its answers
// mean.
import { createHmac } from 'node:crypto';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ProviderRefused } from '../../src/platform/providers/index.ts';
import type { ProviderRun } from '../../src/platform/providers/index.ts';
import { isStandard, receiver, type ReceivedWebhook, type Receiver } from '../webhooks/receiver.ts';
import { providerWorld, type ProviderWorld } from './provider-world.ts';

let w: ProviderWorld;
let r: Receiver;
beforeAll(async () => {
  w = await providerWorld(tmpdir());
});
afterAll(async () => await w[Symbol.asyncDispose]());
beforeEach(async () => {
  r = await receiver();
  return async () => await r[Symbol.asyncDispose]();
});

const secret = `whsec_${Buffer.from('a key of thirty two bytes exactly').toString('base64')}`;
const run = (more: Partial<ProviderRun> = {}): ProviderRun =>
  w.run({ kind: 'http', url: r.url, statusUrl: `${r.url}/status` }, { secret, ...more });

function isSigned(received: ReceivedWebhook, by: { readonly documented: string; readonly standard: Buffer }): boolean {
  const documented = createHmac('sha256', by.documented).update(received.body).digest('hex');
  return received.headers['x-service-signature-sha256'] === documented && isStandard(received, by.standard);
}

describe('starting a run', () => {
  it('sends one signed POST with the facts, and a retry has the same idempotency key', async () => {
    r.answer(() => ({ status: 202, body: '{"run": "build/77"}' }));
    expect([await w.http.trigger(run()), await w.http.trigger(run())]).toEqual(['build/77', 'build/77']);
    const [first, again] = r.received;
    expect(first?.json).toEqual({
      action: 'start',
      key: 'deployment-12',
      deployment_id: '12',
      environment: 'production',
      release_candidate_version: 'shop-1.1-rc2',
      from_release_candidate_version: 'shop-1.0-rc1',
      repository: 'acme/shop',
      commit: run().commit,
    });
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'idempotency-key': 'deployment-12-start',
      'webhook-id': 'deployment-12-start',
    });
    expect(again?.headers['idempotency-key']).toBe('deployment-12-start');
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(isSigned(first as ReceivedWebhook, { documented: secret, standard: key })).toBe(true);
    expect(JSON.stringify([first?.headers, first?.json])).not.toContain(secret);
  });

  it('signs with the secret of the provider, or with the token of the account if the provider has no secret', async () => {
    await w.http.trigger(run({ secret: 'of my own' }));
    await w.http.trigger(run({ secret: null }));
    const [own, account] = r.received as ReceivedWebhook[];
    expect(isSigned(own as ReceivedWebhook, { documented: 'of my own', standard: Buffer.from('of my own') })).toBe(
      true,
    );
    const accounts = "the account's own";
    expect(isSigned(account as ReceivedWebhook, { documented: accounts, standard: Buffer.from(accounts) })).toBe(true);
  });

  it.each([
    [200, '', null],
    [204, '', null],
    [200, 'not JSON', null],
    [200, '{"run": 5}', null],
  ])('gives a run without a name if the server accepts with status %d and body %j', async (status, body, name) => {
    r.answer(() => ({ status, body }));
    expect(await w.http.trigger(run())).toBe(name);
  });

  it.each([
    [422, 'no such environment', true],
    [301, '', true],
    [404, '', true],
    [408, '', false],
    [429, '', false],
    [503, 'starting', false],
  ])('fails if the server answers %d with body %j; the failure is final: %s', async (status, body, isFinal) => {
    r.answer(() => ({ status, body }));
    const error = await w.http.trigger(run()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error instanceof ProviderRefused).toBe(isFinal);
    expect((error as Error).message).toContain(`answered ${status}${body === '' ? '' : `: ${body}`}`);
  });

  it('may be retried if the server does not answer, and the error shows neither the path nor the secret', async () => {
    const gone = r.url;
    await r[Symbol.asyncDispose]();
    const error = await w.http
      .trigger(w.run({ kind: 'http', url: `${gone}/token-in-path`, statusUrl: null }, { secret }))
      .catch((thrown: unknown) => thrown as Error);
    expect(error).not.toBeInstanceOf(ProviderRefused);
    expect(String(error)).toMatch(/^Error: 127\.0\.0\.1:\d+ did not answer: The connection was refused\.$/);
    r = await receiver();
  });

  it('hides the secret in an error if the answer of the server contains it', async () => {
    r.answer(() => ({ status: 400, body: `bad signature with ${secret}` }));
    await expect(w.http.trigger(run())).rejects.toThrow('answered 400: bad signature with ***');
  });
});

describe('reading the status of a run', () => {
  it.each([
    ['{"status": "in_progress"}', 'running', null],
    ['{"status": "pending"}', 'running', null],
    ['{"status": "success", "message": "3 of 3"}', 'success', '3 of 3'],
    ['{"status": "failure", "message": 5}', 'failure', null],
    ['{"status": "canceled"}', 'canceled', null],
    ['{"status": "error"}', 'error', null],
    ['{"status": "done"}', 'unknown', expect.stringContaining('"done" is none of pending')],
    ['', 'unknown', expect.stringContaining('null is none of')],
    ['[1]', 'unknown', expect.any(String)],
  ])('takes the body %s as state %s', async (body, state, message) => {
    r.answer(() => ({ status: 200, body }));
    expect(await w.http.read(run(), 'build/77')).toEqual({ state, message, url: null });
    expect(r.received[0]).toMatchObject({
      path: '/hooks/status',
      json: { action: 'status', key: 'deployment-12', run: 'build/77' },
    });
  });

  it('returns the URL of the run if it is http or https, and no other URL', async () => {
    r.answer(() => ({ status: 200, body: '{"status": "success", "url": "https://cd.example.test/77"}' }));
    expect(await w.http.read(run(), null)).toMatchObject({ url: 'https://cd.example.test/77' });
    r.answer(() => ({ status: 200, body: '{"status": "success", "url": "javascript:alert(1)"}' }));
    expect(await w.http.read(run(), null)).toMatchObject({ url: null });
  });

  it('returns messages and names that can be stored, without NUL and lone surrogates', async () => {
    r.answer(() => ({ status: 200, body: '{"status": "failure", "message": "a\\u0000b\\ud83d", "run": "7\\u0000"}' }));
    expect(await w.http.read(run(), null)).toMatchObject({ state: 'failure', message: 'a\u{FFFD}b\u{FFFD}' });
    expect(await w.http.trigger(run())).toBe('7\u{FFFD}');
  });

  it('takes 404 and 410 as gone, 403 as unknown, and 500 as an error; without a status URL it calls no server', async () => {
    for (const [status, state] of [
      [404, 'gone'],
      [410, 'gone'],
      [403, 'unknown'],
    ] as const) {
      r.answer(() => ({ status }));
      expect(await w.http.read(run(), null)).toMatchObject({ state });
    }
    r.answer(() => ({ status: 500 }));
    await expect(w.http.read(run(), null)).rejects.toThrow('answered 500');
    expect(await w.http.read(w.run({ kind: 'http', url: r.url, statusUrl: null }, { secret }), null)).toBeNull();
    expect(r.received).toHaveLength(4);
  });
});

it.each([
  [200, null],
  [404, null],
  [409, null],
  [403, 'answered 403'],
  [502, 'answered 502'],
])('canceling a run: if the server answers %d, the error is %s', async (status, trouble) => {
  r.answer(() => ({ status }));
  const said = await w.http.cancel(run(), null).then(
    () => null,
    (error: Error) => error.message,
  );
  expect(said).toEqual(trouble === null ? null : expect.stringContaining(trouble));
  expect(r.received[0]).toMatchObject({
    json: { action: 'cancel', key: 'deployment-12' },
    headers: { 'idempotency-key': 'deployment-12-cancel' },
  });
});
