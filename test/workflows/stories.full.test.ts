// A red batch, a conflict and a push to a head in line, on the workflows.
import { describe, expect, it } from 'vitest';
import { expectOneLandingEach } from '../support/landings.ts';
import { parallel } from '../support/world.ts';
import { engineWorld, eventually } from './engine-world.ts';

describe('on Temporal', () => {
  it('a red batch is bisected, the pull request that fails is blocked, and the others land', async () => {
    // Each pull request is green alone. The third is red on top of the second.
    const ci = "checks:\n  test:\n    run: 'test ! -e cup || test ! -e saucer'\n";
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 4 }), ci, wakes: false });
    const { w } = e;
    const numbers = [
      await w.open('a', { 'a.txt': 'a\n' }),
      await w.open('b', { cup: 'b\n' }),
      await w.open('c', { saucer: 'c\n' }),
      await w.open('d', { 'd.txt': 'd\n' }),
    ];
    await w.queue(...numbers);
    await e.start();
    await w.watch(numbers);
    expect((await w.status(3)).status).toBe('blocked');
    await expectOneLandingEach(w, [1, 2, 4], { open: [3] });
    expect((await w.batches()).map(({ state }) => state)).toContain('bisected');
    await e.keepHistories('bisection');
  });

  it('a pull request that conflicts is blocked, and those before and behind it land', async () => {
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 2 }), wakes: false });
    const { w } = e;
    const numbers = [
      await w.open('a', { 'same.txt': 'a\n' }),
      await w.open('b', { 'same.txt': 'b\n' }),
      await w.open('c', { 'c.txt': 'c\n' }),
    ];
    await w.queue(...numbers);
    await e.start();
    await w.watch(numbers);
    expect((await w.status(2)).status).toBe('blocked');
    await expectOneLandingEach(w, [1, 3], { open: [2] });
    await e.keepHistories('conflict');
  });

  it('a push to a head that is being tested blocks its pull request, and the other one is tested again and lands', async () => {
    await using e = await engineWorld({
      configuration: parallel({ builds: 2, batch: 2 }),
      // The check sleeps, because a sandbox cannot see a file that the test could write.
      ci: "checks:\n  test:\n    run: 'test -e late.txt || ! test -e a.txt || sleep 8'\n",
    });
    const { w } = e;
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(...numbers);
    await e.start();
    await eventually(
      async () =>
        (await w.rows("select 1 from batch where state = 'building' and build_started_at is not null")).length > 0,
      'a batch is built',
    );
    await w.commit('a', { 'late.txt': 'late\n' });
    await w.watch(numbers);
    expect((await w.status(1)).status).toBe('blocked');
    await expectOneLandingEach(w, [2], { open: [1] });
    expect((await w.batches()).map(({ state }) => state)).toContain('superseded');
    await e.keepHistories('reset');
  });
});
