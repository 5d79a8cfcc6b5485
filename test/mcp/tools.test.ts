// Calls the tools as models do, against a service. All tests share one repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createMcpServer, tools } from '../../src/mcp/index.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { openShop, type Shop } from '../cli/shop.ts';
import { connectClient, overHttp, overStdio, type McpClient } from './clients.ts';

let shop: Shop;
let mcp: McpClient;
beforeAll(async () => {
  shop = await openShop();
  await shop.addEnvironment();
  mcp = await overHttp(shop.s.url, shop.s.token);
});
afterAll(async () => {
  await mcp[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

const repository = 'acme/shop';
const place = { project: 'shop', environment: 'production' };
const text = (message: string): object => ({ untrusted_text: expect.stringContaining(message) });

describe('a pull request', () => {
  test('is queued and dequeued only after an answer has said what would happen', async () => {
    const args = { repository, number: 1 };
    const asked = await mcp.call('queue_pull_request', args);
    expect(asked.content).toMatchObject({ done: false, would: text('#1'), to_confirm: { confirm: true } });
    expect(await shop.status(1)).toBe('OPEN');
    const confirmed = { ...args, ...(asked.content['to_confirm'] as object) };
    const queued = await mcp.call('queue_pull_request', confirmed);
    expect(queued.content).toMatchObject({ done: true, number: 1, title: text('Sell topic'), status: 'queued' });

    const dequeued = await mcp.call('dequeue_pull_request', args);
    expect([dequeued.content, await shop.status(1)]).toMatchObject([
      { done: false, would: text('#1 leaves the line') },
      'QUEUED',
    ]);
    await mcp.call('dequeue_pull_request', { ...args, ...(dequeued.content['to_confirm'] as object) });
    expect(await shop.status(1)).toBe('OPEN');
    // A call that is repeated with its key gets the same answer, and changes nothing.
    expect(await mcp.call('queue_pull_request', confirmed)).toEqual(queued);
    expect(await shop.status(1)).toBe('OPEN');
  });

  test('is shown in line and explained, and is not queued if its head has moved', async () => {
    await shop.mutate('queuePullRequest', { repository: { owner: 'acme', name: 'shop' }, number: 1 });
    const shown = await mcp.call('show_queue', { repository });
    expect(shown.content).toMatchObject({
      base_branch: 'main',
      paused: false,
      total: 1,
      line: [{ position: 1, number: 1, title: text('Sell topic'), status: 'queued', who_acts_next: 'queue' }],
    });
    expect((await mcp.call('explain_pull_request', { repository, number: 1 })).content).toMatchObject({
      status: 'queued',
      why: text('.'),
      conditions: expect.arrayContaining([expect.objectContaining({ holds: true, sentence: text('.') })]),
    });
    const moved = await mcp.call('queue_pull_request', { repository, number: 1, head_commit_sha: 'a'.repeat(40) });
    expect(moved).toMatchObject({ isError: true, content: { error: { code: 'HEAD_MOVED' } } });
    await shop.mutate('dequeuePullRequest', { repository: { owner: 'acme', name: 'shop' }, number: 1 });
  });
});

test('a release candidate is deployed and rolled back only once, and only from the version that the model has seen', async () => {
  for (const version of ['1.0-rc1', '1.0-rc2']) {
    await shop.run('release', 'shop', version, 'main');
    const { content } = await mcp.call('deploy', { ...place, version });
    expect(content).toMatchObject({ done: false, would: text(version) });
    const deployed = await mcp.call('deploy', { ...place, version, ...(content['to_confirm'] as object) });
    expect(deployed.content).toMatchObject({ done: true, version, status: 'pending' });
    await shop.mutate('reportDeployment', { ...place, version, status: 'SUCCESS' });
  }
  const listed = await mcp.call('list_releases', { project: 'shop' });
  expect(listed.content).toMatchObject({
    environments: [{ environment: 'production', running: '1.0-rc2', rollback_would_deploy: '1.0-rc1' }],
    newest_candidates: [{ version: '1.0-rc2' }, { version: '1.0-rc1' }],
  });
  const asked = await mcp.call('roll_back', place);
  expect(asked.content).toMatchObject({ done: false, to_confirm: { if_running: '1.0-rc2' } });
  const confirmed = { ...place, ...(asked.content['to_confirm'] as object) };
  expect((await mcp.call('roll_back', confirmed)).content).toMatchObject({ done: true, version: '1.0-rc1' });
  await shop.mutate('reportDeployment', { ...place, version: '1.0-rc1', status: 'SUCCESS' });
  // Another key makes another call, and the environment runs another version by now.
  expect(await mcp.call('roll_back', { ...confirmed, idempotency_key: 'another' })).toMatchObject({
    isError: true,
    content: { error: { code: 'CONFLICT', field: 'if_running' } },
  });
});

test('a runbook is started, watched while the call waits, and stopped', async () => {
  const started = await mcp.call('start_runbook', {
    repository,
    prompt: 'Sell\u{E0041} more',
    idempotency_key: 'once',
  });
  const again = await mcp.call('start_runbook', { repository, prompt: 'Sell\u{E0041} more', idempotency_key: 'once' });
  expect(again).toEqual(started);
  // Invisible characters are removed.
  expect(started.content).toMatchObject({ number: 1, title: { untrusted_text: 'Sell more' }, pull_requests: [] });
  await mcp.call('continue_runbook', { number: 1, prompt: 'And more' });
  expect((await mcp.call('list_runbooks', { repository })).content).toMatchObject({ runbooks: [{ number: 1 }] });

  const watching = mcp.call('watch_runbook', { number: 1, wait_seconds: 50 });
  const asked = await mcp.call('cancel_runbook', { number: 1 });
  expect(asked.content).toMatchObject({ done: false });
  const stopped = await mcp.call('cancel_runbook', { number: 1, ...(asked.content['to_confirm'] as object) });
  expect(stopped.content).toMatchObject({ done: true, number: 1 });
  await shop.s.drain();
  expect((await watching).content).toMatchObject({
    status: 'failed',
    plan: [{ step: '1', title: text('Plan'), status: 'failed' }, { step: '2' }],
    log: text(''),
  });
});

/** How many GraphQL operations a server has answered. */
async function operationsOf(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const counts = page.matchAll(/^interlock_graphql_operation_duration_seconds_count\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('a waiting call is answered if the server stops', async () => {
  await mcp.call('start_runbook', { repository, prompt: 'Sell tea' });
  const other = await shop.s.another();
  await using waiting = await overHttp(other.url, shop.s.token);
  const { content } = await waiting.call('watch_runbook', { number: 2 });
  const args = { number: 2, wait_seconds: 50, ...(content['cursor'] !== null && { after: content['cursor'] }) };
  const reads = await operationsOf(other.url);
  const answered = waiting.call('watch_runbook', args);
  // The call has found no news, and waits.
  await expect.poll(async () => await operationsOf(other.url)).toBe(reads + 1);
  await other.close();
  expect(await answered).toMatchObject({ isError: false, content: { number: 2, status: 'generating_steps' } });
});

test('a waiting call is refused if its token is revoked', async () => {
  await using ending = await overHttp(shop.s.url, await shop.s.tokenWith(['runbook:write']));
  const { content } = await ending.call('watch_runbook', { number: 2 });
  const args = { number: 2, wait_seconds: 50, ...(content['cursor'] !== null && { after: content['cursor'] }) };
  const reads = await operationsOf(shop.s.url);
  const answered = ending.call('watch_runbook', args);
  await expect.poll(async () => await operationsOf(shop.s.url)).toBe(reads + 1);
  const { data } = await shop.s.graphql<{ apiTokens: { id: string; name: string }[] }>('{ apiTokens { id name } }');
  await shop.mutate('revokeApiToken', { id: data.apiTokens.find(({ name }) => name === 'Limited')!.id });
  await mcp.call('cancel_runbook', { number: 2, confirm: true });
  await shop.s.drain();
  expect(await answered).toMatchObject({ isError: true, content: { error: { code: 'UNAUTHENTICATED' } } });
});

test('tools show, check and simulate a configuration, and never change it', async () => {
  const { content } = await mcp.call('show_configuration', { repository });
  expect(content).toMatchObject({ yaml: text('') });
  const wrong = 'merge_rules:\n  merge_mode:\n    type: sideways\n';
  expect((await mcp.call('check_configuration', { repository, yaml: wrong })).content).toMatchObject({
    accepted: false,
    problems: [{ key: 'merge_rules.labels.trigger' }, { key: 'merge_rules.merge_mode.type', line: 3, column: 11 }],
  });
  expect((await mcp.call('simulate_configuration', { repository, yaml: wrong })).content).toMatchObject({
    accepted: false,
    problems: [{ line: 2 }, { line: 3 }],
  });
  expect(await mcp.call('show_configuration', { repository })).toMatchObject({ content });
});

/** Arguments that are valid for the account acme. */
const examples: Readonly<Record<string, object>> = {
  list_repositories: {},
  show_queue: { repository },
  explain_pull_request: { repository, number: 1 },
  queue_pull_request: { repository, number: 1, confirm: true },
  dequeue_pull_request: { repository, number: 1, confirm: true },
  list_releases: { project: 'shop' },
  deploy: { ...place, version: '1.0-rc1', confirm: true },
  roll_back: { ...place, confirm: true },
  list_runbooks: { repository },
  start_runbook: { repository, prompt: 'Sell' },
  continue_runbook: { number: 1, prompt: 'Sell' },
  watch_runbook: { number: 1 },
  cancel_runbook: { number: 1, confirm: true },
  show_configuration: { repository },
  check_configuration: { repository, yaml: '' },
  simulate_configuration: { repository },
};

test('each tool is refused for a token without its scope, and finds nothing of another account', async () => {
  expect(Object.keys(examples)).toEqual(tools.map(({ name }) => name));
  await using weak = await overHttp(shop.s.url, await shop.s.tokenWith(['preview:register']));
  await using other = await overHttp(shop.s.url, (await shop.s.otherAccount()).token);
  for (const { name, scopes } of tools) {
    const forbidden = await weak.call(name, examples[name]);
    expect([name, forbidden.isError, forbidden.content['error']]).toMatchObject([
      name,
      true,
      { code: 'FORBIDDEN', message: expect.stringContaining(scopes[0]!), cure: expect.stringMatching(/token/) },
    ]);
  }
  expect((await other.call('list_repositories')).content).toMatchObject({ total: 0, repositories: [] });
  for (const { name } of tools.slice(1)) {
    const unknown = await other.call(name, examples[name]);
    expect([name, unknown.isError, unknown.content['error']]).toMatchObject([name, true, { code: 'NOT_FOUND' }]);
  }
});

describe('a client', () => {
  test('gets a description of each tool and argument, and sees which tools are destructive', async () => {
    const { tools: listed } = await mcp.client.listTools();
    for (const { name, description, inputSchema, annotations } of listed) {
      const properties = Object.values(inputSchema.properties ?? {}) as { readonly description?: string }[];
      expect([name, properties.filter((property) => property.description === undefined)]).toEqual([name, []]);
      expect([name, 'confirm' in (inputSchema.properties ?? {})]).toEqual([
        name,
        annotations?.destructiveHint === true,
      ]);
      expect(description).toMatch(/^[A-Z].*\. Needs .*\.$/s);
    }
    expect(mcp.client.getInstructions()).toContain('untrusted_text');
  });

  test('gets the name of a wrong argument in the error', async () => {
    expect((await mcp.call('show_queue', { repository: 'shop' })).content).toMatchObject({
      error: { code: 'BAD_INPUT', field: 'repository', message: expect.stringContaining('must be <owner>/<name>') },
    });
    expect((await mcp.call('show_queue', { repository, branch: 'main' })).content).toMatchObject({
      error: { code: 'BAD_INPUT', field: 'branch', message: 'branch: is no argument of show_queue.' },
    });
    await expect(mcp.call('merge_now')).rejects.toThrow('There is no tool merge_now. The tools are list_repositories');
  });

  test('gets only the request id for an internal error', async () => {
    const failure = new Error('secret');
    const refused = async (): Promise<never> => await Promise.reject(failure);
    const reported: unknown[] = [];
    const server = createMcpServer(
      { ask: refused, nextChange: refused },
      {
        version: '1.0.0',
        stopping: new AbortController().signal,
        report: (error) => `id-${reported.push(error)}`,
      },
    );
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(ours);
    await using failing = await connectClient(theirs, async () => await server.close());
    expect(await failing.call('list_repositories')).toMatchObject({
      isError: true,
      content: { error: { code: 'INTERNAL', message: 'Internal server error (request id-1)', field: null } },
    });
    expect(reported).toEqual([failure]);
  });

  test('needs a token, is refused from pages of other sites, and must use POST', async () => {
    const { url, token } = shop.s;
    await expect(overHttp(url, 'wrong')).rejects.toThrow('Unauthorized');
    await expect(overHttp(url, token, { origin: 'https://evil.example' })).rejects.toThrow(
      'must be http://localhost:4000 or absent',
    );
    const { status, headers } = await shop.s.rest('GET', '/mcp');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('has the same tools through the command line', async () => {
    await using stdio = await overStdio({ cwd: shop.checkout, env: shop.env });
    expect(stdio.client.getInstructions()).toContain('The user works in a checkout of acme/shop.');
    expect(await stdio.client.listTools()).toEqual(await mcp.client.listTools());
    expect((await stdio.call('explain_pull_request', { repository, number: 1 })).content).toMatchObject({ number: 1 });
    const env = { ...shop.env, INTERLOCK_TOKEN: 'wrong' };
    await expect(overStdio({ cwd: shop.checkout, env })).rejects.toThrow('Log in again: interlock login');
  });
});

test('docs/mcp.md lists the tools with their scopes and whether they ask first', () => {
  const page = readFileSync(join(projectRoot, 'docs', 'mcp.md'), 'utf8');
  const effects = { reads: 'reads', adds: 'acts at once', acts: 'asks first' };
  const rows = [...page.matchAll(/^\| `(\w+)` \| .+ \| `([\w:]+)` \| (.+) \|$/gm)].map((row) => row.slice(1));
  expect(rows).toEqual(tools.map(({ name, scopes, effect }) => [name, scopes[0], effects[effect]]));
});
