// An erasure stops running work before it deletes rows: deployments, builds of candidates, and runbooks.
import { expect, it } from 'vitest';
import { carryOutErasures } from '../../src/modules/erasure/index.ts';
import { eraseRepository } from '../../src/modules/erasure/erasure.service.ts';
import { cdServer } from '../support/cd-server.ts';
import { gate } from '../support/gate.ts';
import { releaseWorld } from '../support/release-world.ts';
import { runbookWorld } from '../support/runbook-world.ts';
import type { World } from '../support/world.ts';

async function erase({ ctx, repository: { owner, name } }: World): Promise<readonly string[]> {
  const { impact } = await eraseRepository(ctx, { owner, name }, { confirm: `${owner}/${name}`, preview: false });
  return impact?.stopped ?? [];
}

async function expectErased(w: World): Promise<void> {
  await carryOutErasures(w.service.ports, { graceSec: 0 });
  expect(await w.rows('select 1 from repository')).toEqual([]);
}

it('a deployment and a build are canceled at their provider, with the secret of the provider', async () => {
  await using cd = await cdServer();
  const provider = { kind: 'http', url: cd.url, statusUrl: cd.url, secret: 'a secret of sixteen' } as const;
  await using r = await releaseWorld({ provider, build: provider });
  await r.candidate('v1-rc1');
  await r.deploy('v1-rc1');
  await r.candidate('v2-rc1', { built: true });
  await r.candidate('v3-rc1');
  await r.deploy('v3-rc1');
  await r.w.until(async () => cd.runs.length === 2);
  expect(await erase(r.w)).toEqual(['2 deployments', '1 release candidate']);
  await r.become('v1-rc1 canceled', 'v3-rc1 canceled');
  await r.w.until(async () => (await r.candidateStatus('v2-rc1')).status === 'failed');
  expect(await r.candidateStatus('v2-rc1')).toEqual({
    status: 'failed',
    error_message: 'It was canceled.',
    problem: null,
  });
  expect(['v1-rc1', 'v2-rc1'].map((version) => cd.run(version).cancels)).toEqual([1, 1]);
  expect((await r.deployments())[1]?.error_message).toBe('The repository is being erased.');
  expect(await r.w.rows('select 1 from environment where provider_secret is null')).toEqual([]);
  await expectErased(r.w);
});

it('commands that deploy and build are stopped', async () => {
  await using waiting = await gate();
  const provider = { kind: 'command', command: waiting.waits } as const;
  await using r = await releaseWorld({ provider, build: provider });
  await r.candidate('v1-rc1');
  await r.deploy('v1-rc1');
  await r.candidate('v2-rc1', { built: true });
  const supervised = async (): Promise<number> =>
    (
      await r.w.rows(`select 1 from deployment where supervised_until is not null
                      union all select 1 from release_candidate where supervised_until is not null`)
    ).length;
  await r.w.until(async () => (await supervised()) === 2);
  await erase(r.w);
  await r.become('v1-rc1 canceled');
  await r.w.until(async () => (await r.candidateStatus('v2-rc1')).status === 'failed');
  expect(await supervised()).toBe(0);
  await expectErased(r.w);
});

it('the agent of a runbook is stopped, and no later leaf is started', async () => {
  await using r = await runbookWorld();
  const number = await r.begin(`hold ${r.w.dataDir}/release\nwrite never.txt never`);
  await r.become(number, '1.1 in_progress', '2.1 not_started');
  expect(await erase(r.w)).toEqual(['1 runbook']);
  await r.w.until(
    async () => (await r.w.rows('select 1 from runbook where supervised_until is not null')).length === 0,
  );
  expect(await r.leaves(number)).toEqual([
    '1.1 failed: The repository is being erased.',
    '2.1 failed: The repository is being erased.',
  ]);
  await expectErased(r.w);
});
