// Changes at the code host that once stalled the queue, or made it land something unintended.
import { describe, expect, it } from 'vitest';
import { syncBase, syncPullRequest } from '../../src/modules/queue/index.ts';
import { noteDeletion } from '../../src/modules/queue/facts/base-branches.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, hostOf, line, meanwhile, retarget, statuses } from './stories.ts';

async function sync(w: World, number: number): Promise<void> {
  await syncPullRequest(w.ctx, { ...hostOf(w), host: 'local' }, number);
}

async function counters(w: World): Promise<[string, number, number][]> {
  const rows = await w.rows<{ base_branch: string; waiting: number; tagged: number }>(
    'select base_branch, waiting, tagged from queue order by base_branch',
  );
  return rows.map((row) => [row.base_branch, row.waiting, row.tagged]);
}

async function withTwoBases(): Promise<World> {
  const w = await world({ configuration: `${parallel({ builds: 2, batch: 2 })}base_branches: [main, next]\n` });
  await w.git('branch', 'next', 'main');
  return w;
}

describe('a pull request whose base branch is changed', () => {
  it('leaves its line, is counted in no queue, and lands on the new base branch after it is queued again', async () => {
    await using w = await withTwoBases();
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.pause(true);
    await w.queue(a, b);
    await retarget(w, a, 'next');
    expect(await statuses(w, a, b)).toEqual(['open', 'queued']);
    expect(await counters(w)).toEqual([
      ['main', 1, 0],
      ['next', 0, 0],
    ]);
    await w.queue(a);
    expect(await counters(w)).toEqual([
      ['main', 1, 0],
      ['next', 1, 0],
    ]);
    await w.pause(false);
    await w.settled(a, b);
    await expectLandedOnce(
      {
        ...w,
        landed: async () => [
          ...(await w.landed()),
          ...(await w.git('log', '--first-parent', '--format=%H', 'next')).split('\n'),
        ],
      },
      a,
      b,
    );
    expect(await line(w)).toEqual(['Add b (#2)']);
    expect(await line(w, 'next')).toEqual(['Add a (#1)']);
    expect((await w.events()).filter(([action]) => action === 'dequeued')).toEqual([['dequeued', [a]]]);
  });

  it.each([
    {
      status: 'queued',
      approvals: 0,
      consequence: 'This pull request is no longer in line, because builds on `main` do not test it on `next`.',
    },
    { status: 'pending', approvals: 1, consequence: 'The request to merge it into `main` has ended.' },
  ])('gets a reply that says what the change means while it is $status', async ({ status, approvals, consequence }) => {
    await using w = await world({
      configuration: `${parallel()}base_branches: [main, next]\npreconditions:\n  number_of_approvals: ${approvals}\n`,
    });
    await w.git('branch', 'next', 'main');
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.pause(true);
    await w.queue(a);
    expect(await statuses(w, a)).toEqual([expect.stringContaining(status)]);
    await retarget(w, a, 'next');
    expect(await statuses(w, a)).toEqual(['open']);
    await w.until(async () => (await w.comments(a)).length > 0);
    expect((await w.comments(a)).at(-1)?.body).toBe(
      `The base branch of this pull request is \`next\` now, and was \`main\`. ${consequence} Ask again to merge it into \`next\`.`,
    );
  });

  it('after its landing has started lands on the old base branch, and then is counted in no queue', async () => {
    await using w = await withTwoBases();
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(a);
    await meanwhile(
      'landing:after_gate',
      () => retarget(w, a, 'next'),
      () => w.settled(a),
    );
    await expectLandedOnce(w, a);
    expect(await counters(w)).toEqual([
      ['main', 0, 0],
      ['next', 0, 0],
    ]);
  });
});

describe('a force push', () => {
  it('that sets the base branch back to an earlier commit is followed, and the next landing is on that commit', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
    const first = await w.git('rev-parse', 'main');
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(a);
    await w.settled(a);
    const b = await w.open('b', { 'b.txt': 'b\n' }, { from: first });
    await w.git('update-ref', 'refs/heads/main', first);
    await w.queue(b);
    await w.settled(b);
    expect(await line(w)).toEqual([`Add b (#${b})`]);
  });
});

describe('a base branch that is deleted', () => {
  it('stops its queue without an error, and the queue goes on when the branch exists again', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
    const tip = await w.git('rev-parse', 'main');
    const host = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository, host: 'local' as const };
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.git('update-ref', '-d', 'refs/heads/main');
    await w.queue(a);
    await syncBase(w.ctx, host, 'main');
    await w.loop.run(w.service.ports);
    expect(await statuses(w, a)).toEqual(['queued']);
    expect(await w.rows('select base_tip, halted_reason from queue')).toEqual([
      { base_tip: null, halted_reason: null },
    ]);
    await w.git('update-ref', 'refs/heads/main', tip);
    await syncBase(w.ctx, host, 'main');
    await w.settled(a);
    await expectLandedOnce(w, a);
  });
});

describe('the report that a base branch was deleted', () => {
  it('is not compared with earlier landings while a landing is under way, and is noted afterwards', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a);
    await w.settled(a);
    const landed = await w.git('rev-parse', 'main');
    const pushed = await w.commit('main', { 'outside.txt': 'o\n' });
    const compared: string[] = [];
    replaceHostMethod(w, 'isAncestor', (original) => async (...of) => {
      if (of[2] === pushed) compared.push(of[1]);
      return await original(...of);
    });
    const note = async (commit: string) =>
      await noteDeletion(w.ctx, { ...hostOf(w), host: 'local' }, { baseBranch: 'main', commit });
    await w.queue(b);
    await meanwhile(
      'landing:after_gate',
      async () => expect(await note(pushed)).toBe(false),
      () => w.settled(b),
    );
    expect(compared).toEqual([]);
    const deleted = async () =>
      await w.rows(
        'select l.commit from queue q left join landing l on l.id = q.last_deleted_landing_id where q.base_branch = $1',
        ['main'],
      );
    expect(await deleted()).toEqual([{ commit: null }]);
    expect(await note(pushed)).toBe(true);
    expect(compared).toContain(landed);
    expect(await deleted()).toEqual([{ commit: landed }]);
  });

  it('is compared with no landing if the host does not have its last commit', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(a);
    await w.settled(a);
    let compared = 0;
    replaceHostMethod(w, 'isAncestor', (original) => async (...of) => {
      compared += 1;
      return await original(...of);
    });
    const gone = { baseBranch: 'main', commit: '1'.repeat(40) };
    expect(await noteDeletion(w.ctx, { ...hostOf(w), host: 'local' }, gone)).toBe(true);
    expect(compared).toBe(0);
  });
});

describe('a pull request that is merged at the host', () => {
  it('after its landing has started is merged once, by that landing', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    const mergeThere = async () => {
      await w.rows(
        "update local_pull_request set state = 'merged', merged_at = now(), merge_commit_sha = head_sha where number = $1",
        [a],
      );
      await sync(w, a);
    };
    await w.queue(a);
    await meanwhile('landing:after_host', mergeThere, () => w.settled(a));
    await expectLandedOnce(w, a);
  });
});

describe('a host sync', () => {
  it('changes the version of the queue only if something has changed at the host', async () => {
    await using w = await world({ configuration: parallel() });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
    const versions = async () => await w.rows('select version from queue');
    const before = await versions();
    await sync(w, a);
    expect(await versions()).toEqual(before);
    await w.service.localHost.editPullRequest(
      { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository },
      { number: a },
      {
        title: 'Another',
      },
    );
    await sync(w, a);
    expect(await versions()).not.toEqual(before);
  });
});
