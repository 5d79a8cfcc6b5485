// Compares the running service with the contract, and uses it through a client made of its OpenAPI document.
import createClient from 'openapi-fetch';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { paths } from '../../rest-facade/generated/openapi.d.ts';
import { HostUnavailable } from '../../src/hosts/port.ts';
import { startServer } from '../support/server.ts';
import { type Case, fill, loadContracts } from './contract/contract.ts';
import { OpenApi } from './contract/openapi.ts';
import { prepareMany, prepareUsers, type Tokens } from './contract/access.ts';
import { Examples, examplesFile } from './contract/examples.ts';
import { type RawAnswer, send } from './contract/request.ts';
import { prepareReleases } from './contract/releases.ts';
import { prepareRunbooks } from './contract/runbooks.ts';
import { type PreparedRepository, prepareLine, prepareRepository } from './contract/repository.ts';

const openApi = new OpenApi();
let server: Awaited<ReturnType<typeof startServer>>;
let repository: PreparedRepository;
let names: Record<string, unknown>;
let tokens: Tokens;
let examples: Examples;

beforeAll(async () => {
  server = await startServer();
  repository = await prepareRepository(server);
  const other = await server.otherAccount();
  const line = await prepareLine({ ...server, ...other }, 'web');
  tokens = {
    first: server.token,
    other: other.token,
    ...(await prepareUsers(server)),
    ...(await prepareMany(server)),
  };
  const today = new Date().toISOString().slice(0, 10);
  examples = new Examples(today);
  names = {
    ...repository,
    ...(await prepareReleases(server, repository)),
    ...(await prepareRunbooks(server, repository)),
    ...line,
    'line-with-owner': `${repository.org}/${line.line}`,
    'number-any': expect.any(Number),
    today,
    diff: expect.stringMatching(/^--- .+\n\+\+\+ .+\n@@ -1/),
    string: expect.any(String),
    uri: expect.stringMatching(/^https?:\/\//),
    status: expect.stringMatching(/^[a-z]+$/),
    boolean: expect.any(Boolean),
    list: expect.any(Array),
    sha: expect.stringMatching(/^[0-9a-f]{40}$/),
    uuid: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    'date-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  };
});
afterAll(async () => server.close());

async function ask({ request, path: places, query, headers, body, text }: Case, token: string): Promise<RawAnswer> {
  const [method = '', template = ''] = request.split(' ');
  const given = fill(places ?? {}, names) as Record<string, unknown>;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  const url = new URL(path, server.url);
  const parameters = fill(query ?? {}, names) as Record<string, unknown>;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, `${value as string | number}`);
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return await send(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...type, ...headers },
    body: text ?? (body === undefined ? undefined : JSON.stringify(fill(body, names))),
  });
}

/** The answer of the case and the real answer, in the same form. */
function compared(one: Case, answer: string): [said: unknown, is: unknown] {
  if (one['answer-text'] !== undefined) return [one['answer-text'], answer];
  if (one.yaml !== undefined) return [one.yaml, parse(answer)];
  return [fill(one.answer, names), JSON.parse(answer)];
}

/** Whether the path or the method is not in the document. */
function isBeside({ request }: Case): boolean {
  return openApi.operation(request) === undefined;
}

function record(operation: string, one: Case, { status, body: answer }: RawAnswer): void {
  examples.add({
    operation,
    parameters: fill({ ...one.path, ...one.query }, names) as Record<string, unknown>,
    request: one.text ?? fill(one.body, names),
    status,
    answer: one['answer-text'] === undefined ? JSON.parse(answer) : answer,
  });
}

describe.each(loadContracts().filter(({ cases }) => cases.length > 0))(
  'the service, by $file',
  ({ cases, account }) => {
    it.each(cases)('$name ($section)', async (one) => {
      const token = tokens[one.as ?? account ?? 'first'];
      if (token === undefined) throw new Error(`Nobody is called ${one.as}`);
      const answer = await ask(one, token);
      const [said, is] = compared(one, answer.body);
      expect([answer.status, is]).toEqual([one.status, said]);
      expect(answer.headers).toMatchObject(fill(one['answer-headers'] ?? {}, names) as object);
      if (!isBeside(one)) expect(openApi.problemsOfAnswer(one.request, answer)).toEqual([]);
      if (one.example !== undefined) record(one.example, one, answer);
    });
  },
);

describe('the examples of the OpenAPI document', () => {
  it('are the recorded answers of the service', async () => {
    await expect(examples.text()).toMatchFileSnapshot(examplesFile);
  });
});

describe('a code host that does not answer', () => {
  it.each(['queue', 'update', 'refresh', 'sync'])(
    'gives a 503 for the action %s, without its message',
    async (action) => {
      const host = server.ports.hosts('local');
      const message = new HostUnavailable('git in /srv/secret took too long');
      const asked = vi.spyOn(host, 'getPullRequest').mockRejectedValueOnce(message);
      const { org, name, number } = repository;
      const body = { action, pull_request: { number, repository: { org, name } } };
      const request = 'POST /api/v1/pull_request';
      const one: Case = { name: action, section: '7 503', request, body, status: 503 };
      const answer = await ask(one, server.token);
      asked.mockRestore();
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        503,
        { error: 'The code host could not be reached. Try again.' },
      ]);
      expect(openApi.problemsOfAnswer(one.request, answer)).toEqual([]);
    },
  );
});

describe('a client that is made of the OpenAPI document', () => {
  const client = () =>
    createClient<paths>({ baseUrl: server.url, headers: { authorization: `Bearer ${server.token}` } });

  it('pauses, lists and resumes a repository', async () => {
    const { org, name } = repository;
    const paused = await client().POST('/api/v1/repo', { body: { org, name, paused: true } });
    expect(paused.data).toEqual({ org, name, paused: true });
    const listed = await client().GET('/api/v1/repo', { params: { query: { page: 1 } } });
    expect(listed.data?.find((each) => each.name === name)?.paused).toBe(true);
    await client().POST('/api/v1/repo', { body: { org, name, paused: false } });
  });

  it('dequeues a pull request, and reads that it is open', async () => {
    const { org, name, number } = repository;
    const body = { action: 'dequeue', pull_request: { number, repository: { org, name } } } as const;
    const dequeued = await client().POST('/api/v1/pull_request', { body });
    expect(dequeued.data?.pull_request.queued).toBe(false);
    const { data } = await client().GET('/api/v1/pull_request', { params: { query: { org, repo: name, number } } });
    expect(data).toMatchObject({ number, queued: false, skip_line: false });
  });

  it('gets the error', async () => {
    const { error, response } = await client().GET('/api/v1/queue/stats', {
      params: { query: { org: repository.org, repo: 'unknown' } },
    });
    expect([response.status, error]).toEqual([404, { error: 'Repository not found' }]);
  });

  it('gets 304 for an answer that it has already', async () => {
    const query = { org: repository.org, repo: repository.name };
    const first = await client().GET('/api/v1/config', { params: { query }, parseAs: 'text' });
    const header = { 'If-None-Match': first.response.headers.get('etag') ?? '' };
    const again = await client().GET('/api/v1/config', { params: { query, header }, parseAs: 'text' });
    expect([first.response.status, again.response.status]).toEqual([200, 304]);
  });

  it('can repeat a request with an Idempotency-Key', async () => {
    const { org, name } = repository;
    const header = { 'Idempotency-Key': crypto.randomUUID() };
    const pause = (paused: boolean) =>
      client().POST('/api/v1/repo', { params: { header }, body: { org, name, paused } });
    const [first, again, other] = [await pause(false), await pause(false), await pause(true)];
    expect(again.data).toEqual(first.data);
    expect(again.response.headers.get('idempotent-replayed')).toBe('true');
    expect([other.response.status, other.error]).toEqual([
      422,
      { error: 'Idempotency-Key was used with another request' },
    ]);
  });
});
