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

/** Work that ends when the test lets it end. */
function held(): { readonly work: () => Promise<void>; readonly end: () => void; readonly hasBegun: () => boolean } {
  const end = Promise.withResolvers<void>();
  let begun = false;
  const work = async (): Promise<void> => {
    begun = true;
    await end.promise;
  };
  return { work, end: end.resolve, hasBegun: () => begun };
}

test('work that waits says so; if it is aborted it ends at once, never starts, and frees no place that others hold', async () => {
  const inTurn = atMost(2);
  const [first, second, third, fourth] = [held(), held(), held(), held()];
  const running = [inTurn(first.work), inTurn(second.work)];
  const stop = new AbortController();
  const waits: string[] = [];
  const aborted = inTurn(third.work, { signal: stop.signal, onWait: () => waits.push('third') });
  const last = inTurn(fourth.work, { signal: new AbortController().signal, onWait: () => waits.push('fourth') });
  expect(waits).toEqual(['third', 'fourth']);
  stop.abort(new Error('It is not needed any more.'));
  await expect(aborted).rejects.toThrow('It is not needed any more.');
  await new Promise((resolve) => setImmediate(resolve));
  expect([first, second, third, fourth].map(({ hasBegun }) => hasBegun())).toEqual([true, true, false, false]);
  first.end();
  await running[0];
  fourth.end();
  await last;
  second.end();
  await running[1];
  expect([third.hasBegun(), fourth.hasBegun()]).toEqual([false, true]);
  // Both places are free again.
  const [fifth, sixth] = [held(), held()];
  const both = [inTurn(fifth.work), inTurn(sixth.work)];
  expect([fifth.hasBegun(), sixth.hasBegun()]).toEqual([true, true]);
  fifth.end();
  sixth.end();
  await Promise.all(both);
});

test('work whose signal is aborted before it must wait does not wait', async () => {
  const inTurn = atMost(1);
  const first = held();
  const running = inTurn(first.work);
  await expect(inTurn(held().work, { signal: AbortSignal.abort(new Error('No.')) })).rejects.toThrow('No.');
  first.end();
  await running;
});
