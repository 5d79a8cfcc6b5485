// A worker of production is killed with -9: whatever was being done is done once.
import { describe, expect, it } from 'vitest';
import { expectOneLandingEach, openSome } from '../support/landings.ts';
import { parallel } from '../support/world.ts';
import { engineWorld } from './engine-world.ts';

describe('a worker killed with -9', { timeout: 120_000 }, () => {
  it('after the landing, before it was recorded: another records it, one landing each', async () => {
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 2 }) });
    const { w } = e;
    const numbers = await openSome(w, 3);
    await w.queue(...numbers);
    const killed = await e.start('landing:after_host');
    expect(await killed.ended).toMatch(/SIGKILL|137/);
    expect(await w.landed()).toHaveLength(1);
    expect(await w.rows('select 1 from landing')).toEqual([]);
    await e.start();
    await w.watch(numbers, 90_000);
    await expectOneLandingEach(w, numbers);
  });
});
