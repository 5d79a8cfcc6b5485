// Open pull requests are kept up to date while their base branch moves.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HostRefused, HostUnavailable } from '../../src/hosts/port.ts';
import { advanceQueue, carryOut, syncPullRequest } from '../../src/modules/queue/index.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, hostOf, statuses } from './stories.ts';
import { openStack, stacking } from './stacks.ts';
import { autoUpdate, listUpToDate, countOpenSyncs } from './auto-update.ts';

/** Takes a turn of the queue. Returns how many updates are open afterwards. */
async function countSyncsAfterTurn(w: World): Promise<number> {
  const [queue] = await w.rows<{ id: string }>("select id from queue where base_branch = 'main'");
  await advanceQueue(w.ctx, queue?.id ?? '');
  return await countOpenSyncs(w);
}

const later = (w: World) => ({ ...w.ctx, clock: () => new Date(Date.now() + 61 * 60_000) });

/** Plans an automatic update, which fails with the error that `failsWith` returns. Null: it does not fail. */
async function planFailingUpdate(w: World, failsWith: () => Error | null): Promise<string> {
  let isHeld = true;
  replaceHostMethod(w, 'composeUpdate', (original) => async (...given) => {
    const error = isHeld ? new HostUnavailable('Not now', { retryAt: Date.now() + 60_000 }) : failsWith();
    if (error !== null) throw error;
    return await original(...given);
  });
  await w.open('a', { 'a.txt': 'a\n' });
  await w.commit('main', { 'more.txt': 'more\n' });
  await w.until(
    async () => (await w.rows("select 1 from intent where kind = 'sync' and next_try_at > now()")).length > 0,
  );
  isHeld = false;
  const [intent] = await w.rows<{ id: string }>("select id from intent where kind = 'sync'");
  return intent?.id ?? '';
}

const failedSyncs = async (w: World): Promise<unknown[]> =>
  (await w.rows<{ reason: string }>("select payload->>'reason' as reason from event where action = 'sync_failed'")).map(
    ({ reason }) => reason,
  );

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
    expect(await countSyncsAfterTurn(w)).toBe(0);
  });

  it('leaves a pull request alone whose base branch is still the branch of a merged one', async () => {
    await using w = await world({ configuration: stacking(autoUpdate()), runsCi: false, ci: 'checks: {}\n' });
    replaceHostMethod(w, 'setBaseBranch', () => async () => {
      throw new HostRefused('403 Forbidden');
    });
    const one = await w.open('one', { 'story.txt': 'one\n' });
    const two = await w.open('two', { 'story.txt': 'one\ntwo\n' }, { from: 'origin/one', base: 'one' });
    const merge = await w.commit('main', { 'story.txt': 'one\n' }, { message: `Merge one (#${one})` });
    await w.rows(
      "update local_pull_request set state = 'merged', merged_at = now(), merge_commit_sha = $2 where number = $1",
      [one, merge],
    );
    const host = { ...hostOf(w), host: 'local' } as const;
    await syncPullRequest(w.ctx, host, one);
    await w.until(async () => (await statuses(w, one)).join() === 'merged' && (await countOpenSyncs(w)) === 0);
    await w.commit('one', { 'late.txt': 'late\n' });
    await w.commit('two', { 'more.txt': 'more\n' });
    await syncPullRequest(w.ctx, host, two);
    const [queue] = await w.rows<{ id: string }>("select id from queue where base_branch = 'main'");
    for (let turn = 0; turn < 2; turn += 1) {
      await advanceQueue(w.ctx, queue?.id ?? '');
      const open = await w.rows<{ id: string }>("select id from intent where kind = 'sync' and state = 'planned'");
      for (const { id } of open) await carryOut(w.ctx, id);
    }
    await advanceQueue(w.ctx, queue?.id ?? '');
    expect(await countOpenSyncs(w)).toBe(0);
    expect(await w.git('ls-tree', '--name-only', 'two')).not.toContain('late.txt');
  });
});

describe('auto_update that fails', () => {
  it('leaves a pull request alone that the code host no longer shows', async () => {
    await using w = await world({ configuration: autoUpdate(), runsCi: false, ci: 'checks: {}\n' });
    const intent = await planFailingUpdate(w, () => null);
    replaceHostMethod(w, 'getPullRequest', () => async () => null);
    await carryOut(later(w), intent);
    expect(await countSyncsAfterTurn(w)).toBe(0);
    expect(await failedSyncs(w)).toEqual(['the code host does not show #1']);
  });

  it('twenty times waits for another head', async () => {
    await using w = await world({ configuration: autoUpdate(), runsCi: false, ci: 'checks: {}\n' });
    const error = new Error('a surprise');
    let failure: Error | null = error;
    const intent = await planFailingUpdate(w, () => failure);
    for (let n = 0; n < 20; n += 1) await carryOut(later(w), intent).catch((thrown) => expect(thrown).toBe(error));
    expect(await countSyncsAfterTurn(w)).toBe(0);
    expect(await failedSyncs(w)).toEqual(['it failed 20 times']);
    failure = null;
    await w.commit('a', { 'b.txt': 'b\n' });
    await w.until(async () => (await listUpToDate(w)).length > 0 && (await countOpenSyncs(w)) === 0);
  });

  it('because the code host could not be reached for an hour is planned again', async () => {
    await using w = await world({ configuration: autoUpdate(), runsCi: false, ci: 'checks: {}\n' });
    let failure: Error | null = new HostUnavailable('away');
    const intent = await planFailingUpdate(w, () => failure);
    for (let n = 0; n < 20; n += 1) await carryOut(later(w), intent).catch((thrown) => expect(thrown).toBe(failure));
    expect(await countOpenSyncs(w)).toBe(0);
    failure = null;
    await w.until(async () => (await listUpToDate(w)).length > 0 && (await countOpenSyncs(w)) === 0);
    expect(await failedSyncs(w)).toEqual([]);
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
