// How often the name of a repository is confirmed.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createConfirmedReader } from '../../../src/hosts/github/confirmed-refs.ts';

const repository = { accountId: '1', id: '1', owner: 'acme', name: 'shop' };

test('answers that arrive during a confirmation share the next one', async () => {
  const first = Promise.withResolvers<void>();
  let confirmations = 0;
  const read = createConfirmedReader({
    read: async () => await Promise.resolve([]),
    readTips: async () => await Promise.resolve(new Map()),
    confirmName: async () => {
      confirmations += 1;
      if (confirmations === 1) await first.promise;
    },
  });
  const reads = [read(repository, ['refs/heads/one/'])];
  await setImmediate();
  expect(confirmations).toBe(1);
  for (const folder of ['two', 'three', 'four']) reads.push(read(repository, [`refs/heads/${folder}/`]));
  await setImmediate();
  // A confirmation that began before the refs were read tells nothing of them.
  expect(confirmations).toBe(1);
  first.resolve();
  await Promise.all(reads);
  expect(confirmations).toBe(2);
});

test('answers after a confirmation that failed are confirmed again', async () => {
  let confirmations = 0;
  const read = createConfirmedReader({
    read: async () => await Promise.resolve([]),
    readTips: async () => await Promise.resolve(new Map()),
    confirmName: async () => {
      confirmations += 1;
      await Promise.resolve();
      if (confirmations === 1) throw new Error('another repository');
    },
  });
  await expect(read(repository, ['refs/heads/'])).rejects.toThrow('another repository');
  expect(await read(repository, ['refs/heads/'])).toEqual([]);
  expect(confirmations).toBe(2);
});
