// Runs the commands of the Action against a service, and the bundle as GitHub runs it. All tests share one repository.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { carryOut, type Result } from '../../action/src/commands.ts';
import { readRequest } from '../../action/src/inputs.ts';
import { createService } from '../../action/src/service.ts';
import { startProxy } from '../cli/service-proxy.ts';
import { openShop, repository, type Shop } from '../cli/shop.ts';
import { definition, outputsOf, runBundle } from './bundle.ts';

let shop: Shop;
let head: string;
let weak: string;
let other: string;
beforeAll(async () => {
  shop = await openShop();
  await shop.addEnvironment();
  head = await shop.git('rev-parse', 'topic');
  weak = await shop.s.tokenWith(['audit:read']);
  other = (await shop.s.otherAccount()).token;
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

/** The inputs that commands have read. */
const asked = new Set(['url', 'token']);

/**
 * Runs a command in this process. Whenever the command waits, the engine works and the clock of the command moves on.
 */
async function run(
  inputs: Readonly<Record<string, string>>,
  { token = shop.s.token, url = shop.s.url, onDelay = async () => await shop.s.drain(), answerWithinMs = 60_000 } = {},
): Promise<Result & { readonly said: readonly string[] }> {
  let now = 0;
  const said: string[] = [];
  const clock = {
    now: () => now,
    delay: async (ms: number) => {
      now += ms;
      await onDelay();
    },
  };
  const read = (name: string): string => {
    asked.add(name);
    return inputs[name] ?? (name === 'repository' ? 'acme/shop' : '');
  };
  const event = { name: 'push', payload: {}, sha: head, branch: 'topic' };
  const service = createService({ url, token, clock, answerWithinMs });
  const result = await carryOut(readRequest(read, event), { service, clock, say: (line) => said.push(line) });
  expect(Object.keys(result.outputs).filter((name) => !(name in definition.outputs))).toEqual([]);
  return { ...result, said };
}

describe('queue', () => {
  test('waits until the pull request is merged, and prints each new sentence', async () => {
    const number = await shop.propose('waited');
    await shop.mutate('queuePullRequest', { repository, number, skipValidation: true });
    const merged = await run({ command: 'queue', 'pull-request': String(number), wait: 'true' });
    const tip = (await shop.git('ls-remote', 'origin', 'refs/heads/main')).slice(0, 40);
    expect(merged).toMatchObject({ isDone: true, outputs: { status: 'merged', 'merge-commit': tip } });
    expect(merged.said.length).toBeGreaterThan(1);
    const again = await run({ command: 'queue', 'pull-request': String(number) });
    expect(again).toMatchObject({ isDone: true, outputs: { 'merge-commit': tip } });
  });

  test('fails with the sentence of the explanation if the pull request is taken out of the queue', async () => {
    const onDelay = async (): Promise<void> => await shop.mutate('dequeuePullRequest', { repository, number: 1 });
    const refused = await run({ command: 'queue', 'pull-request': '1', wait: 'true' }, { onDelay });
    expect(refused).toMatchObject({ isDone: false, title: '#1 is open', sentence: refused.said.at(-1) });
  });

  test('fails after its timeout, and leaves the pull request in the queue', async () => {
    const inputs = { command: 'queue', 'pull-request': '1', wait: 'true', 'timeout-minutes': '1' };
    const late = await run(inputs, { onDelay: async () => {} });
    expect(late).toMatchObject({
      isDone: false,
      sentence: expect.stringContaining('After 1 minutes it is not merged yet. It stays in the queue.'),
    });
    expect(await shop.status(1)).toBe('QUEUED');
  });
});

test('affected-targets, create-release, report-deployment and register-preview succeed', async () => {
  await writeFile(join(shop.elsewhere, 'targets.json'), '["//web", "//api"]');
  const file = join(shop.elsewhere, 'targets.json');
  expect(await run({ command: 'affected-targets', 'pull-request': '1', 'targets-file': file })).toMatchObject({
    isDone: true,
    title: '#1 affects 2 targets',
    sentence: '2 affected targets are reported for #1.',
  });
  const one = { command: 'affected-targets', 'pull-request': '1', targets: '//web' };
  expect(await run(one)).toMatchObject({
    title: '#1 affects 1 target',
    sentence: '1 affected target is reported for #1.',
  });
  const candidate = { project: 'shop', version: '1.0-rc1' };
  expect(await run({ command: 'create-release', ...candidate, wait: 'true' })).toMatchObject({
    isDone: true,
    outputs: { status: 'ready', version: '1.0-rc1', id: expect.stringMatching(/./) },
  });
  const report = { command: 'report-deployment', environment: 'production', ...candidate };
  expect(await run({ ...report, status: 'success' })).toMatchObject({ isDone: true, outputs: { status: 'success' } });
  const yaml = 'merge_rules:\n  labels:\n    trigger: go\nverify:\n  preview:\n    - method: endpoint\n';
  await shop.mutate('replaceConfiguration', { repository, yaml });
  const preview = { command: 'register-preview', 'pull-request': '1', 'preview-url': 'https://preview.example' };
  expect(await run(preview)).toMatchObject({ isDone: true, outputs: { status: 'attached' } });
});

describe('a request that does not arrive', () => {
  const inputs = { command: 'affected-targets', 'pull-request': '1', targets: '//web' };

  test('is repeated until the connection is restored', async () => {
    await using proxy = await startProxy(new URL(shop.s.url));
    proxy.cut();
    const onDelay = async (): Promise<void> => proxy.restore();
    expect(await run(inputs, { url: proxy.url, onDelay })).toMatchObject({ isDone: true });
  });

  test('ends no wait: the step goes on when the service is back, and fails at its timeout if it is not', async () => {
    await using proxy = await startProxy(new URL(shop.s.url));
    const waiting = { command: 'queue', 'pull-request': '1', wait: 'true', 'timeout-minutes': '5' };
    let delays = 0;
    const onDelay = async (): Promise<void> => {
      delays += 1;
      if (delays === 1) proxy.cut();
      if (delays < 20) return;
      proxy.restore();
      await shop.mutate('dequeuePullRequest', { repository, number: 1 });
    };
    const back = await run(waiting, { url: proxy.url, onDelay });
    expect(back).toMatchObject({ isDone: false, title: '#1 is open' });
    const outages = back.said.filter((sentence) => sentence.endsWith('The step tries again.'));
    expect(outages).toEqual([expect.stringContaining(`${proxy.url} does not answer (`)]);
    const never = async (): Promise<void> => proxy.cut();
    await expect(run(waiting, { url: proxy.url, onDelay: never })).rejects.toThrow(`${proxy.url} does not answer (`);
  });

  test('fails if the service accepts the request and never answers', async () => {
    await using proxy = await startProxy(new URL(shop.s.url));
    proxy.hold();
    await expect(run(inputs, { url: proxy.url, answerWithinMs: 100 })).rejects.toThrow(
      `${proxy.url} does not answer (no answer within 0.1 s).`,
    );
    expect(proxy.held()).toBe(1);
  });

  test('is repeated if its answer breaks off', async () => {
    let asked = 0;
    const server = createServer((request, response) => {
      asked += 1;
      const text = JSON.stringify({ pull_request: { status: 'open' } });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
      if (asked === 1) response.write(text.slice(0, 9), () => request.socket.destroy());
      else response.end(text);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answered = await run(inputs, { url, onDelay: async () => {} });
    expect(answered).toMatchObject({ isDone: true, outputs: { status: 'open' } });
    expect(asked).toBe(2);
  });

  test('fails after five tries', async () => {
    await using proxy = await startProxy(new URL(shop.s.url));
    proxy.cut();
    let delays = 0;
    const onDelay = async (): Promise<void> => void (delays += 1);
    await expect(run(inputs, { url: proxy.url, onDelay })).rejects.toThrow(`${proxy.url} does not answer (`);
    expect(delays).toBe(4);
  });
});

test.each([
  ['queue', { 'pull-request': '1' }],
  ['affected-targets', { 'pull-request': '1', targets: '//web' }],
  ['register-preview', { 'pull-request': '1', 'preview-url': 'https://preview.example' }],
  ['create-release', { project: 'shop', version: '9.0-rc1' }],
  ['report-deployment', { project: 'shop', version: '1.0-rc1', environment: 'production', status: 'success' }],
])('%s is refused for a token without the scope, and for a token of another account', async (command, inputs) => {
  await expect(run({ command, ...inputs }, { token: weak })).rejects.toThrow('Make a token with the permission');
  await expect(run({ command, ...inputs }, { token: other })).rejects.toThrow('Check the names, and whether the token');
});

test('the bundle masks the token, fails with an annotation, and writes outputs and a summary', async () => {
  expect(definition.runs.using).toBe('node24');
  await shop.mutate('dequeuePullRequest', { repository, number: 1 });
  await shop.mutate('labelPullRequest', { repository, number: 1, label: 'blocked' });
  const inputs = { command: 'queue', url: shop.s.url, token: shop.s.token, repository: 'acme/shop' };
  const ran = await runBundle({ inputs, pullRequest: { number: 1, head } });
  expect(ran.stdout).toContain(`::add-mask::${shop.s.token}\n`);
  expect([ran.code, ran.stdout]).toEqual([
    1,
    expect.stringMatching(/^::error title=Interlock%3A #1 is blocked::.+\.$/m),
  ]);
  expect(outputsOf(ran)).toMatchObject({ status: 'blocked', 'pull-request': '1' });
  expect(ran.summary).toMatch(/^<h3>Interlock: #1 is blocked<\/h3>\n<p>.+<\/p>\n$/);
});

test('action.yml declares exactly the inputs that commands read', () => {
  expect([...asked].toSorted()).toEqual(Object.keys(definition.inputs).toSorted());
});

test('action.yml has expressions only in defaults of inputs, because a runner refuses them elsewhere', () => {
  const defaults = Object.entries(definition.inputs).map(([name, input]) => [name, { ...input, default: '' }]);
  expect(JSON.stringify({ ...definition, inputs: Object.fromEntries(defaults) })).not.toContain('${{');
});
