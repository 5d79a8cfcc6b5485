// The engine is killed with -9 around calls of GitHub. The next process goes on from the rows and from what GitHub
// shows. Each pull request lands once, and each comment is written once.
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { parallel } from '../../support/world.ts';
import { git } from '../commits.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

async function isOver(w: QueueWorld): Promise<boolean> {
  const [open] = await w.rows<{ n: string }>(
    `select (select count(*) from pull_request where status <> 'merged') + (select count(*) from batch where cleaned_up_at is null)
          + (select count(*) from intent where state in ('planned', 'started')) as n`,
  );
  return open?.n === '0';
}

test('after kills around a push, a bot pull request and a comment, each pull request has one landing and one comment', async () => {
  await using w = await queueWorld();
  const numbers = [await w.open('one', { one: '1\n' }), await w.open('two', { two: '2\n' })];
  await w.label(...numbers);
  for (const failpoint of ['github:before_push', 'github:after_open', 'github:after_push', 'github:after_comment']) {
    await using killed = await startEngine(w.engine, failpoint);
    expect(await killed.ended).toMatch(/SIGKILL|137/);
  }
  await using next = await startEngine(w.engine);
  await expect.poll(async () => await isOver(w), { timeout: 90_000 }).toBe(true);
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

// The kills come one after another. `isShownAsMerged` is false if the landing goes on without moving the heads.
const killsAmongHeads = [
  { branch: 'before', kills: ['landing:before_heads'], isShownAsMerged: false },
  { branch: 'pushed', kills: ['landing:after_heads'], isShownAsMerged: false },
  { branch: 'shown', kills: ['landing:heads_shown'], isShownAsMerged: false },
  { branch: 'back', kills: ['landing:heads_shown', 'landing:after_heads_back'], isShownAsMerged: false },
  { branch: 'landed', kills: ['landing:after_host'], isShownAsMerged: true },
] as const;

test('after kills while heads move for show_as_merged, each pull request lands once, and heads of failed landings are restored', {
  timeout: 400_000,
}, async () => {
  await using w = await queueWorld({
    configuration: `${parallel()}${requiresTest}merge_strategy:\n  show_as_merged: true\n`,
  });
  const headOf = async (branch: string): Promise<string> =>
    (await w.person.git.getRef({ ...w.place, ref: `heads/${branch}` })).data.object.sha;
  for (const { branch, kills, isShownAsMerged } of killsAmongHeads) {
    const pull_number = await w.open(branch, { [branch]: `${branch}\n` });
    const before = await headOf(branch);
    await w.label(pull_number);
    for (const failpoint of kills) {
      await using killed = await startEngine(w.engine, failpoint);
      expect(await killed.ended, failpoint).toMatch(/SIGKILL|137/);
    }
    await using next = await startEngine(w.engine);
    await expect.poll(async () => await isOver(w), { timeout: 90_000 }).toBe(true);
    await next.kill();
    const { data } = await w.person.pulls.get({ ...w.place, pull_number });
    expect({ branch, merged: data.merged, isBack: (await headOf(branch)) === before }).toEqual({
      branch,
      merged: isShownAsMerged,
      isBack: !isShownAsMerged,
    });
  }
  const landings = await w.rows('select 1 from landing');
  const clone = await w.clone();
  const line = git(clone, 'log', '--first-parent', '--format=%s', 'origin/main').split('\n');
  expect([landings.length, line.length]).toEqual([killsAmongHeads.length, killsAmongHeads.length + 1]);
});
