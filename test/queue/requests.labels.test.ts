// Requests by labels, which people and the queue put on and take off.
import { describe, expect, it, vi } from 'vitest';
import { statusCommentKey } from '../../src/domain/queue/explain/status-comment.ts';
import {
  closePullRequest,
  openPullRequest,
  queuePullRequest,
  reopenPullRequest,
} from '../../src/modules/queue/index.ts';
import { readLineAt } from '../../src/modules/queue/api/as-of.rows.ts';
import { replaceConfiguration } from '../../src/modules/repositories/index.ts';
import { configurationYaml, parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, hostOf, statuses } from './stories.ts';

async function label(w: World, number: number, name: string, present: boolean, by = 'ada'): Promise<void> {
  await w.host.label(number, name, present, by);
  await w.service.drain();
}

async function labels(w: World, number: number): Promise<readonly string[]> {
  return (await w.host.pullRequest(number))?.labels ?? [];
}

async function actions(w: World, number: number): Promise<string[]> {
  return (await w.events()).filter(([, numbers]) => numbers[0] === number).map(([action]) => action);
}

describe('the trigger label', () => {
  it('queues the pull request when a person puts it on, and the pull request lands', async () => {
    await using w = await world();
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await label(w, number, 'mergequeue', true);
    expect(await actions(w, number)).toEqual(['opened', 'labeled', 'queued']);
    await w.settled(number);
    await expectLandedOnce(w, number);
  });

  it('counts in other capitals than the configuration has, and is there once', async () => {
    await using w = await world();
    await w.pause(true);
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await label(w, number, 'MergeQueue', true);
    await label(w, number, 'mergequeue', true);
    expect(await labels(w, number)).toEqual(['MergeQueue']);
    expect(await statuses(w, number)).toEqual(['queued']);
    await w.dequeue(number);
    await w.until(async () => (await labels(w, number)).length === 0);
    await label(w, number, 'MERGEQUEUE', true);
    expect(await statuses(w, number)).toEqual(['queued']);
    await label(w, number, 'mergequeue', false);
    expect(await statuses(w, number)).toEqual(['open']);
  });

  it('is one label in each spelling of letters beyond ASCII, at the host and in the rules', async () => {
    await using w = await world();
    const yaml = configurationYaml(parallel()).replace('trigger: mergequeue', 'trigger: ΟΔΟΣ');
    await replaceConfiguration(w.ctx, { repository: w.repository, yaml });
    await w.pause(true);
    const number = await w.open('a', { 'a.txt': 'a\n' });
    for (const name of ['οδος', 'ΟΔΟΣ', 'İzmir', 'izmir']) await label(w, number, name, true);
    expect(await labels(w, number)).toEqual(['οδος', 'İzmir', 'izmir']);
    expect(await statuses(w, number)).toEqual(['queued']);
    await w.dequeue(number);
    await w.until(async () => (await labels(w, number)).length === 2);
    expect(await labels(w, number)).toEqual(['İzmir', 'izmir']);
  });

  it('dequeues the pull request when a person takes it off', async () => {
    await using w = await world();
    await w.pause(true);
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await label(w, number, 'mergequeue', true);
    await label(w, number, 'mergequeue', false);
    expect(await statuses(w, number)).toEqual(['open']);
    expect(await actions(w, number)).toEqual(['opened', 'labeled', 'queued', 'dequeued']);
  });

  it('is taken off by the queue when the pull request leaves the line otherwise, and that requests nothing', async () => {
    await using w = await world();
    const [dequeued, failing] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { bad: 'b\n' })];
    await w.pause(true);
    await label(w, dequeued, 'mergequeue', true);
    await w.dequeue(dequeued);
    await w.pause(false);
    await label(w, failing, 'mergequeue', true);
    await w.until(
      async () => (await labels(w, dequeued)).length === 0 && (await labels(w, failing)).includes('blocked'),
    );
    await w.until(async () => !(await labels(w, failing)).includes('mergequeue'));
    await w.service.drain();
    expect(await statuses(w, dequeued, failing)).toEqual(['open', 'blocked 107']);
    expect((await actions(w, dequeued)).filter((action) => action === 'dequeued')).toHaveLength(1);
    expect((await actions(w, failing)).filter((action) => action === 'labeled')).toHaveLength(1);
  });

  it('counts if the pull request is opened with it', async () => {
    await using w = await world();
    await w.commit('a', { 'a.txt': 'a\n' });
    await w.service.localHost.openPullRequest(hostOf(w), {
      title: 'Add a',
      body: '',
      author: 'ada',
      headBranch: 'a',
      baseBranch: 'main',
      draft: false,
      labels: ['mergequeue'],
    });
    await w.settled(1);
    await w.until(async () => (await statuses(w, 1))[0] === 'merged');
    expect(await actions(w, 1)).toEqual(expect.arrayContaining(['opened', 'labeled', 'queued', 'merged']));
  });

  it('does not count again when the pull request is reopened, and is taken off, as the skip-line label is', async () => {
    await using w = await world();
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const of = { repository: w.repository, number };
    await w.pause(true);
    await label(w, number, 'mergequeue', true);
    await label(w, number, 'mergequeue-priority', true, 'grace');
    expect(await statuses(w, number)).toEqual(['queued']);
    await closePullRequest(w.ctx, of);
    await reopenPullRequest(w.ctx, of);
    await w.service.drain();
    expect(await statuses(w, number)).toEqual(['open']);
    await w.until(async () => (await labels(w, number)).length === 0);
    expect(await statuses(w, number)).toEqual(['open']);
    await label(w, number, 'mergequeue', true);
    expect(await statuses(w, number)).toEqual(['queued']);
    expect(await w.rows('select skip_line from pull_request')).toEqual([{ skip_line: false }]);
  });

  it('is refused with a message where queueing by label is disabled', async () => {
    await using w = await world({ configuration: `${parallel()}blocked_queue_sources: [label]\n` });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await label(w, number, 'mergequeue', true);
    await w.until(async () => (await labels(w, number)).length === 0);
    await w.service.drain();
    expect(await statuses(w, number)).toEqual(['open']);
    const comments = await w.host.comments(number);
    expect(comments.filter(({ key }) => key !== statusCommentKey).map(({ body }) => body)).toEqual([
      'The label `mergequeue` was taken off: Queueing by label is disabled',
    ]);
    expect(await actions(w, number)).toEqual(['opened']);
  });
});

describe('the label of a barrier', () => {
  it.each([
    ['barrier', 'Barrier', 1],
    ['ΜΌΝΟΣ', 'μόνος', 1],
    ['k', 'K', 1],
    ['izmir', 'İzmir', 0],
    ['barrier', 'schränke', 0],
  ])(
    'is %s: of pull requests that wait with the label %s, %d is read as a possible barrier',
    async (named, given, read) => {
      await using w = await world();
      await w.pause(true);
      const [first, second] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
      await label(w, second, given, true);
      await w.queue(first, second);
      const [queue] = await w.rows<{ id: string }>('select id from queue');
      const { waiting, others } = await w.ctx.db.transaction(
        w.ctx.accountId,
        async (tx) =>
          await readLineAt(w.ctx, tx, {
            queueId: queue?.id ?? '',
            instant: 'infinity',
            barrierLabel: named,
            inBatches: [],
            ids: null,
          }),
      );
      expect(waiting).toHaveLength(2 - read);
      expect(others).toHaveLength(read);
    },
  );
});

describe('the skip-line label', () => {
  it('is put on by the queue after a request of the API, and taken off by a dequeue', async () => {
    await using w = await world();
    await w.pause(true);
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'rest_api', skipLine: true });
    await w.until(async () => (await labels(w, number)).includes('mergequeue-priority'));
    await w.dequeue(number);
    await w.until(async () => (await labels(w, number)).length === 0);
    const [row] = await w.rows<{ skip_line: boolean }>('select skip_line from pull_request');
    expect(row?.skip_line).toBe(false);
  });

  it('moves the pull request ahead if an authorized user puts it on, and is taken off with the reason otherwise', async () => {
    await using w = await world();
    await w.rows("update account_user set handle = 'grace' where role = 'admin'");
    await w.pause(true);
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(...numbers);
    await label(w, 2, 'mergequeue-priority', true, 'mallory');
    await w.until(async () => (await labels(w, 2)).length === 0);
    const skipping = async (): Promise<boolean[]> =>
      (await w.rows<{ skip_line: boolean }>('select skip_line from pull_request order by number')).map(
        (row) => row.skip_line,
      );
    expect(await skipping()).toEqual([false, false]);
    expect((await w.comments(2)).at(-1)?.body).toContain('Not authorized to skip the line in this repository.');
    await label(w, 2, 'mergequeue-priority', true, 'grace');
    expect(await skipping()).toEqual([false, true]);
    // If the label is taken off in line, the pull request does not move back.
    await label(w, 2, 'mergequeue-priority', false, 'grace');
    expect(await skipping()).toEqual([false, true]);
    await w.pause(false);
    await w.settled(...numbers);
    expect(await w.git('log', '--first-parent', '--reverse', '--format=%s', 'main')).toMatch(/Add b.*\n.*Add a/);
  });
});

describe('the blocked label', () => {
  it('marks a pull request that the queue blocks, and is taken off when it is queued again', async () => {
    await using w = await world();
    await w.commit('a', { 'a.txt': 'a\n' });
    await openPullRequest(w.ctx, { repository: w.repository, title: 'Add a', headBranch: 'a', draft: true });
    await w.queue(1);
    await w.until(async () => (await labels(w, 1)).includes('blocked'));
    await w.service.localHost.editPullRequest(hostOf(w), { number: 1 }, { draft: false });
    await w.queue(1);
    await w.until(async () => !(await labels(w, 1)).includes('blocked'));
    await w.settled(1);
    await expectLandedOnce(w, 1);
  });

  it('is taken off when the pull request is queued again, also if the configuration names another label by now', async () => {
    await using w = await world();
    await w.commit('a', { 'a.txt': 'a\n' });
    await openPullRequest(w.ctx, { repository: w.repository, title: 'Add a', headBranch: 'a', draft: true });
    await w.queue(1);
    await w.until(async () => (await labels(w, 1)).includes('blocked'));
    const yaml = 'merge_rules:\n  labels: {trigger: mergequeue, merge_failed: stopped}\n';
    expect(await replaceConfiguration(w.ctx, { repository: w.repository, yaml })).toMatchObject({ kind: 'accepted' });
    await w.service.localHost.editPullRequest(hostOf(w), { number: 1 }, { draft: false });
    await w.pause(true);
    await w.queue(1);
    // It is pending until its own check has ended.
    await w.until(async () => (await statuses(w, 1))[0] === 'queued');
    await w.until(async () => (await labels(w, 1)).length === 0);
  });

  it('keeps a pull request out of the line when a person puts it on, even if the queue puts no such label on', async () => {
    await using w = await world({ configuration: `${parallel()}skip_blocked_label: true\n` });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await label(w, number, 'Blocked', true);
    await w.queue(number);
    expect(await statuses(w, number)).toEqual(['blocked 105']);
    expect((await w.status(number)).status_text).toBe('A label on the pull request blocks it: Blocked.');
    await label(w, number, 'blocked', false);
    await w.queue(number);
    await w.settled(number);
    await expectLandedOnce(w, number);
    expect(await labels(w, number)).toEqual([]);
  });
});

it('a label that the queue puts on while a read finds another label gone stays recorded as a label of the queue', async () => {
  await using w = await world({ configuration: `${parallel()}status_comment: {publish: never}\n` });
  const number = await w.open('a', { 'a.txt': 'a\n' });
  await label(w, number, 'blocked', true);
  await w.rows("update pull_request set queue_labels = '{blocked}'");
  let reading: Promise<void> | undefined;
  await w.ctx.db.transaction(w.ctx.accountId, async (tx) => {
    await tx.query("update pull_request set queue_labels = array_append(queue_labels, 'stuck') where account_id = $1", [
      w.ctx.accountId,
    ]);
    reading = label(w, number, 'blocked', false);
    await vi.waitFor(async () => expect(await waitingForLocks(w)).toBeGreaterThan(0), 60_000);
  });
  await reading;
  expect(await w.rows('select labels, queue_labels from pull_request')).toEqual([
    { labels: [], queue_labels: ['stuck'] },
  ]);
});

async function waitingForLocks(w: World): Promise<number> {
  const rows = await w.rows(
    'select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()',
  );
  return rows.length;
}
