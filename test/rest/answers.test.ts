import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.ts';
import { type Resolvers, facadeOver, throwUnauthenticated } from './fixtures/facade.ts';

const commit = 'a'.repeat(40);
const pullRequest = {
  number: 12,
  status: 'MERGED',
  headBranch: 'topic',
  mergedAt: '2026-01-02T03:04:05.000Z',
  repository: { owner: 'acme', name: 'web' },
  latestBotPullRequest: { number: 13, githubUrl: 'https://example.test/13', headBranchOid: commit },
};
const stats = '/api/v1/queue/stats?org=a&repo=b';

function get(url: string, resolvers: Resolvers) {
  return facadeOver(resolvers).server.inject({ method: 'GET', url });
}

describe('the answer is the selection', () => {
  it('with the names of aliases, keys in snake_case and enum values in lower case', async () => {
    const answer = await get('/api/v1/pull_request?org=a&repo=b&number=12', { repository: () => ({ pullRequest }) });
    expect(answer.json()).toEqual({
      number: 12,
      status: 'merged',
      head_branch: 'topic',
      merged_at: '2026-01-02T03:04:05.000Z',
      repository: { org: 'acme', name: 'web' },
      bot_pull_request: { number: 13, github_url: 'https://example.test/13', head_branch_oid: commit },
    });
  });

  it('with an underscore only before capitals', async () => {
    const answer = await get(stats, { repository: () => ({ queueDepth: { queued: 1, p50: 2.5 } }) });
    expect(answer.body).toBe('{"depth":{"queued":1,"p50":2.5}}');
  });

  it('with null where the schema allows it', async () => {
    const answer = await get('/api/v1/pull_request?org=a&repo=b&number=12', {
      repository: () => ({ pullRequest: { ...pullRequest, mergedAt: null, latestBotPullRequest: null } }),
    });
    expect(answer.json()).toMatchObject({ merged_at: null, bot_pull_request: null });
  });

  it('without the level of @unwrap, through lists and nulls', async () => {
    const deployment = (id: string, rollbackOf: unknown) => ({
      id,
      project: { name: 'shop' },
      status: 'IN_PROGRESS',
      rollbackOf,
    });
    const answer = await get('/api/releases/shop/environments/prod/deployments', {
      releaseProject: () => ({
        environment: { deployments: { nodes: [deployment('2', { id: '1' }), deployment('1', null)], totalCount: 2 } },
      }),
    });
    expect(answer.json()).toEqual([
      { id: '2', project: 'shop', status: 'in_progress', rollback_of: '1' },
      { id: '1', project: 'shop', status: 'in_progress', rollback_of: null },
    ]);
    const entry = { modifiedBy: { email: 'a@b.test', ghUsername: null }, commitSha: null, diff: '-a' };
    const history = await get('/api/v1/history?org=a&repo=b', { repository: () => ({ history: { nodes: [entry] } }) });
    expect(history.json()).toEqual({ history: [{ applied_by: { email: 'a@b.test' }, diff: '-a' }] });
  });

  it('without a null field of @omitNull, and with all other nulls', async () => {
    const answer = await get('/api/v1/branches?org=a&repo=b', {
      repository: () => ({
        owner: 'a',
        name: 'b',
        branchPauses: [
          { pattern: 'main', paused: true, pausedMessage: null },
          { pattern: 'x*', paused: false, pausedMessage: 'Soon' },
        ],
      }),
    });
    expect(answer.json()).toEqual({
      branches: [
        { pattern: 'main', paused: true },
        { pattern: 'x*', paused: false, paused_message: 'Soon' },
      ],
      repository: { org: 'a', name: 'b' },
    });
  });

  it('without the field of @header, which becomes a header, and with links to other pages', async () => {
    const resolvers: Resolvers = {
      releaseProject: () => ({ environment: { deployments: { nodes: [], totalCount: 41 } } }),
    };
    const url = '/api/releases/shop/environments/prod/deployments';
    const second = await get(`${url}?page=2&per_page=20&status=pending`, resolvers);
    expect(second.headers['x-total-count']).toBe('41');
    expect(second.headers['link']).toBe(
      ['first', 'prev', 'next', 'last']
        .map((rel, at) => `<${url}?page=${[1, 1, 3, 3][at]}&per_page=20&status=pending>; rel="${rel}"`)
        .join(', '),
    );
    const beyond = await get(`${url}?page=9`, resolvers);
    expect(beyond.json()).toEqual([]);
    expect(beyond.headers['link']).toBe(`<${url}?page=1>; rel="first", <${url}?page=5>; rel="last"`);
  });

  it('with the status of the document', async () => {
    const { server } = facadeOver({ createRelease: () => ({ project: { name: 'shop' }, version: 'v1-rc1' }) });
    const answer = await server.inject({
      method: 'POST',
      url: '/api/releases/shop/releases/v1-rc1',
      payload: { repo: 'a/b', commit },
    });
    expect([answer.statusCode, answer.json()]).toEqual([201, { project: 'shop', release_candidate_version: 'v1-rc1' }]);
  });

  it('with the status of its fragment if a refusal is data', async () => {
    const outcome = (given: unknown) =>
      facadeOver({ replaceConfiguration: () => ({ outcome: given }) }).server.inject({
        method: 'POST',
        url: '/api/v1/config?org=a&repo=b',
        payload: 'a: 1',
        headers: { 'content-type': 'text/plain' },
      });
    const refused = await outcome({ __typename: 'ConfigurationRefused', success: false, messages: ['a: unknown'] });
    expect([refused.statusCode, refused.json()]).toEqual([400, { success: false, errors: ['a: unknown'] }]);
    const accepted = await outcome({ __typename: 'ConfigurationAccepted', success: true });
    expect([accepted.statusCode, accepted.json()]).toEqual([200, { success: true }]);
  });

  it('unchanged if the result is a text', async () => {
    const answer = await get('/api/v1/config?org=a&repo=b', {
      repository: () => ({ configuration: { yaml: 'a: "ü"\n' } }),
    });
    expect(answer.body).toBe('a: "ü"\n');
    expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8');
  });
});

describe('errors', () => {
  it.each<[url: string, resolvers: Resolvers, error: string]>([
    [stats, { repository: () => null }, 'Repository not found'],
    ['/api/v1/pull_request?org=a&repo=b&number=1', { repository: () => null }, 'Repository not found'],
    [
      '/api/v1/pull_request?org=a&repo=b&number=1',
      { repository: () => ({ pullRequest: null }) },
      'Pull request not found',
    ],
    ['/api/v1/branches?org=a&repo=b', { repository: () => null }, 'Repository not found'],
    ['/api/releases/x/environments/y/deployments', { releaseProject: () => null }, 'No such release project'],
    [
      '/api/releases/x/environments/y/deployments',
      { releaseProject: () => ({ environment: null }) },
      'Environment not found',
    ],
  ])('a null on the result path of %s is an error', async (url, resolvers, error) => {
    const answer = await get(url, resolvers);
    expect([answer.statusCode, answer.json()]).toEqual([404, { error }]);
  });

  it.each([
    ['NOT_FOUND', 404],
    ['FORBIDDEN', 403],
    ['HEAD_MOVED', 409],
    ['SKIP_LINE_REASON_REQUIRED', 400],
    ['HOST_UNAVAILABLE', 503],
  ] as const)('the code %s gives %i, with the message of the service unchanged', async (code, status) => {
    const answer = await get(stats, {
      repository: () => {
        throw new DomainError(code, 'Said by the service.');
      },
    });
    expect([answer.statusCode, answer.json()]).toEqual([status, { error: 'Said by the service.' }]);
  });

  it('several errors give one error, and no partial data', async () => {
    const resolvers: Resolvers = {
      repository: () => ({
        pullRequest: {
          ...pullRequest,
          mergedAt: () => {
            throw new DomainError('FORBIDDEN', 'One.');
          },
          latestBotPullRequest: () => {
            throw new DomainError('CONFLICT', 'Two.');
          },
        },
      }),
    };
    const answer = await get('/api/v1/pull_request?org=a&repo=b&number=1', resolvers);
    expect([answer.statusCode, answer.json()]).toEqual([403, { error: 'One.' }]);
  });

  it('an internal error shows no details', async () => {
    const answer = await get(stats, {
      repository: () => {
        throw new Error('password=hunter2');
      },
    });
    expect([answer.statusCode, answer.json()]).toEqual([
      500,
      { error: 'Internal server error', request_id: answer.headers['x-request-id'] },
    ]);
  });

  it('a missing token is refused before the body is read', async () => {
    for (const options of [
      { authenticate: async () => throwUnauthenticated() },
      { execute: async () => throwUnauthenticated() },
    ]) {
      const { server } = facadeOver({}, options);
      const answer = await server.inject({ method: 'GET', url: stats });
      expect([answer.statusCode, answer.json(), answer.headers['www-authenticate']]).toEqual([
        401,
        { error: 'Unauthorized' },
        'Bearer',
      ]);
    }
    const { server } = facadeOver({}, { authenticate: async () => throwUnauthenticated() });
    expect((await server.inject({ method: 'POST', url: '/api/v1/repo', payload: '{' })).statusCode).toBe(401);
  });

  it('a rate limit says when to come back', async () => {
    const answer = await get(stats, {
      repository: () => {
        throw Object.assign(new DomainError('RATE_LIMITED', 'Too many requests'), { retryAfterSec: 1.2 });
      },
    });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '2']);
  });
});
