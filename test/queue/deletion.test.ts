// A repository is deleted: its contents are removed, its history stays, and its name is free.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOf, type AccountVerbs } from '../accounts/account.ts';
import { removeDeletedRepositories } from '../../src/modules/repositories/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { prepareRepository, pushBranches } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

const repository = { owner: 'acme', name: 'web' };
const production = { project: 'Web', environment: 'production' };
const byName = '{ repository(owner: "acme", name: "web") { id deletedAt pullRequests { nodes { number } } } }';

let s: TestServer;
let account: AccountVerbs;
let other: { readonly url: string };
let id: string;
let number: number;

beforeAll(async () => {
  s = await startServer();
  account = accountOf(s);
  other = await s.another();
  ({ number } = await prepareRepository(s));
  const [row] = await s.rows<{ id: string }>("select id from repository where name = 'web'");
  id = row?.id ?? '';
  await account.run('createReleaseProject', { name: 'Web', repository }, 'releaseProject { name }');
  const provider = { kind: 'HTTP', url: 'https://cd.example.test', secret: 'a secret of sixteen' };
  await account.run('createEnvironment', { project: 'Web', name: 'production', provider }, 'environment { id }');
  const endsAt = new Date(Date.now() + 3_600_000).toISOString();
  await account.run('freezeEnvironment', { ...production, endsAt }, 'freeze { id }');
  const schedule = { cronStart: '0 18 * * 5', cronEnd: '0 8 * * 1', timezone: 'Europe/Berlin' };
  await account.run('createFreezeSchedule', { environment: production, schedule }, 'freeze { id }');
  await account.run('setPreviewSecret', { key: 'KEY', value: 'secret' }, 'previewSecret { key }');
  await account.run('grantPreviewSecret', { key: 'KEY', repository }, 'previewSecret { key }');
  await account.run('createSlackDestination', { kind: 'PEOPLE', repository }, 'slackDestination { id }');
  await account.run('queuePullRequest', { repository, number, skipValidation: true }, 'pullRequest { number }');
  await s.drain();
});
afterAll(async () => await s.close());

async function there<Data>(query: string): Promise<Data> {
  const response = await fetch(`${other.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${s.token}` },
    body: JSON.stringify({ query }),
  });
  return ((await response.json()) as { data: Data }).data;
}

async function remove(token = s.token): Promise<readonly { readonly message: string; readonly extensions: object }[]> {
  const { errors } = await s.graphql(
    'mutation { deleteRepository(input: {repository: {owner: "acme", name: "web"}}) { repository { id deletedAt } } }',
    {},
    token,
  );
  return errors;
}

const setActive = async (active: boolean): Promise<unknown> =>
  await account.run('setRepositoryActive', { repository, active }, 'repository { active }');
const folder = (): string => s.service.localHost.installation.directoryOf({ accountId: s.accountId, id });

describe('deleteRepository', () => {
  it('refuses a repository that is active or has a running check, and says what to do', async () => {
    expect(await remove()).toMatchObject([
      {
        message:
          'The repository acme/web is active: deactivate it by setRepositoryActive with active: false, then delete it',
        extensions: { code: 'CONFLICT', field: 'input.repository' },
      },
    ]);
    await setActive(false);
    // A runner claims a check in this way.
    const [check] = await s.rows<{ id: string }>(
      `update local_check_run set state = 'running' where id = (select min(id) from local_check_run where repository_id = $1)
       returning id`,
      [id],
    );
    expect(await remove()).toMatchObject([
      {
        message: 'The repository acme/web has 1 check under way: cancel them or wait for their end, then delete it',
        extensions: { code: 'CONFLICT', field: 'input.repository' },
      },
    ]);
    await s.rows("update local_check_run set state = 'completed' where id = $1", [check?.id]);
    expect(existsSync(folder())).toBe(true);
  });

  it('removes the contents of the repository, keeps its history by its id, and frees its name in every process', async () => {
    const before = await there<{ repository: { id: string } }>(byName);
    expect(before.repository).toMatchObject({ deletedAt: null });
    // The audit log records this deletion, because a user makes it.
    expect(await remove(await s.tokenWith(['admin', 'queue:read']))).toEqual([]);
    await expect.poll(async () => await there(byName)).toEqual({ repository: null });
    expect((await s.graphql(byName)).data).toEqual({ repository: null });
    expect((await readdir(join(folder(), '..'))).filter((each) => each.startsWith(`${id}.git`))).toEqual([]);
    for (const rows of [
      'local_pull_request where repository_id = $1',
      'local_check_run where repository_id = $1',
      'local_repository where repository_id = $1',
      'preview_secret_grant where repository_id = $1',
      'slack_destination where repository_id = $1',
      'repository where removed_at is null and id = $1',
      'environment where provider_secret is not null and $1 <> 0',
      'environment where next_freeze_change_at is not null and $1 <> 0',
      'freeze_rule where deleted_at is null and $1 <> 0',
    ])
      expect([rows, await s.rows(`select 1 from ${rows}`, [id])]).toEqual([rows, []]);
    // Readers see an event only when it has a position.
    await expect.poll(async () => await s.rows('select 1 from event where position is null')).toEqual([]);
    const { data } = await s.graphql<{ node: unknown; auditLog: { nodes: { action: string }[] } }>(
      `query ($id: ID!) {
        node(id: $id) { ... on Repository { owner name deletedAt events { nodes { action } }
          pullRequests { nodes { number status } } } }
        auditLog(first: 1) { nodes { action target } }
      }`,
      { id: before.repository.id },
    );
    expect(data.node).toMatchObject({
      ...repository,
      deletedAt: expect.any(String),
      events: { nodes: expect.arrayContaining([{ action: 'repository_deleted' }, { action: 'merged' }]) },
      pullRequests: { nodes: [{ number, status: 'MERGED' }] },
    });
    expect(data.auditLog.nodes).toEqual([{ action: 'repository_deleted', target: 'acme/web' }]);
    expect(await remove()).toMatchObject([{ message: 'Repository not found' }]);
  });

  it('lets a new repository have the name, with nothing of the old one', async () => {
    await account.run('createRepository', { ...repository, host: 'LOCAL' }, 'repository { id }');
    await pushBranches(s, repository, ['topic']);
    for (const read of [there, async () => (await s.graphql(byName)).data])
      expect(await read(byName)).toMatchObject({ repository: { pullRequests: { nodes: [] } } });
    const rolledBack =
      'mutation { rollBackEnvironment(input: {project: "Web", environment: "production"}) { __typename } }';
    expect((await s.graphql(rolledBack)).errors).toMatchObject([{ message: 'The repository acme/web was deleted' }]);
    const freeze = 'mutation ($input: FreezeEnvironmentInput!) { freezeEnvironment(input: $input) { __typename } }';
    expect((await s.graphql(freeze, { input: production })).errors).toMatchObject([
      { message: 'The repository acme/web was deleted' },
    ]);
  });

  it('lets a new release project have the name of its project, whose history stays under another name', async () => {
    const [former] = await s.rows<{ id: string }>("select id from release_project where name = 'Web'");
    const { releaseProject } = await account.run<{ releaseProject: object }>(
      'createReleaseProject',
      { name: 'Web', repository },
      'releaseProject { name repository { deletedAt } environments { name } }',
    );
    expect(releaseProject).toEqual({ name: 'Web', repository: { deletedAt: null }, environments: [] });
    const { data } = await s.graphql(
      '{ releaseProjects { nodes { name repository { deletedAt } environments { name } } } }',
    );
    expect(data).toEqual({
      releaseProjects: {
        nodes: [
          { name: 'Web', repository: { deletedAt: null }, environments: [] },
          {
            name: `Web (deleted ${former?.id})`,
            repository: { deletedAt: expect.any(String) },
            environments: [{ name: 'production' }],
          },
        ],
      },
    });
    const again =
      'mutation ($input: CreateReleaseProjectInput!) { createReleaseProject(input: $input) { __typename } }';
    expect((await s.graphql(again, { input: { name: 'Web', repository } })).errors).toMatchObject([
      { message: 'A release project Web already exists.' },
    ]);
  });

  it.each(['repository:deleted', 'repository:removed_from_host'])(
    'is finished later if it is cut off at %s',
    async (place) => {
      await setActive(false);
      const [row] = await s.rows<{ id: string }>("select id from repository where name = 'web' and deleted_at is null");
      id = row?.id ?? '';
      const present = 'select 1 from repository where id = $1 and removed_at is null';
      const cutOff = onFailpoint(place, async () => {
        throw new Error('The process ends.');
      });
      expect(await remove()).toEqual([]);
      cutOff();
      expect(await s.rows(present, [id])).toHaveLength(1);
      // An older process, which ends no freezes, deleted the repository.
      await s.rows(
        "update freeze_rule set deleted_at = null, environment_id = null, repository_id = $1, base_branches = 'main' where id = (select min(id) from freeze_rule)",
        [id],
      );
      await removeDeletedRepositories(s.ports);
      await removeDeletedRepositories(s.ports);
      expect(await s.rows(present, [id])).toEqual([]);
      expect(await s.rows('select 1 from freeze_rule where deleted_at is null')).toEqual([]);
      expect(existsSync(folder())).toBe(false);
      await account.run('createRepository', { ...repository, host: 'LOCAL' }, 'repository { id }');
    },
  );
});
