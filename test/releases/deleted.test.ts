// After the deletion of its repository, nothing begins in a release project, and what has begun can end.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { environmentOf, type TestEnvironment } from './environment.ts';

let s: TestServer;
let at: TestEnvironment;
const environment = { project: 'Shop', environment: 'production' };
const repository = { owner: 'acme', name: 'shop' };
const globalId = (type: string, id: string | undefined): string => Buffer.from(`${type}:${id}`).toString('base64url');
const refusal = 'The repository acme/shop was deleted';

async function mutate(name: string, input: object, selection = '__typename'): Promise<unknown> {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const { data, errors } = await s.graphql<Record<string, unknown>>(
    `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`,
    { input },
  );
  return errors[0]?.message ?? data[name];
}

beforeAll(async () => {
  s = await startServer();
  at = await environmentOf(s, 'Shop');
  for (const version of ['v1-rc1', 'v2-rc1', 'v3-rc1']) await at.candidate(version);
  await mutate('updateEnvironment', { ...environment, freezeAfterRollback: true });
  await at.report('v1-rc1', 'success');
  await at.report('v2-rc1', 'success');
  await at.rollBack();
  await at.report('v1-rc1', 'failure');
  await mutate('setRepositoryActive', { repository, active: false });
  await mutate('deleteRepository', { repository });
});
afterAll(async () => await s.close());

it.each([
  ['a deployment', async () => (await at.deploy('v2-rc1')).error],
  ['a report of a deployment that Interlock does not know', async () => (await at.report('v3-rc1', 'success')).error],
  ['a rollback', async () => (await at.rollBack()).error],
  ['a freeze', async () => await mutate('freezeEnvironment', environment)],
  [
    'a schedule of freezes',
    async () =>
      await mutate('createFreezeSchedule', {
        environment,
        schedule: { cronStart: '0 18 * * 5', cronEnd: '0 8 * * 1', timezone: 'UTC' },
      }),
  ],
  [
    'another environment',
    async () => await mutate('createEnvironment', { project: 'Shop', name: 'staging', provider: { kind: 'NONE' } }),
  ],
  [
    'a change of the environment, with a secret that would be kept',
    async () =>
      await mutate('updateEnvironment', {
        ...environment,
        provider: { kind: 'HTTP', url: 'https://cd.example.test', secret: 'a secret of sixteen' },
      }),
  ],
  [
    'a change of the project',
    async () =>
      await mutate('updateReleaseProject', {
        project: 'Shop',
        build: { kind: 'HTTP', url: 'https://ci.example.test', secret: 'a secret of sixteen' },
      }),
  ],
])('refuses %s', async (_what, change) => {
  expect(await change()).toBe(refusal);
});

it('is deleted', async () => {
  expect(await s.rows('select 1 from repository where deleted_at is not null')).toHaveLength(1);
});

it('keeps no secret of a provider', async () => {
  expect(
    await s.rows(
      `select 1 from environment where provider_secret is not null
       union all select 1 from release_project where build_secret is not null`,
    ),
  ).toEqual([]);
});

it('accepts a report about a known deployment, because it says what happened; the success of a rollback freezes nothing', async () => {
  expect(await at.report('v1-rc1', 'success')).toMatchObject({ status: 'success' });
  expect(await at.line()).toContain('v1-rc1 success');
  expect(await s.rows('select 1 from freeze_rule')).toEqual([]);
  expect(await s.rows('select 1 from environment where next_freeze_change_at is not null')).toEqual([]);
});

it('lets a user cancel a deployment that a report has opened again', async () => {
  expect(await at.report('v2-rc1', 'in_progress')).toMatchObject({ status: 'in_progress' });
  const [row] = await s.rows<{ id: string }>("select id from deployment where status = 'in_progress'");
  expect(await mutate('cancelDeployment', { id: globalId('Deployment', row?.id) }, 'deployment { status }')).toEqual({
    deployment: { status: 'CANCELED' },
  });
});

it('lets a user end a freeze that an older process has left', async () => {
  await at.freeze();
  const [row] = await s.rows<{ id: string }>('select max(id)::text as id from freeze_rule');
  expect(await mutate('deleteFreeze', { id: globalId('Freeze', row?.id) }, 'freeze { source }')).toEqual({
    freeze: { source: 'MANUAL' },
  });
  await at.freeze();
  expect(await mutate('unfreezeEnvironment', environment, 'deleted environment { frozen { reason } }')).toEqual({
    deleted: 1,
    environment: { frozen: null },
  });
});
