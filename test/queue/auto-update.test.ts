// Open pull requests kept up to date while their base moves.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce } from './stories.ts';

const autoUpdate = (more = ''): string => `${parallel()}auto_update:\n  enabled: true\n${more}`;

/** Numbers of the pull requests whose branch contains the base's tip. */
async function upToDate(w: World): Promise<number[]> {
  const rows = await w.rows<{ number: number; head_branch: string }>(
    'select number, head_branch from pull_request order by number',
  );
  const found: number[] = [];
  for (const { number, head_branch } of rows)
    if ((await w.git('merge-base', 'main', head_branch)) === (await w.git('rev-parse', 'main'))) found.push(number);
  return found;
}

const openSyncs = async (w: World): Promise<number> =>
  (await w.rows("select 1 from intent where kind = 'sync' and state in ('planned', 'begun')")).length;

const runs = async (w: World): Promise<number[]> =>
  (
    await w.rows<{ runs: number }>(
      'select u.runs from branch_update u join pull_request p on p.id = u.pull_request_id order by p.number',
    )
  ).map((row) => row.runs);

describe('auto_update', () => {
  it('brings all of them up to date, a few at a time, and one with a conflict once', async () => {
    await using w = await world({ configuration: autoUpdate() });
    const numbers: number[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) numbers.push(await w.open(name, { [`${name}.txt`]: '1\n' }));
    const conflicting = await w.open('conflict', { 'README.md': 'mine\n' });
    await w.commit('main', { 'README.md': 'theirs\n' });
    let most = 0;
    await w.until(async () => {
      most = Math.max(most, await openSyncs(w));
      return (await upToDate(w)).length === numbers.length && (await openSyncs(w)) === 0;
    }, 60_000);
    expect(most).toBeLessThanOrEqual(5);
    await w.until(async () => (await w.comments(conflicting)).length > 0);
    await w.commit('main', { 'more.txt': 'more\n' });
    await w.until(async () => (await upToDate(w)).length === numbers.length && (await openSyncs(w)) === 0, 60_000);
    expect(await upToDate(w)).toEqual(numbers);
    expect((await w.events()).filter(([action]) => action === 'sync_failed')).toEqual([['sync_failed', [conflicting]]]);
    expect((await w.comments(conflicting)).map(({ body }) => body)).toEqual([expect.stringContaining('`README.md`')]);
    const attempts = await w.rows<{ n: number }>(
      'select count(*)::int as n from pushed_head group by previous having count(*) > 1',
    );
    expect(attempts).toEqual([]);
  });

  it('only those with the label, and no oftener than max_runs_for_update', async () => {
    await using w = await world({
      configuration: autoUpdate('  label: fresh\n  max_runs_for_update: 1\n'),
      runsCi: false,
      ci: 'checks: {}\n',
    });
    const labelled = await w.open('a', { 'a.txt': 'a\n' });
    await w.open('b', { 'b.txt': 'b\n' });
    const host = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository };
    await w.service.localHost.setLabel(host, labelled, 'fresh', true);
    await w.commit('main', { 'one.txt': '1\n' });
    await w.until(async () => (await upToDate(w)).length > 0 && (await openSyncs(w)) === 0);
    expect(await upToDate(w)).toEqual([labelled]);
    await w.commit('main', { 'two.txt': '2\n' });
    await w.until(async () => (await w.rows('select 1 from queue where version > planned_version')).length === 0);
    expect(await openSyncs(w)).toBe(0);
    expect(await upToDate(w)).toEqual([]);
    expect(await runs(w)).toEqual([1]);
  });

  it('leaves those in line to the queue', async () => {
    await using w = await world({ configuration: autoUpdate() });
    await w.pause(true);
    const queued = await w.open('a', { 'a.txt': 'a\n' });
    const open = await w.open('b', { 'b.txt': 'b\n' });
    const head = await w.git('rev-parse', 'a');
    await w.queue(queued);
    await w.commit('main', { 'other.txt': 'other\n' });
    await w.until(async () => (await upToDate(w)).includes(open) && (await openSyncs(w)) === 0);
    expect(await w.git('rev-parse', 'a')).toBe(head);
    await w.pause(false);
    await w.settled(queued);
    expect((await w.status(queued)).status).toBe('merged');
  });
});

describe('update_before_requeue', () => {
  it('builds the updated head after a red build', async () => {
    const flags = await mkdtemp(join(tmpdir(), 'interlock-flags-'));
    try {
      await chmod(flags, 0o777);
      // Red once for the two together, green afterwards.
      const flag = join(flags, 'seen');
      await using w = await world({
        configuration: parallel({ builds: 1, more: 'max_requeue_attempts: 1\nupdate_before_requeue: true\n' }),
        ci: `checks:\n  test:\n    run: 'test ! -e x || test ! -e y || test -e ${flag} || { touch ${flag}; false; }'\n`,
      });
      const number = await w.open('x', { x: 'x\n' });
      await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
      const before = await w.git('rev-parse', 'x');
      const tip = await w.commit('main', { y: 'y\n' });
      await w.queue(number);
      await w.settled(number);
      await expectLandedOnce(w, number);
      const updated = await w.git('rev-parse', 'x');
      expect(await w.git('log', '-1', '--format=%P', updated)).toBe(`${before} ${tip}`);
      const heads = await w.rows<{ pinned_head: string }>('select pinned_head from batch_member order by batch_id');
      expect(heads.map((row) => row.pinned_head)).toEqual([before, updated]);
      expect((await w.events()).filter(([action]) => action === 'blocked')).toEqual([]);
    } finally {
      await rm(flags, { recursive: true });
    }
  });
});
