// Logs of deployments and ended freezes are deleted after some time, and rows that may still matter are kept.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploymentLogForgetting, freezeForgetting } from '../../src/modules/releases/index.ts';
import { seed } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seedRelease, type ReleaseRows } from './release-rows.ts';
import { forget } from '../support/forget.ts';

let s: TestServer;
let rows: ReleaseRows;
let repositoryId: string;
beforeAll(async () => {
  s = await startServer();
  const seeded = await seed(s);
  ({ repositoryId } = seeded);
  rows = await seedRelease(s, seeded);
});
afterAll(async () => await s.close());

it('logs of deployments are kept for 90 days, however many pieces they have', async () => {
  const add = async (status: string, daysAgo: number, pieces = 1): Promise<unknown> =>
    await s.rows(
      `with made as (
         insert into deployment (account_id, environment_id, candidate_id, kind, status, actor, created_at, status_at, deploy_end_at)
         select $1, $2, $3, 'forward', $4, 'ada', at, at, case when $4 in ('unknown', 'in_progress') then null else at end
         from (select now() - make_interval(days => $5) as at) as past returning account_id, id, status_at)
       insert into deployment_log (account_id, deployment_id, text, at)
       select account_id, id, $4 || ' ' || $5, status_at from made, generate_series(1, $6)`,
      [s.accountId, rows.environmentId, rows.candidateId, status, daysAgo, pieces],
    );
  await add('success', 91, 5_001);
  await add('unknown', 91);
  await add('in_progress', 91);
  await add('failure', 89);
  expect(await forget(s.ports.db, deploymentLogForgetting)).toBe(5_003);
  expect(await s.rows('select text from deployment_log order by id')).toEqual([{ text: 'failure 89' }]);
  expect(await s.rows("select status from deployment where status = 'success'")).toHaveLength(1);
});

it('logs of builds are kept for 90 days', async () => {
  const add = async (version: string, status: string, daysAgo: number): Promise<unknown> =>
    await s.rows(
      `with made as (
         insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at, ended_at)
         select account_id, project_id, release_id, $3, 1000 + $5, commit, repository_id, $4, 'ada', at, case when $4 = 'building' then null else at end
         from release_candidate, (select now() - make_interval(days => $5) as at) as past where account_id = $1 and id = $2
         returning account_id, id, created_at)
       insert into deployment_log (account_id, candidate_id, text, at) select account_id, id, $3, created_at from made`,
      [s.accountId, rows.candidateId, version, status, daysAgo],
    );
  await add('old-rc1', 'ready', 91);
  await add('old-rc2', 'building', 92);
  await add('old-rc3', 'failed', 89);
  expect(await forget(s.ports.db, deploymentLogForgetting)).toBe(2);
  expect(await s.rows('select text from deployment_log where candidate_id is not null order by id')).toEqual([
    { text: 'old-rc3' },
  ]);
});

it('freezes are kept until 400 days after their end, and freezes without an end for ever', async () => {
  const add = async (reason: string, ended: { deleted?: number; ends?: number }): Promise<unknown> =>
    await s.rows(
      `insert into freeze_rule (account_id, repository_id, base_branches, source, reason, starts_at, ends_at, created_by, created_at, deleted_at)
       select $1, $2, $3, 'manual', $3, now() - interval '500 days', now() - make_interval(days => $4), 'ada',
         now() - interval '500 days', now() - make_interval(days => $5)`,
      [s.accountId, repositoryId, reason, ended.ends ?? null, ended.deleted ?? null],
    );
  await add('ended long ago', { deleted: 401 });
  await add('over long ago', { ends: 401 });
  await add('ended', { deleted: 399 });
  await add('over', { ends: 399 });
  await add('holds', {});
  expect(await forget(s.ports.db, freezeForgetting)).toBe(2);
  expect(
    (await s.rows<{ reason: string }>('select reason from freeze_rule order by id')).map((row) => row.reason),
  ).toEqual(['ended', 'over', 'holds']);
});
