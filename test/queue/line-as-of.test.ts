// Explanations read a line by another statement than the planner. Both must see the same pull requests.
import { describe, expect, it } from 'vitest';
import type { PullRequestState } from '../../src/domain/queue/model/snapshot.ts';
import { loadQueueAsOf } from '../../src/modules/queue/api/as-of.loader.ts';
import { explainAll } from '../../src/modules/queue/api/explain.reads.ts';
import { snapshotOf } from '../../src/modules/queue/planning/dry-run.ts';
import { parallel, world, type World } from '../support/world.ts';

/** What may be unusual about a pull request in line. Each entry is set for one pull request. */
const unusual = [
  "status = 'tagged'",
  'skip_line = true',
  'skip_validation = true',
  'head_unseen = true',
  'reordered_for_failure = true',
  'times_passed = 2',
  'requeue_attempts = 1',
  "bisection_group = 'g', bisection_max = 2, bisection_attempts = 1, bisection_phase = 'returned'",
  'top_announced = true',
  'stuck_announced = true',
  "conflict_parent = 'c1', conflict_after = array['c2']",
  "labels = array['mergequeue', 'alone']",
  'below_id = (select id from pull_request where number = 100)',
] as const;

/**
 * Fills the line: one pull request for each entry of `unusual`, and before and behind them one that only waits, like
 * the first of the queue. The own checks of half of them have passed, and those of the others run.
 */
async function fill(w: World): Promise<string> {
  const [queue] = await w.rows<{ id: string; account_id: string; repository_id: string }>('select * from queue');
  const keys = [queue?.account_id, queue?.repository_id, queue?.id];
  await w.rows(
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, head_branch, base_branch, head_sha, author_name, author_email, url, status, rank, queued_at, labels, created_at)
     select $1, $2, $3, 100 + n, '', 'ada', 'b' || n, 'main', md5(n::text), '', '', '', 'queued', 100 + n, now() + n * interval '1.2345 s', '{mergequeue}', now()
     from generate_series(0, $4::int) n`,
    [...keys, unusual.length + 1],
  );
  await w.rows(
    `insert into build (account_id, repository_id, commit, tree, base_commit, complete, started_at)
     select account_id, repository_id, head_sha, md5('tree' || head_sha), '', true, now() from pull_request where number >= 100`,
  );
  await w.rows(
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion)
     select account_id, repository_id, head_sha, 'test', 1, case when number % 4 < 2 then 'success' else 'pending' end from pull_request where number >= 100`,
  );
  for (const [index, change] of unusual.entries())
    await w.rows(`update pull_request set ${change} where number = $1`, [101 + index]);
  return queue?.id ?? '';
}

function byNumber<T extends Pick<PullRequestState, 'number'>>(pullRequests: readonly T[]): T[] {
  return pullRequests.toSorted((a, b) => a.number - b.number);
}

const unread = { ownVerdict: 'none', ownFailedChecks: [], ownMissingChecks: [] } as const;

describe('a line', () => {
  it('is the same for explanations and for the planner, and the same if it is read later as of now', async () => {
    const more = 'block_parallel_builds_label: alone\n';
    await using w = await world({ configuration: parallel({ builds: 1, more }), runsCi: false });
    await w.queue(await w.open('a', { 'a.txt': 'a\n' }));
    const queueId = await fill(w);
    // Later than every row, although the clock of the database is finer.
    const at = new Date(Date.now() + 2);
    await expect.poll(() => Date.now()).toBeGreaterThan(at.getTime());
    await w.rows("update pull_request set status = 'closed', rank = null where number = 100");
    const { now, later, planned } = await w.ctx.db.transaction(w.ctx.accountId, async (tx) => {
      await tx.query("update pull_request set status = 'queued', rank = 100 where number = 100");
      return {
        now: await loadQueueAsOf(w.ctx, tx, { queueId, at: null }),
        later: await loadQueueAsOf(w.ctx, tx, { queueId, at }),
        planned: await snapshotOf(w.ctx, tx, queueId),
      };
    });
    const seen = byNumber(now?.view.snapshot.pullRequests ?? []);
    const waiting = [1, 100, 100 + unusual.length + 1];
    const expected = byNumber(planned?.pullRequests ?? []).map((each) =>
      waiting.includes(each.number) ? { ...each, ...unread } : each,
    );
    expect(seen).toEqual(expected);
    expect(new Set(expected.map(({ ownVerdict }) => ownVerdict))).toEqual(new Set(['none', 'green', 'pending']));
    expect(byNumber(later?.view.snapshot.pullRequests ?? [])).toEqual(seen);
  });

  it('shows of a pull request that only waits whether its own checks run', async () => {
    await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
    await w.queue(await w.open('a', { 'a.txt': 'a\n' }));
    await fill(w);
    await w.rows("update pull_request set status = 'queued', skip_line = false, below_id = null where number > 100");
    const rows = await w.rows<{ id: string; number: number; createdAt: Date }>(
      'select id, number, created_at as "createdAt" from pull_request where number in (100, $1)',
      [100 + unusual.length + 1],
    );
    const explained = await w.ctx.db.transaction(
      w.ctx.accountId,
      async (tx) => await explainAll(w.ctx, tx, { pullRequests: rows, asOf: null, isBrief: false }),
    );
    const observed = rows.map(({ id, number }) => {
      const conditions = explained.get(id)?.conditions.flatMap((each) => [each, ...each.conditions]) ?? [];
      return [number, conditions.find(({ kind }) => kind === 'landing_checks')?.observed];
    });
    expect(new Map(observed as [number, string][])).toEqual(
      new Map([
        [100, 'passed'],
        [114, 'running'],
      ]),
    );
  });
});
