// Failures are isolated beside the line. The line goes on without a batch that is bisected, and a pull request that is
// red behind others is blocked before its turn.
import { expect, it } from 'vitest';
import { readPullRequestByNumber } from '../../src/modules/queue/api/pull-requests.reads.ts';
import { readRepository } from '../../src/modules/repositories/known-repositories.ts';
import { parallel, world, type World } from '../support/world.ts';
import { atRest, dyingAt, expectLandedOnce, judgedByBuildsAlone, line, startCi, statuses } from './stories.ts';

const bisecting = `${parallel({ builds: 6, batch: 4, more: 'use_parallel_bisection: true\nuse_optimistic_validation: false\n' })}${judgedByBuildsAlone}`;

async function openAll(w: World, names: readonly string[]): Promise<number[]> {
  const numbers: number[] = [];
  for (const name of names) numbers.push(await w.open(name, { [name]: `${name}\n` }));
  return numbers;
}

async function endOf(w: World, number: number): Promise<number> {
  const [row] = await w.rows<{ at: number }>(
    "select max(id)::int as at from event where action in ('merged', 'blocked') and payload->>'number' = $1",
    [String(number)],
  );
  return row?.at ?? Infinity;
}

async function sideBuilds(w: World): Promise<readonly string[]> {
  const rows = await w.rows<{ members: number[]; state: string }>(
    `select b.state, array(select p.number from batch_member m join pull_request p on p.id = m.pull_request_id
       where m.batch_id = b.id order by m.ordinal) as members from batch b where b.side_build is not null order by b.id`,
  );
  return rows.map(({ members, state }) => `${members.join('+')} ${state}`);
}

/** The batch of the bot pull request that Interlock shows for this pull request. */
async function shownBot(w: World, number: number): Promise<readonly unknown[]> {
  const repository = await readRepository(w.ctx, w.repository);
  const shown = repository && (await readPullRequestByNumber(w.ctx, repository, { number }));
  return await w.rows(
    'select b.side_build as "sideBuild" from bot_pull_request bot join batch b on b.id = bot.batch_id where bot.number = $1',
    [shown?.latestBot?.number],
  );
}

async function counted(w: World): Promise<unknown> {
  const [row] = await w.rows('select waiting, tagged from queue');
  return row;
}

it('pull requests behind a failed batch land while side builds look for the one at fault', async () => {
  await using w = await world({ configuration: bisecting, runsCi: false });
  const numbers = await openAll(w, ['one', 'two', 'bad', 'four', 'five', 'six', 'seven', 'eight']);
  await w.queue(...numbers);
  await w.until(async () => (await statuses(w, ...numbers)).every((status) => status === 'tagged'));
  await using _ci = await startCi(w);
  await w.settled(...numbers);
  await atRest(w);
  expect(await statuses(w, ...numbers)).toEqual([
    ...['merged', 'merged', 'blocked 107', 'merged'],
    ...['merged', 'merged', 'merged', 'merged'],
  ]);
  await expectLandedOnce(w, ...numbers.filter((number) => number !== 3));
  expect((await sideBuilds(w)).slice(0, 2)).toEqual(['1+2 superseded', '3+4 bisected']);
  for (const behind of [5, 6, 7, 8]) expect(await endOf(w, behind)).toBeLessThan(await endOf(w, 3));
  expect((await line(w))[0]).toBe('Land #5, #6, #7 and #8');
  const events = (await w.events()).filter(([action]) => action === 'batch_bisected');
  expect(events).toEqual([
    ['batch_bisected', [1, 2, 3, 4]],
    ['batch_bisected', [3, 4]],
  ]);
  expect(await counted(w)).toEqual({ waiting: 0, tagged: 0 });
});

it('a side build of a part goes on after its process dies', async () => {
  await using w = await world({ configuration: bisecting, runsCi: false });
  const numbers = await openAll(w, ['one', 'bad']);
  await w.queue(...numbers);
  await w.until(async () => (await statuses(w, ...numbers)).every((status) => status === 'tagged'));
  await using _ci = await startCi(w);
  // The build of the batch itself is open. The next build that is opened is a part of the batch.
  await dyingAt(w, 'build:after_branch', async () => await w.settled(...numbers));
  await atRest(w);
  expect(await statuses(w, ...numbers)).toEqual(['merged', 'blocked 107']);
  await expectLandedOnce(w, 1);
  expect(await counted(w)).toEqual({ waiting: 0, tagged: 0 });
});

it('a pull request that merges or passes only on top of another one in its batch is not blocked for that', async () => {
  await using w = await world({
    configuration: bisecting,
    ci: "checks:\n  test:\n    run: 'test ! -e bad && { test ! -e needing || test -e needed; }'\n",
  });
  const numbers = await openAll(w, ['needed', 'bad', 'needing']);
  await w.queue(...numbers);
  await w.settled(...numbers);
  expect(await statuses(w, ...numbers)).toEqual(['merged', 'blocked 107', 'merged']);
});

it('a pull request that is red both behind others and alone is blocked before the others are decided', async () => {
  const more = 'use_proactive_dequeue: true\nuse_optimistic_validation: false\nmax_parallel_paused_builds: 5\n';
  await using w = await world({ configuration: `${parallel({ builds: 6, more })}${judgedByBuildsAlone}` });
  const numbers = await openAll(w, ['one', 'bad', 'three']);
  // Nothing lands during the pause, so the first pull request stays undecided.
  await w.pause(true);
  await w.queue(...numbers);
  await w.until(async () => (await w.status(2)).status === 'blocked');
  // The first pull request is green without a bot pull request, because its head is on the tip.
  expect(await statuses(w, ...numbers)).toEqual(['queued', 'blocked 107', expect.stringMatching(/queued|tagged/)]);
  expect((await w.status(2)).status_text).toBe('A required check failed: test.');
  expect(await sideBuilds(w)).toEqual(['2 superseded']);
  expect(await shownBot(w, 2)).toMatchObject([{ sideBuild: null }]);
  await w.pause(false);
  await w.settled(1, 3);
  await atRest(w);
  await expectLandedOnce(w, 1, 3);
  expect((await w.events()).filter(([action]) => action === 'batch_failed')).toEqual([['batch_failed', [2]]]);
  expect(await counted(w)).toEqual({ waiting: 0, tagged: 0 });
});
