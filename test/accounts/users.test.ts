import { createClient } from 'graphql-ws';
import pg from 'pg';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPersonSession } from '../../src/modules/accounts/index.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { accountOf, type AccountVerbs } from './account.ts';

let s: TestServer;
let account: AccountVerbs;
beforeAll(async () => {
  s = await startServer();
  account = accountOf(s);
});
afterAll(async () => await s.close());

const users = async (): Promise<unknown[]> => {
  const { data } = await s.graphql<{ users: { nodes: unknown[] } }>('{ users { nodes { email role } } }');
  return data.users.nodes;
};
const status = async (token: string, url = s.url): Promise<number> =>
  (await fetch(`${url}/api/v1/repo`, { headers: { authorization: `Bearer ${token}` } })).status;
const codes = ({ errors }: { errors: readonly { message: string; extensions: { code: string } }[] }): unknown[] =>
  errors.map(({ message, extensions }) => [extensions.code, message]);
const subscribe = (token: string): Promise<{ code: number; reason: string }> =>
  new Promise((resolve) => {
    const client = createClient({
      url: `${s.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { Authorization: `Bearer ${token}` },
      on: { closed: (event) => resolve(event as { code: number; reason: string }) },
    });
    client.subscribe(
      { query: 'subscription { events { action } }' },
      { next: () => {}, error: () => {}, complete: () => {} },
    );
  });

describe('users', () => {
  it('are added with a role, listed by address, and found by id', async () => {
    const ada = await account.add('ada', { role: 'admin' });
    await account.add('ben');
    expect(await users()).toEqual([
      { email: 'ada@acme.test', role: 'ADMIN' },
      { email: 'ben@acme.test', role: 'MEMBER' },
      { email: 'service@acme.test', role: 'ADMIN' },
    ]);
    const { data } = await s.graphql('query ($id: ID!) { node(id: $id) { ... on User { handle isService } } }', {
      id: ada.id,
    });
    expect(data).toEqual({ node: { handle: 'ada', isService: false } });
    const first = await s.graphql<{ users: { pageInfo: { endCursor: string } } }>(
      '{ users(first: 1) { nodes { email } pageInfo { hasNextPage endCursor } } }',
    );
    const rest = await s.graphql('query ($after: String) { users(first: 5, after: $after) { nodes { email } } }', {
      after: first.data.users.pageInfo.endCursor,
    });
    expect(rest.data).toEqual({ users: { nodes: [{ email: 'ben@acme.test' }, { email: 'service@acme.test' }] } });
  });

  it.each([
    [{ email: 'ADA@acme.test' }, 'CONFLICT', 'ada@acme.test is already a user.'],
    [{ email: 'other@acme.test', handle: '@ADA' }, 'CONFLICT', 'The handle ADA belongs to ada@acme.test.'],
    [{ email: 'nobody' }, 'BAD_INPUT', 'input.email must be an email address'],
    [
      { email: 'other@acme.test', handle: 'a b' },
      'BAD_INPUT',
      'input.handle must be a handle on the code host: 1 to 39 letters and digits, with single hyphens, dots or underscores between them',
    ],
  ])('cannot be added as %j: %s', async (input, code, message) => {
    const answer = await s.graphql('mutation ($input: AddUserInput!) { addUser(input: $input) { user { id } } }', {
      input,
    });
    expect(codes(answer)).toEqual([[code, message]]);
  });

  it('always include an admin and the service user', async () => {
    const last = 'This is the last admin of the account. Make another user an admin first.';
    const { data } = await s.graphql<{ users: { nodes: { id: string; email: string }[] } }>(
      '{ users { nodes { id email } } }',
    );
    const idOf = (email: string): string => data.users.nodes.find((user) => user.email === email)?.id ?? '';
    const [ada, ben, service] = ['ada@acme.test', 'ben@acme.test', 'service@acme.test'].map(idOf) as [
      string,
      string,
      string,
    ];
    expect(codes(await account.update(ada, { role: 'MEMBER' }))).toEqual([['CONFLICT', last]]);
    expect(codes(await account.remove(ada))).toEqual([['CONFLICT', last]]);
    expect(codes(await account.remove(service))).toEqual([
      ['CONFLICT', "The service user cannot be removed, because the account's tokens act as this user."],
    ]);
    expect(codes(await account.update(service, { role: 'MEMBER' }))).toEqual([
      ['CONFLICT', "The service user must have the role admin, because the account's tokens act as this user."],
    ]);
    expect(codes(await account.update(encodeNodeId('User', '999999'), { role: 'MEMBER' }))).toEqual([
      ['NOT_FOUND', 'User not found'],
    ]);
    await account.update(ben, { role: 'ADMIN' });
    // Both requests run at once. The second request finds only one admin left.
    const both = await Promise.all([account.update(ada, { role: 'MEMBER' }), account.update(ben, { role: 'MEMBER' })]);
    expect(both.flatMap(codes)).toEqual([['CONFLICT', last]]);
    await account.update(ada, { role: 'ADMIN' });
  });

  it('have a new role at once, in every process and on open connections', async () => {
    const other = await s.another();
    const cleo = await account.add('cleo', { role: 'maintainer', scopes: ['queue:read', 'queue:pause'] });
    const pause = async (url: string): Promise<number> =>
      (
        await fetch(`${url}/api/v1/repo`, {
          method: 'POST',
          headers: { authorization: `Bearer ${cleo.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ org: 'acme', name: 'none', paused: true }),
        })
      ).status;
    const client = createClient({
      url: `${s.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      lazy: false,
      connectionParams: { Authorization: `Bearer ${cleo.token}` },
    });
    const pauseOnSocket = async (): Promise<string> => {
      const query =
        'mutation { pauseRepository(input: {repository: {owner: "acme", name: "none"}, paused: true}) { repository { id } } }';
      for await (const { errors } of client.iterate({ query })) return errors?.[0]?.message ?? 'allowed';
      return 'no answer';
    };
    expect([await pause(s.url), await pause(other.url), await pauseOnSocket()]).toEqual([
      404,
      404,
      'Repository not found',
    ]);
    const updated = await account.update(cleo.id, { role: 'MEMBER' });
    expect(updated.data).toEqual({ updateUser: { user: { role: 'MEMBER', handle: 'cleo' } } });
    await expect
      .poll(async () => [await pause(s.url), await pause(other.url), await pauseOnSocket()])
      .toEqual([403, 403, 'This needs the role maintainer; the user of this token is a member.']);
    await client.dispose();
  });

  it('have their old rights on no connection that could not be checked after a change of their role', async () => {
    const dana = await account.add('dana', { role: 'maintainer', scopes: ['queue:read', 'queue:pause'] });
    let code: number | null = null;
    const client = createClient({
      url: `${s.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      lazy: false,
      retryAttempts: 0,
      onNonLazyError: () => {},
      connectionParams: { Authorization: `Bearer ${dana.token}` },
      on: { closed: (event) => void ({ code } = event as { code: number }) },
    });
    for await (const { errors } of client.iterate({ query: '{ viewer { email } }' })) expect(errors).toBeUndefined();
    const owner = new pg.Client({ connectionString: s.databaseUrl });
    await owner.connect();
    // The server waits for this table when it checks the connection again. Then it loses its session of PostgreSQL.
    await owner.query('begin; lock table api_token in access exclusive mode');
    const updated = account.update(dana.id, { role: 'MEMBER' });
    const waiting = `select l.pid from pg_locks l join pg_stat_activity a using (pid)
      where not l.granted and a.datname = current_database()`;
    await expect.poll(async () => (await owner.query(waiting)).rowCount, { interval: 20 }).toBeGreaterThan(0);
    await owner.query(`select pg_terminate_backend(pid) from (${waiting}) waits`);
    await owner.query('rollback');
    await owner.end();
    expect((await updated).errors).toEqual([]);
    await expect.poll(() => code).toBe(1013);
    await client.dispose();
  });

  it('lose their tokens, connections, teams and rights when they are removed, and get none of them back when they are added again', async () => {
    const dan = await account.add('dan');
    const own = await account.run<{ token: string }>(
      'createApiToken',
      { name: 'Own', scopes: ['QUEUE_READ'] },
      'token',
      dan.token,
    );
    await account.team('removed', dan);
    const closed = subscribe(dan.token);
    expect([await status(dan.token), await status(own.token)]).toEqual([200, 200]);
    const removed = await account.remove(dan.id);
    expect(removed.data).toEqual({ removeUser: { user: { email: 'dan@acme.test', removedAt: expect.any(String) } } });
    await expect.poll(async () => [await status(dan.token), await status(own.token)]).toEqual([401, 401]);
    expect(await closed).toMatchObject({ code: 4403 });
    expect(codes(await account.remove(dan.id))).toEqual([]);
    expect(codes(await account.update(dan.id, { role: 'ADMIN' }))).toEqual([['NOT_FOUND', 'User not found']]);
    expect(await users()).not.toContainEqual(expect.objectContaining({ email: dan.email }));
    // The handle is free for others. When the address is added again, it belongs to the same user.
    const heir = await account.add('dan2');
    expect(codes(await account.update(heir.id, { handle: 'dan' }))).toEqual([]);
    const back = await account.run<{ user: { id: string; handle: null } }>(
      'addUser',
      { email: dan.email },
      'user { id handle removedAt }',
    );
    expect(back.user).toEqual({ id: dan.id, handle: null, removedAt: null });
    expect([await status(dan.token), await status(own.token)]).toEqual([401, 401]);
    const { data } = await s.graphql('{ teams { nodes { address members { nodes { email } } } } }');
    expect(data).toEqual({ teams: { nodes: [{ address: '@acme/removed', members: { nodes: [] } }] } });
  });
});

describe('a GitHub account that signs in', () => {
  const signIn = async (id: string, login: string): Promise<string> =>
    await startPersonSession(s.ports, s.secrets, {
      accountId: s.accountId,
      person: { server: 'https://api.github.com', webUrl: 'https://github.com', id, login, role: 'member' },
    });

  it('becomes the user with its noreply address, and cannot sign in if an admin has removed this user', async () => {
    const add = async (email: string): Promise<string> =>
      (await account.run<{ user: { id: string } }>('addUser', { email, role: 'MAINTAINER' }, 'user { id }')).user.id;
    const id = await add('7+nina@users.noreply.github.com');
    expect(await signIn('7', 'Nina')).toMatch(/^[\w-]{43}$/);
    const { data } = await s.graphql('query ($id: ID!) { node(id: $id) { ... on User { handle role } } }', { id });
    expect(data).toEqual({ node: { handle: 'Nina', role: 'MAINTAINER' } });
    await account.remove(await add('8+otto@users.noreply.github.com'));
    await expect(signIn('8', 'Otto')).rejects.toThrow('An admin removed Otto from this account.');
    // A person may have another name at GitHub by the first sign-in. The address contains the earlier name.
    await expect(signIn('8', 'Otto-Two')).rejects.toThrow('An admin removed Otto-Two from this account.');
    await add('9+pia@users.noreply.github.com');
    await signIn('9', 'Pia-Two');
    expect(await s.rows("select handle, role from account_user where email like '9+%'")).toEqual([
      { handle: 'Pia-Two', role: 'maintainer' },
    ]);
  });
});

describe('teams', () => {
  it('are made, renamed, filled, emptied and deleted', async () => {
    const [eve, fay] = [await account.add('eve'), await account.add('fay')];
    const id = await account.team('core', eve, fay);
    const again = await account.run<unknown>(
      'addTeamMember',
      { team: id, user: eve.id },
      'team { members(first: 1) { nodes { email } pageInfo { hasNextPage } } }',
    );
    expect(again).toEqual({ team: { members: { nodes: [{ email: eve.email }], pageInfo: { hasNextPage: true } } } });
    await account.run('removeTeamMember', { team: id, user: fay.id }, 'team { id }');
    const renamed = await account.run<unknown>(
      'updateTeam',
      { id, slug: 'kernel', name: 'Kernel' },
      'team { address name members { nodes { email } } }',
    );
    expect(renamed).toEqual({
      team: { address: '@acme/kernel', name: 'Kernel', members: { nodes: [{ email: eve.email }] } },
    });
    const taken = await s.graphql('mutation { createTeam(input: {org: "ACME", slug: "kernel"}) { team { id } } }');
    expect(codes(taken)).toEqual([['CONFLICT', 'The team @ACME/kernel already exists.']]);
    const other = await account.team('other');
    const clash = await s.graphql(
      'mutation ($id: ID!) { updateTeam(input: {id: $id, slug: "kernel"}) { team { id } } }',
      { id: other },
    );
    expect(codes(clash)).toEqual([['CONFLICT', 'The team @acme/kernel already exists.']]);
    const malformed = await s.graphql('mutation { createTeam(input: {org: "acme", slug: "No"}) { team { id } } }');
    expect(codes(malformed)).toMatchObject([['BAD_INPUT', expect.stringContaining('input.slug must have')]]);
    for (const team of [id, other]) await account.run('deleteTeam', { id: team }, 'team { address }');
    const gone = await s.graphql('mutation ($id: ID!) { deleteTeam(input: {id: $id}) { team { id } } }', { id });
    expect(codes(gone)).toEqual([['NOT_FOUND', 'Team not found']]);
  });
});

it('of two teams that get the same slug at the same time, one gets it', async () => {
  const teams = [await account.team('one'), await account.team('two')];
  const owner = new pg.Client({ connectionString: s.databaseUrl });
  await owner.connect();
  await owner.query('begin; lock table account_team in share row exclusive mode');
  const renaming = teams.map(
    async (id) =>
      await s.graphql('mutation ($id: ID!) { updateTeam(input: {id: $id, slug: "same"}) { team { slug } } }', { id }),
  );
  const waiting =
    'select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()';
  await expect.poll(async () => await owner.query(waiting), { interval: 20 }).toMatchObject({ rowCount: 2 });
  await owner.query('commit');
  await owner.end();
  const refusals = (await Promise.all(renaming)).flatMap(codes);
  expect(refusals).toEqual([['CONFLICT', 'The team @acme/same already exists.']]);
});

describe('tokens of users', () => {
  const create = async (input: Record<string, unknown>, token: string) =>
    await s.graphql<{ createApiToken: { token: string; apiToken: { id: string } } }>(
      'mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { token apiToken { id expiresAt } } }',
      { input },
      token,
    );
  const revoke = async (id: string, token: string) =>
    await s.graphql('mutation ($id: ID!) { revokeApiToken(input: {id: $id}) { apiToken { id } } }', { id }, token);

  it('are made for oneself, listed, and revoked without being an admin', async () => {
    const gil = await account.add('gil');
    const made = await create({ name: 'Laptop', scopes: ['QUEUE_READ'] }, gil.token);
    expect(made.errors).toEqual([]);
    const { token, apiToken } = made.data.createApiToken;
    const { data } = await s.graphql('{ viewer { apiTokens { name userEmail } } }', {}, token);
    expect(data).toEqual({
      viewer: {
        apiTokens: [
          { name: 'Laptop', userEmail: gil.email },
          { name: 'gil', userEmail: gil.email },
        ],
      },
    });
    const node = await s.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: apiToken.id }, token);
    expect(node.data).toEqual({ node: { id: apiToken.id } });
    expect((await revoke(apiToken.id, gil.token)).errors).toEqual([]);
    await expect.poll(async () => await status(token)).toBe(401);
    expect(await status(gil.token)).toBe(200);
  });

  it('cannot be seen, made or revoked by other members', async () => {
    const [hal, ida] = [await account.add('hal'), await account.add('ida')];
    const idas = (await create({ name: 'Own', scopes: ['QUEUE_READ'] }, ida.token)).data.createApiToken.apiToken.id;
    const needed = [['FORBIDDEN', 'This needs a token with the scope admin.']];
    expect(codes(await revoke(idas, hal.token))).toEqual(needed);
    expect(codes(await s.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: idas }, hal.token))).toEqual(
      needed,
    );
    expect(codes(await create({ name: 'x', scopes: ['QUEUE_READ'], user: ida.id }, hal.token))).toEqual(needed);
    expect(codes(await create({ name: 'x', scopes: ['QUEUE_READ'], kind: 'ACCOUNT' }, hal.token))).toEqual(needed);
  });

  it('grant only what their maker and their user may do', async () => {
    const jan = await account.add('jan');
    expect(codes(await create({ name: 'x', scopes: ['CONFIG_READ'] }, jan.token))).toEqual([
      ['FORBIDDEN', 'A token can only grant scopes that it has; this token lacks config:read.'],
    ]);
    expect(codes(await create({ name: 'x', scopes: ['QUEUE_PAUSE'], user: jan.id }, s.token))).toEqual([
      ['FORBIDDEN', 'The role member does not allow queue:pause.'],
    ]);
    expect(codes(await create({ name: 'x', scopes: ['QUEUE_READ'], kind: 'ACCOUNT', user: jan.id }, s.token))).toEqual([
      ['BAD_INPUT', 'input.user is for user tokens: an account token acts as the service user'],
    ]);
  });

  it('end with the token that made them, unless an admin made them', async () => {
    const kim = await account.add('kim');
    const expiresAt = new Date(Date.now() + 3_600_000);
    const later = new Date(expiresAt.getTime() + 1000).toISOString();
    const first = await create({ name: 'First', scopes: ['QUEUE_READ', 'QUEUE_WRITE'], expiresAt }, kim.token);
    const { token, apiToken } = first.data.createApiToken;
    expect(codes(await create({ name: 'x', scopes: ['QUEUE_READ'], expiresAt: later }, token))).toEqual([
      ['BAD_INPUT', `input.expiresAt must not be later than ${expiresAt.toISOString()}, when the token in use expires`],
    ]);
    const second = await create({ name: 'Second', scopes: ['QUEUE_READ'] }, token);
    expect(second.data.createApiToken.apiToken).toMatchObject({ expiresAt: expiresAt.toISOString() });
    const third = (await create({ name: 'Third', scopes: ['QUEUE_READ'] }, second.data.createApiToken.token)).data
      .createApiToken.token;
    const byAdmin = (await create({ name: 'By admin', scopes: ['QUEUE_READ'], user: kim.id }, s.token)).data
      .createApiToken.token;
    expect(await status(third)).toBe(200);
    await revoke(apiToken.id, kim.token);
    await expect
      .poll(
        async () =>
          await Promise.all([token, second.data.createApiToken.token, third].map(async (each) => await status(each))),
      )
      .toEqual([401, 401, 401]);
    expect([await status(kim.token), await status(byAdmin)]).toEqual([200, 200]);
  });
});
