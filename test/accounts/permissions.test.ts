// Tests the permissions to skip the line or validation. The user of the token needs the permission. If the request is
// made for another person, that person needs it too (interface 4.3, 5).
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { isMemberOfTeam } from '../../src/modules/accounts/index.ts';
import { prepareRepository, type PreparedRepository } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { accountOf, type AccountVerbs, type AddedUser } from './account.ts';

let s: TestServer;
let account: AccountVerbs;
let repository: PreparedRepository;
const people = new Map<string, AddedUser>();

beforeAll(async () => {
  s = await startServer();
  repository = await prepareRepository(s);
  account = accountOf(s);
  for (const handle of ['ada', 'ben', 'cleo', 'dan']) people.set(handle, await account.add(handle));
  people.set('root', await account.add('root', { role: 'admin' }));
  people.set('gone', await account.add('gone', { role: 'admin' }));
  const here = { owner: repository.org, name: repository.name };
  await account.grant('SKIP_LINE', { user: user('ada').id }, here);
  await account.grant('SKIP_VALIDATION', { user: user('ben').id }, here);
  await account.grant('SKIP_LINE', { team: await account.team('release', user('cleo'), user('ada')) }, here);
  await account.grant('SKIP_LINE', { user: user('dan').id }, { owner: repository.org, name: repository['other-name'] });
  await account.remove(user('gone').id);
});
afterAll(async () => await s.close());

function user(handle: string): AddedUser {
  const found = people.get(handle);
  if (!found) throw new Error(`Nobody is called ${handle}`);
  return found;
}

async function queue(token: string, options: Readonly<Record<string, unknown>>): Promise<[number, unknown]> {
  const { org, name, number } = repository;
  const body = { action: 'queue', pull_request: { number, repository: { org, name }, ...options } };
  const response = await s.rest('POST', '/api/v1/pull_request', { body, token });
  const answer = (await response.json()) as { error?: string };
  return [response.status, answer.error];
}

const refusedLine = [403, 'Not authorized to skip the line in this repository.'];
const refusedValidation = [403, 'Not authorized to skip validation in this repository.'];
const allowed = [200, undefined];

describe('a request to skip the line', () => {
  // Each row has the user of the token, `requested_by`, and the answer. Ada (by a grant) and cleo (by a team) may skip
  // the line. Ben may only skip validation. Dan may skip the line in another repository.
  it.each([
    ['ada', undefined, allowed],
    ['cleo', undefined, allowed],
    ['root', undefined, allowed],
    ['ben', undefined, refusedLine],
    ['dan', undefined, refusedLine],
    ['ada', 'cleo', allowed],
    ['ada', '@cleo', allowed],
    ['ada', '@CLEO', allowed],
    ['root', 'ada', allowed],
    ['ada', 'root', allowed],
    ['ada', 'ben', refusedLine],
    ['ben', 'ada', refusedLine],
    ['ada', 'nobody', refusedLine],
    ['root', 'dan', refusedLine],
    ['root', 'gone', refusedLine],
    ['root', 'gone@acme.test', refusedLine],
  ])('by %s for %s', async (handle, requestedBy, answer) => {
    expect(await queue(user(handle).token, { skip_line: true, requested_by: requestedBy })).toEqual(answer);
  });

  it('needs no permission if skip_line is false', async () => {
    expect(await queue(user('dan').token, { skip_line: false, requested_by: 'nobody' })).toEqual(allowed);
  });
});

it.each([
  ['ada', null, refusedValidation[1]],
  ['cleo', null, refusedValidation[1]],
  ['ben', refusedLine[1], null],
  ['dan', refusedLine[1], refusedValidation[1]],
  ['root', null, null],
])(
  'viewerCan shows %s the refusal to skip the line (%j) and to skip validation (%j)',
  async (handle, line, validation) => {
    const { data } = await s.graphql<{ repository: { pullRequest: { viewerCan: object[] } } }>(
      `query ($owner: String!, $name: String!, $number: Int!) {
       repository(owner: $owner, name: $name) { pullRequest(number: $number) { viewerCan { action sentence } } } }`,
      { owner: repository.org, name: repository.name, number: repository.number },
      user(handle).token,
    );
    const { viewerCan } = data.repository.pullRequest;
    expect(viewerCan).toContainEqual({ action: 'SKIP_LINE', sentence: line });
    expect(viewerCan).toContainEqual({ action: 'SKIP_VALIDATION', sentence: validation });
  },
);

describe('a request to skip validation', () => {
  it.each([
    ['ben', undefined, allowed],
    ['root', undefined, allowed],
    ['ada', undefined, refusedValidation],
    ['ben', 'root', allowed],
    ['ben', 'ada', refusedValidation],
    ['ada', 'ben', refusedValidation],
  ])('by %s for %s', async (handle, requestedBy, answer) => {
    expect(await queue(user(handle).token, { skip_validation: true, requested_by: requestedBy })).toEqual(answer);
  });

  it('needs another permission than skipping the line', async () => {
    expect(await queue(user('ben').token, { skip_line: true, skip_validation: true })).toEqual(refusedLine);
    expect(await queue(user('ada').token, { skip_line: true, skip_validation: true })).toEqual(refusedValidation);
  });
});

describe('permissions to skip the line', () => {
  const held = async (first = 20, after?: string) => {
    const { data } = await s.graphql<{
      repository: { permissionHolders: { nodes: unknown[]; pageInfo: { endCursor: string } } };
    }>(
      `query ($owner: String!, $name: String!, $first: Int, $after: String) { repository(owner: $owner, name: $name) {
        permissionHolders(permission: SKIP_LINE, first: $first, after: $after) {
          nodes { user { handle } source team { address } } pageInfo { endCursor } } } }`,
      { owner: repository.org, name: repository.name, first, after },
    );
    return data.repository.permissionHolders;
  };
  const holders = [
    { user: { handle: 'ada' }, source: 'TEAM', team: { address: '@acme/release' } },
    { user: { handle: 'ada' }, source: 'USER', team: null },
    { user: { handle: 'cleo' }, source: 'TEAM', team: { address: '@acme/release' } },
    { user: { handle: 'root' }, source: 'ADMIN', team: null },
    { user: { handle: null }, source: 'ADMIN', team: null },
  ];

  it('are listed with their holders and the source of each permission', async () => {
    expect((await held()).nodes).toEqual(holders);
    const paged = [];
    for (let after: string | undefined; paged.length < holders.length; ) {
      const page = await held(2, after);
      paged.push(...page.nodes);
      after = page.pageInfo.endCursor;
    }
    expect(paged).toEqual(holders);
  });

  it('are listed as grants', async () => {
    const { data } = await s.graphql(
      `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
        permissionGrants(permission: SKIP_LINE) { nodes { user { email } team { slug } grantedBy } } } }`,
      { owner: repository.org, name: repository.name },
    );
    expect(data).toEqual({
      repository: {
        permissionGrants: {
          nodes: [
            { user: { email: 'ada@acme.test' }, team: null, grantedBy: 'service@acme.test' },
            { user: null, team: { slug: 'release' }, grantedBy: 'service@acme.test' },
          ],
        },
      },
    });
  });

  it('are granted and revoked by maintainers, to one user or team', async () => {
    const maintainer = await account.add('may', { role: 'maintainer', scopes: ['config:write', 'queue:write'] });
    const repositoryName = { owner: repository.org, name: repository.name };
    const change = async (mutation: string, to: object, token = maintainer.token) => {
      const selection = mutation === 'grantPermission' ? 'grant { permission }' : 'revoked';
      const answer = await s.graphql(
        `mutation ($input: PermissionInput!) { ${mutation}(input: $input) { ${selection} } }`,
        { input: { repository: repositoryName, permission: 'SKIP_LINE', ...to } },
        token,
      );
      return answer.errors[0]?.message ?? Object.values(answer.data)[0];
    };
    const dan = { user: user('dan').id };
    expect(await change('grantPermission', dan, user('ada').token)).toBe(
      'This needs a token with the scope config:write.',
    );
    expect(await change('grantPermission', {})).toBe('input needs either user or team');
    expect(await change('grantPermission', { ...dan, team: dan.user })).toBe('input needs either user or team');
    expect(await change('grantPermission', { team: dan.user })).toBe('Team not found');
    expect(await change('grantPermission', { user: user('gone').id })).toBe('User not found');
    expect(await queue(user('dan').token, { skip_line: true })).toEqual(refusedLine);
    for (const _again of [1, 2])
      expect(await change('grantPermission', dan)).toEqual({ grant: { permission: 'SKIP_LINE' } });
    expect(await queue(user('dan').token, { skip_line: true })).toEqual(allowed);
    expect(await change('revokePermission', dan)).toEqual({ revoked: true });
    expect(await change('revokePermission', dan)).toEqual({ revoked: false });
    expect(await queue(user('dan').token, { skip_line: true })).toEqual(refusedLine);
  });

  it('are granted although the same permission is revoked at the same time', async () => {
    const here = { owner: repository.org, name: repository.name };
    await account.grant('SKIP_LINE', { user: user('dan').id }, here);
    const owner = new pg.Client({ connectionString: s.databaseUrl });
    await owner.connect();
    const waiting = async (): Promise<number> =>
      (
        await owner.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).rowCount ?? 0;
    try {
      // The lock holds the request up after it has found the permission that exists.
      await owner.query(`create function wait_here() returns trigger language plpgsql security definer as
          $$ begin perform pg_advisory_xact_lock(4711); return null; end $$;
        create trigger wait_here after insert on permission_grant for each statement execute function wait_here();
        select pg_advisory_lock(4711)`);
      const input = { repository: here, permission: 'SKIP_LINE', user: user('dan').id };
      const granted = account.run<object>('grantPermission', input, 'grant { permission createdAt }').catch(String);
      await expect.poll(waiting).toBe(1);
      let hasRevoked = false;
      const revoked = account.run<object>('revokePermission', input, 'revoked').finally(() => {
        hasRevoked = true;
      });
      await expect.poll(async () => hasRevoked || (await waiting()) === 2).toBe(true);
      await owner.query('select pg_advisory_unlock(4711)');
      expect([await granted, await revoked]).toEqual([
        { grant: { permission: 'SKIP_LINE', createdAt: expect.any(String) } },
        { revoked: true },
      ]);
    } finally {
      await owner.query('drop trigger wait_here on permission_grant; drop function wait_here');
      await owner.end();
    }
  });

  it('end with the team, with the membership, and with the user', async () => {
    const may = async (): Promise<number> => (await queue(user('dan').token, { skip_line: true }))[0];
    const here = { owner: repository.org, name: repository.name };
    const team = await account.team('passing', user('dan'));
    await account.grant('SKIP_LINE', { team }, here);
    expect(await may()).toBe(200);
    await account.run('removeTeamMember', { team, user: user('dan').id }, 'team { id }');
    expect(await may()).toBe(403);
    await account.run('addTeamMember', { team, user: user('dan').id }, 'team { id }');
    expect(await may()).toBe(200);
    await account.run('deleteTeam', { id: team }, 'team { id }');
    expect(await may()).toBe(403);
    await account.grant('SKIP_LINE', { user: user('dan').id }, here);
    await account.remove(user('dan').id);
    expect((await held()).nodes).toEqual(holders);
  });
});

describe('the membership of a team', () => {
  it("is found by the team's address and the user's handle, in any case", async () => {
    const ctx = systemContext(s.ports, s.accountId);
    const asked = [
      ['@acme/release', 'cleo', true],
      ['acme/release', '@Cleo', true],
      ['@ACME/Release', 'cleo', true],
      ['@acme/release', 'ben', false],
      ['@acme/nothing', 'cleo', false],
      ['@other/release', 'cleo', false],
      ['release', 'cleo', false],
      ['@acme/release', 'nobody', false],
    ] as const;
    for (const [team, handle, is] of asked)
      expect([team, handle, await isMemberOfTeam(ctx, { team, handle })]).toEqual([team, handle, is]);
    const other = systemContext(s.ports, (await s.otherAccount()).accountId);
    expect(await isMemberOfTeam(other, { team: '@acme/release', handle: 'cleo' })).toBe(false);
  });
});
