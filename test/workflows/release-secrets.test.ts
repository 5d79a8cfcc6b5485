// A provider's secret passes Temporal by: whatever its histories hold, it is not among it.
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, it } from 'vitest';
import { buildWorkflowId } from '../../workflows/build/messages.ts';
import { deploymentWorkflowId } from '../../workflows/deployment/messages.ts';
import { releasesOf } from '../support/release-world.ts';
import { engineWorld, eventually, type EngineWorld } from './engine-world.ts';

const canary = 'canary-7c1f50e2';

/** Everything in it that is text: payloads decoded, and what stands beside them. */
async function textOf(e: EngineWorld, workflowId: string): Promise<string> {
  const json = historyToJSON(await e.client.workflow.getHandle(workflowId).fetchHistory());
  const decoded = [...json.matchAll(/"data":\s*"([^"]*)"/g)].map(([, data]) =>
    Buffer.from(data ?? '', 'base64').toString(),
  );
  return [json, ...decoded].join('\n');
}

it('of a command that prints it and fails with it on its lips', { timeout: 120_000 }, async () => {
  const command = 'echo "with $DEPLOYMENT_SECRET"; test "$ENVIRONMENT" != production';
  const provider = { kind: 'command', command, secret: canary, timeoutSec: 30 } as const;
  await using e = await engineWorld();
  const until = async (isSo: () => Promise<boolean>): Promise<void> => await eventually(isSo, 'the line', 45_000);
  const r = await releasesOf(e.w, { provider, build: provider, until });
  await e.start();
  await r.candidate('v1-rc1', { built: true });
  await until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready');
  const deploymentId = await r.deploy('v1-rc1');
  await r.become('v1-rc1 failure');
  const { accountId } = e.w.ctx;
  const [candidate] = await e.w.rows<{ id: string }>('select id from release_candidate');
  const workflows = [
    buildWorkflowId({ accountId, candidateId: candidate?.id ?? '' }),
    deploymentWorkflowId({ accountId, deploymentId }),
  ];
  const ended = await Promise.allSettled(workflows.map(async (id) => await e.client.workflow.getHandle(id).result()));
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  const [build = '', deployment = ''] = await Promise.all(workflows.map(async (id) => await textOf(e, id)));
  expect(build).toContain('v1-rc1');
  expect(deployment).toMatch(/Exited with code 1 .*with \*\*\*/);
  expect(build + deployment).not.toContain(canary);
  expect(build + deployment).not.toContain('DEPLOYMENT_SECRET');
});
