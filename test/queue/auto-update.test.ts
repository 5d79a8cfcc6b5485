// Open pull requests are kept up to date while their base branch moves.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { advanceQueue } from '../../src/modules/queue/index.ts';
import { parallel, world } from '../support/world.ts';
import { expectLandedOnce } from './stories.ts';
import { openStack, stacking } from './stacks.ts';
import { autoUpdate, listUpToDate, countOpenSyncs } from './auto-update.ts';

describe('auto_update', () => {
  it('brings all pull requests up to date, at most five at a time, and reports a conflict once', async () => {
    await using w = await world({ configuration: autoUpdate() });
    const numbers: number[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) numbers.push(await w.open(name, { [`${name}.txt`]: '1\n' }));
    const conflicting = await w.open('conflict', { 'README.md': 'mine\n' });
    await w.commit('main', { 'README.md': 'theirs\n' });
    let most = 0;
    await w.until(async () => {
      most = Math.max(most, await countOpenSyncs(w));
      return (await listUpToDate(w)).length === numbers.length && (await countOpenSyncs(w)) === 0;
    });
    expect(most).toBeLessThanOrEqual(5);
    await w.until(async () => (await w.comments(conflicting)).length > 0);
    await w.commit('main', { 'more.txt': 'more\n' });
    await w.until(async () => (await listUpToDate(w)).length === numbers.length && (await countOpenSyncs(w)) === 0);
    expect(await listUpToDate(w)).toEqual(numbers);
    expect((await w.events()).filter(([action]) => action === 'sync_failed')).toEqual([['sync_failed', [conflicting]]]);
    expect((await w.comments(conflicting)).map(({ body }) => body)).toEqual([expect.stringContaining('`README.md`')]);
    const attempts = await w.rows<{ n: number }>(
      'select count(*)::int as n from pushed_head group by previous having count(*) > 1',
    );
    expect(attempts).toEqual([]);
  });
});

describe('auto_update of a stack', () => {
  it('updates each pull request with its own base branch, and then leaves it alone', async () => {
    await using w = await world({ configuration: stacking(autoUpdate()), runsCi: false, ci: 'checks: {}\n' });
    const numbers = await openStack(w);
    await w.commit('main', { 'more.txt': 'more\n' });
    await w.until(async () => (await listUpToDate(w)).length === 3 && (await countOpenSyncs(w)) === 0);
    expect(await listUpToDate(w)).toEqual(numbers);
    expect(await w.git('merge-base', 'one', 'two')).toBe(await w.git('rev-parse', 'one'));
    const [queue] = await w.rows<{ id: string }>("select id from queue where base_branch = 'main'");
    await advanceQueue(w.ctx, queue?.id ?? '');
    expect(await countOpenSyncs(w)).toBe(0);
  });
});

describe('update_before_requeue', () => {
  it('builds the updated head after a red build', async () => {
    const flags = await mkdtemp(join(tmpdir(), 'interlock-flags-'));
    try {
      await chmod(flags, 0o777);
      // CI is red once for the two files together, and green afterwards.
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
