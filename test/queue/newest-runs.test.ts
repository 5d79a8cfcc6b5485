// Reports of a host that numbers the runs of a check, which several processes record.
import { expect, test } from 'vitest';
import type { HostedRepository } from '../../src/hosts/port.ts';
import { readKeptChecks, recordNewChecks } from '../../src/modules/queue/facts/build.records.ts';
import { parallel, world, type World } from '../support/world.ts';

/** Records results of a check as processes do that read the records, then the host, and write then. */
async function recorder(w: World) {
  const number = await w.open('a', { 'a.txt': 'a\n' });
  const { head_sha: commit } = await w.status(number);
  const host = w.ctx.hosts('local');
  const hosted: HostedRepository = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository, host: 'local' };
  return {
    commit,
    read: async () => await readKeptChecks(w.ctx, w.repositoryId, commit),
    record: async (
      kept: Awaited<ReturnType<typeof readKeptChecks>>,
      run: { readonly newestRun: number; readonly conclusion: 'success' | 'failure' | 'pending' },
    ): Promise<void> => {
      const readChecks: typeof host.readChecks = async (...of) => {
        const report = await host.readChecks(...of);
        const said = { name: 'numbered', attempt: 1, url: null, summary: null, event: null } as const;
        return { ...report, checks: [{ ...said, ...run, startedAt: null, completedAt: null }] };
      };
      await recordNewChecks({ ...w.ctx, hosts: () => ({ ...host, readChecks }) }, hosted, { commit, kept });
    },
    results: async () =>
      await w.rows("select attempt, conclusion, newest_run from check_result where name = 'numbered' order by attempt"),
  };
}

test('an older run that another process reports late does not replace the newer run at its attempt', async () => {
  await using w = await world({ configuration: parallel() });
  const { read, record, results } = await recorder(w);
  await record(await read(), { newestRun: 20, conclusion: 'failure' });
  // Both processes have read the same records. The one that saw the older run writes last.
  const kept = await read();
  await record(kept, { newestRun: 40, conclusion: 'success' });
  await record(kept, { newestRun: 30, conclusion: 'failure' });
  expect(await results()).toEqual([
    { attempt: 1, conclusion: 'failure', newest_run: '20' },
    { attempt: 2, conclusion: 'success', newest_run: '40' },
  ]);
});

test('an end that was read before another end was recorded does not replace it, and the host is asked again', async () => {
  await using w = await world({ configuration: parallel(), runsCi: false });
  const { commit, read, record, results } = await recorder(w);
  await record(await read(), { newestRun: 20, conclusion: 'pending' });
  const kept = await read();
  await record(kept, { newestRun: 20, conclusion: 'failure' });
  const hints = async () =>
    await w.rows("select subject from host_hint where kind = 'checks' and subject = $1", [commit]);
  await w.rows('delete from host_hint');
  await record(kept, { newestRun: 20, conclusion: 'success' });
  expect(await results()).toEqual([{ attempt: 1, conclusion: 'failure', newest_run: '20' }]);
  expect(await hints()).toEqual([{ subject: commit }]);
  await record(await read(), { newestRun: 20, conclusion: 'success' });
  expect(await results()).toEqual([{ attempt: 1, conclusion: 'success', newest_run: '20' }]);
});
