// Listeners of a process share one connection to PostgreSQL.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listenLazily } from '../../src/platform/database.ts';
import { openWorld, pollOptions, terminate, type World } from './world.ts';

let world: World;
beforeEach(async () => void (world = await openWorld()));
afterEach(async () => await world.close());

const notify = async (channel: string, payload: string): Promise<void> =>
  void (await world.owner.query('select pg_notify($1, $2)', [channel, payload]));
const sessions = async (): Promise<number> =>
  (
    await world.owner.query(
      "select from pg_stat_activity where datname = current_database() and application_name = 'interlock-listen'",
    )
  ).rows.length;
const listen = async (channel: string): Promise<{ heard: string[]; stop: () => Promise<void> }> => {
  const heard: string[] = [];
  return { heard, stop: await world.db.system.listen(channel, (payload) => void heard.push(payload)) };
};

test('each listener hears the messages of its channel, over one session', async () => {
  const [apples, pears, morePears] = await Promise.all(['apples', 'pears', 'pears'].map(listen));
  if (apples === undefined || pears === undefined || morePears === undefined) throw new Error('three were asked for');
  expect(await sessions()).toBe(1);
  await notify('apples', 'red');
  await notify('pears', 'green');
  await vi.waitFor(() => expect(pears.heard).toEqual(['', 'green']), pollOptions);
  expect(morePears.heard).toEqual(['', 'green']);
  expect(apples.heard).toEqual(['', 'red']);
});

test('a listener that stops hears nothing more, and the session ends with the last one', async () => {
  const apples = await listen('apples');
  const pears = await listen('pears');
  const morePears = await listen('pears');
  await pears.stop();
  await notify('pears', 'green');
  await vi.waitFor(() => expect(morePears.heard).toEqual(['', 'green']), pollOptions);
  expect(pears.heard).toEqual(['']);
  await morePears.stop();
  await morePears.stop();
  await notify('apples', 'red');
  await vi.waitFor(() => expect(apples.heard).toEqual(['', 'red']), pollOptions);
  await apples.stop();
  await vi.waitFor(async () => expect(await sessions()).toBe(0), pollOptions);
  const later = await listen('pears');
  await notify('pears', 'brown');
  await vi.waitFor(() => expect(later.heard).toEqual(['', 'brown']), pollOptions);
});

test('after its session was ended, every listener gets an empty message and hears its channel again', async () => {
  const apples = await listen('apples');
  const pears = await listen('pears');
  expect(await terminate(world, 'interlock-listen')).toBe(1);
  // The connection may be down now. This listener then waits for the next one.
  const plums = await vi.waitFor(async () => await listen('plums'), pollOptions);
  await vi.waitFor(
    () =>
      expect([apples.heard, pears.heard]).toEqual([
        ['', ''],
        ['', ''],
      ]),
    pollOptions,
  );
  await notify('apples', 'red');
  await notify('pears', 'green');
  await notify('plums', 'blue');
  await vi.waitFor(
    () => expect([apples, pears, plums].map(({ heard }) => heard.at(-1))).toEqual(['red', 'green', 'blue']),
    pollOptions,
  );
  expect(await sessions()).toBe(1);
});

test('a lazy listener listens from its first start on, and tries again after a failure', async () => {
  const heard: string[] = [];
  let isAway = true;
  const system: typeof world.db.system = {
    ...world.db.system,
    listen: async (...given) => {
      if (isAway) throw new Error('the database is away');
      return await world.db.system.listen(...given);
    },
  };
  const listener = listenLazily(system, 'apples', (payload) => void heard.push(payload));
  expect(await sessions()).toBe(0);
  await expect(listener.start()).rejects.toThrow('the database is away');
  isAway = false;
  await Promise.all([listener.start(), listener.start()]);
  expect(heard).toEqual(['']);
  await listener.stop();
  await vi.waitFor(async () => expect(await sessions()).toBe(0), pollOptions);
});
