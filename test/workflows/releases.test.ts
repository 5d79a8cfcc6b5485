// Deployments, rollbacks and builds on the worker of production: what a person reads there, and what becomes of them when
// a worker is killed with -9 at every step.
import { describe, expect, it } from 'vitest';
import { buildWorkflowId } from '../../workflows/build/messages.ts';
import { deploymentWorkflowId } from '../../workflows/deployment/messages.ts';
import { rollbackWorkflowId } from '../../workflows/rollback/messages.ts';
import { deploymentStatusAttribute, environmentAttribute } from '../../workflows/shared/search-attributes.ts';
import { createEnvironment } from '../../src/modules/releases/index.ts';
import { cdServer, type CdServer } from '../support/cd-server.ts';
import { releasesOf, type ReleaseOptions, type Releases } from '../support/release-world.ts';
import { engineWorld, eventually, keepHistory, type EngineWorld, type EngineWorldOptions } from './engine-world.ts';

interface Stage extends AsyncDisposable {
  readonly e: EngineWorld;
  readonly r: Releases;
  readonly cd: CdServer;
  readonly until: (isSo: () => boolean | Promise<boolean>, what: string) => Promise<void>;
}

async function stage(options: ReleaseOptions & EngineWorldOptions = {}): Promise<Stage> {
  const cd = await cdServer();
  const e = await engineWorld(options);
  const until: Stage['until'] = async (isSo, what) =>
    await eventually(async () => await isSo(), what, 45_000).catch(async (error: Error) => {
      throw new Error(`${error.message} ${JSON.stringify(await r.deployments())}`);
    });
  const http = { kind: 'http', url: cd.url, statusUrl: cd.url } as const;
  const r = await releasesOf(e.w, {
    provider: http,
    build: http,
    ...options,
    until: async (isSo) => await until(isSo, 'the line'),
  });
  return {
    e,
    r,
    cd,
    until,
    async [Symbol.asyncDispose]() {
      await e[Symbol.asyncDispose]();
      await cd[Symbol.asyncDispose]();
    },
  };
}

describe('on Temporal', { timeout: 180_000 }, () => {
  it('a deployment, a rollback of one that runs, and a build come to their end, and say so', async () => {
    await using s = await stage();
    const { e, r, cd, until } = s;
    await e.start();
    const { accountId } = e.w.ctx;
    await r.candidate('v1-rc1', { built: true });
    await until(() => cd.runs.length === 1, 'the build is triggered');
    cd.run('v1-rc1').status = 'success';
    await until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready', 'it is ready');
    const [candidate] = await e.w.rows<{ id: string }>('select id from release_candidate');
    const build = buildWorkflowId({ accountId, candidateId: candidate?.id ?? '' });
    expect(await e.client.workflow.getHandle(build).result()).toEqual({
      status: 'ready',
      summary: 'v1-rc1 of shop: ready',
    });

    const first = await r.deploy('v1-rc1');
    await until(() => cd.runs.length === 2, 'it is triggered');
    cd.run('v1-rc1').status = 'success';
    await r.become('v1-rc1 success');
    const deployment = e.client.workflow.getHandle(deploymentWorkflowId({ accountId, deploymentId: first }));
    expect(await deployment.result()).toEqual({
      status: 'success',
      summary: 'v1-rc1 → production of shop: success',
    });
    const { typedSearchAttributes } = await deployment.describe();
    expect(typedSearchAttributes.get(environmentAttribute)).toBe('shop/production');
    expect(typedSearchAttributes.get(deploymentStatusAttribute)).toBe('success');

    await r.candidate('v2-rc1');
    const second = await r.deploy('v2-rc1');
    await until(() => cd.runs.length === 3, 'it is triggered');
    cd.cancelsAtOnce = false;
    const back = await r.rollBack();
    await until(() => cd.run('v2-rc1').cancels > 0, 'it is told to cancel');
    expect(await r.line()).toEqual(['v1-rc1 success', 'v2-rc1 canceling', 'v1-rc1 pending']);
    cd.run('v2-rc1').status = 'canceled';
    await until(() => cd.runs.length === 4, 'the rollback is triggered');
    expect(cd.runs[3]?.facts).toMatchObject({ kind: 'rollback', release_candidate_version: 'v1-rc1' });
    cd.run('v1-rc1').status = 'success';
    await r.become('v1-rc1 success', 'v2-rc1 canceled', 'v1-rc1 success');
    const rollback = rollbackWorkflowId({ accountId, deploymentId: back });
    expect(await e.client.workflow.getHandle(rollback).result()).toMatchObject({ status: 'success' });
    for (const [name, workflowId] of [
      ['build.ready', build],
      ['deployment.success', deployment.workflowId],
      ['deployment.canceled', deploymentWorkflowId({ accountId, deploymentId: second })],
      ['rollback.of-a-running-one', rollback],
      ['deployment.of-a-rollback', deploymentWorkflowId({ accountId, deploymentId: back })],
    ] as const)
      await keepHistory(`releases.${name}`, await e.client.workflow.getHandle(workflowId).fetchHistory());
  });

  it('workers are killed after a trigger and while a command runs: another goes on, and nothing is done twice', async () => {
    await using s = await stage();
    const { e, r, cd, until } = s;
    await createEnvironment(e.w.ctx, e.w.secrets, {
      project: 'shop',
      name: 'staging',
      provider: { kind: 'command', command: 'echo "run $RUN_KEY"; sleep 1', timeoutSec: 60 },
    });
    await r.candidate('v1-rc1');
    cd.startsAs = 'success';
    await r.deploy('v1-rc1');
    const first = await e.start('deployment:after_trigger');
    expect(await first.ended).toMatch(/SIGKILL|137/);
    const staged = await r.deploy('v1-rc1', { to: 'staging' });
    const second = await e.start('deployment:attending');
    expect(await second.ended).toMatch(/SIGKILL|137/);
    await e.start();
    await r.become('v1-rc1 success');
    await until(
      async () => (await e.w.rows("select 1 from deployment where status = 'success'")).length === 2,
      'both have succeeded',
    );
    expect(cd.runs).toHaveLength(1);
    const log = await r.log({ deployment: staged });
    expect(log).toContain('It is started again, as attempt 2 of the same run.');
    const { accountId } = e.w.ctx;
    const workflow = e.client.workflow.getHandle(deploymentWorkflowId({ accountId, deploymentId: staged }));
    expect(await workflow.result()).toEqual({ status: 'success', summary: 'v1-rc1 → staging of shop: success' });
    await keepHistory('releases.command-killed', await workflow.fetchHistory());
  });

  it('a worker is stopped while a command runs: it gives it back, and the next worker runs it to its end', async () => {
    // Twice as long as a worker that is stopped waits for it.
    const command = 'echo "run $RUN_KEY"; sleep 20; echo deployed';
    await using s = await stage({ provider: { kind: 'command', command, timeoutSec: 60 } });
    const { e, r, until } = s;
    await r.candidate('v1-rc1');
    const id = await r.deploy('v1-rc1');
    const first = await e.start();
    await until(async () => (await r.log({ deployment: id })).includes('run '), 'the command runs');
    await first.stop();
    const held = 'select status, attended_by, attended_until, calls from deployment';
    expect(await e.w.rows(held)).toEqual([
      { status: 'in_progress', attended_by: null, attended_until: null, calls: 0 },
    ]);
    await e.start();
    await r.become('v1-rc1 success');
    const log = await r.log({ deployment: id });
    expect(log).toContain('Its worker cannot go on with it. Another starts it again.');
    expect(log.match(/^deployed$/gm)).toHaveLength(1);
    const runs = log.match(/^run .+$/gm) ?? [];
    expect(runs).toHaveLength(2);
    expect(new Set(runs).size).toBe(1);
  });
});
