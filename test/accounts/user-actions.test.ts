// Actions of users in the dashboard leave entries in the audit log (interface 2.10, 4.7).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopes } from '../../src/context.ts';
import { prepareRepository, type PreparedRepository } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { accountOf, type AccountVerbs } from './account.ts';

let s: TestServer;
let account: AccountVerbs;
let repository: PreparedRepository;
let ada: string;

beforeAll(async () => {
  s = await startServer();
  repository = await prepareRepository(s);
  account = accountOf(s);
  ada = (await account.add('ada', { role: 'admin', scopes })).token;
});
afterAll(async () => await s.close());

type Entry = readonly [action: string, entity: string, target: string | null];

/** The entries since the last call, the oldest first. */
let seen = '0';
async function newEntries(): Promise<Entry[]> {
  const rows = await s.rows<{ id: string; action: string; actor: string; entity: string; target: string | null }>(
    'select id, action, actor, entity, target from user_action where account_id = $1 and id > $2 order by id',
    [s.accountId, seen],
  );
  seen = rows.at(-1)?.id ?? seen;
  expect(rows.every(({ actor }) => actor === 'ada@acme.test')).toBe(true);
  return rows.map(({ action, entity, target }) => [action, entity, target]);
}

describe('a user of the dashboard', () => {
  it('leaves an entry with each change of users, teams and tokens, and none if nothing changed', async () => {
    const run = async <Payload>(mutation: string, input: unknown, selection: string): Promise<Payload> =>
      await account.run<Payload>(mutation, input, selection, ada);
    const added = await run<{ user: { id: string } }>('addUser', { email: 'ben@acme.test' }, 'user { id }');
    const user = added.user.id;
    for (const _again of [1, 2])
      await run('updateUser', { id: user, role: 'MAINTAINER', handle: 'ben' }, 'user { id }');
    const { team } = await run<{ team: { id: string } }>('createTeam', { org: 'acme', slug: 'core' }, 'team { id }');
    for (const _again of [1, 2]) await run('addTeamMember', { team: team.id, user }, 'team { id }');
    await run('updateTeam', { id: team.id, slug: 'kernel' }, 'team { id }');
    expect(await newEntries()).toEqual([
      ['user_added', 'user', 'ben@acme.test'],
      ['user_role_changed', 'user', 'ben@acme.test'],
      ['user_handle_changed', 'user', 'ben@acme.test'],
      ['team_created', 'user', '@acme/core'],
      ['team_member_added', 'user', '@acme/core: ben@acme.test'],
      ['team_updated', 'user', '@acme/kernel'],
    ]);

    const where = { owner: repository.org, name: repository.name };
    for (const permission of ['SKIP_LINE', 'SKIP_VALIDATION']) {
      await run('grantPermission', { repository: where, permission, team: team.id }, 'grant { permission }');
      await run('grantPermission', { repository: where, permission, team: team.id }, 'grant { permission }');
      await run('revokePermission', { repository: where, permission, team: team.id }, 'revoked');
      await run('revokePermission', { repository: where, permission, team: team.id }, 'revoked');
    }
    await run('removeTeamMember', { team: team.id, user }, 'team { id }');
    await run('deleteTeam', { id: team.id }, 'team { id }');
    expect(await newEntries()).toEqual([
      ['skip_line_granted', 'repository', 'acme/web: @acme/kernel'],
      ['skip_line_revoked', 'repository', 'acme/web: @acme/kernel'],
      ['skip_validation_granted', 'repository', 'acme/web: @acme/kernel'],
      ['skip_validation_revoked', 'repository', 'acme/web: @acme/kernel'],
      ['team_member_removed', 'user', '@acme/kernel: ben@acme.test'],
      ['team_deleted', 'user', '@acme/kernel'],
    ]);

    const token = { name: 'T', scopes: ['QUEUE_READ'] };
    const made = await run<{ apiToken: { id: string } }>('createApiToken', { ...token, user }, 'apiToken { id }');
    await run('revokeApiToken', { id: made.apiToken.id }, 'apiToken { id }');
    const ci = await run<{ apiToken: { id: string } }>(
      'createApiToken',
      { ...token, kind: 'ACCOUNT' },
      'apiToken { id }',
    );
    for (const _again of [1, 2]) await run('revokeApiToken', { id: ci.apiToken.id }, 'apiToken { id }');
    for (const _again of [1, 2]) await run('removeUser', { id: user }, 'user { id }');
    expect(await newEntries()).toEqual([
      ['user_token_created', 'user', 'ben@acme.test'],
      ['user_token_revoked', 'user', 'ben@acme.test'],
      ['account_token_created', 'account', null],
      ['account_token_revoked', 'account', null],
      ['user_removed', 'user', 'ben@acme.test'],
    ]);
  });

  it('leaves an entry with each change of a queue', async () => {
    const where = { owner: repository.org, name: repository.name };
    const one = { repository: where, number: repository.number };
    const run = async (mutation: string, input: unknown, selection: string): Promise<unknown> =>
      await account.run(mutation, input, selection, ada);
    await run('createRepository', { owner: 'acme', name: 'new', host: 'LOCAL' }, 'repository { id }');
    for (const paused of [true, true, false])
      await run('pauseRepository', { repository: where, paused }, 'repository { id }');
    const yaml = 'merge_rules: {labels: {trigger: go}}';
    for (const _again of [1, 2])
      await run('replaceConfiguration', { repository: where, yaml }, 'outcome { __typename }');
    const branch = { repository: where, baseBranch: 'main' };
    await run('haltQueue', { ...branch, reason: 'Test' }, 'queue { id }');
    // Once, a misspelt branch got a queue, and nothing was halted.
    for (const mutation of ['haltQueue', 'resumeQueue'])
      await expect(
        run(
          mutation,
          { ...branch, baseBranch: 'mian', ...(mutation === 'haltQueue' && { reason: 'Test' }) },
          'queue { id }',
        ),
      ).rejects.toThrow('Base branch not found');
    expect(await s.rows("select 1 from queue where base_branch = 'mian'")).toEqual([]);
    for (const _again of [1, 2])
      await run('updatePullRequest', { ...one, affectedTargets: ['a'] }, 'pullRequest { id }');
    const mergeCommitMessage = { title: 'A' };
    for (const _again of [1, 2]) await run('updatePullRequest', { ...one, mergeCommitMessage }, 'pullRequest { id }');
    await run('queuePullRequest', one, 'pullRequest { id }');
    for (const _again of [1, 2]) await run('queuePullRequest', { ...one, skipLine: true }, 'pullRequest { id }');
    for (const _again of [1, 2]) await run('dequeuePullRequest', one, 'pullRequest { id }');
    await run('queuePullRequest', { ...one, skipLine: true, skipValidation: true }, 'pullRequest { id }');
    await run('dequeuePullRequest', one, 'pullRequest { id }');
    for (const _again of [1, 2]) await run('closePullRequest', one, 'pullRequest { status }');
    for (const _again of [1, 2]) await run('reopenPullRequest', one, 'pullRequest { status }');
    for (const active of [false, false, true])
      await run('setRepositoryActive', { repository: where, active }, 'repository { active }');
    for (const _again of [1, 2]) await run('resumeQueue', branch, 'queue { id }');
    expect(await newEntries()).toEqual([
      ['repository_created', 'repository', 'acme/new'],
      ['repository_paused', 'repository', 'acme/web'],
      ['repository_unpaused', 'repository', 'acme/web'],
      ['queue_config_changed', 'merge_queue', 'acme/web'],
      ['queue_halted', 'merge_queue', 'acme/web:main'],
      ['pull_request_updated', 'merge_queue', 'acme/web#1'],
      ['pull_request_updated', 'merge_queue', 'acme/web#1'],
      ['pull_request_queued', 'merge_queue', 'acme/web#1'],
      ['pull_request_skip_line', 'merge_queue', 'acme/web#1'],
      ['pull_request_dequeued', 'merge_queue', 'acme/web#1'],
      ['pull_request_queued', 'merge_queue', 'acme/web#1'],
      ['pull_request_skip_line', 'merge_queue', 'acme/web#1'],
      ['pull_request_skip_validation', 'merge_queue', 'acme/web#1'],
      ['pull_request_dequeued', 'merge_queue', 'acme/web#1'],
      ['pull_request_closed', 'merge_queue', 'acme/web#1'],
      ['pull_request_reopened', 'merge_queue', 'acme/web#1'],
      ['repository_deactivated', 'repository', 'acme/web'],
      ['repository_activated', 'repository', 'acme/web'],
      ['queue_resumed', 'merge_queue', 'acme/web:main'],
    ]);
  });

  it('leaves an entry with each change of base branches, webhooks and the account', async () => {
    const where = { owner: repository.org, name: repository.name };
    const run = async <Payload>(mutation: string, input: unknown, selection: string): Promise<Payload> =>
      await account.run<Payload>(mutation, input, selection, ada);
    for (const paused of [true, false])
      await run('pauseBranches', { repository: where, pattern: 'release/*', paused }, 'branchPause { pattern }');
    for (const _again of [1, 2])
      await run('setAccountTimezone', { timezone: 'Asia/Kathmandu' }, 'account { timezone }');
    expect(await newEntries()).toEqual([
      ['branches_paused', 'repository', 'acme/web:release/*'],
      ['branches_unpaused', 'repository', 'acme/web:release/*'],
      ['account_timezone_changed', 'account', null],
    ]);
    const { webhookEndpoint } = await run<{ webhookEndpoint: { id: string } }>(
      'createWebhookEndpoint',
      { url: 'https://hooks.example.test/?secret=hush', actions: ['*'] },
      'webhookEndpoint { id }',
    );
    const endpoint = { id: webhookEndpoint.id };
    for (const _again of [1, 2])
      await run('updateWebhookEndpoint', { ...endpoint, actions: ['merged'] }, 'webhookEndpoint { id }');
    const { webhookDelivery } = await run<{ webhookDelivery: { id: string } }>(
      'pingWebhookEndpoint',
      endpoint,
      'webhookDelivery { id }',
    );
    await run('redeliverWebhook', { id: webhookDelivery.id }, 'webhookDelivery { id }');
    const { secret } = await run<{ secret: string }>('rotateWebhookEndpointSecret', endpoint, 'secret');
    for (const mutation of ['removeWebhookEndpointSecret', 'disableWebhookEndpoint', 'enableWebhookEndpoint'])
      for (const _again of [1, 2]) await run(mutation, endpoint, 'webhookEndpoint { id }');
    await run('deleteWebhookEndpoint', endpoint, 'deletedId');
    const next = await run<{ apiToken: { id: string }; token: string }>(
      'createApiToken',
      { name: 'Next', kind: 'ACCOUNT', scopes: ['QUEUE_READ'] },
      'apiToken { id } token',
    );
    await run('rotateWebhookSigning', { token: next.apiToken.id }, 'webhookSigning { promoteAt }');
    await run('promoteWebhookSigning', { token: next.apiToken.id }, 'webhookSigning { promoteAt }');
    const entries = await newEntries();
    expect(entries.map(([action]) => action)).toEqual([
      'webhook_endpoint_created',
      'webhook_endpoint_updated',
      'webhook_endpoint_pinged',
      'webhook_redelivered',
      'webhook_endpoint_secret_rotated',
      'webhook_endpoint_secret_removed',
      'webhook_endpoint_disabled',
      'webhook_endpoint_enabled',
      'webhook_endpoint_deleted',
      'account_token_created',
      'webhook_signing_rotated',
      'webhook_signing_promoted',
    ]);
    expect(new Set(entries.map(([, , target]) => target))).toEqual(new Set([null]));
    // No entry contains a signing key, or an address, which may contain a secret.
    const [kept] = await s.rows<{ text: string }>(
      `select coalesce((select string_agg(to_jsonb(e)::text, '') from event e), '') ||
              coalesce((select string_agg(to_jsonb(a)::text, '') from user_action a), '') as text`,
    );
    for (const hidden of [secret, next.token, 'hush']) expect(kept?.text).not.toContain(hidden);
  });

  it('leaves no entry if the action is refused, over REST, or with a token of the account', async () => {
    const where = { owner: repository.org, name: repository.name };
    const refused = await s.graphql('mutation { addUser(input: {email: "ada@acme.test"}) { user { id } } }', {}, ada);
    expect(refused.errors).toHaveLength(1);
    await account.run('pauseRepository', { repository: where, paused: true }, 'repository { id }');
    await s.rest('POST', '/api/v1/repo', { body: { org: where.owner, name: where.name, paused: false }, token: ada });
    expect(await newEntries()).toEqual([]);
  });
});

describe('the audit log', () => {
  const list = async (query: string, token?: string): Promise<{ status: number; body: unknown; names: string[] }> => {
    const response = await s.rest('GET', `/api/v1/user_actions${query}`, token === undefined ? {} : { token });
    const body = (await response.json()) as { action: string }[];
    return { status: response.status, body, names: Array.isArray(body) ? body.map(({ action }) => action) : [] };
  };

  beforeAll(async () => {
    await s.rows('delete from user_action where account_id = $1', [s.accountId]);
    // Every third of the 120 entries is about a release. REST does not list such entries.
    await s.rows(
      `insert into user_action (account_id, action, actor, entity, target, at)
       select $1, 'act_' || n, 'ada@acme.test', case n % 3 when 0 then 'release' when 1 then 'merge_queue' else 'account' end,
         case when n % 3 < 2 then 'acme/web' end, timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute'
       from generate_series(1, 120) n`,
      [s.accountId],
    );
  });

  it('is listed in pages of fifty, the newest first', async () => {
    const pages = [await list(''), await list('?page=2'), await list('?page=3')];
    expect(pages.map(({ names }) => names.length)).toEqual([50, 30, 0]);
    const known = Array.from({ length: 120 }, (_, at) => 120 - at).filter((n) => n % 3 !== 0);
    expect(pages.flatMap(({ names }) => names)).toEqual(known.map((n) => `act_${n}`));
    expect((pages[0]?.body as unknown[] | undefined)?.slice(0, 2)).toEqual([
      {
        action: 'act_119',
        actor: 'ada@acme.test',
        entity: 'account',
        target: null,
        timestamp: '2026-01-01T01:59:00.000Z',
      },
      {
        action: 'act_118',
        actor: 'ada@acme.test',
        entity: 'merge_queue',
        target: 'acme/web',
        timestamp: '2026-01-01T01:58:00.000Z',
      },
    ]);
  });

  it('can be filtered by entity and action', async () => {
    expect((await list('?entity=account&page=1')).names).toHaveLength(40);
    expect((await list('?action=act_7')).names).toEqual(['act_7']);
    expect((await list('?entity=account&action=act_7')).names).toEqual([]);
    expect((await list('?action=act_3')).names).toEqual([]);
    expect(await list('?entity=nobody')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('entity must be one of user, merge_queue') },
    });
  });

  it('is read by cursor or by page, not by both, and has all entries over GraphQL', async () => {
    const ask = async (field: string, args: string) =>
      await s.graphql<
        Record<string, { nodes: { action: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } }>
      >(`{ ${field}(${args}) { nodes { action entity } pageInfo { hasNextPage endCursor } } }`);
    const first = (await ask('userActions', 'first: 3')).data['userActions'];
    expect(first?.nodes.map(({ action }) => action)).toEqual(['act_119', 'act_118', 'act_116']);
    // An entry that is added in between does not move the cursor.
    await s.rows(
      `insert into user_action (account_id, action, actor, entity, at) values ($1, 'late', 'ada@acme.test', 'account', now())`,
      [s.accountId],
    );
    const next = await ask('userActions', `first: 3, after: "${first?.pageInfo.endCursor}"`);
    expect(next.data['userActions']?.nodes.map(({ action }) => action)).toEqual(['act_115', 'act_113', 'act_112']);
    const both = await ask('userActions', `page: 2, after: "${first?.pageInfo.endCursor}"`);
    expect(both.errors).toMatchObject([{ message: 'page and after exclude each other' }]);
    const all = (await ask('auditLog', 'first: 4')).data['auditLog'];
    expect(all?.nodes).toEqual([
      { action: 'late', entity: 'ACCOUNT' },
      { action: 'act_120', entity: 'RELEASE' },
      { action: 'act_119', entity: 'ACCOUNT' },
      { action: 'act_118', entity: 'MERGE_QUEUE' },
    ]);
    const releases = (await ask('auditLog', 'first: 2, entity: RELEASE, action: "act_6"')).data['auditLog'];
    expect(releases?.nodes).toEqual([{ action: 'act_6', entity: 'RELEASE' }]);
  });

  it("shows only the entries of one's own account", async () => {
    const other = await s.otherAccount();
    expect(await list('', other.token)).toMatchObject({ status: 200, body: [] });
  });

  it('names the scope and the plan that it needs', async () => {
    const { token } = await account.add('cleo', { role: 'admin', scopes: ['queue:read', 'admin'] });
    expect(await list('', token)).toMatchObject({
      status: 403,
      body: { error: 'This needs a token with the scope audit:read.' },
    });
    for (const plan of ['pro', 'community']) {
      await s.rows('update account set plan = $2 where id = $1', [s.accountId, plan]);
      const refusal = `This needs the Enterprise plan; the account is on the plan ${plan}.`;
      expect(await list('')).toMatchObject({ status: 403, body: { error: refusal } });
      const answers = await Promise.all(
        ['userActions', 'auditLog'].map(async (field) => await s.graphql(`{ ${field} { nodes { action } } }`)),
      );
      expect(answers.map(({ errors }) => errors[0]?.message)).toEqual([refusal, refusal]);
    }
    await s.rows("update account set plan = 'enterprise' where id = $1", [s.accountId]);
    expect((await list('')).status).toBe(200);
  });
});
