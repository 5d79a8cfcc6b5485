// Many faults of GitHub: calls that fail before or after they were carried out, and webhooks that are lost, doubled and
// out of order. Each pull request lands once, and every proof is derived again.
import { expect, test } from 'vitest';
import { verifyRepository } from '../../../src/modules/queue/index.ts';
import { findRepository } from '../../../src/modules/repositories/index.ts';
import { startEngine } from '../../support/engine.ts';
import { git } from '../commits.ts';
import { parallel } from '../../support/world.ts';
import { queueWorld, requiresTest } from './queue-world.ts';

// `npm run bench -- github-faults` does the same with hundreds of pull requests, in several repositories, and with
// Temporal.
const count = 12;

test('twelve pull requests land once each, while one call in ten fails and one webhook in ten is lost', {
  timeout: 900_000,
}, async () => {
  await using w = await queueWorld({ configuration: `${parallel({ builds: 2, batch: 3 })}${requiresTest}` });
  const numbers: number[] = [];
  for (let each = 1; each <= count; each += 1)
    numbers.push(await w.open(`branch-${each}`, { [`file-${each}`]: `${each}\n` }));
  await w.label(...numbers);
  w.emulator.controls.fail({ rate: 0.05, when: 'before' });
  w.emulator.controls.fail({ rate: 0.05, when: 'after' });
  w.emulator.controls.webhooks({ drop: 0.1, double: 0.1, reorder: 3 });
  const startedAt = performance.now();
  await using engine = await startEngine({ ...w.engine, retries: true });
  const left = async (): Promise<string> => {
    const [open] = await w.rows<{ n: string }>(
      `select (select count(*) from pull_request where status <> 'merged') + (select count(*) from batch where cleaned_up_at is null)
            + (select count(*) from intent where state in ('planned', 'started')) as n`,
    );
    return open?.n ?? '';
  };
  await expect.poll(left, { timeout: 800_000, interval: 500 }).toBe('0');
  console.log(`${count} landings in ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`);
  await engine.kill();
  await w.emulator.controls.clear();

  const landed = await w.rows<{ number: number; landings: string }>(
    `select p.number, count(m.*) as landings from pull_request p left join landed_member m on m.pull_request_id = p.id
     group by p.number order by p.number`,
  );
  expect(landed).toEqual(numbers.map((number) => ({ number, landings: '1' })));
  const landings = await w.rows('select 1 from landing');
  const clone = await w.clone();
  const line = git(clone, 'log', '--first-parent', '--format=%s', 'origin/main').split('\n');
  expect(line).toHaveLength(landings.length + 1);
  const repository = await findRepository(w.ctx, { owner: w.place.owner, name: w.place.repo });
  const verified = repository === null ? [] : await verifyRepository(w.ctx, repository);
  expect(verified.map(({ failures, pullRequests }) => ({ failures, pullRequests }))).toEqual([
    { failures: [], pullRequests: count },
  ]);
});
