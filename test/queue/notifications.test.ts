// What the queue writes at the host about pull requests: a status comment that is edited in place, a check, and the
// message of a pause.
import { describe, expect, it } from 'vitest';
import { dequeuePullRequest, queuePullRequest } from '../../src/modules/queue/index.ts';
import { pauseBranches } from '../../src/modules/repositories/index.ts';
import { parallel, serial, world } from '../support/world.ts';
import { untilNotified, expectNotifiedAsExplained, hostOf, meanwhile, startCi, statuses, wakeAll } from './stories.ts';
import { commentMatching } from './notifications.ts';

describe('the status comment and the check', () => {
  it('follow a pull request from its opening to its landing, with one comment', async () => {
    await using w = await world({ configuration: parallel({ batch: 2 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await commentMatching(w, a, /^\*\*Not queued\*\*\n\nNobody has asked to merge it\. The label `mergequeue`/);
    const page = `${w.ctx.publicUrl}/${w.repository.owner}/${w.repository.name}/pull/${a}`;
    expect(await w.statusCheck(a)).toMatchObject({ state: 'pending', title: 'Not queued', url: page });
    await w.pause(true);
    await w.queue(a, b);
    await commentMatching(
      w,
      b,
      /^\*\*Queued\*\*\n\nIt is in line to merge into `main` since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
    );
    await w.pause(false);
    const bot = async (): Promise<{ number: number; url: string } | undefined> =>
      (await w.rows<{ number: number; url: string }>('select number, url from bot_pull_request'))[0];
    const inBatch = await commentMatching(w, a, /bot pull request/);
    const { number, url } = (await bot()) ?? { number: 0, url: '' };
    await untilNotified(w);
    expect(inBatch).toContain(`It is validated together with #${b} in bot pull request [#${number}](${url}).`);
    expect(await w.statusCheck(b)).toMatchObject({ state: 'pending', title: 'Queued', url });
    await using _ = await startCi(w);
    await w.settled(a, b);
    const [commit] = (await w.landed()).slice(-1);
    const merged = await commentMatching(w, b, /^\*\*Merged\*\*/);
    expect(merged).toBe(
      `**Merged**\n\nIt was merged into \`main\` as ${commit} together with #${a}. Its tree was verified against what was tested (exact).`,
    );
    await untilNotified(w);
    expect(await w.statusCheck(b)).toMatchObject({ state: 'success', title: 'Merged' });
    expect(await w.comments(a)).toEqual([]);
  });

  it('name the failed check, its page and who must act, and show nothing outdated after a dequeue', async () => {
    await using w = await world({
      configuration: `${parallel({ batch: 2 })}status_comment:\n  blocked_message: 'Ask in **#builds**.'\n  open_message: 'Hello.'\n`,
    });
    const [a, b] = [await w.open('a', { bad: 'bad\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a);
    await w.settled(a);
    const blocked = await commentMatching(w, a, /^\*\*Blocked/);
    const [check] = await w.rows<{ url: string }>(
      "select url from check_result where name = 'test' and conclusion = 'failure' order by completed_at desc limit 1",
    );
    expect(blocked).toBe(
      `**Blocked (107)**\n\nA required check failed: test. Its author must act. Queue it again once that is settled.\n\n- [test](${check?.url})\n\nAsk in **#builds**.`,
    );
    expect(await w.statusCheck(a)).toMatchObject({ state: 'failure', title: 'Blocked (107)' });
    await w.pause(true);
    await w.queue(b);
    await commentMatching(w, b, /^\*\*Queued/);
    await dequeuePullRequest(w.ctx, { repository: w.repository, number: b });
    expect(await commentMatching(w, b, /^\*\*Not queued/)).toMatch(/\n\nHello\.$/);
  });

  it('are not counted: neither among the checks of the head, nor if all checks must pass', async () => {
    await using w = await world({
      configuration: `${serial()}require_all_checks_pass: true\npublish_status_check: always\npreconditions:\n  use_github_mergeability: false\n  required_checks: ['*']\n`,
      runsCi: false,
    });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(a);
    await untilNotified(w);
    expect(await w.statusCheck(a)).toMatchObject({ state: 'pending' });
    const wanted = { expected: [], movedAt: null };
    const report = await w.service.localHost.readChecks(hostOf(w), (await w.status(a)).head_sha, wanted);
    expect(report.checks.map(({ name }) => name)).toEqual(['test']);
    await using _ = await startCi(w);
    await w.settled(a);
    expect(await statuses(w, a)).toEqual(['merged']);
    expect(await w.rows("select 1 from check_result where name = 'interlock'")).toEqual([]);
  });

  it('say in every state what explain says', async () => {
    await using w = await world({
      configuration: `${parallel({ batch: 2 })}publish_status_check: always\npreconditions:\n  number_of_approvals: 1\n`,
      runsCi: false,
    });
    const numbers: number[] = [];
    for (const name of ['a', 'b', 'bad', 'd', 'e']) numbers.push(await w.open(name, { [name]: 'x\n' }));
    const [a = 0, b = 0, bad = 0, d = 0, e = 0] = numbers;
    await w.queue(a, b, bad, d);
    expect(await statuses(w, a, e)).toEqual(['pending 101', 'open']);
    await expectNotifiedAsExplained(w, ...numbers);
    for (const number of [a, b, bad, d]) await w.host.review(number, { reviewer: 'grace', verdict: 'approved' });
    await w.until(async () => (await statuses(w, a, b)).every((status) => status === 'tagged'));
    await w.dequeue(d);
    await w.host.close(e);
    await w.service.drain();
    expect(await statuses(w, d, e)).toEqual(['open', 'closed']);
    await expectNotifiedAsExplained(w, ...numbers);
    await using _ = await startCi(w);
    await w.settled(a, b, bad);
    expect(await statuses(w, a, b, bad)).toEqual(['merged', 'merged', 'blocked 107']);
    await expectNotifiedAsExplained(w, ...numbers);
  });

  it('say at once that the queue is paused or halted, and no longer when it goes on', async () => {
    await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await commentMatching(w, a, /bot pull request \[#\d+\].* It is first in line\.$/);
    const [queue] = await w.rows<{ id: string }>('select id from queue');
    const halt = async (reason: string | null): Promise<void> => {
      await w.rows('update queue set halted_reason = $2, version = version + 1 where id = $1', [queue?.id, reason]);
      await wakeAll(w);
    };
    for (const [change, message] of [
      [async () => await w.pause(true), / The queue is paused\.$/],
      [async () => await w.pause(false), / It is first in line\.$/],
      [async () => await halt('A commit is unknown.'), / The queue is halted: A commit is unknown\.$/],
      [async () => await halt(null), / It is first in line\.$/],
    ] as const) {
      await change();
      const comment = await commentMatching(w, a, message);
      await untilNotified(w);
      expect(comment).toContain((await w.statusCheck(a))?.summary);
      await expectNotifiedAsExplained(w, a, b);
    }
  });

  it('name the reset that put a pull request back, until the pull request is validated again', async () => {
    await using w = await world({ configuration: parallel({ builds: 2 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    const first = await commentMatching(w, b, /bot pull request \[#\d+\]/);
    await w.pause(true);
    await w.dequeue(a);
    await commentMatching(w, b, new RegExp(`It was put back in its place by #${a} \\(303\\): the queue was reset`));
    await w.pause(false);
    const again = await commentMatching(w, b, /bot pull request \[#\d+\]/);
    expect(again).not.toContain('put back');
    expect(again).not.toBe(first);
  });

  it('keep the newest text, if a worker with an older text is delayed', async () => {
    await using w = await world({ configuration: parallel(), runsCi: false });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.pause(true);
    // This worker has read that the pull request is not queued. It is delayed until the comment says that it is queued.
    await meanwhile(
      'comment:before_host',
      async () => {
        await queuePullRequest(w.ctx, { repository: w.repository, number: a, source: 'graphql_api' });
        await commentMatching(w, a, /^\*\*Queued/);
      },
      async () => void (await commentMatching(w, a, /./)),
    );
    await untilNotified(w);
    expect(await w.statusComment(a)).toMatch(/^\*\*Queued/);
  });
});

describe('the cost of notifications', () => {
  it('a landing notifies only the pull requests that it concerns, not the whole line', async () => {
    await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
    const numbers: number[] = [];
    for (const name of ['a', 'b', 'c', 'd']) numbers.push(await w.open(name, { [`${name}.txt`]: 'x\n' }));
    const [a = 0, , , d = 0] = numbers;
    await w.queue(...numbers);
    await commentMatching(w, d, /^\*\*Queued/);
    await untilNotified(w);
    const versions = async (): Promise<number> =>
      Number(
        (await w.rows<{ v: string }>('select notification_version as v from pull_request where number = $1', [d]))[0]
          ?.v,
      );
    const before = await versions();
    {
      await using _ = await startCi(w);
      await meanwhile(
        'conclude:after_host',
        async () => await w.pause(true),
        async () => await w.settled(a),
      );
    }
    await untilNotified(w);
    expect(await versions()).toBe(before);
    expect(await w.statusComment(a)).toMatch(/^\*\*Merged/);
  });

  it('a turn plans at most 40 notifications, and the next turns plan the rest', async () => {
    await using w = await world({ configuration: `${parallel()}publish_status_check: never\n`, runsCi: false });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await untilNotified(w);
    await w.pause(true);
    await w.rows(
      `insert into pull_request (account_id, repository_id, queue_id, number, title, body, author, head_branch, base_branch, head_sha, author_name,
         author_email, url, created_at, updated_at, notify_at)
       select account_id, repository_id, queue_id, 1000 + n, title, body, author, head_branch || n, base_branch, head_sha, author_name,
         author_email, url, created_at, updated_at, now() from pull_request, generate_series(1, 100) n where number = $1`,
      [a],
    );
    await w.rows('update queue set version = version + 1');
    await wakeAll(w);
    await w.loop.run(w.service.ports);
    const planned =
      "select 1 from intent where kind = 'comment' and pull_request_id in (select id from pull_request where number > 1000)";
    expect(await w.rows(planned)).toHaveLength(40);
    await w.until(async () => (await w.rows(planned)).length === 100);
  });
});

describe('the message of a pause', () => {
  it('is sent once, to the first pull request that waits, and never if comments are off', async () => {
    await using w = await world({ configuration: parallel(), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    const pause = async (pattern: string, paused: boolean): Promise<void> =>
      void (await pauseBranches(w.ctx, {
        repository: w.repository,
        pattern,
        paused,
        pausedMessage: 'Frozen for the *release*.',
      }));
    await pause('ma*', true);
    await w.queue(a, b);
    const heard = async (): Promise<string[][]> =>
      await Promise.all([a, b].map(async (number) => (await w.comments(number)).map(({ body }) => body)));
    await w.until(async () => (await heard())[0]?.length === 1);
    await w.dequeue(a);
    await untilNotified(w);
    expect(await heard()).toEqual([['Frozen for the *release*.'], []]);
    await pause('ma*', false);
    await w.configure(`${parallel()}enable_comments: false\n`);
    await pause('main', true);
    await wakeAll(w);
    await untilNotified(w);
    expect(await heard()).toEqual([['Frozen for the *release*.'], []]);
  });
});
