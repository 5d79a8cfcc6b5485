// Errors as problem details (RFC 9457): which requests get them, and what they contain.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptsProblem, problemOf } from '../../rest-facade/problem.ts';
import { startServer, type TestServer } from '../support/server.ts';

const problem = 'application/problem+json';

it.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/*', false],
  ['application/json', false],
  [problem, true],
  ['Application/Problem+JSON', true],
  [`application/json, ${problem}`, true],
  [`${problem};q=0.5, application/json`, false],
  [`application/json;q=0.5, ${problem};q=0.9`, true],
  [`${problem};q=0`, false],
  [`text/html, ${problem}; q=0.8, */*;q=0.1`, true],
  [`${problem};q=much`, false],
])('Accept: %s asks for a problem: %s', (accept, isAsked) => {
  expect(acceptsProblem(accept)).toBe(isAsked);
});

it.each([
  [404, { error: 'Repository not found' }, 'Not Found', 'Repository not found'],
  [400, { error: 'bad_input', message: 'prompt is required' }, 'Bad Request', 'prompt is required'],
  [400, { success: false, errors: ['a: is wrong', 'b: is wrong'] }, 'Bad Request', 'a: is wrong; b: is wrong'],
  [500, { error: 'Internal server error', request_id: 'x' }, 'Internal Server Error', 'Internal server error'],
])('the error %i %j keeps its members and becomes a problem', (status, body, title, detail) => {
  expect(problemOf(status, body)).toEqual({ type: 'about:blank', title, status, detail, ...body });
});

describe('the running service', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => await server.close());

  async function answersTo(method: string, path: string, body?: unknown, token: string | null = server.token) {
    const asked = { ...(body !== undefined && { body }), token };
    const [plain, detailed] = [
      await server.rest(method, path, asked),
      await server.rest(method, path, { ...asked, headers: { accept: problem } }),
    ];
    const types = [plain, detailed].map(({ headers }) => headers.get('content-type')?.replace(/;.*/, ''));
    return {
      statuses: [plain.status, detailed.status],
      types,
      bodies: [(await plain.json()) as object, (await detailed.json()) as object],
    };
  }

  it.each([
    ['an unknown repository', 'GET', '/api/v1/queue/stats?org=acme&repo=none', undefined, 404, 'Repository not found'],
    ['bad input', 'POST', '/api/v1/repo', {}, 400, 'org is required'],
    [
      'an error of a runbook, which has an error and a message',
      'POST',
      '/api/v1/runbook',
      {},
      400,
      'repository is required',
    ],
    ['another method', 'DELETE', '/api/v1/repo', undefined, 405, 'Method not allowed'],
    ['an unknown path of the API', 'GET', '/api/v1/none', undefined, 404, 'Not found'],
    ['a path outside of the API', 'GET', '/none', undefined, 404, 'Not found'],
  ])(
    'answers %s as documented, and as a problem if the request accepts one',
    async (_what, method, path, body, status, detail) => {
      const { statuses, types, bodies } = await answersTo(method, path, body);
      expect([statuses, types]).toEqual([
        [status, status],
        ['application/json', problem],
      ]);
      expect(bodies[1]).toEqual({ type: 'about:blank', title: expect.any(String), status, detail, ...bodies[0] });
    },
  );

  it('answers a missing token as a problem, with the header that says how to sign in', async () => {
    const answer = await server.rest('GET', '/api/v1/repo', { token: null, headers: { accept: problem } });
    expect([answer.status, answer.headers.get('www-authenticate'), answer.headers.get('content-type')]).toEqual([
      401,
      'Bearer',
      `${problem}; charset=utf-8`,
    ]);
    expect(await answer.json()).toMatchObject({ status: 401, error: 'Unauthorized', detail: 'Unauthorized' });
  });

  it('answers a success as usual', async () => {
    const answer = await server.rest('GET', '/api/v1/repo', { headers: { accept: problem } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  });

  it('repeats the answer of an Idempotency-Key in the form of the first answer', async () => {
    const ask = async (accept: string): Promise<string | null> => {
      const body = { org: 'acme', name: 'none', paused: true };
      const headers = { accept, 'idempotency-key': 'of-a-problem' };
      return (await server.rest('POST', '/api/v1/repo', { body, headers })).headers.get('content-type');
    };
    expect([await ask(problem), await ask('*/*')].map((type) => type?.replace(/;.*/, ''))).toEqual([
      problem,
      'application/json',
    ]);
  });
});
