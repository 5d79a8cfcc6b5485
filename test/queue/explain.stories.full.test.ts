// More explanations along the way of a pull request.
import { describe, expect, it } from 'vitest';
import { chronicle, expectSameLater, find } from '../support/chronicle.ts';
import { parallel, world } from '../support/world.ts';
import { judgedByBuildsAlone, startCi } from './stories.ts';
import { open, areTagged } from './explain.stories.ts';

describe('an explanation', { timeout: 180_000 }, () => {
  it('of a build that failed once says that it is tried once more, and of a reset why it is built again', async () => {
    await using w = await world({
      configuration: parallel({ builds: 1, more: 'max_requeue_attempts: 1\n' }),
      ci: "checks:\n  test:\n    run: 'test ! -e x || test ! -e y'\n",
    });
    await using story = chronicle(w);
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

  it('of speculative builds names the pull requests they are built on', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 3 })}speculation: adaptive\n${judgedByBuildsAlone}`,
      runsCi: false,
    });
    await using story = chronicle(w);
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
