// Runs deployments, rollbacks and builds on the production worker. Checks the texts that users see in Interlock and in
// Temporal, and that Temporal never gets the secret of a provider.
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDeployment,
  createEnvironment,
  createRelease,
  createReleaseProject,
} from '../../src/modules/releases/index.ts';
import { buildWorkflowId } from '../../workflows/build/messages.ts';
import { deploymentWorkflowId } from '../../workflows/deployment/messages.ts';
import { rollbackLookSignal, rollbackWorkflowId } from '../../workflows/rollback/messages.ts';
import {
  deploymentStatusAttribute,
  environmentAttribute,
  subjectAttribute,
} from '../../workflows/shared/search-attributes.ts';
import { countEvents, keepHistory } from './engine-world.ts';
import { stage, type Stage } from './release-stage.ts';

const canary = 'canary-7c1f50e2';

let s: Stage;
beforeAll(async () => {
  s = await stage();
  await s.e.start();
});
afterAll(async () => await s[Symbol.asyncDispose]());

/** The text of a history, with its payloads decoded. */
async function textOf(workflowId: string): Promise<string> {
  const json = historyToJSON(await s.e.client.workflow.getHandle(workflowId).fetchHistory());
  const decoded = [...json.matchAll(/"data":\s*"([^"]*)"/g)].map(([, data]) =>
    Buffer.from(data ?? '', 'base64').toString(),
  );
  return [json, ...decoded].join('\n');
}

describe('on Temporal', () => {
  it('a build, a deployment, and a rollback of a running deployment end, and their workflows return the result', async () => {
    const { e, r, cd, until } = s;
    const { accountId } = e.w.ctx;
    await r.candidate('v1-rc1', { built: true });
    await until(() => cd.runs.length === 1, 'the build is triggered');
    cd.run('v1-rc1').status = 'success';
    await until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready', 'the candidate is ready');
    const [candidate] = await e.w.rows<{ id: string }>('select id from release_candidate');
    const build = buildWorkflowId({ accountId, candidateId: candidate?.id ?? '' });
    expect(await e.client.workflow.getHandle(build).result()).toEqual({
      status: 'ready',
      summary: 'v1-rc1 of shop: ready',
    });

    const first = await r.deploy('v1-rc1');
    await until(() => cd.runs.length === 2, 'the first deployment is triggered');
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
    await until(() => cd.runs.length === 3, 'the second deployment is triggered');
    cd.cancelsAtOnce = false;
    const back = await r.rollBack();
    await until(() => cd.run('v2-rc1').cancels > 0, 'the provider is asked to cancel v2-rc1');
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

  it('a rollback that waits for long continues as a new run, and nothing is lost', async () => {
    const { e, r, cd, until } = s;
    const { accountId } = e.w.ctx;
    await r.candidate('v3-rc1');
    await r.deploy('v3-rc1');
    await until(() => cd.runs.length === 5, 'the deployment is triggered');
    cd.cancelsAtOnce = false;
    const back = await r.rollBack();
    await until(() => cd.run('v3-rc1').cancels > 0, 'the provider is asked to cancel v3-rc1');
    const input = { accountId, deploymentId: back };
    const { workflowId, firstExecutionRunId } = await e.client.workflow.start('rollback', {
      workflowId: rollbackWorkflowId(input),
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      taskQueue: e.taskQueue,
      args: [{ ...input, mostHistoryEvents: 25 }],
    });
    const newest = e.client.workflow.getHandle(workflowId);
    await until(async () => {
      await newest.signal(rollbackLookSignal);
      return (await newest.describe()).runId !== firstExecutionRunId;
    }, 'the rollback continues as a new run');
    const first = await e.client.workflow.getHandle(workflowId, firstExecutionRunId).fetchHistory();
    expect(countEvents(first).get('workflowExecutionContinuedAsNew')).toBe(1);
    expect(first.events?.length).toBeLessThan(50);
    cd.run('v3-rc1').status = 'canceled';
    await until(() => cd.runs.length === 6, 'the rollback is triggered');
    cd.run('v1-rc1').status = 'success';
    expect(await newest.result()).toMatchObject({ status: 'success' });
    await keepHistory('releases.rollback.continued', first);
  });

  it('if a command prints its secret and fails, no history contains the secret', async () => {
    const { e, r, until } = s;
    const { ctx, secrets, repository } = e.w;
    const command = 'echo "with $DEPLOYMENT_SECRET"; test "$ENVIRONMENT" != production';
    const provider = { kind: 'command', command, secret: canary, timeoutSec: 30 } as const;
    const [project, version] = ['kitchen', 'v9-rc1'];
    await createReleaseProject(ctx, secrets, { name: project, repository, build: provider });
    await createEnvironment(ctx, secrets, { project, name: 'production', provider });
    const commit = await e.w.git('rev-parse', 'main');
    const names = `${repository.owner}/${repository.name}`;
    await createRelease(ctx, { project, version, repository: names, commit, triggerBuildWorkflow: true });
    await until(async () => (await r.candidateStatus(version)).status === 'ready', 'the candidate is ready');
    await createDeployment(ctx, { project, environment: 'production', version });
    const find = async (): Promise<{ candidate: string; deployment: string } | undefined> =>
      (
        await e.w.rows<{ candidate: string; deployment: string }>(
          `select c.id as candidate, d.id as deployment from deployment d join release_candidate c on c.id = d.candidate_id
           where c.version = $1 and d.status = 'failure'`,
          [version],
        )
      )[0];
    await until(async () => (await find()) !== undefined, 'the deployment has failed');
    const { candidate = '', deployment = '' } = (await find()) ?? {};
    const { accountId } = ctx;
    const workflows = [
      buildWorkflowId({ accountId, candidateId: candidate }),
      deploymentWorkflowId({ accountId, deploymentId: deployment }),
    ];
    const ended = await Promise.allSettled(workflows.map(async (id) => await e.client.workflow.getHandle(id).result()));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const [built = '', deployed = ''] = await Promise.all(workflows.map(textOf));
    expect(built).toContain(version);
    expect(deployed).toMatch(/Exited with code 1 .*with \*\*\*/);
    expect(built + deployed).not.toContain(canary);
    expect(built + deployed).not.toContain('DEPLOYMENT_SECRET');
  });
});
