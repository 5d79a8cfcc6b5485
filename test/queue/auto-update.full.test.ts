// Auto-update by label, and no auto-update of pull requests in line.
import { describe, expect, it } from 'vitest';
import { world, type World } from '../support/world.ts';
import { autoUpdate, listUpToDate, countOpenSyncs } from './auto-update.ts';

const runs = async (w: World): Promise<number[]> =>
  (
    await w.rows<{ runs: number }>(
      'select u.runs from branch_update u join pull_request p on p.id = u.pull_request_id order by p.number',
    )
  ).map((row) => row.runs);

describe('auto_update', () => {
  it('updates only pull requests with the label, and at most max_runs_for_update times', async () => {
    await using w = await world({
      configuration: autoUpdate('  label: fresh\n  max_runs_for_update: 1\n'),
      runsCi: false,
      ci: 'checks: {}\n',
    });
    const labelled = await w.open('a', { 'a.txt': 'a\n' });
    await w.open('b', { 'b.txt': 'b\n' });
    const host = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository };
    await w.service.localHost.setLabel(host, labelled, { label: 'fresh', present: true });
    await w.commit('main', { 'one.txt': '1\n' });
    await w.until(async () => (await listUpToDate(w)).length > 0 && (await countOpenSyncs(w)) === 0);
    expect(await listUpToDate(w)).toEqual([labelled]);
    await w.commit('main', { 'two.txt': '2\n' });
    await w.until(async () => (await w.rows('select 1 from queue where version > planned_version')).length === 0);
    expect(await countOpenSyncs(w)).toBe(0);
    expect(await listUpToDate(w)).toEqual([]);
    expect(await runs(w)).toEqual([1]);
  });

  it('does not update pull requests in line', async () => {
    await using w = await world({ configuration: autoUpdate() });
    await w.pause(true);
    const queued = await w.open('a', { 'a.txt': 'a\n' });
    const open = await w.open('b', { 'b.txt': 'b\n' });
    const head = await w.git('rev-parse', 'a');
    await w.queue(queued);
    await w.commit('main', { 'other.txt': 'other\n' });
    await w.until(async () => (await listUpToDate(w)).includes(open) && (await countOpenSyncs(w)) === 0);
    expect(await w.git('rev-parse', 'a')).toBe(head);
    await w.pause(false);
    await w.settled(queued);
    expect((await w.status(queued)).status).toBe('merged');
  });
});
