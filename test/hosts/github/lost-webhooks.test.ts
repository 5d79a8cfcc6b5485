// Every webhook is lost, and the queue goes on, because the comparison with GitHub finds the changes.
import { expect, test } from 'vitest';
import { createReconciler } from '../../../src/reconciler.ts';
import { queueWorld } from './queue-world.ts';

test('if every webhook is lost, a queue with a line goes on within a minute', async () => {
  await using w = await queueWorld();
  const one = await w.open('one', { one: '1\n' });
  const two = await w.open('two', { two: '2\n' });
  await w.label(one);
  w.emulator.controls.webhooks({ drop: 1 });
  let aheadMs = 0;
  const reconciler = createReconciler({ ...w.service.ports, clock: () => new Date(Date.now() + aheadMs) });
  await reconciler.drain();
  await w.label(two);
  await reconciler.drain();
  const statusOfTwo = async (): Promise<unknown[]> =>
    await w.rows('select status from pull_request where number = $1', [two]);
  expect(await statusOfTwo()).toEqual([{ status: 'open' }]);
  aheadMs = 60_000;
  await reconciler.drain();
  expect(await w.settled(one, two)).toEqual({ [one]: 'merged', [two]: 'merged' });
  await reconciler.stop();
});
