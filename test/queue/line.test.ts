// Pull requests that skip the line or validation, and what people do at the host meanwhile.
import { describe, expect, it } from 'vitest';
import { readProofs } from '../../src/modules/queue/api/proofs.resolver.ts';
import { advanceQueue, openPullRequest, queuePullRequest } from '../../src/modules/queue/index.ts';
import { gate } from '../support/gate.ts';
import { parallel, world, type World } from '../support/world.ts';
import {
  atRest,
  expectLandedOnce,
  hostOf,
  line,
  meanwhile,
  resetCodes,
  resets,
  skipLine,
  startCi,
  statuses,
} from './stories.ts';

describe('skipping', () => {
  it('the line goes before the others and resets them with 302; two that skip keep their order, each in its own batch', async () => {
    await using w = await world({ configuration: parallel({ builds: 3, batch: 2 }), runsCi: false });
    const numbers: number[] = [];
    for (const name of ['a', 'b', 'c', 'd']) numbers.push(await w.open(name, { [`${name}.txt`]: `${name}\n` }));
    const [a = 0, b = 0, c = 0, d = 0] = numbers;
    await w.queue(a, b);
    await w.until(async () => (await statuses(w, a, b)).every((status) => status === 'tagged'));
    await skipLine(w, c);
    await skipLine(w, d);
    await using _ = await startCi(w);
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect(await line(w)).toEqual(['Add c (#3)', 'Add d (#4)', 'Land #1 and #2']);
    expect(await resets(w)).toEqual([[302, c, 2]]);
  });

  it('the line while in line moves the pull request to the front, and keeps its time of entry', async () => {
    await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    const before = await w.rows('select queued_at from pull_request order by number');
    await skipLine(w, b);
    expect(await w.rows('select queued_at from pull_request order by number')).toEqual(before);
    await using _ = await startCi(w);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
    expect(await line(w)).toEqual(['Add b (#2)', 'Add a (#1)']);
  });

  it('validation lands a red pull request, and its proof says `unvalidated` and names the user', async () => {
    await using w = await world({ configuration: parallel() });
    const number = await w.open('a', { bad: 'bad\n' });
    await w.until(async () => (await w.rows('select 1 from build where finished_at is null')).length === 0);
    // A closed merge window holds the pull request in line until the comment is written.
    const window = 'merge_windows:\n  - {cron_start: "0 0 1 1 *", cron_end: "1 0 1 1 *", timezone: UTC}\n';
    await w.configure(`${parallel()}${window}`);
    await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', skipValidation: true });
    await w.until(async () => /validat/.test((await w.statusComment(number)) ?? ''));
    expect(await w.statusComment(number)).toMatch(/^\*\*Queued\*\*\n\nIt is in line .* Its validation is skipped\./);
    await w.configure(parallel());
    const [asked] = await w.rows<{ merge_requested_by: string | null }>('select merge_requested_by from pull_request');
    await w.settled(number);
    await expectLandedOnce(w, number);
    const [proof] = await w.rows<{ body: object }>('select body from proof');
    expect(proof?.body).toMatchObject({ grade: 'unvalidated', evidence: [], exceptionBy: asked?.merge_requested_by });
    // The dashboard says how many landings are proved, and this one is shown as not tested.
    expect((await readProofs(w.ctx, w.repositoryId)).count).toBe(0);
    expect(await w.rows("select 1 from local_pull_request where head_branch like 'mq-%'")).toEqual([]);
  });
});

describe('at the host', () => {
  it('a closed pull request leaves its batch, and the other is reset with 304 and lands', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 2 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await w.until(async () => (await statuses(w, a, b)).every((status) => status === 'tagged'));
    await w.host.close(a);
    await using _ = await startCi(w);
    await w.settled(b);
    expect(await statuses(w, a, b)).toEqual(['closed', 'merged']);
    await expectLandedOnce(w, b);
    // There is no webhook `closed`, so the reset is reported for the pull request that was put back.
    expect(await resets(w)).toEqual([[304, b, 1]]);
  });

  it('a pull request merged by hand is merged in Interlock too, and the other lands on top', async () => {
    await using w = await world({ configuration: parallel({ builds: 2 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await w.until(async () => (await statuses(w, a, b)).every((status) => status === 'tagged'));
    const { head_sha } = await w.status(a);
    const { commit } = await w.service.localHost.mergePullRequest(hostOf(w), a, {
      expectedHead: head_sha,
      strategy: 'merge',
      message: 'By hand',
      unlessRef: null,
    });
    await using _ = await startCi(w);
    await w.settled(a, b);
    expect(await line(w)).toEqual(['By hand', 'Add b (#2)']);
    expect((await w.status(a)).merge_commit_sha).toBe(commit);
    await expectLandedOnce(w, a, b);
    expect(await w.rows('select number from pull_request where merged_by_queue = false')).toEqual([{ number: a }]);
  });

  it('a bot pull request that somebody closes resets its batch with 304, and the batch is built again', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 2 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await w.until(async () => (await statuses(w, a, b)).every((status) => status === 'tagged'));
    const [bot] = await w.rows<{ number: number }>('select number from bot_pull_request');
    await w.host.close(bot?.number ?? 0);
    await w.until(async () => (await w.batches()).length === 2);
    expect(await resetCodes(w)).toEqual([304]);
    await using _ = await startCi(w);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
    expect(await w.rows("select 1 from local_pull_request where head_branch like 'mq-%'")).toHaveLength(2);
  });

  it('a bot pull request that somebody closes during the landing of another batch is reset after the landing', async () => {
    await using held = await gate();
    await using w = await world({
      configuration: parallel({ builds: 2 }),
      ci: `checks:\n  test: {run: 'test ! -e a.txt || test ! -e b.txt || ${held.waits}'}\n`,
      runsCi: false,
    });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await w.until(async () => (await statuses(w, a, b)).every((status) => status === 'tagged'));
    await using _ = await startCi(w);
    const botOf = `select bot.number from bot_pull_request bot join batch_member m on m.batch_id = bot.batch_id
      join pull_request p on p.id = m.pull_request_id where p.number = $1 and bot.closed_at is null`;
    const close = async (): Promise<void> => {
      const [bot] = await w.rows<{ number: number }>(botOf, [b]);
      await w.host.close(bot?.number ?? 0);
      await w.service.drain();
    };
    await meanwhile('landing:after_gate', close, () => w.settled(a));
    await w.until(async () => (await w.batches()).length === 3);
    expect(await resetCodes(w)).toEqual([304]);
    await held.open();
    await w.settled(b);
    await expectLandedOnce(w, a, b);
  });

  it('an identical change pushed to the base does not stop the line: both pull requests land', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 2 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await w.until(async () => (await statuses(w, a, b)).every((status) => status === 'tagged'));
    await w.commit('main', { 'a.txt': 'a\n' }, { message: 'The same by hand' });
    await using _ = await startCi(w);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
    expect(await w.git('show', 'main:b.txt')).toBe('b');
  });
});

describe('two queues of one repository', () => {
  /** A pull request of each of two base branches. They are behind, so that each needs a build of its own. */
  async function twoQueues(): Promise<World> {
    const w = await world({
      configuration: `${parallel({ builds: 1 })}base_branches: [main, release]\n`,
      runsCi: false,
    });
    await w.commit('release', { 'release.txt': 'r\n' });
    for (const [name, base] of [
      ['a', 'main'],
      ['b', 'release'],
    ] as const) {
      await w.commit(name, { [`${name}.txt`]: `${name}\n` }, { from: `origin/${base}` });
      await openPullRequest(w.ctx, {
        repository: w.repository,
        title: `Add ${name}`,
        headBranch: name,
        baseBranch: base,
      });
      await w.commit(base, { [`${name}-${base}.txt`]: 'x\n' }, { message: 'Outside' });
    }
    // The own checks are done before, so only the end of the first build can wake the second queue.
    await using _own = await startCi(w);
    await w.until(async () => (await w.rows('select 1 from build where finished_at is null')).length === 0);
    return w;
  }

  it('share max_parallel_builds, and the second goes on when the first is done', async () => {
    await using w = await twoQueues();
    await w.queue(1, 2);
    await w.until(async () => (await statuses(w, 1))[0] === 'tagged');
    expect(await statuses(w, 1, 2)).toEqual(['tagged', 'queued']);
    expect(await w.batches()).toHaveLength(1);
    await using _ = await startCi(w);
    await w.settled(1, 2);
    await atRest(w);
    expect(await statuses(w, 1, 2)).toEqual(['merged', 'merged']);
    expect(await line(w)).toEqual(['Outside', 'Add a (#1)']);
    expect((await line(w, 'release')).at(-1)).toBe('Add b (#2)');
  });

  it('start no more builds than max_parallel_builds if they plan at the same time', async () => {
    await using w = await twoQueues();
    await w.queue(1, 2);
    const queues = await w.rows<{ id: string }>('select id::text from queue order by base_branch');
    const waiting = async (): Promise<number> =>
      (
        await w.rows(
          'select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())',
        )
      ).length;
    // The first turn has counted the builds, and waits for the row of its pull request.
    const turns: Promise<unknown>[] = [];
    await w.ctx.db.system.transaction(async (query) => {
      await query('select from pull_request where number = 1 for update');
      for (const [at, { id }] of queues.entries()) {
        const turn = advanceQueue(w.ctx, id);
        turns.push(turn);
        const isHeldUp = async (): Promise<void> => await expect.poll(waiting).toBeGreaterThan(at);
        await Promise.race([turn, isHeldUp()]);
      }
    });
    await Promise.all(turns);
    expect(await w.batches()).toHaveLength(1);
  });

  it('do not wait for a batch that relies on the checks of its head', async () => {
    await using w = await twoQueues();
    await w.commit('c', { 'c.txt': 'c\n' }, { from: 'origin/main' });
    await openPullRequest(w.ctx, {
      repository: w.repository,
      title: 'Add c',
      headBranch: 'c',
      baseBranch: 'main',
    });
    await using _ = await startCi(w);
    await w.until(async () => (await w.rows('select 1 from build where finished_at is null')).length === 0);
    await w.configure(
      `${parallel({ builds: 1 })}base_branches: [main, release]\nmerge_windows:\n  - {cron_start: "0 0 1 1 *", cron_end: "1 0 1 1 *", timezone: UTC}\n`,
    );
    await w.queue(3);
    await w.until(async () => (await w.rows('select 1 from batch where build_started_at is not null')).length === 1);
    expect(await statuses(w, 3)).toEqual(['queued']);
    await w.queue(2);
    await w.until(async () => (await statuses(w, 2))[0] === 'tagged');
  });

  it('do not wait for builds of a queue that was halted an hour ago', async () => {
    await using w = await twoQueues();
    await w.queue(1);
    await w.until(async () => (await statuses(w, 1))[0] === 'tagged');
    await w.rows(
      "update queue set halted_reason = 'CI does not start', halted_at = now() - interval '61 minutes' where base_branch = 'main'",
    );
    // The checks of this build never start.
    await w.rows("update batch set tested_commit = repeat('f', 40) where state = 'building'");
    await w.queue(2);
    await using _ = await startCi(w);
    await w.settled(2);
    expect(await statuses(w, 1, 2)).toEqual(['tagged', 'merged']);
  });
});

describe('a pause', () => {
  it('stops all builds of the line, and its end starts them', async () => {
    await using w = await world({ configuration: parallel({ builds: 2 }) });
    await w.pause(true);
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await w.until(async () => (await w.rows('select 1 from build where finished_at is null')).length === 0);
    expect(await w.batches()).toEqual([]);
    expect(await statuses(w, a, b)).toEqual(['queued', 'queued']);
    await w.pause(false);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
  });
});
