// Releases, the configuration and webhooks from the command line. All tests share one repository.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { receiver } from '../webhooks/receiver.ts';
import { startProxy } from './service-proxy.ts';
import { openShop, type Shop } from './shop.ts';
import type { CommandRun } from './terminal.ts';

let shop: Shop;
const http = createHttpOut({ allowPrivateAddresses: true });
beforeAll(async () => {
  shop = await openShop({ webhooks: () => ({ http, retry: async () => {} }) });
  await shop.addEnvironment();
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  http.close();
});

const json = ({ stdout }: CommandRun): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;
const report = async (version: string, status: string): Promise<void> =>
  await shop.mutate('reportDeployment', { project: 'shop', environment: 'production', version, status });

describe('a release', () => {
  const place = ['shop', 'production'];

  test('is made of HEAD, or of a named commit', async () => {
    const commit = await shop.git('rev-parse', 'main');
    const { stdout } = await shop.run('release', 'shop', '1.0-rc1', 'main');
    expect(stdout).toBe(`shop 1.0-rc1 is ready, at ${commit}.\n`);
    const head = await shop.git('rev-parse', 'HEAD');
    expect(json(await shop.run('release', 'shop', '1.0-rc2', '--json'))).toEqual({
      project: 'shop',
      version: '1.0-rc2',
      commit: head,
      status: 'ready',
    });
  });

  test('is deployed after a confirmation, and --wait waits for its end', async () => {
    expect((await shop.run('deploy', ...place, '1.0-rc1')).code).toBe(2);
    const onStderr = (text: string): void => {
      if (text === '1.0-rc1: pending\n') void report('1.0-rc1', 'SUCCESS');
    };
    const deployed = await shop.runWith({ onStderr }, 'deploy', ...place, '1.0-rc1', '--yes', '--wait', '--json');
    expect(json(deployed)).toMatchObject({ environment: 'production', version: '1.0-rc1', status: 'success' });
  });

  test('cannot be rolled back without an earlier deployment, and the message says what to do', async () => {
    const { code, stderr } = await shop.run('rollback', ...place, '--yes');
    expect([code, stderr]).toEqual([
      1,
      'No previous deployment to roll back from: nothing else has run in shop/production. Deploy the version that should run: interlock deploy shop production <version>\n',
    ]);
  });

  test('that does not exist cannot be deployed, and the message names the release', async () => {
    const { code, stderr } = await shop.run('deploy', ...place, '9.9', '--yes');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('candidate version: version 9.9 for shop/production. '),
    ]);
    const unknown = await shop.run('deploy', ...place, '9.9-rc1', '--yes');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'Release not found: version 9.9-rc1 for shop/production. `interlock release` makes a candidate.\n',
    ]);
    const elsewhere = await shop.run('deploy', 'shop', 'moon', '1.0-rc1', '--yes');
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      1,
      `Release environment not found: shop/moon. The projects and their environments are at ${shop.s.url}/releases\n`,
    ]);
  });

  test('is rolled back, unless the environment is frozen', async () => {
    await report('1.0-rc2', 'SUCCESS');
    expect((await shop.run('freeze', 'production', '--project', 'shop', '--yes')).code).toBe(0);
    const refused = await shop.run('rollback', ...place, '--yes', '--json');
    const message = expect.stringMatching(/^Environment is frozen: .*interlock unfreeze production --project shop/);
    expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([
      1,
      { error: { code: 'ENVIRONMENT_FROZEN', message } },
    ]);
    expect(await shop.run('unfreeze', 'production', '--project', 'shop')).toMatchObject({
      stdout: 'The freeze of shop/production has ended.\n',
      stderr: '',
    });
    expect((await shop.run('rollback', ...place, '--dry-run')).stdout).toContain('Nothing was done. ');
    expect(json(await shop.run('rollback', ...place, '--yes', '--json'))).toMatchObject({ version: '1.0-rc1' });
  });

  test('is not rolled back further than was shown if somebody else has rolled it back before the answer', async () => {
    await shop.run('release', 'shop', '1.0-rc3');
    for (const version of ['1.0-rc2', '1.0-rc3']) await report(version, 'SUCCESS');
    const answer = Promise.withResolvers<string>();
    const onStderr = (text: string): void => {
      if (!text.startsWith('Do it?')) return;
      void shop.run('rollback', ...place, '--yes').then(async () => {
        await report('1.0-rc2', 'SUCCESS');
        answer.resolve('y\n');
      });
    };
    const late = await shop.runWith({ onStderr, isTTY: true, typed: answer.promise }, 'rollback', ...place);
    expect([late.code, late.stderr]).toEqual([
      1,
      expect.stringContaining('1.0-rc2 runs in production, and not 1.0-rc3. Read the environment again.'),
    ]);
    expect(late.stderr).toContain('Rolls back to 1.0-rc2 in the place of 1.0-rc3.');
  });

  test('of a project that does not exist is refused', async () => {
    const { code, stderr } = await shop.run('release', 'shoe', '1.0-rc1');
    expect([code, stderr]).toEqual([
      1,
      `There is no release project shoe. The projects are at ${shop.s.url}/releases\n`,
    ]);
  });
});

describe('a configuration', () => {
  const write = async (name: string, yaml: string): Promise<void> => await writeFile(join(shop.checkout, name), yaml);

  test('with a wrong key is refused with file, line and key', async () => {
    await write('wrong.yml', 'merge_rules:\n  labels:\n    triger: go\n');
    const linted = await shop.run('config', 'lint', 'wrong.yml');
    expect([linted.code, linted.stdout]).toEqual([
      1,
      expect.stringContaining('wrong.yml:3:5: merge_rules.labels.triger: is not a known key'),
    ]);
    expect(json(await shop.run('config', 'lint', 'wrong.yml', '--json'))).toMatchObject({
      accepted: false,
      problems: expect.arrayContaining([expect.objectContaining({ path: 'merge_rules.labels.triger', line: 3 })]),
    });
    expect((await shop.run('config', 'push', 'wrong.yml', '--yes')).code).toBe(1);
    const missing = await shop.run('config', 'lint');
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('.service/config.yml cannot be read')]);
  });

  test('is compared, pushed and shown', async () => {
    await write('new.yml', 'merge_rules:\n  labels:\n    trigger: go\n');
    const compared = await shop.run('config', 'diff', 'new.yml');
    expect(compared.stdout).toMatch(/^- merge_rules\.labels\.trigger: .*\n\+ merge_rules\.labels\.trigger: "go"\n/);
    const asked = await shop.run('config', 'push', 'new.yml');
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringMatching(/^The configuration would be replaced\. Give --yes/),
    ]);
    const pushed = await shop.run('config', 'push', 'new.yml', '--yes', '--json');
    expect(json(pushed)).toMatchObject({
      accepted: true,
      done: true,
      changedKeys: [{ key: 'merge_rules.labels.trigger' }],
    });
    expect((await shop.run('config', 'show')).stdout).toContain('trigger: go\n');
    expect((await shop.run('config', 'diff', 'new.yml')).stdout).toBe('Nothing would change.\n');
  });
});

test('webhooks listen prints deliveries as they are sent, and forwards them with their signature', async () => {
  await using endpoint = await receiver();
  await using developer = await receiver();
  expect((await shop.run('webhooks', 'listen')).stderr).toBe(
    `The account has no endpoint for webhooks. Make one at ${shop.s.url}/settings/webhooks\n`,
  );
  await shop.mutate('createWebhookEndpoint', { url: endpoint.url, actions: ['*'] });
  const stop = new AbortController();
  const argv = ['webhooks', 'listen', '--forward', developer.url, '--json'];
  const onStderr = (): void => void shop.run('queue', '1');
  let said = '';
  const onStdout = (text: string): void => void (said += text);
  const listening = shop.runWith({ signal: stop.signal, onStderr, onStdout }, ...argv);
  const [sent] = await endpoint.until(1);
  const [forwarded] = await developer.until(1);
  await expect.poll(() => said).toContain('\n');
  stop.abort();
  const { code, stdout } = await listening;
  expect(forwarded?.body).toEqual(sent?.body);
  const signature = 'x-service-signature-sha256';
  expect(forwarded?.headers[signature]).toBe(sent?.headers[signature]);
  expect(sent?.headers[signature]).toMatch(/^[0-9a-f]{64}$/);
  const [line = ''] = stdout.split('\n');
  expect([code, JSON.parse(line)]).toMatchObject([130, { answer: '200', forwarded: '200', payload: sent?.json }]);
});

test('webhooks listen goes on while the service does not answer', async () => {
  await using proxy = await startProxy(new URL(shop.s.url));
  const stop = new AbortController();
  let said = '';
  const onStderr = (text: string): void => void (said += text);
  const listening = shop.runWith({ signal: stop.signal, onStderr }, 'webhooks', 'listen', '--url', proxy.url);
  await expect.poll(() => said).toContain('Listening.');
  proxy.cut();
  await expect.poll(() => said).toContain('The connection is lost. Trying again …');
  proxy.restore();
  await expect.poll(() => said).toContain('Connected again.');
  stop.abort();
  expect((await listening).code).toBe(130);
});

test('webhooks listen forwards every delivery that is sent from then on, also if there are many, and no other', async () => {
  await using developer = await receiver();
  const [endpoint] = await shop.s.rows<{ id: string }>(
    `insert into webhook_endpoint (account_id, url, actions, from_position, created_at, updated_at)
     values ($1, 'https://hooks.example.test/', '{merged}', 0, now(), now()) returning id`,
    [shop.s.accountId],
  );
  const send = async (from: number, to: number): Promise<unknown> =>
    await shop.s.rows(
      `with sent as (
         insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, state, attempts, body, created_at, ended_at)
         select $1, $2, 'msg_' || n, 'merged', 'pull_request:' || n, 'succeeded', 1, '{"n":' || n || ',"text":"' || chr(133) || '"}', now(), now()
         from generate_series($3::int, $4::int) n returning id, account_id)
       insert into webhook_attempt (account_id, delivery_id, number, started_at, duration_ms, request_headers, response_status)
       select account_id, id, 1, now(), 1, '{}', 200 from sent`,
      [shop.s.accountId, endpoint?.id, from, to],
    );
  await send(1, 130);
  const stop = new AbortController();
  const argv = ['webhooks', 'listen', '--endpoint', 'https://hooks.example.test/', '--forward', developer.url];
  const onStderr = (): void => void send(131, 250);
  const listening = shop.runWith({ signal: stop.signal, onStderr }, ...argv);
  await developer.until(120);
  stop.abort();
  await listening;
  const expected = Array.from({ length: 120 }, (_, at) => `{"n":${at + 131},"text":"\u0085"}`);
  expect(developer.received.map(({ body }) => String(body))).toEqual(expected);
});

test('webhooks listen does not wait for the answer of the address when it is interrupted', async () => {
  await using developer = await receiver();
  developer.answer(() => null);
  const url = 'https://interrupted.example.test/';
  const [endpoint] = await shop.s.rows<{ id: string }>(
    `insert into webhook_endpoint (account_id, url, actions, from_position, created_at, updated_at)
     values ($1, $2, '{merged}', 0, now(), now()) returning id`,
    [shop.s.accountId, url],
  );
  const send = async (): Promise<unknown> =>
    await shop.s.rows(
      `with sent as (
         insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, state, attempts, body, created_at, ended_at)
         values ($1, $2, 'msg_interrupted', 'merged', 'pull_request:1', 'succeeded', 1, '{"n":1}', now(), now())
         returning id, account_id)
       insert into webhook_attempt (account_id, delivery_id, number, started_at, duration_ms, request_headers, response_status)
       select account_id, id, 1, now(), 1, '{}', 200 from sent`,
      [shop.s.accountId, endpoint?.id],
    );
  const stop = new AbortController();
  const argv = ['webhooks', 'listen', '--endpoint', url, '--forward', developer.url];
  const onStderr = (): void => void send();
  const listening = shop.runWith({ signal: stop.signal, onStderr }, ...argv);
  await developer.until(1);
  stop.abort();
  const { code, stdout } = await listening;
  expect([code, stdout]).toEqual([130, expect.stringContaining(`${developer.url} interrupted\n{"n":1}\n`)]);
});

test('webhooks listen forwards the next delivery if the address has not answered within 15 seconds', async () => {
  await using developer = await receiver();
  developer.answer(({ json: { n } }) => (n === 1 ? null : { status: 200 }));
  const url = 'https://silent.example.test/';
  const [endpoint] = await shop.s.rows<{ id: string }>(
    `insert into webhook_endpoint (account_id, url, actions, from_position, created_at, updated_at)
     values ($1, $2, '{merged}', 0, now(), now()) returning id`,
    [shop.s.accountId, url],
  );
  const send = async (): Promise<unknown> =>
    await shop.s.rows(
      `with sent as (
         insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, state, attempts, body, created_at, ended_at)
         select $1, $2, 'msg_silent_' || n, 'merged', 'pull_request:' || n, 'succeeded', 1, '{"n":' || n || '}', now(), now()
         from generate_series(1, 2) n returning id, account_id)
       insert into webhook_attempt (account_id, delivery_id, number, started_at, duration_ms, request_headers, response_status)
       select account_id, id, 1, now(), 1, '{}', 200 from sent`,
      [shop.s.accountId, endpoint?.id],
    );
  const stop = new AbortController();
  const argv = ['webhooks', 'listen', '--endpoint', url, '--forward', developer.url];
  const onStderr = (): void => void send();
  const listening = shop.runWith({ signal: stop.signal, onStderr }, ...argv);
  await developer.until(2);
  stop.abort();
  const { stdout } = await listening;
  expect(stdout).toContain(`${developer.url} no answer within 15 s\n{"n":1}\n`);
  expect(developer.received.map(({ body }) => String(body))).toEqual(['{"n":1}', '{"n":2}']);
});
