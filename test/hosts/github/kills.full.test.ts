// The engine is killed with -9 beside calls of GitHub. The next process goes on from the rows and from what GitHub shows:
// each pull request lands once, and nothing is said twice.
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { git } from '../commits.ts';
import { queueWorld } from './queue-world.ts';

test('killed around a push, a bot pull request and a comment: one landing each, one comment each', async () => {
  await using w = await queueWorld();
  const numbers = [await w.open('one', { one: '1\n' }), await w.open('two', { two: '2\n' })];
  await w.label(...numbers);
  for (const failpoint of ['github:before_push', 'github:after_open', 'github:after_push', 'github:after_comment']) {
    await using killed = await startEngine(w.engine, failpoint);
    expect(await killed.ended).toMatch(/SIGKILL|137/);
  }
  await using next = await startEngine(w.engine);
  const isOver = async (): Promise<boolean> => {
    const [open] = await w.rows<{ n: string }>(
      `select (select count(*) from pull_request where status <> 'merged') + (select count(*) from batch where cleaned_up_at is null)
            + (select count(*) from intent where state in ('planned', 'begun')) as n`,
    );
    return open?.n === '0';
  };
  await expect.poll(isOver, { timeout: 90_000 }).toBe(true);
  await next.kill();

  const landed = await w.rows<{ number: number; landings: string }>(
    `select p.number, count(m.*) as landings from pull_request p left join landed_member m on m.pull_request_id = p.id
     group by p.number order by p.number`,
  );
  expect(landed).toEqual(numbers.map((number) => ({ number, landings: '1' })));
  const clone = await w.clone();
  expect(git(clone, 'log', '--first-parent', '--format=%s', 'origin/main').split('\n')).toHaveLength(3);
  for (const issue_number of numbers) {
    const { data } = await w.person.issues.listComments({ ...w.place, issue_number });
    const markers = data.map(({ body }) => /<!-- interlock:[^ ]+ -->/.exec(body ?? '')?.[0]);
    expect(markers).toEqual([...new Set(markers)]);
  }
  const { data: open } = await w.person.pulls.list({ ...w.place, state: 'open' });
  expect(open).toEqual([]);
});
