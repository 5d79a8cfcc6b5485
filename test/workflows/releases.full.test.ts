// Production workers are stopped or killed during deployments, and the next worker goes on.
import { describe, expect, it } from 'vitest';
import { stage } from './release-stage.ts';
import { deploymentWorkflowId } from '../../workflows/deployment/messages.ts';
import { createEnvironment } from '../../src/modules/releases/index.ts';
import { keepHistory } from './engine-world.ts';

describe('on Temporal', () => {
  it('if a worker is stopped while a command runs, it returns the deployment, and the next worker runs the command to its end', async () => {
    // The command takes twice as long as a stopping worker waits for it.
    const command = 'echo "run $RUN_KEY"; sleep 20; echo deployed';
    await using s = await stage({ provider: { kind: 'command', command, timeoutSec: 60 } });
    const { e, r, until } = s;
    await r.candidate('v1-rc1');
    const id = await r.deploy('v1-rc1');
    const first = await e.start();
    await until(async () => (await r.log({ deployment: id })).includes('run '), 'the command runs');
    await first.stop();
    const held = 'select status, supervised_by, supervised_until, calls from deployment';
    expect(await e.w.rows(held)).toEqual([
      { status: 'in_progress', supervised_by: null, supervised_until: null, calls: 0 },
    ]);
    await e.start();
    await r.become('v1-rc1 success');
    const log = await r.log({ deployment: id });
    expect(log).toContain('This worker cannot continue the work. Another worker starts it again.');
    expect(log.match(/^deployed$/gm)).toHaveLength(1);
    const runs = log.match(/^run .+$/gm) ?? [];
    expect(runs).toHaveLength(2);
    expect(new Set(runs).size).toBe(1);
  });
});

describe('on Temporal, killed', () => {
  it('if workers are killed after a trigger and while a command runs, another worker goes on, and nothing is triggered twice', async () => {
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
    const second = await e.start('deployment:supervising');
    expect(await second.ended).toMatch(/SIGKILL|137/);
    await e.start();
    await r.become('v1-rc1 success');
    await until(
      async () => (await e.w.rows("select 1 from deployment where status = 'success'")).length === 2,
      'both deployments have succeeded',
    );
    expect(cd.runs).toHaveLength(1);
    const log = await r.log({ deployment: staged });
    expect(log).toContain('The run is started again: attempt 2.');
    const { accountId } = e.w.ctx;
    const workflow = e.client.workflow.getHandle(deploymentWorkflowId({ accountId, deploymentId: staged }));
    expect(await workflow.result()).toEqual({ status: 'success', summary: 'v1-rc1 → staging of shop: success' });
    await keepHistory('releases.command-killed', await workflow.fetchHistory());
  });
});
