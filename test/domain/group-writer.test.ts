// Items of the same moment are written together, and each has its own result.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createGroupWriter } from '../../src/platform/group-writer.ts';

interface Item {
  readonly group: string;
  readonly name: string;
}

function recorded(refused: readonly string[] = [], gather?: (group: string) => Promise<void>) {
  const writes: string[] = [];
  const begun = Promise.withResolvers<void>();
  const write = createGroupWriter<Item>({
    groupOf: ({ group }) => group,
    ...(gather && { gather }),
    async write(items) {
      const names = items.map(({ name }) => name);
      writes.push(names.join(' '));
      begun.resolve();
      await Promise.resolve();
      const bad = names.find((name) => refused.includes(name));
      if (bad !== undefined) throw new Error(`${bad} is refused`);
    },
  });
  const outcomes = async (...names: string[]): Promise<string[]> =>
    (await Promise.allSettled(names.map(async (name) => await write({ group: name.charAt(0), name })))).map(
      (settled) => (settled.status === 'fulfilled' ? 'written' : (settled.reason as Error).message),
    );
  /** Resolves when the first write has begun. */
  return { writes, outcomes, writing: begun.promise };
}

it('writes items of one turn of the event loop together', async () => {
  const { writes, outcomes } = recorded();
  expect(await outcomes('a1', 'a2', 'a3')).toEqual(['written', 'written', 'written']);
  expect(await outcomes('a4')).toEqual(['written']);
  expect(writes).toEqual(['a1 a2 a3', 'a4']);
});

it('writes items together that come during a write', async () => {
  const { writes, outcomes, writing } = recorded();
  const first = outcomes('a1');
  await writing;
  expect(await outcomes('a2', 'a3')).toEqual(['written', 'written']);
  await first;
  expect(writes).toEqual(['a1', 'a2 a3']);
});

it('writes the items together that have come when the group shall be written', async () => {
  const complete = Promise.withResolvers<void>();
  const gathered: string[] = [];
  const { writes, outcomes } = recorded([], async (group) => {
    gathered.push(group);
    await complete.promise;
  });
  const first = outcomes('a1');
  await endOfTurn();
  const second = outcomes('a2');
  expect(writes).toEqual([]);
  complete.resolve();
  expect(await first).toEqual(['written']);
  expect(await second).toEqual(['written']);
  expect(writes).toEqual(['a1 a2']);
  expect(gathered).toEqual(['a']);
});

it('writes each group separately', async () => {
  const { writes, outcomes } = recorded();
  await outcomes('a1', 'b1', 'a2', 'b2');
  expect(writes).toEqual(['a1 a2', 'b1 b2']);
});

it('writes each item alone after a write of several has failed, so that only the refused item fails', async () => {
  const { writes, outcomes } = recorded(['a2']);
  expect(await outcomes('a1', 'a2', 'a3')).toEqual(['written', 'a2 is refused', 'written']);
  expect(writes).toEqual(['a1 a2 a3', 'a1', 'a2', 'a3']);
  expect(await outcomes('a4')).toEqual(['written']);
});

it('rejects an item that is refused alone', async () => {
  const { writes, outcomes } = recorded(['a1']);
  expect(await outcomes('a1')).toEqual(['a1 is refused']);
  expect(writes).toEqual(['a1']);
});
