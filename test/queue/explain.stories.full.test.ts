// More explanations on the way of a pull request into its base branch.
import { describe, expect, it } from 'vitest';
import { logExplanations, expectSameLater, find } from '../support/explanation-log.ts';
import { parallel, world } from '../support/world.ts';
import { judgedByBuildsAlone, startCi, setLabel, skipLine } from './stories.ts';
import { open, areTagged } from './explain.stories.ts';

describe('an explanation', () => {
  it('of a failed build says that the build is tried once more, and in the end which check failed', async () => {
    await using w = await world({
      configuration: parallel({ builds: 1, more: 'max_requeue_attempts: 1\n' }),
      ci: "checks:\n  test:\n    run: 'test ! -e x || test ! -e y'\n",
    });
    await using story = logExplanations(w);
    const [x = 0] = await open(w, 'x');
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
    await w.commit('main', { y: 'y\n' });
    await w.queue(x);
    await w.settled(x);
    const [blocked] = await story.write();
    story.when(x, 'Its build is being made: it is tried once more.');
    expect(blocked).toMatchObject({ kind: 'blocked', who: 'author', sentence: 'A required check failed: test.' });
    await expectSameLater(w, story);
  });

  it('of speculative builds names the pull requests that they are built on', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 3 })}speculation: adaptive\n${judgedByBuildsAlone}`,
      runsCi: false,
    });
    await using story = logExplanations(w);
    const [first = 0, second = 0] = await open(w, 'first', 'second');
    await w.queue(first, second);
    await w.until(async () => await areTagged(w, first, second));
    const said = await story.write();
    expect(said.map(({ sentence }) => sentence)).toEqual([
      'Its build is running.',
      `Its build on top of #${first} is running.`,
    ]);
    expect(find(said[1], 'build', 'check')).toMatchObject({ name: 'test', observed: 'running' });
    await using _ = await startCi(w);
    await w.settled(first, second);
    expect((await story.write()).map(({ sentence }) => sentence)).toEqual(['It is merged.', 'It is merged.']);
    await expectSameLater(w, story);
  });
});

describe('an explanation of the line', () => {
  it('names what a pull request waits for: a pause, a barrier, a pull request that skips the line, a closed merge window', async () => {
    const rules = `${parallel({ builds: 5, batch: 2, more: 'block_parallel_builds_label: barrier\n' })}${judgedByBuildsAlone}`;
    await using w = await world({ configuration: rules, runsCi: false });
    await using story = logExplanations(w);
    const [a = 0, barrier = 0, c = 0, urgent = 0] = await open(w, 'a', 'barrier', 'c', 'urgent');
    await setLabel(w, barrier, 'barrier');
    await w.pause(true);
    await w.queue(a, barrier, c);
    const [paused] = await story.write();
    expect(paused).toMatchObject({ kind: 'paused', who: 'admin', sentence: 'The queue is paused.' });
    await w.pause(false);
    await w.until(async () => await areTagged(w, a, barrier));
    const behind = story.when(c, `Nothing is built behind #${barrier}, which has to merge alone.`);
    expect(find(behind, 'build')).toMatchObject({ observed: 'none', sentence: behind.sentence });
    await skipLine(w, urgent);
    await w.until(async () => await areTagged(w, a, barrier, urgent));
    await story.write();
    const last = story.pages.at(-1)?.answers[0];
    expect(find(last, 'place')).toMatchObject({
      observed: `1 before it: #${urgent}; #${urgent} by skip line`,
      sentence: `One pull request is before it (#${urgent} skips the line).`,
    });
    await w.configure(`${rules}merge_windows:\n  - {cron_start: "0 0 1 1 *", cron_end: "1 0 1 1 *", timezone: UTC}\n`);
    await using _ = await startCi(w);
    await w.until(async () => (await story.write())[3]?.kind === 'merge_window');
    const closed = story.pages.at(-1)?.answers[3];
    const opensAt = Date.UTC(new Date().getUTCFullYear() + 1, 0, 1);
    expect(closed?.sentence).toBe(
      `Its build is green; landings wait for the merge window that opens at ${new Date(opensAt).getUTCFullYear()}-01-01 00:00 UTC.`,
    );
    expect(find(closed, 'landing', 'merge_window')).toMatchObject({ holds: false, nextCheckAt: opensAt });
    await w.configure(rules);
    await w.settled(a, barrier, c, urgent);
    await story.write();
    await expectSameLater(w, story);
  });

  it('names the pull request that another one conflicts with or is stacked on, and later says what became of them', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 5 })}auto_detect_stacks: true\n${judgedByBuildsAlone}`,
      runsCi: false,
    });
    await using story = logExplanations(w);
    const first = await w.open('first', { 'same.txt': 'first\n' });
    const second = await w.open('second', { 'same.txt': 'second\n' });
    const lower = await w.open('lower', { 'story.txt': 'one\n' });
    const upper = await w.open('upper', { 'story.txt': 'one\ntwo\n' }, { from: 'origin/lower', base: 'lower' });
    await setLabel(w, lower, 'blocked');
    await w.queue(first, second, upper);
    await w.until(async () => (await story.write())[1]?.sentence.startsWith('It conflicts') === true);
    story.when(second, `It conflicts with #${first} before it. It is built again when nothing is before it.`);
    const above = story.when(upper, `It is stacked on #${lower}, which is blocked.`);
    expect(above).toMatchObject({ kind: 'precondition' });
    expect(find(above, 'preconditions', 'stack')).toMatchObject({ holds: false, sentence: above.sentence });
    await using _ = await startCi(w);
    await w.settled(first, second);
    expect((await story.write())[1]).toMatchObject({
      kind: 'blocked',
      who: 'author',
      sentence: 'It has a merge conflict with its base branch.',
    });
    await setLabel(w, lower, 'blocked', false);
    await w.queue(lower);
    await w.settled(lower, upper);
    await story.write();
    const next = story.when(upper, `Its build together with #${lower} is green; it is merged next.`);
    expect(find(next, 'place')).toMatchObject({ holds: true });
    await expectSameLater(w, story);
  });
});
