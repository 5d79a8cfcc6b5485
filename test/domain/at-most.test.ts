import { expect, test } from 'vitest';
import { atMost } from '../../src/platform/at-most.ts';

test('of two thousand calls at once, at most the limit run, in their order, and a failed call stops no other', async () => {
  const inTurn = atMost(32);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const all = Array.from(
    { length: 2_000 },
    async (_, at) =>
      await inTurn(async () => {
        started.push(at);
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (at % 7 === 0) throw new Error(`${at}`);
        return at;
      }),
  );
  const ended = await Promise.allSettled(all);
  expect(most).toBe(32);
  expect(started).toEqual(started.toSorted((one, other) => one - other));
  expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(Math.ceil(2_000 / 7));
  expect(await inTurn(async () => await Promise.resolve('after'))).toBe('after');
});
