// The line of a monorepo: the cost of a turn with a thousand pull requests in line, and a queue that plans nothing.
import { describe, expect, it } from 'vitest';
import { advanceQueue, haltQueue } from '../../src/modules/queue/index.ts';
import { cpuMsSince } from '../support/cpu.ts';
import { analyse } from '../support/postgres.ts';
import { parallel, world, type World } from '../support/world.ts';

/**
 * Adds a thousand pull requests with green heads behind the first one, as admission leaves them, and landings of three
 * days.
 */
async function aThousand(w: World, status: 'queued' | 'pending'): Promise<string> {
  const [queue] = await w.rows<{
    id: string;
    account_id: string;
    repository_id: string;
    base_tip: string;
    base_tree: string;
  }>('select * from queue where base_branch = $1', ['main']);
  if (queue === undefined) throw new Error('There is no queue.');
  const keys = [queue.account_id, queue.repository_id, queue.id];
  await w.rows(
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, head_branch, base_branch, head_sha, author_name, author_email, url, status, status_text, rank, queued_at, merge_requested_at, created_at)
     select $1::bigint, $2::bigint, $3::bigint, 1000 + n, 'Change ' || n, 'ada', 'branch-' || n, 'main', md5(n::text) || '00000000', 'Ada', 'ada@example.test', '', $4::text,
            case when $4 = 'pending' then 'It has 0 of 1 required approvals.' end, case when $4 = 'queued' then 1000 + n end, now(), now(), now() from generate_series(1, 1000) n`,
    [...keys, status],
  );
  await w.rows(
    `insert into build (account_id, repository_id, commit, tree, base_commit, complete, started_at, finished_at)
     select $1::bigint, $2::bigint, md5(n::text) || '00000000', md5('tree' || n) || '00000000', '', true, now(), now() from generate_series(1, 1000) n`,
    keys.slice(0, 2),
  );
  await w.rows(
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion)
     select $1::bigint, $2::bigint, md5(n::text) || '00000000', case c when 1 then 'test' else 'test' || c end, 1, 'success' from generate_series(1, 1000) n, generate_series(1, 5) c`,
    keys.slice(0, 2),
  );
  await w.rows(
    `with made as (
       insert into batch (account_id, queue_id, repository_id, position, cause, mode, state, parent_commit, base_commit, strategy, batch_commit, build_keys_hash, group_message, created_at, cleaned_up_at)
       select $1::bigint, $3::bigint, $2::bigint, -n, 'new', 'parallel', 'landed', '', '', 'squash', 'group', '', '', now(), now() from generate_series(1, 9000) n returning id)
     insert into landing (account_id, queue_id, repository_id, batch_id, commit, first_parent, tree, grade, landed_at)
     select $1::bigint, $3::bigint, $2::bigint, id, md5('landing' || id) || '00000000', md5('landing' || (id - 1)) || '00000000', 'tree', 'exact', now() - make_interval(secs => 28 * (id::int % 9000)) from made`,
    keys,
  );
  await w.rows(
    `insert into merge_result (account_id, repository_id, parent, heads, tree, conflict_at)
     select account_id, repository_id, commit, array[md5('head' || id)], tree, case when id % 20 = 0 then 0 else -1 end from landing`,
  );
  if (status === 'queued') await w.rows('update queue set waiting = waiting + 1000 where id = $1', [queue.id]);
  await analyse(w.databaseUrl);
  return queue.id;
}

/** The CPU time of each turn in ms, the smallest first. Elapsed time would include the work of other processes. */
async function costOf(turn: () => Promise<unknown>, times: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const before = process.cpuUsage();
    await turn();
    took.push(Math.round(cpuMsSince(before)));
  }
  return took.toSorted((a, b) => a - b);
}

describe('a line of a thousand', () => {
  it.each(['queued', 'pending'] as const)('%s is planned in a fraction of a second', async (status) => {
    await using w = await world({
      configuration: `${parallel({ builds: 20, batch: 4 })}preconditions:\n  number_of_approvals: ${status === 'pending' ? 1 : 0}\n`,
      runsCi: false,
    });
    const queueId = await aThousand(w, status);
    await advanceQueue(w.ctx, queueId);
    const took = await costOf(async () => await advanceQueue(w.ctx, queueId), 7);
    // A turn takes about 0.2 s. When each row was an entity, it took 1.9 s, and 7 s if the line was pending.
    expect(took[0]).toBeLessThan(500);
  });

  it('two hundred speculative builds start in one turn, and later turns cost no more than turns of a chain of builds', async () => {
    const more = 'use_affected_targets: true\n';
    await using w = await world({
      configuration: `${parallel({ builds: 200, more })}preconditions:\n  number_of_approvals: 0\nspeculation: adaptive\n`,
      runsCi: false,
    });
    const queueId = await aThousand(w, 'queued');
    await w.rows(
      "update pull_request set affected_targets = array['team ' || number % 60, 'package ' || number % 400]",
    );
    const [first] = await costOf(async () => await advanceQueue(w.ctx, queueId), 1);
    expect(await w.rows("select 1 from batch where side_build = 'speculative'")).toHaveLength(200);
    const took = await costOf(async () => await advanceQueue(w.ctx, queueId), 7);
    expect(first).toBeLessThan(15_000);
    expect(took[0]).toBeLessThan(700);
  });
});

describe('a queue that plans nothing', () => {
  it('has no deadline, because a deadline in the past would start one turn after another', async () => {
    await using w = await world({
      configuration: parallel({ builds: 2, batch: 4, more: 'batch_max_wait_minutes: 60\n' }),
    });
    await w.queue(await w.open('a', { 'a.txt': 'a\n' }));
    const [queue] = await w.rows<{ id: string }>('select id from queue');
    const queueId = queue?.id ?? '';
    expect((await advanceQueue(w.ctx, queueId)).nextLookAt).toBeGreaterThan(Date.now());
    await haltQueue(w.ctx, { repository: w.repository, baseBranch: 'main', reason: 'an incident' });
    expect((await advanceQueue(w.ctx, queueId)).nextLookAt).toBeNull();
    // The remaining notifications are sent, and then no deadline remains.
    await w.rows('update pull_request set notify_at = now() where notify_at is not null');
    await advanceQueue(w.ctx, queueId);
    expect(await w.rows('select 1 from queue where next_look_at is not null')).toEqual([]);
  });
});
