// Reports of a host that numbers the runs of a check, after earlier runs were deleted.
import { expect, test } from 'vitest';
import type { HostedRepository } from '../../src/hosts/port.ts';
import { readKeptChecks, recordNewChecks } from '../../src/modules/queue/facts/build.records.ts';
import { parallel, world } from '../support/world.ts';

test('an older run that another process reports late does not replace the newer run at its attempt', async () => {
  await using w = await world({ configuration: parallel() });
  const number = await w.open('a', { 'a.txt': 'a\n' });
  const { head_sha: commit } = await w.status(number);
  const host = w.ctx.hosts('local');
  const hosted: HostedRepository = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository, host: 'local' };
  const record = async (
    kept: Awaited<ReturnType<typeof readKeptChecks>>,
    run: { readonly newestRun: number; readonly conclusion: 'success' | 'failure' },
  ): Promise<void> => {
    const readChecks: typeof host.readChecks = async (...of) => {
      const report = await host.readChecks(...of);
      const said = { name: 'numbered', attempt: 1, url: null, summary: null, event: null } as const;
      return { ...report, checks: [{ ...said, ...run, startedAt: null, completedAt: null }] };
    };
    await recordNewChecks({ ...w.ctx, hosts: () => ({ ...host, readChecks }) }, hosted, { commit, kept });
  };
  const read = async () => await readKeptChecks(w.ctx, w.repositoryId, commit);
  await record(await read(), { newestRun: 20, conclusion: 'failure' });
  // Both processes have read the same records. The one that saw the older run writes last.
  const kept = await read();
  await record(kept, { newestRun: 40, conclusion: 'success' });
  await record(kept, { newestRun: 30, conclusion: 'failure' });
  expect(
    await w.rows("select attempt, conclusion, newest_run from check_result where name = 'numbered' order by attempt"),
  ).toEqual([
    { attempt: 1, conclusion: 'failure', newest_run: '20' },
    { attempt: 2, conclusion: 'success', newest_run: '40' },
  ]);
});
