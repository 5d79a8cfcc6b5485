// A code host that fails is called after longer and longer waits. After a day the leaf that waits for it fails, and the
// runbook can be continued.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.ts';
import { maxAttempts } from '../../src/domain/runbooks/drive.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { runbookWorld, type RunbookWorld } from '../support/runbook-world.ts';

interface Failing {
  readonly calls: number;
  readonly problem: string | null;
  readonly call_at: Date | null;
  readonly failing_since: Date | null;
}

async function failing({ w }: RunbookWorld): Promise<Failing> {
  const [row] = await w.rows<Failing>('select calls, problem, call_at, failing_since from runbook');
  if (row === undefined) throw new Error('There is no runbook.');
  return row;
}

interface WorldThatWaits extends RunbookWorld {
  /** Runs turns until `count` calls or attempts have failed, then stops the clock. */
  failed(count: number): Promise<Failing>;
  /** Lets the clock move again. */
  goOn(): Promise<void>;
}

/** A world with a clock that only jumps: to the next time that a runbook waits for, plus `later`. */
async function worldThatWaits(later = 0): Promise<WorldThatWaits> {
  let now = Date.now();
  let mostFailed = Number.POSITIVE_INFINITY;
  const nextTries = new Set<number>();
  const r = await runbookWorld({ clock: () => new Date(now) });
  const { loop, service } = r.w;
  const observe = async (): Promise<void> => {
    const at = (await failing(r)).call_at?.getTime();
    if (at === undefined) return;
    nextTries.add(at);
    if (at > now && nextTries.size < mostFailed) now = at + later;
  };
  loop.observe = observe;
  return Object.assign(r, {
    async failed(count: number) {
      mostFailed = count;
      // Only the loop of runbooks runs meanwhile, because a turn of a queue could not find its repository either.
      while (nextTries.size < count) {
        await loop.runbooks.run(service.ports, observe);
        await loop.runbooks.ended();
        if ((await r.status(1)) === 'failed') throw new Error('The runbook has failed.');
      }
      return await failing(r);
    },
    async goOn() {
      mostFailed = Number.POSITIVE_INFINITY;
      await observe();
    },
  });
}

/**
 * Writes the lock file that a killed git leaves behind, so that the branch cannot be moved. git waits for a lock for two
 * seconds at each try. Nobody removes this one meanwhile, so that in this repository it waits a tenth of a second.
 */
async function lockBranch({ w }: RunbookWorld): Promise<string> {
  await w.git('config', 'core.filesRefLockTimeout', '100');
  const folder = join(w.gitDir, 'refs/heads/interlock');
  await mkdir(folder, { recursive: true });
  const lock = join(folder, 'runbook-1.lock');
  await writeFile(lock, '');
  return lock;
}

const hour = 60 * 60 * 1000;

describe('a code host that fails', () => {
  it('is called after longer and longer waits; the runbook shows the problem, and continues when the host works again', async () => {
    await using r = await worldThatWaits();
    const lock = await lockBranch(r);
    const number = await r.begin('write a.txt one');
    // One more than the attempts that a leaf has if its worker is lost.
    const { problem, call_at, failing_since } = await r.failed(maxAttempts + 1);
    expect(problem).toContain('runbook-1.lock');
    expect((call_at?.getTime() ?? 0) - (failing_since?.getTime() ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect(await r.leaves(number)).toEqual(['1.1 in_progress']);
    await rm(lock);
    await r.goOn();
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
    expect(await failing(r)).toEqual({ calls: 0, problem: null, call_at: null, failing_since: null });
  });

  it('fails the leaf after a day; a follow-up or a retry continues the runbook', async () => {
    await using r = await worldThatWaits();
    const lock = await lockBranch(r);
    const number = await r.begin('write a.txt one');
    await r.failed(1);
    await r.w.rows("update runbook set failing_since = failing_since - interval '1 day'");
    await r.goOn();
    await r.rest(number);
    expect((await r.leaves(number))[0]).toMatch(
      /^1\.1 failed: The code host has failed for 24 hours: retry when the host works again\. The last failure: .*runbook-1\.lock/s,
    );
    await rm(lock);
    await r.follow(number, 'write b.txt two');
    await r.rest(number);
    expect((await r.leaves(number)).at(-1)).toBe('2.1 completed');
    await r.retry(number);
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed', '2.1 completed']);
    expect(await r.file('interlock/runbook-1', 'a.txt')).toBe('one');
    expect(await r.file('interlock/runbook-1', 'b.txt')).toBe('two');
  });

  it('is not named if something else has refused a call for a day', async () => {
    await using r = await runbookWorld();
    const release = onFailpoint('runbook:before_queue', async () => {
      await Promise.reject(new DomainError('CONFLICT', 'The queue is busy. Try again.'));
    });
    try {
      await r.begin('write a.txt one', { queueWhenGreen: true });
      await r.w.until(async () => (await failing(r)).problem === 'The queue is busy. Try again.');
      await r.w.rows("update runbook set failing_since = failing_since - interval '1 day'");
      await r.w.until(async () => (await failing(r)).failing_since === null);
      expect((await failing(r)).problem).toBe(
        'It was tried for 24 hours without success: retry later. The last failure: The queue is busy. Try again.',
      );
    } finally {
      release();
    }
  });

  it('does not count as failing while no worker asks it', async () => {
    await using r = await worldThatWaits(25 * hour);
    const lock = await lockBranch(r);
    const number = await r.begin('write a.txt one');
    const { call_at, failing_since } = await r.failed(3);
    expect((call_at?.getTime() ?? 0) - (failing_since?.getTime() ?? 0)).toBeLessThan(hour);
    expect(await r.leaves(number)).toEqual(['1.1 in_progress']);
    await rm(lock);
    await r.goOn();
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
  });

  it('does not fail a prompt or a leaf that it kept from starting while no worker asks it', async () => {
    await using r = await worldThatWaits(25 * hour);
    const number = await r.begin('write a.txt one');
    await rename(r.w.gitDir, `${r.w.gitDir}.away`);
    await r.failed(3);
    expect(await r.status(number)).toBe('generating_steps');
    await rename(`${r.w.gitDir}.away`, r.w.gitDir);
    await r.goOn();
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
  });

  it('before a leaf has started does not use up its attempts', async () => {
    await using r = await worldThatWaits();
    const number = await r.begin('write a.txt one');
    await rename(r.w.gitDir, `${r.w.gitDir}.away`);
    expect(await r.failed(maxAttempts + 1)).toMatchObject({ calls: 0, failing_since: expect.any(Date) });
    expect(await r.status(number)).toBe('generating_steps');
    await rename(`${r.w.gitDir}.away`, r.w.gitDir);
    await r.goOn();
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
  });

  it('does not use up the attempts of the agent that a worker of an earlier version counts', async () => {
    await using r = await worldThatWaits();
    const number = await r.begin('write a.txt one');
    await rename(r.w.gitDir, `${r.w.gitDir}.away`);
    await r.failed(1);
    const countByEarlierVersion = async (): Promise<unknown> =>
      await r.w.rows("update runbook set calls = $1, call_at = call_at + interval '15 seconds'", [maxAttempts]);
    await countByEarlierVersion();
    await r.goOn();
    // Another failure at a worker of this version.
    expect(await r.failed(3)).toMatchObject({ calls: 0, failing_since: expect.any(Date) });
    await countByEarlierVersion();
    await rename(`${r.w.gitDir}.away`, r.w.gitDir);
    await r.goOn();
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
  });
});
