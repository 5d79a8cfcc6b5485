// Forking git from a large process costs more than most answers of git, so a landing uses few git processes.
import { expect, it } from 'vitest';
import { countGits } from '../../bench/git-count.ts';
import { parallel, world } from '../support/world.ts';

it('a landing with a build of its own takes at most six git processes, including those of its check', async () => {
  await using w = await world({ configuration: parallel({ builds: 3, batch: 1 }) });
  const numbers: number[] = [];
  for (const branch of ['a', 'b', 'c', 'd', 'e']) numbers.push(await w.open(branch, { [`${branch}.txt`]: 'new\n' }));
  await w.commit('main', { 'other.txt': 'other\n' });
  await w.until(async () => (await w.rows("select 1 from local_check_run where state <> 'completed'")).length === 0);
  const gits = countGits(w.service.localHost.installation.git);
  await w.queue(...numbers);
  await w.settled(...numbers);
  await w.until(async () => (await w.rows('select 1 from batch where cleaned_up_at is null')).length === 0);
  expect(await w.rows('select 1 from bot_pull_request')).toHaveLength(numbers.length);
  const all = [...gits.values()].reduce((sum, count) => sum + count, 0);
  expect(all / numbers.length, JSON.stringify([...gits])).toBeLessThanOrEqual(6);
});
