// Rows of the database decide: Temporal loses all its data, and the line goes on.
import { describe, it } from 'vitest';
import { expectOneLandingEach, openSome } from '../support/landings.ts';
import { parallel } from '../support/world.ts';
import { engineWorld, eventually } from './engine-world.ts';
import { ownTemporal } from './own-temporal.ts';

// The last of the four builds takes long enough for the test to see it.
const slowCi = "checks:\n  test:\n    run: 'test ! -e 4.txt || sleep 5'\n";

describe('a line', () => {
  it('lands each pull request once, although Temporal loses all its data in the middle', async () => {
    await using temporal = await ownTemporal();
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 2 }), ci: slowCi, temporal });
    const { w } = e;
    await e.start();
    const numbers = await openSome(w, 4);
    await w.queue(...numbers);
    await eventually(
      async () =>
        (await w.rows("select 1 from batch where state = 'landed'")).length > 0 &&
        (await w.rows("select 1 from batch where state = 'building'")).length > 0,
      'one batch has landed and another is built',
    );
    await temporal.stop();
    await temporal.forgetEverything();
    await temporal.start();
    await w.watch(numbers);
    await expectOneLandingEach(w, numbers);
  });
});
