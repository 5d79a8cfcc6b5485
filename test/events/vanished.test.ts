// The machine of PostgreSQL loses its power or its network, so that no connection is closed and nobody answers.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import { stayConnected } from '../../src/platform/database/lasting-connections.ts';
import { isOutage } from '../../src/platform/outage.ts';
import { startUnreliableNetwork, type UnreliableNetwork } from '../e2e/unreliable-network.ts';
import { openWorld, pollOptions, type World } from './world.ts';

let world: World;
let network: UnreliableNetwork;
let far: Database;
let accountId = '';
beforeEach(async () => {
  world = await openWorld();
  accountId = await world.account();
  network = await startUnreliableNetwork();
  far = await connectDatabase({
    url: network.leadToDatabase(world.url),
    entities: [],
    limits: { connectMs: 2_000, answerMs: 1_000, heartbeatMs: 1_000 },
  });
});
afterEach(async () => {
  await network[Symbol.asyncDispose]();
  await far.close();
  await world.close();
});

const one = { name: 'one', text: 'select 1 as one', values: [] };
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  'a read': async () => await far.read(accountId, one),
  'reads that are sent together': async () =>
    await Promise.all(Array.from({ length: 40 }, async () => await far.read(accountId, one))),
  'a query across accounts': async () => await far.system.query('select 1'),
  'a unit of work': async () => await far.transaction(accountId, async (tx) => await tx.query('select 1')),
};
/** Whether the call succeeds, or fails because of an outage. */
const outcomeOf = async (call: () => Promise<unknown>): Promise<unknown> =>
  await call().then(
    () => 'succeeded',
    (error: unknown) => (isOutage(error) ? 'outage' : error),
  );
const outcomes = async (): Promise<unknown> =>
  Object.fromEntries(
    await Promise.all(Object.entries(calls).map(async ([name, call]) => [name, await outcomeOf(call)])),
  );
const all = (outcome: string): object => Object.fromEntries(Object.keys(calls).map((name) => [name, outcome]));

test('calls fail as in an outage, also over new connections, and succeed when PostgreSQL is back', async () => {
  // On a busy machine, PostgreSQL may be late with an answer.
  await vi.waitFor(async () => expect(await outcomes()).toEqual(all('succeeded')), pollOptions);
  const comeBack = network.vanish();
  // The first calls use connections that are open, the next ones try to open connections.
  expect(await outcomes()).toEqual(all('outage'));
  expect(await outcomes()).toEqual(all('outage'));
  comeBack();
  await vi.waitFor(async () => expect(await outcomes()).toEqual(all('succeeded')), pollOptions);
});

test('a listener connects again, is told that it may have missed messages, and hears later ones', async () => {
  const heard: string[] = [];
  const stop = await far.system.listen('apples', (payload) => void heard.push(payload));
  network.vanish()();
  await vi.waitFor(() => expect(heard).toEqual(['', '']), pollOptions);
  await world.owner.query("select pg_notify('apples', 'red')");
  await vi.waitFor(() => expect(heard).toEqual(['', '', 'red']), pollOptions);
  await stop();
});

test('a lock that a process holds is taken again', async () => {
  const release = await far.system.holdLock(7, 8);
  const holders = async (): Promise<readonly number[]> =>
    (
      await world.owner.query<{ pid: number }>(
        "select pid from pg_locks where locktype = 'advisory' and classid = 7 and objid = 8 and granted",
      )
    ).rows.map(({ pid }) => pid);
  const [first] = await holders();
  network.vanish()();
  // PostgreSQL ends the session of the connection that vanished when its kernel finds out.
  await vi.waitFor(async () => {
    await world.owner.query('select pg_terminate_backend($1)', [first]);
    const [holder] = await holders();
    expect([holder, holder === first]).toEqual([expect.any(Number), false]);
  }, pollOptions);
  await release();
});

test('a connection whose first statements fail is replaced by another one', async () => {
  const failures: string[] = [];
  let begun = 0;
  const stop = await stayConnected(world.url, 'begins-again', {
    limits: { connectMs: 10_000, answerMs: 10_000, heartbeatMs: 10_000 },
    onError: (error) => void failures.push(String(error)),
    begin: async (client) => {
      begun += 1;
      await client.query(begun === 2 ? 'select 1/0' : 'select 1');
    },
  });
  await world.owner.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'begins-again'",
  );
  await vi.waitFor(() => expect(begun).toBe(3), pollOptions);
  expect(failures).toContainEqual(expect.stringContaining('division by zero'));
  await stop();
});

test('a session that PostgreSQL ends after the database was closed is no failure', async () => {
  const errors: unknown[] = [];
  const db = await connectDatabase({
    url: network.leadToDatabase(world.url),
    entities: [],
    onError: (error) => void errors.push(error),
  });
  const [session] = await db.system.query<{ pid: number }>('select pg_backend_pid() as pid');
  // PostgreSQL ends the session before it learns that the connection was closed.
  const passed = network.holdUp(1_000);
  await db.close();
  await world.owner.query('select pg_terminate_backend($1)', [session?.pid]);
  await passed;
  await outcomes();
  expect(errors).toEqual([]);
});
