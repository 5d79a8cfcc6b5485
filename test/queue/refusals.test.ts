// Refusals of the host, and decisions that could repeat without end: one pull request must never stop a line.
import { describe, expect, it } from 'vitest';
import { HostRefused, HostUnavailable } from '../../src/hosts/port.ts';
import { driveBatch, queuePullRequest, syncPullRequest, verifyRepository } from '../../src/modules/queue/index.ts';
import { loadRepository } from '../../src/modules/repositories/index.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { among } from '../support/tier.ts';
import { parallel, serial, world, type World } from '../support/world.ts';
import { expectLandedOnce, line, meanwhile, statuses, wakeAll } from './stories.ts';

async function three(w: World): Promise<[number, number, number]> {
  await w.pause(true);
  const numbers: [number, number, number] = [
    await w.open('a', { 'a.txt': 'a\n' }),
    await w.open('b', { 'b.txt': 'b\n' }),
    await w.open('c', { 'c.txt': 'c\n' }),
  ];
  await w.queue(...numbers);
  await w.pause(false);
  return numbers;
}

describe('a pull request whose commit would look like a landing that was given up', () => {
  it('is blocked, because nobody could tell whether it has landed', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const [first, same, last] = [
      await w.open('first', { 'feature.txt': 'new\n' }),
      await w.open('same', { 'feature.txt': 'new\n' }),
      await w.open('last', { 'last.txt': 'new\n' }),
    ];
    await w.queue(first);
    await w.settled(first);
    await queuePullRequest(w.ctx, {
      repository: w.repository,
      number: same,
      source: 'graphql_api',
      mergeCommitMessage: { title: 'Nothing lands under this number: batch 1' },
    });
    await w.queue(last);
    await w.until(async () => (await w.landed()).length > 1);
    await w.settled(same, last);
    expect(await statuses(w, same, last)).toEqual(['blocked 110', 'merged']);
    expect(await w.landed()).toHaveLength(2);
    await expectLandedOnce(w, first, last);
  });
});

it('a commit that changes something is not read again after it was made', async () => {
  await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
  const number = await w.open('a', { 'a.txt': 'a\n' });
  const reads = new Set<string>();
  replaceHostMethod(w, 'readCommit', (original) => async (repository, commit) => {
    reads.add(commit);
    return await original(repository, commit);
  });
  await w.queue(number);
  await w.until(async () => (await statuses(w, number))[0] === 'tagged');
  const [batch] = await w.rows<{ commit: string }>('select commit from batch');
  expect([...reads]).not.toContain(batch?.commit);
});

describe('a refusal of the host', () => {
  it.each(among([1, 3], [3]))(
    'to compose a commit blocks that pull request with the text of the host, and the others land (batches of %i)',
    async (batch) => {
      await using w = await world({ configuration: parallel({ builds: 3, batch }) });
      const [a, b, c] = await three(w);
      const poisoned = (await w.status(b)).head_sha;
      replaceHostMethod(w, 'composeCommit', (original) => async (repository, composition) => {
        if (composition.members.some((member) => member.head === poisoned))
          throw new HostRefused('612 commits are too many to rebase');
        return await original(repository, composition);
      });
      await w.settled(a, b, c);
      expect(await statuses(w, a, b, c)).toEqual(['merged', 'blocked 110', 'merged']);
      expect((await w.status(b)).status_text).toContain('612 commits are too many to rebase');
      await expectLandedOnce(w, a, c);
    },
  );

  it.each([
    ['halts the queue with the text of the host', new HostRefused('the checks are secret'), true],
    ['does not halt the queue if the host is only unavailable', new HostUnavailable('it is down'), false],
  ])('to read the checks of a build for ten minutes %s', async (_name, error, isHalted) => {
    let aheadMs = 0;
    const clock = (): Date => new Date(Date.now() + aheadMs);
    await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false, clock });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.commit('main', { 'other.txt': 'o\n' });
    await w.queue(number);
    await w.until(async () => (await w.status(number)).status === 'tagged');
    replaceHostMethod(w, 'readChecks', () => async () => await Promise.reject(error));
    const [batch] = await w.batches();
    for (; aheadMs <= 10 * 60_000; aheadMs += 60_000)
      await expect(driveBatch(w.ctx, batch?.id ?? '')).rejects.toThrow(error.message);
    const [queue] = await w.rows<{ reason: string | null }>('select halted_reason as reason from queue');
    expect(queue?.reason?.endsWith(error.message) ?? false).toBe(isHalted);
  });

  it('to list the commits whose co-authors are named blocks that pull request, and the others land', async () => {
    const configuration = `${parallel({ builds: 3, batch: 3 })}merge_commit:\n  include_coauthors: true\n`;
    await using w = await world({ configuration });
    const [a, b, c] = await three(w);
    const poisoned = (await w.status(b)).head_sha;
    replaceHostMethod(w, 'listCommits', (original) => async (repository, range) => {
      if (range.to === poisoned) throw new HostRefused('its commits are too large to be read');
      return await original(repository, range);
    });
    await w.settled(a, b, c);
    expect(await statuses(w, a, b, c)).toEqual(['merged', 'blocked 110', 'merged']);
    expect((await w.status(b)).status_text).toContain('its commits are too large to be read');
  });

  it('to land blocks the members of that landing, and the line goes on', async () => {
    await using w = await world({ configuration: parallel({ builds: 3, batch: 1 }) });
    const [a, b, c] = await three(w);
    replaceHostMethod(w, 'updateRefs', (original) => async (repository, updates) => {
      const landing = updates.find((update) => update.ref.startsWith('refs/interlock/landings/'));
      if (landing !== undefined && (await w.landed()).length === 1)
        throw new HostRefused('protected branch hook declined');
      return await original(repository, updates);
    });
    await w.until(async () => (await w.status(b)).status === 'blocked');
    expect(await statuses(w, a, b)).toEqual(['merged', 'blocked 110']);
    expect((await w.status(b)).status_text).toContain('protected branch hook declined');
    expect((await w.events()).filter(([action]) => action === 'batch_failed')).toContainEqual(['batch_failed', [b]]);
    expect(await w.rows('select 1 from queue where halted_reason is not null')).toEqual([]);
    await w.until(async () => (await w.status(c)).status === 'blocked');
  });

  it('to take a comment ends the notification, which is not tried in every turn', async () => {
    await using w = await world({ configuration: `${parallel()}enable_comments: true\n` });
    const a = await w.open('a', { bad: 'bad\n' });
    let asked = 0;
    replaceHostMethod(w, 'upsertComment', () => async () => {
      asked += 1;
      throw new HostRefused('this conversation is locked');
    });
    await w.queue(a);
    await w.until(
      async () =>
        (
          await w.rows(
            `select 1 from pull_request p join intent i on i.pull_request_id = p.id and i.kind = 'comment'
             where p.status = 'blocked' and p.notify_at is null group by p.id having bool_and(i.state = 'failed')`,
          )
        ).length > 0,
    );
    expect(await statuses(w, a)).toEqual(['blocked 107']);
    for (let turn = 0; turn < 3; turn += 1) {
      await wakeAll(w);
      await w.loop.run(w.service.ports);
    }
    // A later report of CI may cause one more notification, so the test compares with the number of notifications.
    const [row] = await w.rows<{ version: number }>('select notification_version::int as version from pull_request');
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(row?.version ?? 0);
  });
});

describe('serial mode', () => {
  it('blocks a head that the base cannot be brought into', async () => {
    await using w = await world({ configuration: serial() });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.commit('main', { 'outside.txt': 'o\n' });
    replaceHostMethod(w, 'composeUpdate', () => async () => ({ kind: 'conflict', paths: [] }));
    await w.queue(a);
    await w.settled(a);
    expect(await statuses(w, a)).toEqual(['blocked 106']);
  });

  it('runs outdated checks of a head again, instead of starting its batch without end', async () => {
    await using w = await world({ configuration: serial() });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.until(
      async () =>
        (
          await w.rows(
            'select 1 from build where finished_at is not null and tree = (select tree from build where commit = $1)',
            [(await w.status(a)).head_sha],
          )
        ).length > 0,
    );
    await w.rows(
      "update build set started_at = started_at - interval '25 hours', finished_at = finished_at - interval '25 hours'",
    );
    await w.queue(a);
    await w.settled(a);
    await expectLandedOnce(w, a);
    expect(await w.batches()).toHaveLength(1);
    const attempts = await w.rows<{ attempt: number }>(
      'select attempt from check_result where commit = $1 order by attempt',
      [(await w.status(a)).head_sha],
    );
    expect(attempts.map((check) => check.attempt)).toEqual([1, 2]);
  });
});

describe('skipped validation', () => {
  it('of two pull requests in one batch lands both', async () => {
    await using w = await world({
      configuration: parallel({ builds: 2, batch: 2 }),
      ci: "checks:\n  test: {run: 'sleep 600'}\n",
    });
    await w.pause(true);
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(...numbers);
    await w.pause(false);
    await w.until(async () => (await w.rows('select 1 from bot_pull_request')).length > 0);
    await w.pause(true);
    for (const number of numbers)
      await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', skipValidation: true });
    await w.pause(false);
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect(await line(w)).toEqual(['Land #1 and #2']);
    expect(await w.rows('select distinct grade from landing')).toEqual([{ grade: 'unvalidated' }]);
  });
});

describe('a proof', () => {
  it('names the rules under which its landing passed the gate, even if other rules apply when it is recorded', async () => {
    const gate = (check: string) =>
      `${parallel({ builds: 2, batch: 1, more: `override_required_checks: [${check}]\n` })}preconditions:\n  use_github_mergeability: false\n`;
    await using w = await world({
      configuration: gate('test'),
      ci: "checks:\n  test: {run: 'true'}\n  lint: {run: 'false'}\n",
    });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(a);
    await meanwhile(
      'landing:after_gate',
      () => w.configure(gate('lint')),
      () => w.settled(a),
    );
    const verified = await verifyRepository(w.ctx, await loadRepository(w.ctx, w.repository));
    expect(verified.map((queue) => queue.grades)).toEqual([{ same_tree: 1 }]);
    expect(verified.flatMap((queue) => queue.failures)).toEqual([]);
  });
});

describe('two reads of the checks at once', () => {
  it('may be written in the wrong order: a check that has ended stays ended', async () => {
    await using w = await world({ configuration: parallel() });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    const { head_sha } = await w.status(a);
    const finished = async () =>
      (await w.rows('select 1 from build where commit = $1 and finished_at is not null and complete', [head_sha]))
        .length > 0;
    await w.until(finished);
    replaceHostMethod(w, 'readChecks', (original) => async (...asked) => {
      const report = await original(...asked);
      return {
        ...report,
        complete: false,
        checks: report.checks.map((check) => ({ ...check, conclusion: 'pending' as const, completedAt: null })),
      };
    });
    await syncPullRequest(w.ctx, { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository, host: 'local' }, a);
    expect(await finished()).toBe(true);
    expect(await w.rows("select 1 from check_result where conclusion = 'pending'")).toEqual([]);
  });

  it('may find that a later run has replaced a canceled attempt: the stored attempt is corrected', async () => {
    await using w = await world({ configuration: parallel() });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    const stored = async () =>
      await w.rows<{ attempt: number; conclusion: string }>(
        'select attempt, conclusion from check_result order by attempt',
      );
    await w.until(async () => (await stored()).some(({ conclusion }) => conclusion === 'success'));
    await w.rows("update check_result set conclusion = 'cancelled'");
    replaceHostMethod(w, 'readChecks', (original) => async (...asked) => {
      const report = await original(...asked);
      const attempts = (['stale', 'cancelled'] as const).map((conclusion, at) => ({ conclusion, attempt: at + 1 }));
      return { ...report, checks: report.checks.flatMap((check) => attempts.map((each) => ({ ...check, ...each }))) };
    });
    await syncPullRequest(w.ctx, { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository, host: 'local' }, a);
    expect(await stored()).toEqual([
      { attempt: 1, conclusion: 'stale' },
      { attempt: 2, conclusion: 'cancelled' },
    ]);
  });
});
