// A red batch in a line, seen through the workflows.
import { describe, expect, it } from 'vitest';
import { expectOneLandingEach } from '../support/landings.ts';
import { parallel } from '../support/world.ts';
import { engineWorld } from './engine-world.ts';

describe('on Temporal', { timeout: 120_000 }, () => {
  it('a failing batch is bisected: the culprit is blocked, the others land', async () => {
    // Each is green alone; the third is red on top of the second.
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
    await w.watch(numbers, 90_000);
    expect((await w.status(3)).status).toBe('blocked');
    await expectOneLandingEach(w, [1, 2, 4], { open: [3] });
    expect((await w.batches()).map(({ state }) => state)).toContain('bisected');
    await e.keepHistories('bisection');
  });
});
