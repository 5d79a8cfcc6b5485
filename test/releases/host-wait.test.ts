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
  // A call that comes before the test has seen the wait is asked to wait again, so that a slow machine cannot miss it.
  const given: number[] = [];
  let isSeen = false;
  replaceHostMethod(r.w, 'dispatchWorkflow', (original) => async (...of) => {
    asked.push(Date.now());
    if (isSeen) return await original(...of);
    const retryAt = Date.now() + 1_000;
    given.push(retryAt);
    throw new HostUnavailable('Too many requests.', { retryAt });
  });
  await r.candidate('v1-rc1');
  await r.deploy('v1-rc1');
  await r.w.until(async () => (await r.deployments()).some(({ problem }) => problem === 'Too many requests.'));
  expect(await r.w.rows('select calls from deployment')).toEqual([{ calls: 0 }]);
  isSeen = true;
  await r.become('v1-rc1 success');
  expect(asked).toHaveLength(given.length + 1);
  for (const [at, retryAt] of given.entries()) expect(asked[at + 1]).toBeGreaterThanOrEqual(retryAt);
});
