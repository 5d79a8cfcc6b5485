// `show_as_merged`: GitHub shows squashed pull requests as merged, because their branches are moved to the commits that
// land, just before the base moves.
import { expect, onTestFinished, test } from 'vitest';
import { verifyRepository } from '../../../src/modules/queue/index.ts';
import { findRepository } from '../../../src/modules/repositories/index.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { git } from '../commits.ts';
import { queueWorld } from './queue-world.ts';
import { configuration, headOf, isOver, pushTo } from './show-as-merged.ts';

test('a batch of two and a single pull request are shown as merged, each at its own commit', async () => {
  await using w = await queueWorld({ configuration });
  const numbers: number[] = [];
  for (const name of ['one', 'two', 'three']) numbers.push(await w.open(name, { [name]: `${name}\n` }));
  await w.label(...numbers);
  await w.settled(...numbers);
  await w.until(async () => await isOver(w));

  for (const pull_number of numbers) {
    const { data } = await w.person.pulls.get({ ...w.place, pull_number });
    expect([data.merged, data.state]).toEqual([true, 'closed']);
  }
  const clone = await w.clone();
  const lines = git(clone, 'log', '--first-parent', '--reverse', '--format=%H %P', 'origin/main').split('\n').slice(1);
  const owns = await w.rows<{ own_commit: string; commit: string }>(
    'select m.own_commit, l.commit from landed_member m join landing l on l.id = m.landing_id order by m.pull_request_id',
  );
  // Each landing is a group commit, whose second parent is the own commit of the last pull request.
  expect(lines.map((line) => line.split(' ')[2])).toEqual([owns[1]?.own_commit, owns[2]?.own_commit]);
  for (const [index, branch] of ['one', 'two', 'three'].entries())
    expect(await headOf(w, branch)).toBe(owns[index]?.own_commit);
  const repository = await findRepository(w.ctx, { owner: w.place.owner, name: w.place.repo });
  const [verified] = repository === null ? [] : await verifyRepository(w.ctx, repository);
  expect(verified?.failures).toEqual([]);
  // No ref of the guard is left.
  await w.until(async () => (await w.rows('select 1 from batch where cleaned_up_at is null')).length === 0);
  const { data: fences } = await w.person.git.listMatchingRefs({ ...w.place, ref: 'interlock/builds/' });
  expect(fences).toEqual([]);
  const { data: runs } = await w.person.actions.listWorkflowRunsForRepo({ ...w.place, per_page: 100 });
  expect(runs.workflow_runs.filter(({ status }) => status !== 'completed')).toEqual([]);
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('if the base moves after the heads, the heads are restored, and the batch lands on the new base', async () => {
  await using w = await queueWorld({ configuration });
  const one = await w.open('one', { one: '1\n' });
  const two = await w.open('two', { two: '2\n' });
  const before = [await headOf(w, 'one'), await headOf(w, 'two')];
  const seen: string[][] = [];
  const stopPushing = onFailpoint('landing:heads_shown', async () => {
    stopPushing();
    seen.push([await headOf(w, 'one'), await headOf(w, 'two')]);
    await pushTo(w, 'main');
  });
  const stopLooking = onFailpoint('landing:after_heads_back', async () => {
    seen.push([await headOf(w, 'one'), await headOf(w, 'two')]);
  });
  onTestFinished(stopLooking);
  await w.label(one, two);
  expect(await w.settled(one, two)).toEqual({ [one]: 'merged', [two]: 'merged' });
  await w.until(async () => await isOver(w));

  const [moved = [], back] = seen;
  expect(moved.filter((head) => before.includes(head))).toEqual([]);
  expect(back).toEqual(before);
  for (const pull_number of [one, two])
    expect((await w.person.pulls.get({ ...w.place, pull_number })).data.merged).toBe(true);
  const clone = await w.clone();
  expect(git(clone, 'log', '--first-parent', '--reverse', '--format=%s', 'origin/main').split('\n')).toEqual([
    'First',
    'Push to main',
    `Land #${one} and #${two}`,
  ]);
  const reset = await w.rows("select 1 from event where action = 'blocked'");
  expect(reset).toEqual([]);
});
