// Stacked pull requests are requested together, are in line behind one another, and land without the conflicts that a
// squash of the lower pull request would cause in the upper one.
import { describe, expect, it } from 'vitest';
import { toHostedRepository } from '../../src/hosts/port.ts';
import { syncPullRequest, updatePullRequest } from '../../src/modules/queue/index.ts';
import { loadRepository } from '../../src/modules/repositories/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { parallel, serial, world, type World } from '../support/world.ts';
import {
  atRest,
  dyingAt,
  expectLandedOnce,
  expectVerified,
  line,
  meanwhile,
  retarget,
  setLabel,
  statuses,
} from './stories.ts';
import { stacking, openStack, baseAtHost } from './stacks.ts';

const rewriting = stacking(
  `${parallel()}merge_strategy:\n  use_separate_commits_for_stack: true\n  update_pr_commits_before_stack_merge: true\n`,
);

const statusText = async (w: World, number: number): Promise<string | null> => (await w.status(number)).status_text;

describe('a stack', () => {
  it('is queued from its top, is one batch although batches have one member, and lands as one commit', async () => {
    await using w = await world({ configuration: stacking(parallel()) });
    const [one, two, three] = await openStack(w);
    await w.queue(three);
    expect(await statuses(w, one, two, three)).toEqual(['queued', 'queued', 'queued']);
    await w.settled(one, two, three);
    expect(await w.batches()).toMatchObject([{ state: 'landed', members: [one, two, three] }]);
    const [landed, ...more] = await w.landed();
    expect(more).toEqual([]);
    expect(await w.git('show', `${landed}:story.txt`)).toBe('one\ntwo\nthree');
    expect(await w.git('log', '-1', '--format=%P', 'main')).toBe(await w.git('rev-list', '--max-parents=0', 'main'));
    expect(await w.git('log', '-1', '--format=%B', 'main')).toBe(
      `Add three (#${three})\n\nIncludes the pull requests below it in its stack:\n\n* Add one (#${one})\n* Add two (#${two})`,
    );
    expect(await w.rows('select distinct own_commit from landed_member')).toEqual([{ own_commit: landed }]);
    await expectLandedOnce(w, one, two, three);
    await expectVerified(w, { exact: 1 });
  });

  it('with update_pr_commits_before_stack_merge has its branches moved to the landed commits when the base moves', async () => {
    await using w = await world({ configuration: rewriting });
    const [one, two, three] = await openStack(w);
    const other = await w.open('other', { 'other.txt': 'other\n' });
    const before = await w.git('rev-parse', 'other');
    await w.queue(three, other);
    await dyingAt(w, 'landing:after_host', async () => await w.settled(one, two, three, other));
    await atRest(w);
    expect(await line(w, 'three')).toEqual([`Add one (#${one})`, `Add two (#${two})`, `Add three (#${three})`]);
    expect(await w.git('rev-parse', 'one', 'two', 'three')).toBe(
      await w.git('rev-parse', 'three~2', 'three~1', 'three'),
    );
    expect(
      await w.rows(
        'select own_commit from landed_member m join pull_request p on p.id = m.pull_request_id where p.number = $1',
        [two],
      ),
    ).toEqual([{ own_commit: await w.git('rev-parse', 'two') }]);
    expect(await w.git('rev-parse', 'other')).toBe(before);
    expect(await w.git('merge-base', '--is-ancestor', 'three', 'main')).toBe('');
    expect(await statuses(w, one, two, three, other)).toEqual(['merged', 'merged', 'merged', 'merged']);
    for (const number of [one, two, three])
      expect((await w.comments(number)).map(({ key }) => key)).not.toContain('left-out');
    await expectVerified(w, { exact: 2 });
  });

  it('lands the tested heads if one head is pushed after the gate, and then no branch moves', async () => {
    await using w = await world({ configuration: rewriting });
    const [one, two, three] = await openStack(w);
    const heads = await w.git('rev-parse', 'one', 'three');
    await w.queue(three);
    await meanwhile(
      'landing:before_move',
      async () => void (await w.commit('two', { 'late.txt': 'late\n' })),
      async () => await w.settled(one, two, three),
    );
    await atRest(w);
    expect(await statuses(w, one, two, three)).toEqual(['merged', 'merged', 'merged']);
    expect(await w.git('rev-parse', 'one', 'three')).toBe(heads);
    expect(await w.git('log', '-1', '--format=%s', 'two')).toBe('Change two');
    expect(await w.git('ls-tree', '--name-only', 'main')).not.toContain('late.txt');
    await expectVerified(w, { exact: 1 });
  });

  it('waits above a blocked pull request; when a part below has landed, the base of the part above is changed', async () => {
    await using w = await world({ configuration: stacking(`${parallel()}delete_branch: true\n`) });
    const [one, two, three] = await openStack(w);
    await setLabel(w, two, 'blocked');
    await w.queue(three);
    expect(await statuses(w, one, two, three)).toEqual(['queued', 'blocked 105', 'pending']);
    expect(await statusText(w, three)).toBe(`It is stacked on #${two}, which is blocked.`);
    await w.settled(one);
    await w.until(async () => (await baseAtHost(w, two)) === 'main');
    expect(await w.git('for-each-ref', '--format=%(refname)', 'refs/heads/one')).toBe('');
    expect(await baseAtHost(w, three)).toBe('two');
    await w.until(async () => (await statuses(w, two, three)).join() === 'blocked 105,pending');

    await setLabel(w, two, 'blocked', false);
    await w.queue(two);
    await w.settled(two, three);
    await expectLandedOnce(w, one, two, three);
    expect(await w.git('show', 'main:story.txt')).toBe('one\ntwo\nthree');
    expect(await line(w)).toEqual([`Add one (#${one})`, `Add three (#${three})`]);
    await expectVerified(w, { same_tree: 1, exact: 1 });
  });

  it('lands without a conflict if the base of the part above is changed before its landing below is recorded', async () => {
    await using w = await world({ configuration: stacking(parallel()) });
    const [one, two] = await openStack(w);
    await w.queue(one);
    await meanwhile(
      'landing:after_host',
      async () => await retarget(w, two, 'main'),
      async () => await w.settled(one),
    );
    await atRest(w);
    await w.queue(two);
    await w.settled(two);
    expect(await statuses(w, one, two)).toEqual(['merged', 'merged']);
    expect(await w.git('show', 'main:story.txt')).toBe('one\ntwo');
  });

  it('gets no base from a landing during which it was given another base branch', async () => {
    await using w = await world({ configuration: stacking(parallel()) });
    const [one, two] = await openStack(w);
    await w.open('other', { 'other.txt': 'other\n' });
    await w.queue(one);
    await meanwhile(
      'landing:after_host',
      async () => await retarget(w, two, 'other'),
      async () => await w.settled(one),
    );
    await atRest(w);
    expect(await baseAtHost(w, two)).toBe('other');
  });

  it('has its lower commits and no targets on another base branch, on which the part below has not landed', async () => {
    await using w = await world({
      configuration: stacking(`${parallel({ more: 'use_affected_targets: true\n' })}base_branches: [main, next]\n`),
    });
    await w.commit('next', { 'next.txt': 'next\n' });
    const below = await w.open('below', { 'below.txt': 'below\n' });
    const above = await w.open('above', { 'above.txt': 'above\n' }, { from: 'origin/below', base: 'below' });
    await updatePullRequest(w.ctx, { repository: w.repository, number: above, affectedTargets: ['above'] });
    await w.queue(below);
    await meanwhile(
      'landing:after_conclude',
      async () => await retarget(w, above, 'next'),
      async () => await w.settled(below),
    );
    await atRest(w);
    expect(await w.rows('select affected_targets from pull_request where number = $1', [above])).toEqual([
      { affected_targets: null },
    ]);
    await w.queue(above);
    await w.settled(above);
    expect((await w.git('ls-tree', '--name-only', 'next')).split('\n')).toContain('below.txt');
  });

  it('has a part that was opened before the landing below it and is first read afterwards: its base is changed', async () => {
    await using w = await world({ configuration: stacking(parallel()) });
    const below = await w.open('below', { 'below.txt': 'below\n' });
    const head = await w.commit('above', { 'above.txt': 'above\n' }, { from: 'origin/below' });
    // Opened without an event of the host.
    await w.rows(
      `insert into local_pull_request (account_id, repository_id, number, title, body, author, head_branch, base_branch, head_sha, created_at)
       select account_id, repository_id, 50, 'Add above', '', author, 'above', 'below', $1, now() from local_pull_request where number = $2`,
      [head, below],
    );
    await w.queue(below);
    await w.settled(below);
    await atRest(w);
    await syncPullRequest(w.ctx, toHostedRepository(await loadRepository(w.ctx, w.repository)), 50);
    expect(await baseAtHost(w, 50)).toBe('main');
    expect(await w.rows('select base_branch from pull_request where number = 50')).toEqual([{ base_branch: 'main' }]);
  });

  it('has a part on top of one that was opened before the landing below it and is first read afterwards', async () => {
    await using w = await world({ configuration: stacking(parallel()) });
    const below = await w.open('below', { 'below.txt': 'below\n' });
    await w.commit('middle', { 'middle.txt': 'middle\n' }, { from: 'origin/below' });
    await w.commit('top', { 'top.txt': 'top\n' }, { from: 'origin/middle' });
    // Opened without events of the host.
    for (const [number, branch, base] of [
      [50, 'middle', 'below'],
      [51, 'top', 'middle'],
    ] as const)
      await w.rows(
        `insert into local_pull_request (account_id, repository_id, number, title, body, author, head_branch, base_branch, head_sha, created_at)
         select account_id, repository_id, $1, $2, '', author, $2, $3, $4, now() from local_pull_request where number = $5`,
        [number, branch, base, await w.git('rev-parse', branch), below],
      );
    await w.queue(below);
    await w.settled(below);
    await atRest(w);
    const repository = toHostedRepository(await loadRepository(w.ctx, w.repository));
    await syncPullRequest(w.ctx, repository, 51);
    await syncPullRequest(w.ctx, repository, 50);
    expect(
      await w.rows(
        'select p.number, q.base_branch as line from pull_request p join queue q on q.id = p.queue_id where p.number > 1 order by 1',
      ),
    ).toEqual([
      { number: 50, line: 'main' },
      { number: 51, line: 'main' },
    ]);
  });

  it('leaves the line from the dequeued pull request on, and comes back with it', async () => {
    await using w = await world({ configuration: stacking(parallel()) });
    const [one, two, three] = await openStack(w);
    await w.pause(true);
    await w.queue(three);
    await w.dequeue(two);
    await w.until(async () => (await w.status(three)).status === 'pending');
    expect(await statuses(w, one, two, three)).toEqual(['queued', 'open', 'pending']);
    expect(await statusText(w, three)).toBe(`It is stacked on #${two}, which nobody has asked to merge.`);
    await w.queue(two);
    await w.until(async () => (await w.status(three)).status === 'queued');
    await w.pause(false);
    await w.settled(one, two, three);
    await expectLandedOnce(w, one, two, three);
  });

  it('has the base branch of the queue at the host before serial mode brings a head up to date', async () => {
    await using w = await world({ configuration: stacking(serial()) });
    const [one, two, three] = await openStack(w);
    const basesAtUpdates: (string | undefined)[][] = [];
    const disarm = onFailpoint('update:before_push', async () => {
      basesAtUpdates.push([await baseAtHost(w, two), await baseAtHost(w, three)]);
    });
    try {
      await w.queue(three);
      await w.settled(one, two, three);
    } finally {
      disarm();
    }
    expect(basesAtUpdates).toEqual([
      ['main', 'two'],
      ['main', 'main'],
    ]);
    expect(await statuses(w, one, two, three)).toEqual(['merged', 'merged', 'merged']);
  });

  it('is blocked in serial mode, and not updated, if the host refuses the base branch of the queue', async () => {
    await using w = await world({ configuration: stacking(serial()) });
    const [one, two] = await openStack(w);
    await w.host.open({ title: 'Two again', headBranch: 'two', baseBranch: 'main' });
    const head = await w.git('rev-parse', 'two');
    await w.queue(two);
    await w.settled(one, two);
    expect(await statuses(w, one, two)).toEqual(['merged', 'blocked 110']);
    const text = await statusText(w, two);
    expect(text).toContain(
      `its base branch is still one, the branch of #${one}, which has landed, and the code host refuses to change it to main (`,
    );
    expect(text).toContain('A pull request already exists');
    expect(text).toContain('Change the base branch at the code host, and queue it again.');
    expect(await w.git('rev-parse', 'two')).toBe(head);
  });
});
