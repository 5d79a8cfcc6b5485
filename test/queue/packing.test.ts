// Landings in a repository of the local host while it is packed, and their proofs afterwards.
import { expect, test } from 'vitest';
import { packRepository } from '../../src/hosts/git/index.ts';
import { packIfDue } from '../../src/hosts/local/packing.ts';
import { looseBlobs } from '../hosts/commits.ts';
import { parallel, world } from '../support/world.ts';
import { verified } from './stories.ts';

test('pull requests land while their repository is packed all the time, and every proof is derived again', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
  const { installation } = w.service.localHost;
  const { signal } = new AbortController();
  const first = await w.open('first', { 'first.txt': '1\n' });
  await w.queue(first);
  await w.settled(first);
  looseBlobs(w.gitDir, 700);
  expect(await packIfDue(installation, { accountId: w.ctx.accountId, id: w.repositoryId }, signal)).toBe(true);

  const [second, third] = [
    await w.open('second', { 'second.txt': '2\n' }),
    await w.open('third', { 'third.txt': '3\n' }),
  ];
  let hasLanded = false;
  let packed = 0;
  const packing = (async (): Promise<void> => {
    for (; !hasLanded; packed += 1) await packRepository(installation.git, w.gitDir, signal);
  })();
  await w.queue(second, third);
  await w.settled(second, third).finally(() => (hasLanded = true));
  await packing;
  expect(packed).toBeGreaterThan(1);
  expect((await w.landed()).length).toBe(3);
  const found = await verified(w);
  expect(found).toMatchObject({ failures: [], pullRequests: 3 });
  expect(await w.git('fsck', '--connectivity-only', '--no-dangling')).toBe('');
});
