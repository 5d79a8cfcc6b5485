// Webhooks about candidates, deployments and freezes.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { webhookActions } from '../../src/domain/events/subscription.ts';
import type { DeploymentStatus } from '../../src/domain/releases/release.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { announceCandidate } from '../../src/modules/releases/candidates.events.ts';
import { writeDeploymentStatus } from '../../src/modules/releases/deployments.writer.ts';
import { loadDeployment, lockEnvironment } from '../../src/modules/releases/releases.locks.ts';
import { seedRelease, type ReleaseRows } from '../releases/release-rows.ts';
import { problemsOfPayloads } from '../rest/contract/payloads.ts';
import { receiver, type Receiver } from './receiver.ts';
import { webhookWorld, type WebhookWorld } from './webhook-world.ts';

let w: WebhookWorld;
let r: Receiver;
let rows: ReleaseRows;
beforeAll(async () => {
  w = await webhookWorld();
  rows = await seedRelease(w.s, w.seeded);
});
afterAll(async () => await w[Symbol.asyncDispose]());
beforeEach(async () => {
  r = await receiver();
  await w.s.rows('delete from webhook_delivery');
  await w.s.rows('delete from webhook_endpoint');
  return async () => await r[Symbol.asyncDispose]();
});

async function move(
  to: DeploymentStatus,
  source: 'service' | 'report',
  errorMessage: string | null = null,
): Promise<void> {
  const ctx = systemContext(w.s.ports, w.s.accountId);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const environment = await lockEnvironment(ctx, tx, rows.environmentId);
    const deployment = await loadDeployment(ctx, tx, rows.deploymentId);
    await writeDeploymentStatus(ctx, tx, { environment, deployment, to, source, errorMessage });
  });
}

it('each status of a deployment is sent to the endpoints with its action, with the whole deployment as it was then', async () => {
  await w.endpoint(`${r.url}/all`);
  await w.endpoint(`${r.url}/failures`, { actions: ['deployment_failure'] });
  await move('failure', 'service', 'Exited with code 1');
  await move('failure', 'report');
  await move('success', 'report');
  await r.until(3);
  await w.settled('succeeded');
  expect(
    r.received.map(({ path, json }) => `${path.replace('/hooks/', '')} ${String(json['action'])}`).toSorted(),
  ).toEqual(['all deployment_failure', 'all deployment_success', 'failures deployment_failure']);
  const [failed, succeeded] = r.received.filter(({ path }) => path.endsWith('/all')).map(({ json }) => json);
  expect(failed).toEqual({
    action: 'deployment_failure',
    repository: 'shop',
    organization: 'acme',
    deployment: {
      id: encodeNodeId('Deployment', rows.deploymentId),
      project: 'shop',
      environment_name: 'production',
      actor: 'ada@example.test',
      release_version: 'shop-1.1',
      release_candidate_version: 'shop-1.1-rc2',
      from_release_version: null,
      from_release_candidate_version: null,
      status: 'failure',
      error_message: 'Exited with code 1',
      rollback_of: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      deploy_start_at: expect.stringMatching(/Z$/),
      deploy_end_at: expect.stringMatching(/Z$/),
    },
  });
  expect(succeeded).toMatchObject({
    action: 'deployment_success',
    deployment: { status: 'success', error_message: null },
    late_update: true,
  });
  const lanes = await w.s.rows<{ lane: string }>('select distinct lane from webhook_delivery');
  expect(lanes).toEqual([{ lane: `environment:${rows.environmentId}` }]);
});

it('a created candidate is sent as it was then', async () => {
  await w.endpoint(r.url, { actions: ['candidate_created', 'candidate_ready', 'candidate_failed'] });
  const ctx = systemContext(w.s.ports, w.s.accountId);
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await announceCandidate(ctx, tx, { id: rows.candidateId, actions: ['candidate_created'] }),
  );
  await w.s.rows("update release_candidate set status = 'failed', error_message = 'It is red.'");
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await announceCandidate(ctx, tx, { id: rows.candidateId, actions: ['candidate_failed'] }),
  );
  const [created, failed] = await r.until(2);
  expect(created?.json).toEqual({
    action: 'candidate_created',
    repository: 'shop',
    organization: 'acme',
    release_candidate: {
      id: encodeNodeId('ReleaseCandidate', rows.candidateId),
      project: 'shop',
      release_version: 'shop-1.1',
      release_candidate_version: 'shop-1.1-rc2',
      commit: 'a'.repeat(40),
      repository: { org: 'acme', name: 'shop' },
      status: 'building',
      created_at: expect.stringMatching(/Z$/),
      actor: 'ada@example.test',
    },
  });
  expect(failed?.json).toMatchObject({
    action: 'candidate_failed',
    release_candidate: { status: 'failed' },
    message: 'It is red.',
  });
});

it('a frozen environment is sent with its author and its end, and again when it is no longer frozen', async () => {
  await w.endpoint(r.url, { actions: ['environment_frozen', 'environment_unfrozen'] });
  const environment = { project: 'shop', environment: 'production' };
  const endsAt = new Date(w.clock().getTime() + 3_600_000).toISOString();
  await w.ask('freezeEnvironment', { ...environment, reason: 'Black Friday', endsAt }, 'freeze { id }');
  await w.s.graphql(
    'mutation ($input: UnfreezeEnvironmentInput!) { unfreezeEnvironment(input: $input) { __typename } }',
    {
      input: environment,
    },
  );
  const [frozen, unfrozen] = await r.until(2);
  const about = { repository: 'shop', organization: 'acme', project: 'shop', environment_name: 'production' };
  expect(frozen?.json).toEqual({
    action: 'environment_frozen',
    ...about,
    freeze: { source: 'manual', reason: 'Black Friday', created_by: 'service@acme.test', until: endsAt },
  });
  expect(unfrozen?.json).toEqual({ action: 'environment_unfrozen', ...about });
});

it('a frozen base branch is sent with its author and its end, and again when it is no longer frozen', async () => {
  await w.endpoint(r.url, { actions: ['base_branch_frozen', 'base_branch_unfrozen'] });
  const branches = { repository: { owner: 'acme', name: 'shop' }, baseBranches: 'main' };
  const endsAt = new Date(w.clock().getTime() + 3_600_000).toISOString();
  await w.ask('freezeBranches', { ...branches, reason: 'Release week', endsAt }, 'freeze { id }');
  await w.s.graphql('mutation ($input: BaseBranchesInput!) { unfreezeBranches(input: $input) { deleted } }', {
    input: branches,
  });
  const [frozen, unfrozen] = await r.until(2);
  const about = { repository: 'shop', organization: 'acme', base_branch: 'main' };
  expect(frozen?.json).toEqual({
    action: 'base_branch_frozen',
    ...about,
    freeze: { source: 'manual', reason: 'Release week', created_by: 'service@acme.test', until: endsAt },
  });
  expect(unfrozen?.json).toEqual({ action: 'base_branch_unfrozen', ...about });
});

it('every payload has the documented fields and no others', () => {
  const facts = {
    id: 'x',
    project: 'shop',
    environment: 'production',
    baseBranch: 'main',
    actor: 'ada',
    version: '1-rc1',
    releaseVersion: '1',
    status: 'success',
    createdAt: '2026-01-02T03:04:05.000Z',
    commit: 'a'.repeat(40),
    secret: 'sesame',
    errorMessage: 'red',
  };
  const events = webhookActions
    .filter((action) => /^(candidate|deployment|environment|base_branch)_/.test(action))
    .map((action) => ({
      action,
      payload: {
        ...facts,
        ...(action.startsWith('candidate') && { status: 'ready' }),
        ...(action.endsWith('_frozen') && { source: 'manual', by: 'ada', until: null }),
      },
    }));
  expect(events).toHaveLength(15);
  expect(problemsOfPayloads(events, { owner: 'acme', name: 'shop' })).toEqual([]);
});
