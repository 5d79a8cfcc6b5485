// More ways of merging: a late merge of the host, and up-to-date heads under other rules.
import { describe, expect, it, vi } from 'vitest';
import { carryOut } from '../../src/modules/queue/index.ts';
import { parallel, serial, world } from '../support/world.ts';
import { expectVerified, line, statuses } from './stories.ts';
import { hangAt, startedLanding, hostMerges, mergedEvents, countBots, greenHeads } from './merging.ts';

describe("the host's own merge", () => {
  it('that was given up while it hung is refused when it arrives late, and is made again on the new base', async () => {
    await using w = await world({ configuration: hostMerges() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    const zombie = hangAt('landing:before_merge');
    const settled = w.settled(number);
    await vi.waitFor(() => expect(zombie.isHanging()).toBe(true), { timeout: 60_000 });
    const outside = await w.commit('main', { 'outside.txt': 'outside\n' });
    await carryOut(w.ctx, await startedLanding(w));
    zombie.letGo();
    await settled;
    expect(await line(w)).toEqual(['Change main', 'Add a (#1)']);
    expect(await w.git('rev-parse', 'main~1')).toBe(outside);
    expect(await w.rows('select halted_reason from queue')).toEqual([{ halted_reason: null }]);
    await expectVerified(w, { external: 1, host_merged: 1 });
  });
});

describe('an up-to-date green head', () => {
  it('gets a bot pull request if skip_draft_when_up_to_date is off', async () => {
    await using w = await world({
      configuration: parallel({ builds: 2, batch: 1, more: 'skip_draft_when_up_to_date: false\n' }),
    });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await greenHeads(w, 1);
    await w.queue(a);
    await w.settled(a);
    expect(await mergedEvents(w)).toEqual([[a, false]]);
    expect(await countBots(w)).toBe(1);
    await expectVerified(w, { exact: 1 });
  });

  it('does not stand in for the build of a duplicate before it if skip_draft_when_up_to_date is off', async () => {
    await using w = await world({
      configuration: parallel({ builds: 2, batch: 1, more: 'skip_draft_when_up_to_date: false\n' }),
    });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'a.txt': 'a\n' })];
    await greenHeads(w, 2);
    await w.queue(a, b);
    await w.settled(a);
    expect(await statuses(w, a)).toEqual(['merged']);
    expect((await mergedEvents(w))[0]).toEqual([a, false]);
  });

  it('is an instant merge in serial mode, if the base did not have to be brought into it', async () => {
    await using w = await world({ configuration: serial() });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await greenHeads(w, 2);
    await w.queue(a, b);
    await w.settled(a, b);
    expect(await mergedEvents(w)).toEqual([
      [a, true],
      [b, false],
    ]);
  });
});
