import { expect, it } from 'vitest';
import { createKnownRows, type KnownRows } from '../../src/modules/accounts/known-rows.ts';

interface Row {
  readonly key: string;
  readonly usedAt: Date | null;
}

/** Makes known rows that are read from `stored`. `reads` has the keys of each read. */
function rowsIn(
  stored: Set<string>,
  beforeAnswer: () => void = () => {},
): { known: KnownRows<Row>; reads: string[][] } {
  const reads: string[][] = [];
  const known = createKnownRows<Row>(async (keys) => {
    reads.push(keys.toSorted());
    const rows = keys.filter((key) => stored.has(key)).map((key) => ({ key, usedAt: null }));
    await Promise.resolve();
    beforeAnswer();
    return rows;
  });
  return { known, reads };
}

it('a row is read once in five seconds', async () => {
  const { known, reads } = rowsIn(new Set(['a']));
  for (const now of [0, 1_000, 4_999]) expect(await known.find('a', now)).toBeDefined();
  expect(reads).toEqual([['a']]);
  expect(await known.find('a', 5_000)).toBeDefined();
  expect(reads).toEqual([['a'], ['a']]);
});

it('a cached row is found without waiting while it is fresh and has not ended, and then counts as in use', async () => {
  const { known, reads } = rowsIn(new Set(['a', 'b']));
  expect(known.peek('a', 0)).toBeUndefined();
  for (const key of ['a', 'b']) await known.find(key, 0);
  expect([known.peek('a', 4_999), known.peek('a', 5_000)]).toEqual([await known.find('a', 4_999), undefined]);
  await known.find('b', 5_000);
  expect(reads.at(-1)).toEqual(['a', 'b']);
  known.forget(({ key }) => key === 'a');
  expect([known.peek('a', 5_001), known.peek('b', 5_001)?.row.key]).toEqual([undefined, 'b']);
});

it('a due row is read together with the other rows that are in use and due soon', async () => {
  const { known, reads } = rowsIn(new Set(['a', 'b', 'c', 'idle']));
  await known.find('a', 0);
  await known.find('b', 100);
  await known.find('idle', 200);
  await known.find('c', 2_000);
  for (const key of ['a', 'b', 'c']) await known.find(key, 2_400);
  await known.find('a', 5_000);
  expect(reads.at(-1)).toEqual(['a', 'b', 'c', 'idle']);
  for (const key of ['a', 'b']) await known.find(key, 5_200);
  expect(reads).toHaveLength(5);
  await known.find('a', 10_000);
  expect(reads.at(-1)).toEqual(['a', 'b']);
});

it('all callers that wait for a row get it from one read', async () => {
  const { known, reads } = rowsIn(new Set(['a']));
  const found = await Promise.all([known.find('a', 0), known.find('a', 1), known.find('a', 2)]);
  expect(found.every((each) => each?.row.key === 'a')).toBe(true);
  expect(reads).toEqual([['a']]);
});

it('a deleted row is not returned, also if another row caused its read', async () => {
  const stored = new Set(['a', 'b']);
  const { known } = rowsIn(stored);
  for (const key of ['a', 'b']) await known.find(key, 0);
  for (const key of ['a', 'b']) await known.find(key, 1_000);
  stored.delete('b');
  await known.find('a', 5_000);
  expect(await known.find('b', 5_001)).toBeUndefined();
});

it('a row is read again if its end is announced while it is read', async () => {
  const stored = new Set(['a']);
  let end: (() => void) | undefined;
  const { known, reads } = rowsIn(stored, () => {
    end?.();
    end = undefined;
  });
  end = () => {
    stored.delete('a');
    known.forget(({ key }) => key === 'a');
  };
  expect(await known.find('a', 0)).toBeUndefined();
  expect(reads).toEqual([['a'], ['a']]);
});

it('the old secret of a row is dropped if the row has a new secret', async () => {
  let secretNumber = 1;
  const known = createKnownRows<Row & { readonly secretNumber: number }>(
    async ([key = '']) => [{ key, usedAt: null, secretNumber }],
    (before, now) => before.secretNumber === now.secretNumber,
  );
  const first = await known.find('a', 0);
  if (first) first.secret = Buffer.from('secret');
  expect((await known.find('a', 5_000))?.secret?.toString()).toBe('secret');
  secretNumber = 2;
  expect((await known.find('a', 10_000))?.secret).toBeNull();
});
