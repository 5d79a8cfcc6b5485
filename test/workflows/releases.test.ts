// Deployments, rollbacks and builds on the worker of production: what a person reads of them, here and in Temporal.
import { describe, expect, it } from 'vitest';
import { buildWorkflowId } from '../../workflows/build/messages.ts';
import { deploymentWorkflowId } from '../../workflows/deployment/messages.ts';
import { rollbackWorkflowId } from '../../workflows/rollback/messages.ts';
import {
  deploymentStatusAttribute,
  environmentAttribute,
  subjectAttribute,
} from '../../workflows/shared/search-attributes.ts';
import { keepHistory } from './engine-world.ts';
import { stage } from './release-stage.ts';

describe('on Temporal', { timeout: 180_000 }, () => {
  it('a deployment, a rollback of a running one, and a build come to their end, and say so', async () => {
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
    expect(typedSearchAttributes.get(subjectAttribute)).toMatch(/ → production of shop$/);
    expect(typedSearchAttributes.get(deploymentStatusAttribute)).toBe('success');

    await r.candidate('v2-rc1');
    const second = await r.deploy('v2-rc1');
    await until(() => cd.runs.length === 3, 'it is triggered');
    cd.cancelsAtOnce = false;
    const back = await r.rollBack();
    await until(() => cd.run('v2-rc1').cancels > 0, 'it is asked to cancel');
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
});
