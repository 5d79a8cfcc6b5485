import { expect, it } from 'vitest';
import { freezeEnvironment, unfreezeEnvironment } from '../../src/modules/releases/freezes.service.ts';
import { announceDueFreezes, advanceDeployment } from '../../src/modules/releases/index.ts';
import { releaseWorld } from '../support/release-world.ts';

const production = { project: 'shop', environment: 'production' };

it('deployments in line wait while the environment is frozen, say for what, let a forced deployment pass, and continue when the freeze ends', async () => {
  await using r = await releaseWorld();
  const { ctx, service } = r.w;
  for (const version of ['v1-rc1', 'v2-rc1', 'v3-rc1']) await r.candidate(version);
  await r.deploy('v1-rc1');
  const waiting = await r.deploy('v2-rc1');
  await r.become('v1-rc1 in_progress', 'v2-rc1 pending');
  const endsAt = new Date(Date.now() + 3_600_000);
  await freezeEnvironment(ctx, { ...production, reason: 'audit', endsAt });
  // The running deployment continues, because a freeze stops nothing that has started.
  await r.report('v1-rc1', 'success');
  await r.become('v1-rc1 success', 'v2-rc1 pending');
  const { need, step, nextLookAt } = await advanceDeployment(ctx, waiting);
  expect([need, nextLookAt]).toEqual(['wait', endsAt.getTime()]);
  expect(step).toContain(`frozen until ${endsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`);

  await r.deploy('v3-rc1', { force: true });
  await r.become('v1-rc1 success', 'v2-rc1 pending', 'v3-rc1 in_progress');
  await r.report('v3-rc1', 'success');
  await r.become('v1-rc1 success', 'v2-rc1 pending', 'v3-rc1 success');

  await unfreezeEnvironment(ctx, production);
  await r.become('v1-rc1 success', 'v2-rc1 in_progress', 'v3-rc1 success');
  await announceDueFreezes(service.ports);
  expect((await r.w.events()).map(([action]) => action).filter((action) => action.startsWith('environment_'))).toEqual([
    'environment_created',
    'environment_frozen',
    'environment_unfrozen',
  ]);
});
