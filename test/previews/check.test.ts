import { afterEach, expect, test } from 'vitest';
import { recordChecks } from '../../src/modules/queue/facts/build.records.ts';
import { parallel, serial } from '../support/world.ts';
import { endpoint, skillPath, verificationWorld, type VerificationWorld } from './verification-world.ts';

let w: VerificationWorld;
afterEach(async () => await w[Symbol.asyncDispose]());

const feature = { 'feature.txt': 'new\n' };
const required = 'preconditions:\n  required_checks: [interlock/verify]\n';
const inLine = `${required}  use_github_mergeability: true\n`;

async function statusOf(number: number): Promise<string> {
  return (await w.status(number)).status;
}

test('a pull request waits for a required verification and then lands; the bot pull request needs no verification', async () => {
  w = await verificationWorld();
  await w.verify(endpoint, parallel({ more: '' }) + inLine);
  const number = await w.open('feature', feature);
  await w.commit('main', { 'other.txt': 'so that its head is behind\n' });
  await w.comesTo(number, 'waiting');
  await w.queue(number);
  // The build of the pull request is green long before its preview is registered.
  await w.until(
    async () =>
      (await statusOf(number)) === 'tagged' &&
      (await w.rows('select 1 from build b join batch t on t.tested_commit = b.commit where b.finished_at is not null'))
        .length > 0,
  );

  await w.register(number, await w.app((_, response) => response.end()));
  await w.settled(number);
  expect(await statusOf(number)).toBe('merged');
  expect(await w.rows("select distinct commit from check_result where name = 'interlock/verify'")).toHaveLength(1);
});

test('with check_mergeability_to_queue a pull request is pending until it is verified', async () => {
  w = await verificationWorld();
  await w.verify(endpoint, `${parallel({ more: 'check_mergeability_to_queue: true\n' })}${required}`);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  await w.queue(number);
  expect(await statusOf(number)).toBe('pending');
  await w.register(number, await w.app((_, response) => response.end()));
  await w.settled(number);
  expect(await statusOf(number)).toBe('merged');
});

test('a failed verification blocks a pull request by the name of its check; a later run that passes lets it in', async () => {
  w = await verificationWorld();
  await w.verify(endpoint, `${parallel()}preconditions:\n  required_checks: ['interlock/*']\n`);
  const number = await w.open('feature', { ...feature, [skillPath]: '## Home\n\n- `GET /`\n' });
  await w.comesTo(number, 'waiting');
  let status = 500;
  await w.register(number, await w.app((_, response) => response.writeHead(status).end()));
  await w.comesTo(number, 'failed');
  await w.until(
    async () =>
      (await w.rows("select 1 from check_result where name = 'interlock/verify' and conclusion = 'failure'")).length >
      0,
  );
  await w.queue(number);
  expect(await w.status(number)).toMatchObject({
    status: 'blocked',
    status_code: 107,
    status_text: expect.stringContaining('interlock/verify'),
  });

  status = 200;
  const { verifyPullRequest } = await import('../../src/modules/previews/verifications/verifications.service.ts');
  await verifyPullRequest(w.ctx, { repository: w.repository, number });
  await w.comesTo(number, 'passed', 2);
  await w.queue(number);
  await w.settled(number);
  expect(await statusOf(number)).toBe('merged');
});

test('if a preview is registered after the code analysis passed, the run of the preview decides', async () => {
  w = await verificationWorld();
  await w.verify(endpoint, parallel({ more: '' }) + inLine);
  const number = await w.open('feature', feature);
  await w.commit('main', { 'other.txt': 'so that its head is behind\n' });
  await w.comesTo(number, 'waiting');
  w.pass(1_801_000);
  await w.comesTo(number, 'passed');
  const said = async (): Promise<unknown[]> =>
    await w.rows("select attempt, conclusion from check_result where name = 'interlock/verify' order by attempt");
  const degraded = { attempt: 1, conclusion: 'success' };
  await w.until(async () => JSON.stringify(await said()) === JSON.stringify([degraded]));

  // Nothing of the new run is published yet, and no worker drives it.
  const { driving } = w.loop.verifications;
  w.loop.verifications.driving = null;
  await w.register(number, await w.app((_, response) => response.writeHead(500).end()));
  expect(await said()).toEqual([degraded, { attempt: 2, conclusion: 'pending' }]);
  await w.queue(number);
  await w.until(
    async () =>
      (await w.rows('select 1 from build b join batch t on t.tested_commit = b.commit where b.finished_at is not null'))
        .length > 0,
  );
  expect(await statusOf(number)).not.toBe('merged');
  w.loop.verifications.driving = driving;
  await w.register(number, await w.app((_, response) => response.writeHead(500).end()));
  await w.settled(number);
  expect(await w.status(number)).toMatchObject({ status: 'blocked', status_code: 107 });
});

test('in serial mode too, nothing lands before its head is verified', async () => {
  w = await verificationWorld();
  await w.verify(endpoint, `${serial()}${required}`);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  await w.queue(number);
  await w.until(async () => (await w.rows('select 1 from build where finished_at is not null')).length > 0);
  expect(await statusOf(number)).toBe('pending');
  await w.register(number, await w.app((_, response) => response.end()));
  await w.settled(number);
  expect(await statusOf(number)).toBe('merged');
});

test('a verification that is not required never stops a landing', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  await w.queue(number);
  await w.settled(number);
  expect(await statusOf(number)).toBe('merged');
  await w.comesTo(number, 'canceled');
});

test('a required check of previews blocks by its name if the repository has no previews', async () => {
  w = await verificationWorld();
  await w.verify('', `${parallel()}${required}`);
  const number = await w.open('feature', feature);
  await w.queue(number);
  await w.settled(number);
  expect(await w.status(number)).toMatchObject({
    status: 'blocked',
    status_code: 107,
    status_text: expect.stringContaining('interlock/verify'),
  });
});

test('a check of CI with the name of a verification does not count as a verification', async () => {
  const named = 'checks:\n  test:\n    run: "true"\n  interlock/verify:\n    run: "true"\n';
  w = await verificationWorld();
  await w.verify(endpoint, `${parallel()}${required}`);
  const number = await w.open('feature', { ...feature, '.service/ci.yml': named });
  const run = await w.comesTo(number, 'waiting');
  await w.until(
    async () => (await w.rows("select 1 from local_check_run where state = 'completed' and name = 'ci'")).length > 0,
  );
  // A host other than the local host may report such a check, and then it does not count either.
  const host = w.ctx.hosts('local');
  const said = { name: 'interlock/verify', attempt: 9, conclusion: 'success', url: null, summary: null } as const;
  const readChecks: typeof host.readChecks = async (...of) => {
    const report = await host.readChecks(...of);
    return { ...report, checks: [...report.checks, { ...said, event: null, startedAt: null, completedAt: null }] };
  };
  const lying = { ...w.ctx, hosts: () => ({ ...host, readChecks }) };
  const hosted = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository, host: 'local' as const };
  await recordChecks(lying, hosted, run.head);
  expect(await w.rows("select attempt, conclusion from check_result where name = 'interlock/verify'")).toEqual([
    { attempt: 1, conclusion: 'pending' },
  ]);
});
