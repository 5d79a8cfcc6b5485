import { fc } from '../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { type Resolvers, facadeOver } from './fixtures/facade.ts';

const pullRequest = { number: 12, status: 'QUEUED', headBranch: 'topic', repository: { owner: 'acme', name: 'web' } };
const resolvers: Resolvers = {
  repositories: () => ({ nodes: [] }),
  repository: () => ({ owner: 'acme', name: 'web', branchPauses: [], pullRequest, configuration: { yaml: '' } }),
  pauseRepository: () => ({ repository: { owner: 'acme', name: 'web', paused: true } }),
  queuePullRequest: () => ({ pullRequest }),
  dequeuePullRequest: () => ({ pullRequest }),
  createRelease: () => ({ project: { name: 'shop' }, version: 'v1-rc1' }),
  registerPreview: () => ({ id: '7' }),
  releaseProject: () => ({ environment: { deployments: { nodes: [], totalCount: 0 } } }),
};

async function send(method: 'GET' | 'POST', url: string, body?: unknown) {
  const { server, calls } = facadeOver(resolvers);
  const payload =
    body === undefined ? {} : { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const answer = await server.inject({ method, url, ...payload });
  return {
    status: answer.statusCode,
    error: answer.json<{ error?: string }>().error,
    input: calls[0]?.args['input'],
    args: calls[0]?.args,
  };
}

const post = (url: string, body?: unknown) => send('POST', url, body);
const get = (url: string, body?: unknown) => send('GET', url, body);
const act = (pull_request: unknown, action: unknown = 'queue') =>
  post('/api/v1/pull_request', { action, pull_request });
const reference = { number: 12, repository: { org: 'acme', name: 'web' } };

describe('a variable', () => {
  it('comes from the path, the query or the body, by a name in snake_case', async () => {
    const { input } = await post('/api/releases/shop/releases/v1-rc1', { repo: 'acme/web', commit: 'a'.repeat(40) });
    expect(input).toEqual({ project: 'shop', version: 'v1-rc1', repository: 'acme/web', commit: 'a'.repeat(40) });
    expect((await get('/api/v1/repo?page=2')).args).toMatchObject({ page: 2 });
  });

  it('from the path is decoded, also if it is long', async () => {
    const version = `${'v/'.repeat(90)}-rc1`;
    const { input } = await post(`/api/releases/a%20shop/releases/${encodeURIComponent(version)}`, {
      repo: 'a/b',
      commit: 'a'.repeat(40),
    });
    expect(input).toMatchObject({ project: 'a shop', version });
  });

  it('comes from nested fields of the body, and input objects have keys in snake_case', async () => {
    const { input } = await act({
      ...reference,
      merge_commit_message: { title: 'T', ignored: 1 },
      affected_targets: ['a', 'b'],
    });
    expect(input).toEqual({
      repository: { owner: 'acme', name: 'web' },
      number: 12,
      mergeCommitMessage: { title: 'T' },
      affectedTargets: ['a', 'b'],
    });
  });

  it('that is not sent is left out, and null is passed on', async () => {
    const body = { org: 'acme', name: 'web', paused: true };
    expect((await post('/api/v1/repo', body)).input).not.toHaveProperty('reason');
    expect((await post('/api/v1/repo', { ...body, reason: null })).input).toHaveProperty('reason', null);
  });

  it('that is not sent keeps its default', async () => {
    expect((await get('/api/v1/repo')).args).toMatchObject({ page: 1 });
    const body = { repository: { org: 'a', name: 'b' }, branch: 'topic' };
    expect((await post('/api/v1/previews', body)).input).toMatchObject({ name: 'default' });
    expect((await post('/api/v1/previews', { ...body, name: null })).input).toMatchObject({ name: null });
  });

  it('that does not exist is ignored', async () => {
    expect((await post('/api/v1/repo?x=1', { org: 'a', name: 'b', paused: true, toString: 1 })).status).toBe(200);
  });
});

describe('an object in a query', () => {
  it.each([
    ['separate parameters', '?org=acme&name=web', undefined],
    ['separate parameters with another name', '?org=acme&repo=web', undefined],
    ['brackets', '?repository[org]=acme&repository%5Bname%5D=web', undefined],
    ['JSON', `?repository=${encodeURIComponent('{"org":"acme","name":"web"}')}`, undefined],
    ['a JSON body', '', { repository: { org: 'acme', name: 'web' } }],
    ['the first complete spelling', '?org=other&repository[org]=acme&repository[name]=web', undefined],
  ])('may be given by %s', async (_what, query, body) => {
    expect((await get(`/api/v1/branches${query}`, body)).args).toMatchObject({ owner: 'acme', name: 'web' });
  });

  it('counts an empty body as no body', async () => {
    const { server } = facadeOver(resolvers);
    const url = '/api/v1/branches?org=acme&name=web';
    const headers = { 'content-type': 'application/json' };
    expect((await server.inject({ method: 'GET', url, headers })).statusCode).toBe(200);
    expect((await server.inject({ method: 'GET', url, headers, payload: '' })).statusCode).toBe(200);
  });

  it('may come from a body with the other parameters', async () => {
    const { server, calls } = facadeOver({
      repository: () => ({
        branchPauses: (args: unknown) =>
          [calls.push({ field: 'branchPauses', args: args as Record<string, unknown> })].slice(1),
      }),
    });
    await server.inject({
      method: 'GET',
      url: '/api/v1/branches',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ repository: { org: 'acme', name: 'web' }, pattern: 'main' }),
    });
    expect(calls.find(({ field }) => field === 'branchPauses')?.args).toEqual({ pattern: 'main' });
  });

  it.each([
    ['', 'repository is required'],
    ['?org=acme', 'name is required'],
    ['?repository[name]=web', 'repository.org is required'],
    ['?repository={"org":"acme"}', 'repository.name is required'],
    ['?repository=web', 'repository must be an object'],
  ])('with the query %j is refused: %s', async (query, error) => {
    expect(await get(`/api/v1/branches${query}`)).toMatchObject({ status: 400, error });
  });
});

describe('bad input', () => {
  it.each<[body: unknown, error: string]>([
    [{}, 'action is required'],
    [{ action: null }, 'action is required'],
    [{ action: 3 }, 'action must be a string'],
    [{ action: 'merge' }, 'action must be one of queue or dequeue'],
    [{ action: 'queue' }, 'pull_request is required'],
    [{ action: 'queue', pull_request: null }, 'pull_request is required'],
    [{ action: 'queue', pull_request: 'x' }, 'pull_request must be an object'],
    [{ action: 'queue', pull_request: { number: 1 } }, 'pull_request.repository is required'],
    [{ action: 'queue', pull_request: { number: 1, repository: {} } }, 'pull_request.repository.org is required'],
    [{ action: 'queue', pull_request: { repository: {} } }, 'pull_request.number is required'],
    [{ action: 'queue', pull_request: { number: 'x' } }, 'pull_request.repository is required'],
    [
      { action: 'queue', pull_request: { number: 1, skip_line: 'x', repository: {} } },
      'pull_request.skip_line must be a boolean',
    ],
    [
      { action: 'queue', pull_request: { number: null, repository: reference.repository } },
      'pull_request.number is required',
    ],
    [
      { action: 'queue', pull_request: { ...reference, number: 'x' } },
      'pull_request.number must be a pull request number',
    ],
    [{ action: 'queue', pull_request: { ...reference, skip_line: 'yes' } }, 'pull_request.skip_line must be a boolean'],
    [
      { action: 'queue', pull_request: { ...reference, skip_line_reason: 1 } },
      'pull_request.skip_line_reason must be a string',
    ],
    [
      { action: 'queue', pull_request: { ...reference, affected_targets: 'a' } },
      'pull_request.affected_targets must be a list',
    ],
    [
      { action: 'queue', pull_request: { ...reference, affected_targets: ['a', 1] } },
      'pull_request.affected_targets.1 must be a string',
    ],
    [
      { action: 'queue', pull_request: { ...reference, affected_targets: [null] } },
      'pull_request.affected_targets.0 must not be null',
    ],
    [
      { action: 'queue', pull_request: { ...reference, merge_commit_message: 'x' } },
      'pull_request.merge_commit_message must be an object',
    ],
    [
      { action: 'queue', pull_request: { ...reference, merge_commit_message: { title: 1 } } },
      'pull_request.merge_commit_message.title must be a string',
    ],
    [[], 'The body must be a JSON object'],
    ['text', 'The body must be a JSON object'],
    [null, 'The body must be a JSON object'],
  ])('in the body %j is refused: %s', async (body, error) => {
    expect(await post('/api/v1/pull_request', body)).toMatchObject({ status: 400, error, input: undefined });
  });

  it.each([
    ['/api/v1/repo?page=0', 'page must be an integer of at least 1'],
    ['/api/v1/repo?page=x', 'page must be an integer of at least 1'],
    ['/api/v1/pull_request?repo=web', 'org is required'],
    ['/api/v1/pull_request?org=a&org=b&repo=web&number=1', 'org must be given once'],
    ['/api/v1/pull_request?org=a&repo=b', 'branch or number is required'],
    ['/api/v1/pull_request?org=a&repo=b&number=1&branch=c', 'Only one of branch or number may be given'],
    ['/api/v1/pull_request?org=a&repo=b&number=1.5', 'number must be an integer'],
    ['/api/v1/pull_request?org=a&repo=b&number=', 'number must be an integer'],
    ['/api/v1/pull_request?org=a&repo=b&number=01', 'number must be an integer without leading zeros'],
    ['/api/v1/pull_request?org=a&repo=b&number=-0', 'number must be an integer without leading zeros'],
    ['/api/v1/pull_request?org=a&repo=b&number=99999999999', 'number must be at most 2147483647'],
    [
      '/api/releases/shop/environments/prod/deployments?status=done',
      'status must be one of pending, in_progress or success',
    ],
    [
      '/api/releases/shop/environments/prod/deployments?status=PENDING',
      'status must be one of pending, in_progress or success',
    ],
  ])('in %s is refused: %s', async (url, error) => {
    expect(await get(url)).toMatchObject({ status: 400, error, args: undefined });
  });

  it('is refused if none of several alternatives is given', async () => {
    const repository = { org: 'a', name: 'b' };
    expect((await post('/api/v1/previews', { repository })).error).toBe('branch or pr_number is required');
    expect((await post('/api/v1/previews', { repository, branch: 'c', pr_number: 1 })).status).toBe(202);
  });

  it('is refused with the exact text of its scalar, or with the name of the field', async () => {
    const commit = 'a'.repeat(40);
    const url = '/api/releases/shop/releases';
    expect((await post(`${url}/v1`, { repo: 'a/b', commit })).error).toBe('Invalid release candidate version');
    expect((await post(`${url}/v1-rc1`, { repo: 'a/b', commit: 'x' })).error).toBe('commit: Value is no object id');
  });

  it('is reported for a missing body as for an empty object', async () => {
    expect(await post('/api/v1/repo')).toMatchObject({ status: 400, error: 'org is required' });
  });
});

describe('several operations of one path', () => {
  it('check the type of the fields of another operation, and ignore their values', async () => {
    expect((await act({ ...reference, skip_line_reason: 'why' }, 'dequeue')).input).toEqual({
      repository: { owner: 'acme', name: 'web' },
      number: 12,
    });
    expect((await act({ ...reference, affected_targets: 'x' }, 'dequeue')).error).toBe(
      'pull_request.affected_targets must be a list',
    );
  });

  it('refuse an `only` field of another operation if it is true', async () => {
    expect(await act({ ...reference, skip_line: true }, 'dequeue')).toMatchObject({
      status: 400,
      error: 'pull_request.skip_line is only valid with the action queue',
    });
    expect((await act({ ...reference, skip_line: false }, 'dequeue')).status).toBe(202);
    expect((await act({ ...reference, skip_line: null }, 'dequeue')).status).toBe(202);
  });

  it('take a scalar in each of its spellings', async () => {
    expect((await act({ ...reference, number: '12' })).input).toMatchObject({ number: 12 });
  });
});

describe('a random request', () => {
  const { server, calls } = facadeOver(resolvers);
  const names = [
    'org',
    'repo',
    'name',
    'number',
    'branch',
    'page',
    'pattern',
    'repository',
    'repository[org]',
    'action',
  ];
  const value = fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(
      fc.constantFrom('number', 'repository', 'org', 'name', 'skip_line', 'affected_targets', '__proto__'),
      fc.jsonValue(),
    ),
  );

  it('is answered or refused by name, and a refused body calls no resolver', async () => {
    const body = fc.oneof(value, fc.record({ action: fc.constantFrom('queue', 'dequeue'), pull_request: value }));
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const before = calls.length;
        const answer = await server.inject({
          method: 'POST',
          url: '/api/v1/pull_request',
          headers: { 'content-type': 'application/json' },
          payload: JSON.stringify(sent),
        });
        expect([200, 202, 400]).toContain(answer.statusCode);
        expect(calls.length - before).toBe(answer.statusCode === 400 ? 0 : 1);
      }),
      { numRuns: 300 },
    );
  });

  it('with a random query is answered or refused by name', async () => {
    const query = fc.array(fc.tuple(fc.constantFrom(...names), fc.oneof(fc.string(), fc.json(), fc.constant('1'))), {
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('branches', 'pull_request', 'repo', 'config'), query, async (path, sent) => {
        const answer = await server.inject(`/api/v1/${path}?${new URLSearchParams(sent).toString()}`);
        expect([200, 304, 400, 404]).toContain(answer.statusCode);
      }),
      { numRuns: 300 },
    );
  });
});
