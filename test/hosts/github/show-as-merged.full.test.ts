// More of `show_as_merged`: pushes, and a worker that is delayed while heads move.
import { expect, onTestFinished, test } from 'vitest';
import { carryOut } from '../../../src/modules/queue/index.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { git } from '../commits.ts';
import { queueWorld } from './queue-world.ts';
import { configuration, headOf, isOver, pushTo } from './show-as-merged.ts';

test('after pushes to a head and to the base, and a lost answer, the other head is restored', async () => {
  await using w = await queueWorld({ configuration });
  const one = await w.open('one', { one: '1\n' });
  const two = await w.open('two', { two: '2\n' });
  const before = await headOf(w, 'two');
  const seen: string[] = [];
  const stopLosing = onFailpoint('landing:before_heads', async () => {
    stopLosing();
    w.emulator.controls.fail({ operation: 'git-receive-pack', when: 'after', times: 1 });
    const stopPushing = onFailpoint('github:after_push', async () => {
      stopPushing();
      seen.push(await headOf(w, 'two'));
      await pushTo(w, 'one');
      await pushTo(w, 'main');
    });
  });
  const stopLooking = onFailpoint('landing:after_heads_back', async () => void seen.push(await headOf(w, 'two')));
  onTestFinished(stopLooking);
  await w.label(one, two);
  expect(await w.settled(one, two)).toEqual({ [one]: 'blocked', [two]: 'merged' });

  expect(seen).toEqual([expect.not.stringContaining(before), before]);
  const clone = await w.clone();
  expect(git(clone, 'ls-tree', '--name-only', 'origin/main').split('\n')).not.toContain('one');
});

test('a delayed worker moves no heads after another worker has given the landing up', async () => {
  await using w = await queueWorld({ configuration });
  const number = await w.open('one', { one: '1\n' });
  const before = await headOf(w, 'one');
  const seen: string[] = [];
  const stop = onFailpoint('landing:before_heads', async () => {
    stop();
    await pushTo(w, 'main');
    const [intent] = await w.rows<{ id: string }>("select id from intent where kind = 'land' and state = 'started'");
    await carryOut(w.ctx, intent?.id ?? '');
    expect(await w.rows("select state from intent where kind = 'land'")).toEqual([{ state: 'failed' }]);
    const stopLooking = onFailpoint('landing:before_move', async () => {
      stopLooking();
      seen.push(await headOf(w, 'one'));
    });
  });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  await w.until(async () => await isOver(w));
  expect(seen).toEqual([before]);
});
