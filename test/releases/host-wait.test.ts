// If the code host asks to wait, this is no failure of the provider.
import { expect, it } from 'vitest';
import { HostUnavailable } from '../../src/hosts/port.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { releaseWorld } from '../support/release-world.ts';

it('a deployment whose code host asks to wait is triggered later, and the wait does not count as a failure', async () => {
  const inputs = ['deployment_id', 'environment', 'release_candidate_version'];
  await using r = await releaseWorld({
    runsCi: true,
    ci: JSON.stringify({ checks: {}, workflows: { deploy: { run: 'true', inputs } } }),
    provider: { kind: 'github_actions', workflow: 'deploy' },
  });
  const asked: number[] = [];
  let retryAt = 0;
  replaceHostMethod(r.w, 'dispatchWorkflow', (original) => async (...of) => {
    asked.push(Date.now());
    if (asked.length > 1) return await original(...of);
    retryAt = Date.now() + 3_000;
    throw new HostUnavailable('Too many requests.', { retryAt });
  });
  await r.candidate('v1-rc1');
  await r.deploy('v1-rc1');
  await r.w.until(async () => (await r.deployments()).some(({ problem }) => problem === 'Too many requests.'));
  expect(await r.w.rows('select calls from deployment')).toEqual([{ calls: 0 }]);
  await r.become('v1-rc1 success');
  expect(asked).toHaveLength(2);
  expect(asked[1]).toBeGreaterThanOrEqual(retryAt);
});
