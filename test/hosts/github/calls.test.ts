// What a landing costs of the budget at GitHub. A hundred landings an hour must fit into 5,000 points each of REST and
// GraphQL, and into 450 creations. Pushes to a repository must fit into six a minute.
import { expect, test } from 'vitest';
import { inMarkedScope, type CommitMarks } from '../../../src/platform/database.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

/** The number of pushes so far, including those of people. */
async function readPushes({ emulator }: QueueWorld): Promise<number> {
  const { calls } = (await (await fetch(`${emulator.url}/_emulator/usage`)).json()) as {
    calls: Record<string, number>;
  };
  return calls['git-receive-pack'] ?? 0;
}

test('a landing of one pull request stays within its budget of calls', async () => {
  await using w = await queueWorld();
  // The first landing also clones the repository and fills caches.
  const first = await w.open('first', { first: '1\n' });
  await w.label(first);
  await w.settled(first);
  const isQuiet = async (): Promise<boolean> =>
    (await w.rows("select 1 from intent where state in ('planned', 'started')")).length === 0;
  await w.until(isQuiet);

  const before = await w.spent();
  const number = await w.open('second', { second: '2\n' });
  const pushedBefore = await readPushes(w);
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  await w.until(isQuiet);
  const after = await w.spent();
  const calls = {
    rest: after.rest - before.rest,
    graphql: after.graphql - before.graphql,
    creations: after.creations - before.creations,
    pushes: (await readPushes(w)) - pushedBefore,
  };
  console.log(`A landing of one: ${JSON.stringify(calls)}.`);
  expect(calls.rest).toBeLessThanOrEqual(7);
  expect(calls.graphql).toBeLessThanOrEqual(16);
  expect(calls.creations).toBeLessThanOrEqual(4);
  // The bot branch, the landing, and the deletion of the bot branch. Outside of this test, deletions of a minute share
  // a push.
  expect(calls.pushes).toBe(3);
});

test('a call at GitHub is no effect of the request with an Idempotency-Key that needs it', async () => {
  await using w = await queueWorld();
  let changes = 0;
  const marks: CommitMarks = {
    accountId: w.ctx.accountId,
    set: async (tx) => {
      const changed = await tx.query('select 1 where pg_current_xact_id_if_assigned() is not null');
      changes += changed.length;
      return null;
    },
    isCommitted: async () => false,
  };
  const before = await w.spent();
  await inMarkedScope(marks, async () => await w.ctx.hosts('github').readBaseRules(w.repository, 'main'));
  expect(await w.spent()).not.toEqual(before);
  expect(changes).toBe(0);
});
