// Drives deployments and builds: providers that are called over HTTP, commands that really run, and reports. The engine
// is a plain loop, so the tests show what the rows alone guarantee.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { advanceDeployment, closeOpenDeployments } from '../../src/modules/releases/index.ts';
import { updateReleaseProject } from '../../src/modules/releases/projects.service.ts';
import { updateEnvironment } from '../../src/modules/releases/environments.service.ts';
import { atMost } from '../../src/platform/at-most.ts';
import { gate } from '../support/gate.ts';
import { cdServer, type CdServer } from '../support/cd-server.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { releaseWorld, type ReleaseWorld } from '../support/release-world.ts';

const http = (url: string) => ({ kind: 'http', url, statusUrl: url }) as const;

/**
 * Waits until a provider has said that a run goes on, and is not called for some time. The report timeout begins when
 * its answer is recorded.
 */
async function untilRead(r: ReleaseWorld): Promise<void> {
  await r.w.until(async () => (await r.w.rows('select 1 from deployment where call_at is not null')).length === 1);
}

describe('a deployment by an HTTP provider', () => {
  it('is triggered once and its status is read, while all others wait in line', async () => {
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url) });
    for (const version of ['v1-rc1', 'v2-rc1', 'v3-rc1']) await r.candidate(version);
    await r.deploy('v1-rc1');
    await r.deploy('v2-rc1');
    await r.deploy('v3-rc1');
    await r.w.until(async () => cd.runs.length > 0);
    expect(await r.line()).toEqual(['v1-rc1 in_progress', 'v2-rc1 pending', 'v3-rc1 pending']);
    expect(cd.run('v1-rc1')).toMatchObject({
      starts: 1,
      facts: { environment: 'production', release_version: 'v1', project: 'shop', kind: 'forward' },
    });
    cd.run('v1-rc1').status = 'success';
    await r.become('v1-rc1 success', 'v2-rc1 in_progress', 'v3-rc1 pending');
    await r.w.until(async () => cd.runs.length === 2);
    expect(cd.run('v2-rc1').facts).toMatchObject({
      from_release_version: 'v1',
      from_release_candidate_version: 'v1-rc1',
    });
    cd.run('v2-rc1').status = 'failure';
    await r.become('v1-rc1 success', 'v2-rc1 failure', 'v3-rc1 in_progress');
    expect((await r.deployments())[1]?.error_message).toBe('run-2 says failure');
    // A report counts like an answer of the provider, and comes first here.
    await r.report('v3-rc1', 'success');
    await r.become('v1-rc1 success', 'v2-rc1 failure', 'v3-rc1 success');
    expect(cd.runs.map(({ starts }) => starts)).toEqual([1, 1, 1]);
    expect((await r.events()).filter((action) => action.startsWith('deployment_'))).toEqual([
      'deployment_pending',
      'deployment_pending',
      'deployment_pending',
      'deployment_in_progress',
      'deployment_success',
      'deployment_in_progress',
      'deployment_failure',
      'deployment_in_progress',
      'deployment_success',
    ]);
  });

  it('whose provider does not answer is tried again, and one that is refused ends with the message of the provider', async () => {
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url) });
    await r.candidate('v1-rc1');
    await r.candidate('v2-rc1');
    cd.broken = { status: 503, body: 'resting' };
    await r.deploy('v1-rc1');
    await r.w.until(async () => (await r.deployments())[0]?.problem !== null);
    expect((await r.deployments())[0]).toMatchObject({
      status: 'in_progress',
      problem: '127.0.0.1:1 answered 503: resting'.replace('127.0.0.1:1', new URL(cd.url).host),
    });
    cd.broken = null;
    await r.w.until(async () => cd.runs.length === 1);
    cd.run('v1-rc1').status = 'success';
    await r.become('v1-rc1 success');
    cd.broken = { status: 422, body: 'no such service' };
    await r.deploy('v2-rc1');
    await r.become('v1-rc1 success', 'v2-rc1 error');
    expect((await r.deployments())[1]?.error_message).toBe(`${new URL(cd.url).host} answered 422: no such service`);
  });

  it('is canceled when the provider says so, not when the cancellation is sent, and a success still counts', async () => {
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url) });
    for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
    const first = await r.deploy('v1-rc1');
    await r.deploy('v2-rc1');
    await r.w.until(async () => cd.runs.length === 1);
    cd.cancelsAtOnce = false;
    await r.cancel(first);
    await r.w.until(async () => cd.run('v1-rc1').cancels === 1);
    expect(await r.line()).toEqual(['v1-rc1 canceling', 'v2-rc1 pending']);
    cd.run('v1-rc1').status = 'success';
    await r.become('v1-rc1 success', 'v2-rc1 in_progress');
    const [, second] = await r.deployments();
    await r.w.until(async () => cd.runs.length === 2);
    cd.cancelsAtOnce = true;
    await r.cancel(second?.id ?? '');
    await r.become('v1-rc1 success', 'v2-rc1 canceled');
    expect((await r.deployments())[1]?.error_message).toMatch(/^Canceled by /);
  });

  it('is canceled if the provider does not know it, although its status cannot be read', async () => {
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: { kind: 'http', url: cd.url } });
    for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
    const first = await r.deploy('v1-rc1');
    await r.deploy('v2-rc1');
    await r.w.until(async () => cd.runs.length === 1);
    cd.remembers = false;
    await r.cancel(first);
    await r.become('v1-rc1 canceled', 'v2-rc1 in_progress');
    expect((await r.deployments())[0]).toMatchObject({
      error_message: expect.stringMatching(/^Canceled by /),
      problem: null,
    });
    // The provider knows this deployment. Its status is unknown until it is reported.
    cd.remembers = true;
    const [, second] = await r.deployments();
    await r.w.until(async () => cd.runs.length === 2);
    await r.cancel(second?.id ?? '');
    await r.w.until(async () => cd.run('v2-rc1').cancels === 1);
    await r.w.until(
      async () => (await r.w.rows('select 1 from deployment where cancel_sent_at is not null')).length === 2,
    );
    expect(await r.line()).toEqual(['v1-rc1 canceled', 'v2-rc1 canceling']);
    await r.report('v2-rc1', 'success');
    await r.become('v1-rc1 canceled', 'v2-rc1 success');
  });

  it('that the provider has forgotten is canceled when it is asked to cancel, but not before', async () => {
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url) });
    for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
    const first = await r.deploy('v1-rc1');
    await r.deploy('v2-rc1');
    await r.w.until(async () => cd.runs.length === 1);
    cd.remembers = false;
    await r.w.until(async () => (await r.deployments())[0]?.problem !== null);
    expect((await r.deployments())[0]).toMatchObject({
      status: 'in_progress',
      problem: `${new URL(cd.url).host} answered 404: {}`,
    });
    await r.cancel(first);
    await r.become('v1-rc1 canceled', 'v2-rc1 in_progress');
    expect((await r.deployments())[0]?.error_message).toMatch(/^Canceled by /);
  });

  it('is rolled back only after the running deployment has ended, before all others in line', async () => {
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url) });
    for (const version of ['v1-rc1', 'v2-rc1', 'v3-rc1']) await r.candidate(version);
    await r.deploy('v1-rc1');
    await r.w.until(async () => cd.runs.length === 1);
    cd.run('v1-rc1').status = 'success';
    await r.become('v1-rc1 success');
    await r.deploy('v2-rc1');
    await r.w.until(async () => cd.runs.length === 2);
    cd.cancelsAtOnce = false;
    await r.rollBack();
    await r.deploy('v3-rc1');
    await r.w.until(async () => cd.run('v2-rc1').cancels === 1);
    expect(await r.line()).toEqual(['v1-rc1 success', 'v2-rc1 canceling', 'v1-rc1 pending', 'v3-rc1 pending']);
    cd.run('v2-rc1').status = 'canceled';
    await r.become('v1-rc1 success', 'v2-rc1 canceled', 'v1-rc1 in_progress', 'v3-rc1 pending');
    await r.w.until(async () => cd.runs.length === 3);
    expect(cd.run('v1-rc1').facts).toMatchObject({ kind: 'rollback' });
    cd.run('v1-rc1').status = 'success';
    await r.become('v1-rc1 success', 'v2-rc1 canceled', 'v1-rc1 success', 'v3-rc1 in_progress');
  });
});

describe('a deployment without a report', () => {
  it('becomes unknown after its report timeout, so that the next deployment starts, and a late report still counts', async () => {
    let now = Date.now();
    await using r = await releaseWorld({ reportTimeoutSec: 600, clock: () => new Date(now) });
    await r.candidate('v1-rc1');
    await r.candidate('v2-rc1');
    await r.deploy('v1-rc1');
    await r.deploy('v2-rc1');
    await r.become('v1-rc1 in_progress', 'v2-rc1 pending');
    now += 599_000;
    await r.report('v1-rc1', 'in_progress');
    now += 599_000;
    await r.become('v1-rc1 in_progress', 'v2-rc1 pending');
    now += 2_000;
    await r.become('v1-rc1 unknown', 'v2-rc1 in_progress');
    expect((await r.deployments())[0]?.error_message).toBe('No report about the deployment arrived for 10 minutes.');
    await r.report('v1-rc1', 'failure');
    await r.report('v2-rc1', 'success');
    await r.become('v1-rc1 failure', 'v2-rc1 success');
  });

  it('becomes unknown at once if its environment gets a report timeout that is over, and a build fails likewise', async () => {
    let now = Date.now();
    await using cd = await cdServer();
    const build = http(cd.url);
    await using r = await releaseWorld({ build, reportTimeoutSec: 3600, clock: () => new Date(now) });
    await r.candidate('v1-rc1');
    await r.deploy('v1-rc1');
    await r.candidate('v2-rc1', { built: true });
    await r.become('v1-rc1 in_progress');
    await r.w.until(async () => cd.runs.length === 1);
    await r.w.service.drain();
    now += 120_000;
    await updateEnvironment(r.w.ctx, r.w.secrets, { project: 'shop', environment: 'production', reportTimeoutSec: 60 });
    await r.become('v1-rc1 unknown');
    await updateReleaseProject(r.w.ctx, r.w.secrets, { project: 'shop', buildTimeoutSec: 60 });
    await r.w.until(async () => (await r.candidateStatus('v2-rc1')).status === 'failed');
    expect((await r.candidateStatus('v2-rc1')).error_message).toBe('The build did not end within 60 seconds.');
  });

  it('is canceled by a rollback at once, and its provider is notified as soon as it answers', async () => {
    let now = Date.now();
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url), reportTimeoutSec: 600, clock: () => new Date(now) });
    for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
    cd.startsAs = 'success';
    await r.deploy('v1-rc1');
    await r.become('v1-rc1 success');
    cd.startsAs = 'in_progress';
    await r.deploy('v2-rc1');
    await untilRead(r);
    cd.broken = { status: 503, body: 'resting' };
    now += 601_000;
    await r.become('v1-rc1 success', 'v2-rc1 unknown');
    await r.rollBack();
    await r.become('v1-rc1 success', 'v2-rc1 canceled', 'v1-rc1 in_progress');
    const resting = `${new URL(cd.url).host} answered 503: resting`;
    await r.w.until(async () => (await r.deployments())[1]?.problem === resting);
    expect((await r.deployments())[1]?.error_message).toMatch(/^Canceled by a rollback of /);
    const isNotified = async (): Promise<boolean> =>
      (await r.w.rows("select 1 from deployment where status = 'canceled' and cancel_sent_at is not null")).length ===
      1;
    expect([cd.run('v2-rc1').cancels, await isNotified()]).toEqual([0, false]);
    cd.broken = null;
    cd.startsAs = 'success';
    now += 60_000;
    await r.become('v1-rc1 success', 'v2-rc1 canceled', 'v1-rc1 success');
    await r.w.until(isNotified);
    expect(cd.run('v2-rc1').cancels).toBe(1);
    expect((await r.deployments())[1]?.problem).toBeNull();
  });

  it('is canceled although its provider refuses the cancellation, and the reason is recorded', async () => {
    let now = Date.now();
    await using cd = await cdServer();
    const provider = { kind: 'http', url: cd.url } as const;
    await using r = await releaseWorld({ provider, reportTimeoutSec: 600, clock: () => new Date(now) });
    await r.candidate('v1-rc1');
    const id = await r.deploy('v1-rc1');
    await r.w.until(
      async () => (await r.w.rows('select 1 from deployment where triggered_at is not null')).length === 1,
    );
    now += 601_000;
    await r.become('v1-rc1 unknown');
    cd.broken = { status: 403, body: 'not yours' };
    await r.cancel(id);
    await r.become('v1-rc1 canceled');
    await r.w.until(async () => (await r.deployments())[0]?.problem !== null);
    expect((await r.deployments())[0]?.problem).toBe(`${new URL(cd.url).host} answered 403: not yours`);
    expect(await r.w.rows('select cancel_sent_at, call_at, cancel_pending from deployment')).toEqual([
      { cancel_sent_at: null, call_at: null, cancel_pending: false },
    ]);
  });

  it('is, like a build, started again at the new provider if the provider was changed', async () => {
    await using former = await cdServer();
    await using present = await cdServer();
    await using r = await releaseWorld({ build: http(former.url) });
    await r.candidate('v1-rc1', { built: true });
    await r.w.until(
      async () => (await r.w.rows('select 1 from release_candidate where triggered_at is not null')).length === 1,
    );
    await updateReleaseProject(r.w.ctx, r.w.secrets, { project: 'shop', build: http(present.url) });
    await r.w.until(async () => present.calls.length > 0);
    expect(present.calls[0]?.action).toBe('start');
    present.run('v1-rc1').status = 'success';
    await r.w.until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready');
  });

  it('is not canceled at a provider that was set later', async () => {
    let now = Date.now();
    await using former = await cdServer();
    await using present = await cdServer();
    await using r = await releaseWorld({
      provider: { kind: 'http', url: former.url },
      reportTimeoutSec: 600,
      clock: () => new Date(now),
    });
    for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
    const id = await r.deploy('v1-rc1');
    await r.w.until(
      async () => (await r.w.rows('select 1 from deployment where triggered_at is not null')).length === 1,
    );
    now += 601_000;
    await r.become('v1-rc1 unknown');
    await updateEnvironment(r.w.ctx, r.w.secrets, {
      project: 'shop',
      environment: 'production',
      provider: { kind: 'http', url: present.url },
    });
    now += 1_000;
    await r.cancel(id);
    await r.deploy('v2-rc1');
    await r.w.until(async () => present.runs.length === 1);
    await r.w.until(async () => (await r.w.rows('select 1 from deployment where next_look_at < now()')).length === 0);
    expect(present.calls.map(({ action }) => action)).toEqual(['start']);
    expect(former.calls.map(({ action }) => action)).toEqual(['start']);
  });
});

it('a refusal of a former provider does not end a deployment that a report has opened again', async () => {
  await using former = await cdServer();
  await using present = await cdServer();
  former.broken = { status: 403, body: 'not yours' };
  await using r = await releaseWorld({ provider: http(former.url) });
  await r.candidate('v1-rc1');
  let isReported = false;
  const stop = onFailpoint('deployment:after_trigger', async () => {
    await r.report('v1-rc1', 'failure');
    await updateEnvironment(r.w.ctx, r.w.secrets, {
      project: 'shop',
      environment: 'production',
      provider: http(present.url),
    });
    await r.report('v1-rc1', 'in_progress');
    isReported = true;
  });
  await r.deploy('v1-rc1');
  await r.w.until(async () => await Promise.resolve(isReported)).finally(stop);
  await r.w.loop.releases.ended();
  expect(former.calls).toHaveLength(1);
  await r.w.until(async () => (await r.w.rows('select 1 from deployment where next_look_at < now()')).length === 0);
  expect(await r.deployments()).toMatchObject([{ status: 'in_progress', error_message: null }]);
  await r.report('v1-rc1', 'success');
  await r.become('v1-rc1 success');
  expect(present.calls).toEqual([]);
});

it.each([
  ['', 1_000],
  [' to a process whose clock is behind', -3_000],
  [' to a process of an earlier version', 2_000],
])(
  'a start that is refused when it is repeated does not end a deployment whose run was reported meanwhile%s',
  async (to, laterBy) => {
    let now = Date.now();
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url), clock: () => new Date(now) });
    for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
    {
      await using _ = await refuseTriggers(r, 'deployment');
      await r.deploy('v1-rc1');
      await r.deploy('v2-rc1');
      await r.w.until(async () => (await r.deployments())[0]?.problem !== null);
    }
    now += laterBy;
    // A process of an earlier version does not know the column reported_since_start.
    if (to.includes('earlier version'))
      await r.w.rows("update deployment set status_at = $1 where status = 'in_progress'", [new Date(now)]);
    else await r.report('v1-rc1', 'in_progress');
    cd.broken = { status: 409, body: 'runs already' };
    now += 2_000 - laterBy;
    await r.w.until(
      async () =>
        (await r.w.rows("select 1 from deployment where triggered_at is not null or status = 'error'")).length > 0,
    );
    expect(await r.line()).toEqual(['v1-rc1 in_progress', 'v2-rc1 pending']);
    cd.broken = null;
    cd.run('v1-rc1').status = 'success';
    now += 60_000;
    await r.become('v1-rc1 success', 'v2-rc1 in_progress');
    expect(cd.run('v1-rc1').starts).toBe(1);
  },
);

it('a start that is refused after the deployment was canceled ends it as canceled, and its provider is notified', async () => {
  await using cd = await cdServer();
  await using r = await releaseWorld({ provider: http(cd.url) });
  for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
  cd.broken = { status: 422, body: 'no such service' };
  cd.beforeStartIsAnswered = async () => {
    cd.beforeStartIsAnswered = null;
    const [first] = await r.deployments();
    await r.cancel(first?.id ?? '');
    cd.broken = null;
    await r.deploy('v2-rc1');
  };
  await r.deploy('v1-rc1');
  await r.become('v1-rc1 canceled', 'v2-rc1 in_progress');
  expect((await r.deployments())[0]).toMatchObject({ error_message: expect.stringMatching(/^Canceled by /) });
  const firstCalls = () => cd.calls.filter(({ key }) => key === cd.calls[0]?.key).map(({ action }) => action);
  await r.w.until(async () => firstCalls().length === 2);
  expect(firstCalls()).toEqual(['start', 'cancel']);
});

describe('a cancellation that the provider has not received', () => {
  /** A deployment of v1-rc1 that runs at the provider, at a time that the test sets. */
  async function runningDeployment(cd: CdServer) {
    const clock = { now: Date.now() };
    const r = await releaseWorld({ provider: http(cd.url), clock: () => new Date(clock.now), reportTimeoutSec: 600 });
    await r.candidate('v1-rc1');
    const id = await r.deploy('v1-rc1');
    await untilRead(r);
    return { r, id, clock };
  }
  const resting = { status: 503, body: 'resting' };
  const untilRefused = async (r: ReleaseWorld): Promise<void> =>
    await r.w.until(
      async () => (await r.w.rows("select 1 from deployment where problem like '%503: resting'")).length === 1,
    );

  it('is sent although the provider reports that the run has begun, before it has answered the start', async () => {
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url) });
    for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
    cd.beforeStartIsAnswered = async () => {
      cd.beforeStartIsAnswered = null;
      await r.deploy('v2-rc1', { supersede: true });
      await r.report('v1-rc1', 'in_progress');
    };
    await r.deploy('v1-rc1');
    await r.become('v1-rc1 canceled', 'v2-rc1 in_progress');
    expect(cd.run('v1-rc1').cancels).toBe(1);
    expect((await r.deployments())[0]?.error_message).toBe('Superseded by v2-rc1.');
    const events = (await r.events()).filter((action) => action.startsWith('deployment_'));
    expect(events.slice(0, 6)).toEqual([
      'deployment_pending',
      'deployment_in_progress',
      'deployment_canceling',
      'deployment_pending',
      'deployment_in_progress',
      'deployment_canceling',
    ]);
  });

  it('is sent although the run is reported as in progress while the provider cannot be reached', async () => {
    await using cd = await cdServer();
    const { r, id, clock } = await runningDeployment(cd);
    await using _ = r;
    cd.broken = resting;
    await r.cancel(id);
    await untilRefused(r);
    clock.now += 60_000;
    const failed = async () => await r.w.rows('select calls, call_at, problem from deployment');
    await r.w.until(async () => (await r.w.rows('select 1 from deployment where calls = 2')).length === 1);
    const before = await failed();
    await r.report('v1-rc1', 'in_progress');
    await r.become('v1-rc1 canceling');
    // A report is no reason to call a provider that failed before its pause is over.
    await r.w.loop.run(r.w.service.ports);
    expect(await failed()).toEqual(before);
    cd.broken = null;
    clock.now += 60_000;
    await r.become('v1-rc1 canceled');
    expect(cd.run('v1-rc1').cancels).toBe(1);
    expect((await r.deployments())[0]?.error_message).toMatch(/^Canceled by /);
  });

  it.each(['in_progress', 'pending', 'unknown', 'canceling'] as const)(
    'is sent for a deployment that lost the slot before it was canceled, although it is then reported as %s',
    async (status) => {
      await using cd = await cdServer();
      const { r, id, clock } = await runningDeployment(cd);
      await using _ = r;
      cd.broken = resting;
      clock.now += 601_000;
      await r.become('v1-rc1 unknown');
      await r.cancel(id);
      await untilRefused(r);
      await r.report('v1-rc1', status);
      cd.broken = null;
      clock.now += 60_000;
      await r.w.until(async () => cd.run('v1-rc1').cancels === 1);
      expect(await r.line()).toEqual([`v1-rc1 ${status === 'canceling' ? 'canceled' : status}`]);
    },
  );

  it.each(['pending', 'unknown'] as const)(
    'is sent for a deployment that gives the slot back because it is reported as %s',
    async (status) => {
      await using cd = await cdServer();
      const { r, id, clock } = await runningDeployment(cd);
      await using _ = r;
      cd.broken = resting;
      await r.cancel(id);
      await untilRefused(r);
      await r.report('v1-rc1', status);
      await untilRefused(r);
      cd.broken = null;
      clock.now += 60_000;
      await r.w.until(async () => cd.run('v1-rc1').cancels === 1);
      expect(await r.line()).toEqual([`v1-rc1 ${status}`]);
    },
  );

  it('is not sent any more when the end of the run is reported', async () => {
    await using cd = await cdServer();
    const { r, id, clock } = await runningDeployment(cd);
    await using _ = r;
    cd.broken = resting;
    clock.now += 601_000;
    await r.become('v1-rc1 unknown');
    await r.cancel(id);
    await untilRefused(r);
    await r.report('v1-rc1', 'in_progress');
    await r.report('v1-rc1', 'success');
    expect(await r.w.rows('select cancel_pending, call_at, problem from deployment')).toEqual([
      { cancel_pending: false, call_at: null, problem: null },
    ]);
  });

  it('is sent again when a user asks once more, after the run has gone on', async () => {
    await using cd = await cdServer();
    const { r, id } = await runningDeployment(cd);
    await using _ = r;
    cd.cancelsAtOnce = false;
    await r.cancel(id);
    await r.w.until(
      async () => (await r.w.rows('select 1 from deployment where cancel_sent_at is not null')).length === 1,
    );
    await r.report('v1-rc1', 'in_progress');
    cd.cancelsAtOnce = true;
    await r.cancel(id);
    await r.become('v1-rc1 canceled');
    expect(cd.run('v1-rc1').cancels).toBe(2);
  });
});

/** Makes the database refuse to record a trigger. The provider accepts the run, and then Interlock fails. */
async function refuseTriggers(r: ReleaseWorld, table: 'deployment' | 'release_candidate'): Promise<AsyncDisposable> {
  const owner = new pg.Client({ connectionString: r.w.databaseUrl });
  await owner.connect();
  await owner.query(
    "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$",
  );
  await owner.query(
    `create trigger refuse before update on ${table} for each row when (new.triggered_at is not null) execute function refuse()`,
  );
  return {
    async [Symbol.asyncDispose]() {
      await owner.query(`drop trigger refuse on ${table}`);
      await owner.end();
    },
  };
}

describe('a run that an error in Interlock interrupted', () => {
  const failed = 'An error in Interlock interrupted the run. The log of Interlock says why.';

  it('is tried again later, shows the error, and ends at its report timeout', async () => {
    let now = Date.now();
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url), clock: () => new Date(now) });
    await r.candidate('v1-rc1');
    await using _ = await refuseTriggers(r, 'deployment');
    await r.deploy('v1-rc1');
    await r.w.until(async () => (await r.deployments())[0]?.problem === failed);
    expect(await r.w.rows('select status, calls, call_at from deployment')).toEqual([
      { status: 'in_progress', calls: 1, call_at: new Date(now + 2_000) },
    ]);
    now += 2_000;
    await r.w.until(async () => (await r.w.rows('select 1 from deployment where calls = 2')).length === 1);
    expect(cd.run('v1-rc1').starts).toBe(2);
    now += 600_000;
    await r.become('v1-rc1 unknown');
    expect((await r.deployments())[0]?.error_message).toBe(
      `The provider could not be reached, so Interlock does not know whether the deployment began. The last failure: ${failed}`,
    );
  });

  it('continues when Interlock works again, also for a build', async () => {
    let now = Date.now();
    await using cd = await cdServer();
    await using r = await releaseWorld({ build: http(cd.url), clock: () => new Date(now) });
    {
      await using _ = await refuseTriggers(r, 'release_candidate');
      await r.candidate('v1-rc1', { built: true });
      await r.w.until(async () => (await r.candidateStatus('v1-rc1')).problem === failed);
      expect((await r.candidateStatus('v1-rc1')).status).toBe('building');
    }
    cd.run('v1-rc1').status = 'success';
    now += 2_000;
    await r.w.until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready');
    expect(cd.runs).toHaveLength(1);
  });
});

describe('a database that was restored', () => {
  it('makes all open deployments unknown, and a new request is carried out', async () => {
    await using cd = await cdServer();
    await using r = await releaseWorld({ provider: http(cd.url) });
    for (const version of ['v1-rc1', 'v2-rc1', 'v3-rc1']) await r.candidate(version);
    await r.deploy('v1-rc1');
    await r.deploy('v2-rc1');
    await r.w.until(async () => cd.runs.length === 1);
    expect(await closeOpenDeployments(r.w.ctx)).toBe(2);
    await r.become('v1-rc1 unknown', 'v2-rc1 unknown');
    cd.startsAs = 'success';
    await r.deploy('v3-rc1');
    await r.become('v1-rc1 unknown', 'v2-rc1 unknown', 'v3-rc1 success');
    expect(cd.runs.map(({ facts }) => facts['release_candidate_version'])).toEqual(['v1-rc1', 'v3-rc1']);
    expect(await closeOpenDeployments(r.w.ctx)).toBe(0);
  });
});

describe('a provider whose secret cannot be decrypted any more', () => {
  it('makes its deployments and builds end with a message, and blocks no others', async () => {
    await using cd = await cdServer();
    const secret = 'hunter-of-secrets';
    const build = { kind: 'command', command: 'true', timeoutSec: 60, secret } as const;
    await using r = await releaseWorld({ provider: { ...http(cd.url), secret }, build });
    await r.w.rows("update environment set provider_secret = decode(repeat('00', 64), 'hex')");
    await r.w.rows("update release_project set build_secret = decode(repeat('00', 64), 'hex')");
    await r.candidate('v1-rc1');
    await r.deploy('v1-rc1');
    await r.become('v1-rc1 error');
    const message = 'The secret of the provider was encrypted with another key. Set the secret again.';
    expect((await r.deployments())[0]?.error_message).toBe(message);
    expect(await r.w.rows('select 1 from environment where current_deployment_id is not null')).toEqual([]);
    await r.candidate('v2-rc1', { built: true });
    await r.w.until(async () => (await r.candidateStatus('v2-rc1')).status === 'failed');
    expect((await r.candidateStatus('v2-rc1')).error_message).toBe(message);
    expect(cd.runs).toEqual([]);
  });
});

describe('a deployment by a command', () => {
  const command = (text: string) => ({ kind: 'command', command: text, timeoutSec: 60 }) as const;

  it('succeeds or fails by its exit code, with its log, one deployment after the other', async () => {
    const text =
      'echo "to $ENVIRONMENT: $RELEASE_CANDIDATE_VERSION after $FROM_RELEASE_CANDIDATE_VERSION"; test "$RELEASE_VERSION" != v2';
    await using r = await releaseWorld({ provider: command(text) });
    await r.candidate('v1-rc1');
    await r.candidate('v2-rc1');
    const first = await r.deploy('v1-rc1');
    const second = await r.deploy('v2-rc1');
    await r.become('v1-rc1 success', 'v2-rc1 failure');
    expect(await r.log({ deployment: first })).toContain('to production: v1-rc1 after \n');
    expect(await r.log({ deployment: second })).toContain('to production: v2-rc1 after v1-rc1\n');
    expect((await r.deployments())[1]?.error_message).toMatch(/^Exited with code 1 after /);
    const { details } = (await advanceDeployment(r.w.ctx, second)).summary;
    expect(details).toContain(
      '**End of the log**\n\n```text\nto production: v2-rc1 after v1-rc1\n[interlock] Exited with code 1',
    );
  });

  it.each([
    ['a NUL', "printf 'half\\000way\\n'", 'half\u{FFFD}way'],
    ['an emoji where it is cut', `printf '%0199d\u{1F680}\\n' 0`, `${'0'.repeat(199)}\u{FFFD}`],
  ])('runs once, although the last line of its output has %s', async (_what, prints, shown) => {
    await using r = await releaseWorld({ provider: command(`echo started; ${prints}; exit 3`) });
    await r.candidate('v1-rc1');
    const deployment = await r.deploy('v1-rc1');
    await r.w.until(async () => (await r.deployments())[0]?.status !== 'in_progress' || (await isRepeated(deployment)));
    expect((await r.log({ deployment })).match(/started/g)).toHaveLength(1);
    expect((await r.deployments())[0]).toMatchObject({ status: 'failure' });
    expect((await r.deployments())[0]?.error_message).toContain(shown);

    async function isRepeated(id: string): Promise<boolean> {
      return ((await r.log({ deployment: id })).match(/started/g) ?? []).length > 1;
    }
  });

  it('is stopped when it is canceled, and frees its environment when it has ended', async () => {
    await using r = await releaseWorld({ provider: command('echo started; sleep 300') });
    await r.candidate('v1-rc1');
    await r.candidate('v2-rc1');
    const first = await r.deploy('v1-rc1');
    await r.w.until(async () => (await r.log({ deployment: first })).includes('started'));
    await r.cancel(first);
    expect(await r.line()).toEqual(['v1-rc1 canceling']);
    await r.become('v1-rc1 canceled');
    expect(await r.w.rows('select 1 from environment where current_deployment_id is not null')).toEqual([]);
  });
});

describe('the build of a release candidate', () => {
  it('waits while the worker runs as many builds as it may, is given back if the worker stops, and runs later', async () => {
    await using door = await gate();
    await using r = await releaseWorld({
      build: { kind: 'command', command: `echo started; ${door.waits}`, timeoutSec: 60 },
    });
    const { driving } = r.w.loop.releases;
    if (driving === null) throw new Error('There is no driving.');
    const stop = new AbortController();
    r.w.loop.releases.driving = { ...driving, buildsInTurn: atMost(2), signal: stop.signal };
    const versions = ['v1-rc1', 'v2-rc1', 'v3-rc1'];
    const logs = async (): Promise<string[]> =>
      await Promise.all(versions.map(async (candidate) => await r.log({ candidate })));
    const waits = '[interlock] The build waits until this worker has room for it.\n';
    for (const version of versions) {
      await r.candidate(version, { built: true });
      await r.w.until(async () => (await logs()).some((log, at) => versions[at] === version && log !== ''));
    }
    expect(await logs()).toEqual(['started\n', 'started\n', waits]);
    r.w.loop.releases.driving = null;
    stop.abort();
    await r.w.loop.releases.ended();
    expect(
      await r.w.rows("select distinct calls, supervised_by from release_candidate where status = 'building'"),
    ).toEqual([{ calls: 0, supervised_by: null }]);
    r.w.loop.releases.driving = { ...driving, buildsInTurn: atMost(2) };
    await door.open();
    for (const version of versions) await r.w.until(async () => (await r.candidateStatus(version)).status === 'ready');
  });

  it.each([
    ['has started it', null],
    ['has refused it', { status: 403, body: 'not yours' }],
  ])('runs at the present provider if the provider is changed while the former one %s', async (_what, broken) => {
    await using former = await cdServer();
    await using present = await cdServer();
    former.broken = broken;
    await using r = await releaseWorld({ build: http(former.url) });
    let changes = 0;
    const stop = onFailpoint('build:after_trigger', async () => {
      changes += 1;
      if (changes > 1) return;
      await updateReleaseProject(r.w.ctx, r.w.secrets, { project: 'shop', build: http(present.url) });
    });
    present.startsAs = 'success';
    await r.candidate('v1-rc1', { built: true });
    await r.w.until(async () => (await r.candidateStatus('v1-rc1')).status !== 'building').finally(stop);
    expect((await r.candidateStatus('v1-rc1')).status).toBe('ready');
    expect(former.calls.map(({ action }) => action)).toEqual(['start']);
    expect(present.calls[0]?.action).toBe('start');
  });

  it('makes the candidate ready, or failed with a message, and only a ready candidate can be deployed', async () => {
    await using cd = await cdServer();
    await using r = await releaseWorld({ build: http(cd.url) });
    await r.candidate('v1-rc1', { built: true });
    await r.candidate('v1-rc2', { built: true });
    await expect(r.deploy('v1-rc1')).rejects.toThrow('v1-rc1 is still being built');
    await r.w.until(async () => cd.runs.length === 2);
    cd.run('v1-rc1').status = 'success';
    cd.run('v1-rc2').status = 'failure';
    await r.w.until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready');
    await r.w.until(async () => (await r.candidateStatus('v1-rc2')).status === 'failed');
    expect((await r.candidateStatus('v1-rc2')).error_message).toBe('run-2 says failure');
    expect((await r.events()).toSorted()).toEqual([
      'candidate_created',
      'candidate_created',
      'candidate_failed',
      'candidate_ready',
    ]);
    await r.deploy('v1-rc1');
    await expect(r.deploy('v1-rc2')).rejects.toThrow('v1-rc2 failed to build');
  });

  it('fails at the end of its time also while it waits for room at its worker', async () => {
    // The clock stands still until the build waits, so that its time cannot be over before.
    let now = Date.now();
    await using r = await releaseWorld({
      clock: () => new Date(now),
      build: { kind: 'command', command: 'true', timeoutSec: 60 },
      buildTimeoutSec: 5,
    });
    const { driving } = r.w.loop.releases;
    if (driving === null) throw new Error('There is no driving.');
    const inTurn = atMost(1);
    r.w.loop.releases.driving = { ...driving, buildsInTurn: inTurn };
    const others = Promise.withResolvers<void>();
    const otherBuild = inTurn(async () => await others.promise);
    await r.candidate('v1-rc1', { built: true });
    const waits = '[interlock] The build waits until this worker has room for it.\n';
    await r.w.until(async () => (await r.log({ candidate: 'v1-rc1' })) === waits);
    now += 10_000;
    await r.w.until(async () => (await r.candidateStatus('v1-rc1')).status === 'failed');
    expect((await r.candidateStatus('v1-rc1')).error_message).toBe(
      'The build did not end within 5 seconds. This time includes waits for room at a worker.',
    );
    // Its wait ends before there is room.
    await r.w.until(
      async () => (await r.w.rows('select 1 from release_candidate where supervised_by is not null')).length === 0,
    );
    others.resolve();
    await otherBuild;
    await r.w.loop.releases.ended();
    expect((await r.candidateStatus('v1-rc1')).status).toBe('failed');
  });

  it('by a command has a log, and fails if it does not end in time', async () => {
    const text = 'echo "building $RELEASE_CANDIDATE_VERSION"; test "$RELEASE_VERSION" = v1 || sleep 300';
    await using r = await releaseWorld({
      build: { kind: 'command', command: text, timeoutSec: 900 },
      buildTimeoutSec: 5,
    });
    await r.candidate('v1-rc1', { built: true });
    await r.w.until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready');
    expect(await r.log({ candidate: 'v1-rc1' })).toContain('building v1-rc1\n');
    await r.candidate('v2-rc1', { built: true });
    await r.w.until(async () => (await r.log({ candidate: 'v2-rc1' })).includes('building v2-rc1'));
    await r.w.until(async () => (await r.candidateStatus('v2-rc1')).status === 'failed');
    expect((await r.candidateStatus('v2-rc1')).error_message).toMatch(/^Stopped after its time limit of \d s$/);
  });
});
