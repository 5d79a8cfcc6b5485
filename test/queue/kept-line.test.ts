// A process keeps a long line from one turn to the next, and a wake that changes nothing takes no turn. The kept line
// must never be older than the database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuildState } from '../../src/domain/queue/model/snapshot.ts';
import { advanceQueue } from '../../src/modules/queue/index.ts';
import { loadBuilds } from '../../src/modules/queue/facts/builds.loader.ts';
import { readKeptLine, readWrittenLine } from '../../src/modules/queue/facts/kept-line.ts';
import { decideDelay } from '../../src/modules/queue/planning/turn-delay.ts';
import { readWantedRows, type LineRow } from '../../src/modules/queue/store/line.rows.ts';
import { QueueEntity } from '../../src/modules/queue/store/queue.entities.ts';
import type { Transaction } from '../../src/platform/database.ts';
import { parallel, world, type World } from '../support/world.ts';

const size = 200;

let w: World;
let queueId: string;
beforeAll(async () => {
  w = await world({
    configuration: `${parallel({ builds: 2 })}preconditions:\n  number_of_approvals: 0\n`,
    runsCi: false,
  });
  const [queue] = await w.rows<{ id: string }>("select id from queue where base_branch = 'main'");
  queueId = queue?.id ?? '';
  await w.rows(
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, head_branch, base_branch, head_sha, author_name, author_email, url,
       status, rank, queued_at, merge_requested_at, created_at)
     select account_id, repository_id, id, 1000 + n, 'Change ' || n, 'ada', 'branch-' || n, 'main', md5(n::text), 'Ada', 'ada@example.test', '',
       case when n % 10 = 0 then 'pending' else 'queued' end, case when n % 10 > 0 then n end, now(), now() + make_interval(secs => n % 7), now()
     from queue, generate_series(1, ${size}) n where id = $1`,
    [queueId],
  );
  await w.rows(
    `insert into build (account_id, repository_id, commit, tree, base_commit, complete, started_at)
     select account_id, repository_id, md5(n::text), md5('tree' || n), '', true, now() from queue, generate_series(1, ${size}) n where id = $1`,
    [queueId],
  );
  await w.rows(
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion)
     select account_id, repository_id, md5(n::text), 'test', 1, 'success' from queue, generate_series(1, ${size}) n where id = $1`,
    [queueId],
  );
  await w.rows("update queue set waiting = (select count(*) from pull_request where status = 'queued') where id = $1", [
    queueId,
  ]);
});
afterAll(async () => await w[Symbol.asyncDispose]());

interface Line {
  readonly pending: readonly LineRow[];
  readonly line: readonly LineRow[];
  readonly heads: readonly BuildState[];
}

async function kept(tx: Transaction): Promise<Line> {
  const queue = await tx.em.findOneOrFail(QueueEntity, { id: queueId });
  const { wanted, heads } = await readKeptLine(w.ctx, tx, queue);
  expect(heads).not.toBeNull();
  return alike({ ...wanted, heads: [...(heads ?? new Map<string, BuildState>()).values()] });
}

async function stored(tx: Transaction): Promise<Line> {
  const { repositoryId } = await tx.em.findOneOrFail(QueueEntity, { id: queueId });
  const wanted = await readWantedRows(w.ctx, tx, queueId);
  const commits = wanted.line.map(({ headSha }) => headSha);
  return alike({ ...wanted, heads: await loadBuilds(w.ctx, tx, { repositoryId, commits, trees: [] }) });
}

const onlyOfParts: ReadonlySet<string> = new Set(['part', 'requestedAt']);

/** Sorts the builds, and removes the fields that only a row of a part has. */
function alike({ pending, line, heads }: Line): Line {
  const plain = (rows: readonly LineRow[]): LineRow[] =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => !onlyOfParts.has(key))) as never);
  return {
    pending: plain(pending),
    line: plain(line),
    heads: heads.toSorted((a, b) => (a.commit < b.commit ? -1 : 1)),
  };
}

const inTransaction = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
  await w.ctx.db.transaction(w.ctx.accountId, work);

describe('a line that is read in parts equals the stored line', () => {
  const changes: Readonly<Record<string, string>> = {
    'no change': 'select 1',
    'a new title': "update pull_request set title = 'Other' where number = 1001",
    'a pull request that becomes a draft': 'update pull_request set draft = true where number = 1002',
    'new labels in two parts': "update pull_request set labels = '{a,b}' where number in (1003, 1004, 1150)",
    'a new head without a build': "update pull_request set head_sha = md5('new') where number = 1005",
    'a new head that another pull request has too':
      'update pull_request set head_sha = md5(7::text) where number = 1006',
    'a move to the end of the line': 'update pull_request set rank = 5000 where number = 1008',
    'a pull request that is dequeued': "update pull_request set status = 'open', rank = null where number = 1009",
    'a pull request that enters the line': "update pull_request set status = 'queued', rank = 5001 where number = 1010",
    'a pull request that is pending again':
      "update pull_request set status = 'pending', rank = null where number = 1011",
    'a check that has started': `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion)
      select account_id, repository_id, md5('12'), 'lint', 1, 'pending' from queue where base_branch = 'main'`,
    'a check that has failed':
      "update check_result set conclusion = 'failure' where commit = md5('12') and name = 'lint'",
    'a failed check of a pending pull request':
      "update check_result set conclusion = 'failure' where commit = md5('20')",
    'that pull request enters the line': "update pull_request set status = 'queued', rank = 5002 where number = 1020",
    'a check that is deleted': "delete from check_result where commit = md5('13')",
    'a build that has ended': "update build set finished_at = now() where commit = md5('14')",
    'a build that is deleted':
      "delete from check_result where commit = md5('15'); delete from build where commit = md5('15')",
    'checks that may be of another base branch':
      "update pull_request set base_changed_at = now(), other_base_until = now() where number = 1017; update check_result set workflow_run_at = now() where commit = md5('17')",
    'another instant for these checks': 'update pull_request set other_base_until = now() where number = 1017',
    'a pull request out of line with the same head and checks of another base branch':
      "update pull_request set head_sha = md5('18'), base_changed_at = now(), other_base_until = now() where number = 1009",
    'a row that changes twice':
      'update pull_request set approvals = 1 where number = 1016; update pull_request set approvals = 2 where number = 1016',
    'a change of all rows': 'update pull_request set approvals = approvals + 1',
    'a whole part that leaves the line':
      "update pull_request set status = 'open', rank = null where rank between 64 and 127",
  };

  it.each(Object.entries(changes))('after %s', async (_, change) => {
    await inTransaction(kept);
    for (const statement of change.split('; ')) await w.rows(statement);
    expect(await inTransaction(kept)).toEqual(await inTransaction(stored));
  });

  it('after a change that was rolled back', async () => {
    const failure = new Error('rolled back');
    const work = inTransaction(async (tx) => {
      await tx.query("update pull_request set labels = '{gone}' where number = 1030");
      await kept(tx);
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await inTransaction(kept)).toEqual(await inTransaction(stored));
  });

  it('in the transaction that changed it, and in the next one', async () => {
    await inTransaction(async (tx) => {
      await kept(tx);
      await tx.query("update pull_request set labels = '{first}' where number = 1031");
      await tx.query("update pull_request set status = 'queued', rank = 6000 where number = 1040");
      const queue = await tx.em.findOneOrFail(QueueEntity, { id: queueId });
      const { pending, line } = await stored(tx);
      expect(alike({ ...(await readWrittenLine(w.ctx, tx, queue)), heads: [] })).toEqual({ pending, line, heads: [] });
      await tx.query("update pull_request set labels = '{second}' where number = 1031");
    });
    expect(await inTransaction(kept)).toEqual(await inTransaction(stored));
  });

  it('and is not read again if it has not changed', async () => {
    await inTransaction(kept);
    const rows = await inTransaction(async (tx) => {
      let count = 0;
      const query: Transaction['query'] = async (text, values) => {
        const found = await tx.query<never>(text, values);
        count += found.length;
        return found;
      };
      await kept({ ...tx, query });
      return count;
    });
    expect(rows).toBeLessThan(size / 10);
  });
});

describe('a wake', () => {
  /** Whether a turn has locked the row of the queue. PostgreSQL records the lock in the row. */
  async function takesTurn(): Promise<boolean> {
    const before = await lockOf();
    await advanceQueue(w.ctx, queueId);
    return (await lockOf()) !== before;
  }

  async function lockOf(): Promise<string> {
    const [queue] = await w.rows<{ lock: string }>("select xmin || ' ' || xmax as lock from queue where id = $1", [
      queueId,
    ]);
    return queue?.lock ?? '';
  }

  async function untilQuiet(): Promise<void> {
    for (let n = 0; n < 10 && (await takesTurn()); n += 1);
    expect(await takesTurn()).toBe(false);
  }

  it('takes a turn after a change, and none after a turn that decided nothing', async () => {
    const number = await w.open('quiet', { 'quiet.txt': 'new\n' });
    await untilQuiet();
    await w.queue(number);
    expect(await takesTurn()).toBe(true);
    await untilQuiet();
    await w.rows('update queue set version = version + 1 where id = $1', [queueId]);
    expect(await takesTurn()).toBe(true);
    await untilQuiet();
  });

  it('gives the same answer with and without a turn', async () => {
    await untilQuiet();
    const without = await advanceQueue(w.ctx, queueId);
    await w.rows('update queue set version = version + 1 where id = $1', [queueId]);
    expect(await advanceQueue(w.ctx, queueId)).toEqual(without);
  });

  it.each([
    ['open work has ended', 'update batch set cleaned_up_at = now() where id in (select max(id) from batch)'],
    ['a deadline was set', "update queue set next_look_at = now() + interval '1 hour'"],
    ['a check has ended', 'update queue set version = version + 1'],
  ])('takes a turn when %s', async (_, change) => {
    await untilQuiet();
    await w.rows(change);
    expect(await takesTurn()).toBe(true);
  });

  it('takes a turn after a minute, because a check may have started meanwhile', async () => {
    await untilQuiet();
    const clock = w.ctx.clock;
    const before = await lockOf();
    await advanceQueue({ ...w.ctx, clock: () => new Date(clock().getTime() + 61_000) }, queueId);
    expect(await lockOf()).not.toBe(before);
  });
});

describe('the delay before a turn, in which other changes may come', () => {
  it.each([
    ['is left out for the only build of an idle queue', { hasArrivals: false, openBatches: 1, sinceLastMs: 5_000 }, 0],
    ['is reduced by the time since the last turn', { hasArrivals: false, openBatches: 1, sinceLastMs: 30 }, 45],
    ['is whole when pull requests enter the line', { hasArrivals: true, openBatches: 0, sinceLastMs: 5_000 }, 75],
    ['is whole when several builds run', { hasArrivals: false, openBatches: 2, sinceLastMs: 5_000 }, 75],
  ])('%s', (_, of, delayMs) => {
    expect(decideDelay(of, 75)).toBe(delayMs);
  });
});
