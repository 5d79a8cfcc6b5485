// More rules of a repository: stuck pull requests that others pass, extra builds, builds during a pause, and a reset.
import { describe, expect, it } from 'vitest';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, judgedByBuildsAlone, line, startCi, statuses, turnsAt } from './stories.ts';
import { minutes, openPullRequests, listBatches, withSlowOwnChecks } from './rules.ts';

describe('a pull request whose build is green while its own checks run', () => {
  const stuckEvents = async (w: World) =>
    (await w.events()).map(([action]) => action).filter((action) => action === 'stuck');

  it('is announced as stuck once with bypass_stuck_state, and lands when the checks have passed', async () => {
    await using slow = await withSlowOwnChecks(
      parallel({ more: 'stuck_pr_timeout_mins: 5\nbypass_stuck_state: true\n' }),
      ['a'],
    );
    const { w, numbers } = slow;
    await w.queue(...numbers);
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
    await turnsAt(w, minutes(1));
    expect(await stuckEvents(w)).toEqual([]);
    await turnsAt(w, minutes(6));
    await turnsAt(w, minutes(7));
    expect(await stuckEvents(w)).toEqual(['stuck']);
    expect(await statuses(w, ...numbers)).toEqual(['tagged']);
    await slow.release();
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
  });

  it('keeps its place among the builds, unless max_topup_builds allows another build', async () => {
    await using slow = await withSlowOwnChecks(parallel({ builds: 1 }), ['a', 'b']);
    const { w, numbers } = slow;
    const [a = 0, b = 0] = numbers;
    await w.queue(...numbers);
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
    await turnsAt(w, minutes(0));
    expect(await listBatches(w)).toEqual([[a]]);
    await w.configure(parallel({ builds: 1, more: 'max_topup_builds: 1\n' }));
    await w.until(async () => (await statuses(w, b)).includes('tagged'));
    expect(await listBatches(w)).toEqual([[a], [b]]);
    await slow.release();
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect(await line(w)).toEqual(['Change main', 'Add a (#1)', 'Add b (#2)']);
  });
});

describe('during a pause', () => {
  it('at most max_parallel_paused_builds builds run, and nothing lands until the pause ends', async () => {
    await using w = await world({ configuration: parallel({ builds: 3, more: 'max_parallel_paused_builds: 1\n' }) });
    await w.pause(true);
    const [a = 0, b = 0] = await openPullRequests(w, 'a', 'b');
    await w.commit('main', { 'other.txt': 'o\n' });
    await w.queue(a, b);
    // The first build ends and makes room for the second.
    await w.until(async () => (await statuses(w, a, b)).every((status) => status === 'tagged'));
    await w.until(async () => {
      const green = await w.rows(
        'select 1 from batch b join build u on u.commit = b.tested_commit and u.finished_at is not null',
      );
      return green.length === 2;
    });
    expect(await line(w)).toEqual(['Change main']);
    await w.pause(false);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
  });
});

describe('a failed batch', () => {
  it('resets the batches behind it, and names the bot pull request whose check failed', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 2, more: 'use_optimistic_validation: false\n' })}${judgedByBuildsAlone}`,
      runsCi: false,
    });
    const bad = await w.open('bad', { bad: 'bad\n' });
    const [good = 0] = await openPullRequests(w, 'good');
    await w.queue(bad, good);
    await w.until(async () => (await statuses(w, bad, good)).every((status) => status === 'tagged'));
    const [bot] = await w.rows<{ number: number; head_commit_sha: string; pre_batch_sha: string }>(
      'select number, head_commit_sha, pre_batch_sha from bot_pull_request order by id limit 1',
    );
    await using _ = await startCi(w);
    await w.settled(bad, good);
    const [reset] = await w.rows<{ payload: object }>("select payload from event where action = 'reset'");
    expect(reset?.payload).toMatchObject({
      number: bad,
      resetCode: 301,
      failedChecks: ['test'],
      pullRequestsReset: 1,
      botPullRequest: {
        number: bot?.number,
        targetBranch: 'main',
        headCommitSha: bot?.head_commit_sha,
        preBatchSha: bot?.pre_batch_sha,
      },
    });
  });
});
