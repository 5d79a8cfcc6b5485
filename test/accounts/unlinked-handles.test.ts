// Users without a linked handle, such as the service user, on pull requests of the local host.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { makeRepository, openPullRequest, pushBranches } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { accountOf } from './account.ts';

const repository = { owner: 'acme', name: 'web' };
let server: TestServer;
let service: string;
beforeAll(async () => {
  server = await startServer();
  const own = { url: server.url, token: server.token };
  await makeRepository(own, repository);
  await pushBranches(own, repository, ['topic', 'other']);
  for (const headBranch of ['topic', 'other'])
    await openPullRequest(own, { repository, title: `Add ${headBranch}`, headBranch, baseBranch: 'main' });
  const [row] = await server.rows<{ id: string }>('select id::text from account_user where is_service');
  service = `service~${row?.id}`;
  await server.rest('POST', '/api/v1/repo', { body: { org: 'acme', name: 'web', paused: true } });
});
afterAll(async () => await server.close());

/** Adds a user without a handle, and makes a token for the user. */
async function add(email: string, role: 'ADMIN' | 'MEMBER'): Promise<{ token: string; handle: string; id: string }> {
  const account = accountOf(server);
  const { user } = await account.run<{ user: { id: string } }>('addUser', { email, role }, 'user { id }');
  const { token } = await account.run<{ token: string }>(
    'createApiToken',
    { name: email, user: user.id, scopes: ['QUEUE_READ', 'QUEUE_WRITE'] },
    'token',
  );
  const [row] = await server.rows<{ id: string }>('select id::text from account_user where email = $1', [email]);
  expect(user.id).toBe(encodeNodeId('User', row?.id ?? ''));
  return { token, handle: `${email.replace(/@.*/, '')}~${row?.id}`, id: user.id };
}

async function label(number: number, present: boolean, token?: string): Promise<void> {
  const { errors, text } = await server.graphql(
    `mutation ($repository: RepositoryInput!, $number: PullRequestNumber!, $present: Boolean!) {
       labelPullRequest(input: {repository: $repository, number: $number, label: "mergequeue-priority", present: $present}) { pullRequest { id } } }`,
    { repository, number, present },
    token,
  );
  if (errors.length > 0) throw new Error(text);
  await server.drain();
}

async function shown(
  number: number,
): Promise<{ skipLine: boolean; author: string; comments: { author: string; body: string }[] }> {
  const { data } = await server.graphql<{
    repository: { pullRequest: { skipLine: boolean; author: string; comments: { author: string; body: string }[] } };
  }>(
    'query ($n: Int!) { repository(owner: "acme", name: "web") { pullRequest(number: $n) { skipLine author comments { author body } } } }',
    { n: number },
  );
  return data.repository.pullRequest;
}

async function comment(number: number, body: string, token?: string): Promise<void> {
  await server.graphql(
    `mutation ($repository: RepositoryInput!, $number: PullRequestNumber!, $body: String!) {
       addPullRequestComment(input: {repository: $repository, number: $number, body: $body}) { comment { author } } }`,
    { repository, number, body },
    token,
  );
  await server.drain();
}

it('users without a handle are named by a made-up handle in REST, GraphQL and comments', async () => {
  const answer = await server.rest('GET', '/api/v1/pull_request?org=acme&repo=web&number=1');
  expect(await answer.json()).toMatchObject({ author: service });
  expect((await shown(1)).author).toBe(service);
  const [row] = await server.rows<{ author: string }>(
    "select payload ->> 'author' as author from event where action = 'opened'",
  );
  expect(row?.author).toBe(service);
  await comment(1, '/interlock help');
  const { comments } = await shown(1);
  expect(comments.filter(({ body }) => body.startsWith(`@${service} `)).map(({ author }) => author)).toEqual([
    'interlock',
  ]);
  expect(JSON.stringify(comments)).not.toContain('service@');
});

it('an admin without a handle may skip the line by the label', async () => {
  await label(1, true);
  expect((await shown(1)).skipLine).toBe(true);
  const admin = await add('root@acme.test', 'ADMIN');
  await label(2, true, admin.token);
  expect((await shown(2)).skipLine).toBe(true);
});

it('a member without a handle may not skip the line, even with the name of the service user', async () => {
  await label(2, false);
  await server.rest('POST', '/api/v1/pull_request', {
    body: { action: 'dequeue', pull_request: { number: 2, repository: { org: 'acme', name: 'web' } } },
  });
  const member = await add('service@elsewhere.test', 'MEMBER');
  await label(2, true, member.token);
  expect((await shown(2)).skipLine).toBe(false);
  expect((await shown(2)).comments.at(-1)?.body).toContain('Not authorized to skip the line in this repository.');
  const account = accountOf(server);
  await account.grant('SKIP_LINE', { user: member.id }, repository);
  await label(2, true, member.token);
  expect((await shown(2)).skipLine).toBe(true);
});

it('a user cannot approve an own pull request, also after linking a handle', async () => {
  const review = async (): Promise<readonly string[]> => {
    const { errors } = await server.graphql(
      `mutation ($repository: RepositoryInput!) {
         reviewPullRequest(input: {repository: $repository, number: 1, verdict: APPROVED}) { pullRequest { id } } }`,
      { repository },
    );
    return errors.map(({ message }) => message);
  };
  expect(await review()).toEqual(['Authors cannot review their own pull requests']);
  const [row] = await server.rows<{ id: string }>('select id::text from account_user where is_service');
  await accountOf(server).update(encodeNodeId('User', row?.id ?? ''), { handle: 'robot' });
  expect(await review()).toEqual(['Authors cannot review their own pull requests']);
});
