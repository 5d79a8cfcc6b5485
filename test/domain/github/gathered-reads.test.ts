// Reads of refs at GitHub that are requested at the same time are made together. Each read begins after its request.
import { expect, test } from 'vitest';
import { gatherReads } from '../../../src/hosts/github/remote-refs.ts';
import type { HostRepository } from '../../../src/hosts/port.ts';

const shop: HostRepository = { accountId: '1', id: '1', owner: 'acme', name: 'shop' };

/** A host that answers a request only when the test calls `answer`. */
function slowHost() {
  const asked: { readonly of: string; readonly answer: (commit: string | Error) => void }[] = [];
  const read = gatherReads(
    async ({ name }, patterns) =>
      await new Promise((resolve, reject) => {
        const answer = (commit: string | Error): void =>
          commit instanceof Error
            ? reject(commit)
            : resolve(patterns.filter((ref) => ref !== 'gone').map((ref) => ({ ref, commit })));
        asked.push({ of: `${name}: ${patterns.join(' ')}`, answer });
      }),
  );
  const requests = (): string[] => asked.map(({ of }) => of);
  const answerNext = async (at: number, commit: string | Error): Promise<void> => {
    await expect.poll(() => asked[at], { interval: 1 }).toBeDefined();
    asked[at]?.answer(commit);
  };
  return { read, requests, answerNext };
}

test('reads that are requested during a read are made after it, in one request', async () => {
  const { read, requests, answerNext } = slowHost();
  const first = read(shop, ['main']);
  await expect.poll(requests, { interval: 1 }).toEqual(['shop: main']);
  const others = [read(shop, ['main', 'gone']), read(shop, ['b', 'a'])];
  await answerNext(0, 'old');
  await answerNext(1, 'new');
  expect(await first).toEqual([{ ref: 'main', commit: 'old' }]);
  expect(await Promise.all(others)).toEqual([
    [{ ref: 'main', commit: 'new' }],
    [
      { ref: 'a', commit: 'new' },
      { ref: 'b', commit: 'new' },
    ],
  ]);
  expect(requests()).toEqual(['shop: main', 'shop: main gone b a']);
});

test('a failure goes to all callers of the read, and the next read is made', async () => {
  const { read, requests, answerNext } = slowHost();
  const together = Promise.allSettled([read(shop, ['a']), read(shop, ['b'])]);
  await answerNext(0, new Error('GitHub is down.'));
  expect((await together).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = read(shop, ['a']);
  await answerNext(1, 'new');
  expect(await next).toEqual([{ ref: 'a', commit: 'new' }]);
  expect(requests()).toEqual(['shop: a b', 'shop: a']);
});

test('reads of repositories do not wait for each other, and listings wait for nothing', async () => {
  const { read, requests } = slowHost();
  void read(shop, ['main']);
  void read({ ...shop, id: '2', name: 'vault' }, ['main']);
  void read({ ...shop, name: 'renamed' }, ['main']);
  void read(shop, ['refs/heads/']);
  await expect.poll(requests, { interval: 1 }).toHaveLength(4);
  expect(requests().toSorted()).toEqual(['renamed: main', 'shop: main', 'shop: refs/heads/', 'vault: main']);
});
