// A page reads only the front of a long line. What it shows must be the same as with the whole line.
// test/domain/queue/front-of-line.test.ts tests the rule, and this file the SQL that implements it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linePositionOf } from '../../src/domain/queue/explain/line-position.ts';
import { draw } from '../../src/domain/simulation/randomness.ts';
import { isCovered, loadQueueAsOf, type QueueAsOf } from '../../src/modules/queue/api/as-of.loader.ts';
import { explainPullRequest } from '../../src/modules/queue/api/explain.reads.ts';
import { readPullRequestsById } from '../../src/modules/queue/api/pull-requests.reads.ts';
import { graphQLContext, type RequestServices } from '../../src/graphql/context.ts';
import { frontOf } from '../support/front-of-line.ts';
import { parallel, world, type World } from '../support/world.ts';

const services = { temporal: { health: () => null } } as unknown as RequestServices;

let w: World;
beforeAll(async () => {
  w = await world({ configuration: parallel(), runsCi: false });
});
afterAll(async () => await w[Symbol.asyncDispose]());

const length = 40;

/** Fills the line of a new queue at random, with `length` pull requests, live batches and conflicts. */
async function fill(seed: number, isSpeculative: boolean): Promise<string> {
  const among = (count: number, ...keys: number[]): number => Math.floor(draw(seed, ...keys) * count);
  const [queue] = await w.rows<{ id: string }>(
    `insert into queue (account_id, repository_id, base_branch, waiting, base_tip, base_tree)
     select account_id, id, 'line ' || $1::text, ${length}, 'tip', 'tree' from repository where id = $2 returning id`,
    [seed, w.repositoryId],
  );
  const queueId = queue?.id ?? '';
  const first = seed * 1_000;
  const rows = Array.from({ length }, (_, place) => {
    const kind = among(30, 1, place);
    return {
      number: first + place,
      // The ranks are those of a line into which pull requests came in another order.
      rank: (place * 17) % length,
      below: kind < 4 ? first + among(length, 2, place) : null,
      skip_line: kind === 5,
      labels: kind === 6 ? ['alone'] : [],
      phase: kind === 7 ? 'returned' : kind === 8 ? 'side_build' : 'in_place',
      conflict: kind === 9 || kind === 10 ? [`${first + among(length, 3, place)}`] : null,
      targets: kind === 11 ? null : [`target ${place % 4}`],
    };
  });
  await w.rows(
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, head_branch, base_branch, head_sha, author_name, author_email, url, status, rank,
       queued_at, labels, created_at, skip_line, bisection_phase, bisection_group, bisection_max, conflict_parent, conflict_after, affected_targets)
     select q.account_id, q.repository_id, q.id, p.number, '', 'ada', 'b' || p.number, q.base_branch, p.number::text, '', '', '', 'queued', p.rank,
       now() - p.number * interval '1.25 s', p.labels, now(), p.skip_line, p.phase, case when p.phase <> 'in_place' then 'g' end, case when p.phase <> 'in_place' then 2 end,
       case when p.conflict is not null then 'tip' end, p.conflict, p.targets
     from queue q, jsonb_to_recordset($2) as p (number int, rank int, labels text[], skip_line boolean, phase text, conflict text[], targets text[]) where q.id = $1`,
    [queueId, JSON.stringify(rows)],
  );
  await w.rows(
    `update pull_request p set below_id = o.id from jsonb_to_recordset($2) as b (number int, below int) join pull_request o on o.number = b.below
     where p.queue_id = $1 and p.number = b.number and o.number <> p.number`,
    [queueId, JSON.stringify(rows)],
  );
  // Batches are at the front, and one of them may be further back. The last one has the tree of a head in line.
  await w.rows(
    `with made as (
       insert into batch (account_id, queue_id, repository_id, position, side_build, cause, mode, state, parent_commit, base_commit, strategy, batch_commit, build_keys_hash, group_message,
         commit, tree, tested_commit, created_at, build_started_at)
       select q.account_id, q.id, q.repository_id, n, case when $3 then 'speculative' end, 'new', 'parallel', 'building', 'tip', 'tip', 'squash', 'group', '', '',
         'batch' || n, 'tree of ' || q.id || ' ' || n, 'batch' || n, now(), now() from queue q, generate_series(1, 3) n where q.id = $1 returning id, account_id, position),
     assumed as (
       insert into batch_assumption (account_id, batch_id, ordinal, pull_request_id, pinned_head, strategy)
       select m.account_id, m.id, 0, p.id, p.head_sha, 'squash' from made m join pull_request p on p.queue_id = $1 and p.rank = 20 where $3 and m.position = 3)
     insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email)
     select m.account_id, m.id, 0, p.id, p.head_sha, '', '', '' from made m
       join pull_request p on p.queue_id = $1 and p.rank = case when m.position = 3 then $2::int else m.position end`,
    [queueId, 12 + among(6, 4), isSpeculative],
  );
  await w.rows(
    `insert into build (account_id, repository_id, commit, tree, base_commit, complete, started_at, finished_at)
     select account_id, repository_id, head_sha, 'tree of ' || queue_id || ' 3', 'tip', true, now(), now() from pull_request where queue_id = $1 and rank = ${length - 2}`,
    [queueId],
  );
  await w.rows(
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, completed_at)
     select account_id, repository_id, head_sha, 'test', 1, 'success', now() from pull_request where queue_id = $1 and rank = ${length - 2}`,
    [queueId],
  );
  await w.rows(
    `insert into merge_result (account_id, repository_id, parent, heads, tree, conflict_at)
     select account_id, repository_id, 'tip', array[$2::text, $3::text], null, 1 from queue where id = $1`,
    [queueId, `${first + among(length, 5)}`, `${first + among(length, 6)}`],
  );
  return queueId;
}

async function read(queueId: string, front: number | null): Promise<QueueAsOf> {
  const queue = await w.ctx.db.transaction(
    w.ctx.accountId,
    async (tx) => await loadQueueAsOf(w.ctx, tx, { queueId, at: null, front }),
    { asOf: 'start' },
  );
  if (queue === null) throw new Error('There is no queue.');
  return queue;
}

const positionsIn = ({ view, causes }: QueueAsOf, ids: readonly string[]) =>
  new Map(ids.map((id) => [id, linePositionOf(view, id, { causes })]));

describe('the front of a line has the same explanations as the whole line', () => {
  const alone = 'block_parallel_builds_label: alone\n';
  it.each([
    ['linear', parallel({ builds: 5, batch: 2, more: `${alone}batch_max_wait_minutes: 600\n` }), 0],
    ['adaptive', `${parallel({ builds: 5, more: alone })}speculation: adaptive\n`, 1],
    ['by affected targets', parallel({ builds: 5, more: `${alone}use_affected_targets: true\n` }), 2],
  ] as const)('%s', async (_, configuration, place) => {
    await w.configure(configuration);
    for (let n = 0; n < 6; n += 1) {
      const queueId = await fill(100 + 10 * place + n, place > 0);
      const whole = await read(queueId, null);
      expect(whole.view.pullRequests.size).toBe(length);
      const size = 1 + 2 * n;
      const front = await read(queueId, size);
      const covered = [...whole.view.pullRequests.keys()].filter((id) => isCovered(front, id));
      expect(covered.length).toBeGreaterThanOrEqual(size);
      expect(front.view.pullRequests.size).toBeLessThan(length);
      const proven = whole.view.snapshot.pullRequests.filter(({ rank }) => rank === length - 2);
      const evidence = proven.map(({ head }) => head);
      const rule = frontOf(whole.view.snapshot, size, evidence);
      expect(new Set(front.view.pullRequests.keys())).toEqual(new Set(rule?.snapshot.pullRequests.map(({ id }) => id)));
      expect(covered).toHaveLength(rule?.snapshot.pullRequests.filter(rule.isCovered).length ?? 0);
      expect(positionsIn(front, covered)).toEqual(positionsIn(whole, covered));
      const commits = ({ view }: QueueAsOf) => new Set(view.snapshot.builds.map(({ commit }) => commit));
      expect(commits(front)).toEqual(commits(whole));
    }
  });

  it('and a line that is not longer is read whole', async () => {
    const queueId = await fill(200, false);
    expect((await read(queueId, length)).coveredTo).toBe(Infinity);
  });
});

it('a pull request behind the front is explained by the whole line', async () => {
  await w.configure(parallel({ builds: 1 }));
  const [queue] = await w.rows<{ id: string }>(
    `insert into queue (account_id, repository_id, base_branch, waiting, base_tip, base_tree)
     select account_id, id, 'long', 300, 'tip', 'tree' from repository where id = $1 returning id`,
    [w.repositoryId],
  );
  const rows = await w.rows<{ id: string }>(
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, head_branch, base_branch, head_sha, author_name, author_email, url, status, rank, queued_at, created_at)
     select account_id, repository_id, id, 900000 + n, '', 'ada', 'b' || n, 'long', 'long' || n, '', '', '', 'queued', n, now(), now()
     from queue, generate_series(1, 300) n where id = $1 returning id::text`,
    [queue?.id],
  );
  expect((await read(queue?.id ?? '', 256)).view.pullRequests.size).toBeLessThan(300);
  const asked = await readPullRequestsById(w.ctx, [rows[2]?.id ?? '', rows[298]?.id ?? '']);
  const ctx = graphQLContext(w.ctx, services, 'graphql_api');
  const options = { asOf: null, isBrief: false } as const;
  const observed = await Promise.all(
    asked
      .toSorted((a, b) => a.number - b.number)
      .map(async (pullRequest) => {
        const { conditions } = await explainPullRequest(ctx, pullRequest, options);
        return conditions.flatMap((each) => [each, ...each.conditions]).find(({ kind }) => kind === 'place')?.observed;
      }),
  );
  expect(observed.map((text) => text?.split(' ')[0])).toEqual(['2', '298']);
});
