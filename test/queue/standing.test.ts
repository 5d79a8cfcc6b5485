import { expect, it } from 'vitest';
import { parallel, world, type World } from '../support/world.ts';
import { startCi } from './stories.ts';

const review = async (
  w: World,
  number: number,
  verdict: 'approved' | 'changes_requested' | 'dismissed',
): Promise<void> => await w.host.review(number, { reviewer: 'grace', verdict });

it('changes that are requested of a pull request in line block it with 117, and the other pull request lands', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 2 }), runsCi: false });
  const [asked, other] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
  await w.queue(asked, other);
  await w.until(async () => (await w.status(asked)).status === 'tagged');
  await review(w, asked, 'changes_requested');
  await w.until(async () => (await w.status(asked)).status === 'blocked');
  expect(await w.status(asked)).toMatchObject({ status: 'blocked', status_code: 117 });
  await using _ci = await startCi(w);
  await w.settled(other);
  expect((await w.status(other)).status).toBe('merged');
  expect(await w.git('ls-tree', '--name-only', 'main')).not.toContain('a.txt');
});

it('an approval that is withdrawn in line blocks the pull request with 101, and the status says what is missing', async () => {
  await using w = await world({
    configuration: `preconditions:\n  number_of_approvals: 1\n${parallel({ builds: 2 })}`,
    runsCi: false,
  });
  const number = await w.open('a', { 'a.txt': 'a\n' });
  await review(w, number, 'approved');
  await w.queue(number);
  await w.until(async () => (await w.status(number)).status === 'tagged');
  await review(w, number, 'dismissed');
  await w.until(async () => (await w.status(number)).status === 'blocked');
  expect(await w.status(number)).toMatchObject({ status_code: 101, status_text: 'It has 0 of 1 required approvals.' });
});
