// When and in which order repositories are compared with their hosts.
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { HostUnavailable } from '../../src/hosts/port.ts';
import { planComparisons, takeDueComparison } from '../../src/modules/repositories/index.ts';
import { createReconciler } from '../../src/reconciler.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { world } from '../support/world.ts';

it('repositories with a line are compared every minute and others every 15 minutes, and a comparison that hangs does not delay other accounts', async () => {
  await using w = await world({ runsCi: false });
  const now = new Date('2026-11-23T12:00:00Z');
  const clock = (): Date => now;
  const tick = (seconds: number): void => void now.setTime(now.getTime() + seconds * 1_000);
  const others = await w.rows<{ account_id: string }>(
    "insert into account (name) select 'other ' || n from generate_series(1, 2) n returning id as account_id",
  );
  for (const { account_id } of others)
    for (let nth = 1; nth <= 4; nth += 1)
      await w.rows(
        `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash) values ($1, 'acme', $2, 'local', '', '')`,
        [account_id, `shop-${nth}`],
      );
  const number = await w.open('a', { 'a.txt': 'a\n' });
  const compared: string[] = [];
  const hung = Promise.withResolvers<void>();
  replaceHostMethod(w, 'listRefs', (original) => async (repository, prefix) => {
    if (prefix !== 'refs/interlock/landings/') return await original(repository, prefix);
    compared.push(repository.accountId === w.ctx.accountId ? 'ours' : repository.accountId);
    if (repository.accountId === others[0]?.account_id) await hung.promise;
    if (repository.accountId === others[1]?.account_id)
      throw new HostUnavailable('Wait.', { retryAt: now.getTime() + 3_600_000 });
    return await original(repository, prefix);
  });
  const countOf = (account: string | undefined): number => compared.filter((each) => each === account).length;
  const reconciler = createReconciler({ ...w.service.ports, clock });
  const settled = reconciler.drain();
  // Two comparisons of the account that hangs have started. All repositories of other accounts are compared meanwhile.
  await expect.poll(() => countOf(others[1]?.account_id)).toBe(4);
  await expect.poll(() => countOf(others[0]?.account_id)).toBe(2);
  await expect.poll(() => countOf('ours')).toBe(1);
  hung.resolve();
  await settled;
  expect([countOf('ours'), ...others.map(({ account_id }) => countOf(account_id))]).toEqual([1, 4, 4]);

  // The repositories of the account that hung have no folder, so their comparisons fail. A failed comparison is
  // repeated after one minute, then after two, then after four.
  tick(61);
  await reconciler.drain();
  expect([countOf('ours'), ...others.map(({ account_id }) => countOf(account_id))]).toEqual([1, 8, 4]);
  tick(15 * 60);
  await reconciler.drain();
  expect([countOf('ours'), ...others.map(({ account_id }) => countOf(account_id))]).toEqual([2, 12, 4]);
  // A line that begins after a comparison is noticed within a minute, and its repository is compared a minute later.
  await w.queue(number);
  tick(61);
  await reconciler.drain();
  tick(61);
  await reconciler.drain();
  expect([countOf('ours'), ...others.map(({ account_id }) => countOf(account_id))]).toEqual([3, 12, 4]);
  tick(61);
  await reconciler.drain();
  expect([countOf('ours'), ...others.map(({ account_id }) => countOf(account_id))]).toEqual([4, 12, 4]);
  tick(3 * 60);
  await reconciler.drain();
  expect([countOf('ours'), ...others.map(({ account_id }) => countOf(account_id))]).toEqual([5, 16, 4]);
  await reconciler.stop();
});

it('a process leases one due comparison at a time, also if PostgreSQL takes the table for nearly empty', async () => {
  await using w = await world({ runsCi: false });
  const { query } = w.service.ports.db.system;
  const now = new Date();
  await planComparisons(query, now, { withLineBy: now });
  const owner = new pg.Client({ connectionString: w.databaseUrl });
  await owner.connect();
  await owner.query('analyze host_comparison');
  await owner.query('analyze repository');
  await owner.end();
  for (let nth = 1; nth <= 8; nth += 1)
    await w.rows(
      `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash) values ($1, 'acme', $2, 'local', '', '')`,
      [w.ctx.accountId, `shop-${nth}`],
    );
  await planComparisons(query, now, { withLineBy: now });
  const until = new Date(now.getTime() + 60_000);
  for (let taken = 1; taken <= 3; taken += 1) {
    expect(await takeDueComparison(query, { now, until }, { accounts: [], hosts: [] })).not.toBeNull();
    expect(await w.rows('select 1 from host_comparison where leased_until is not null')).toHaveLength(taken);
  }
});

it('a long comparison keeps its lease, and a comparison of a killed process is soon made by another process', async () => {
  await using w = await world({ runsCi: false });
  const entered = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let compared = 0;
  replaceHostMethod(w, 'listRefs', (original) => async (repository, prefix) => {
    if (prefix !== 'refs/interlock/landings/') return await original(repository, prefix);
    compared += 1;
    entered.resolve();
    await held.promise;
    return await original(repository, prefix);
  });
  const readLease = async (): Promise<number> => {
    const [lease] = await w.rows<{ until: number | null }>(
      'select extract(epoch from leased_until)::float8 * 1000 as until from host_comparison',
    );
    return lease?.until ?? 0;
  };
  const began = new Date();
  let now = began;
  const reconciler = createReconciler({ ...w.service.ports, clock: () => now });
  await using _end = {
    [Symbol.asyncDispose]: async () => {
      held.resolve();
      await reconciler.stop();
    },
  };
  reconciler.start();
  await entered.promise;
  expect((await readLease()) - began.getTime()).toBeLessThanOrEqual(30_000);
  now = new Date(began.getTime() + 10_000);
  await expect.poll(readLease).toBe(now.getTime() + 30_000);

  // From this instant on, the first process looks as if it had been killed.
  const later = new Date(now.getTime() + 31_000);
  const other = createReconciler({ ...w.service.ports, clock: () => later });
  const settled = other.drain();
  await expect.poll(() => compared).toBe(2);
  held.resolve();
  await settled;
});

describe('an idle repository', () => {
  /** A reconciler on a clock of its own, and how often it has compared the repository of the world. */
  async function idleWorld() {
    const w = await world({ runsCi: false });
    const now = new Date();
    let compared = 0;
    replaceHostMethod(w, 'listRefs', (original) => async (repository, prefix) => {
      if (prefix === 'refs/interlock/landings/') compared += 1;
      return await original(repository, prefix);
    });
    const reconciler = createReconciler({ ...w.service.ports, clock: () => now });
    return {
      w,
      /** Sets the times of all files back, as if nothing had changed in git for some minutes. */
      age() {
        const at = new Date(Date.now() - 10 * 60_000);
        const inside = readdirSync(w.gitDir, { recursive: true, encoding: 'utf8' });
        for (const path of ['', ...inside]) utimesSync(join(w.gitDir, path), at, at);
      },
      /** Whether the repository is compared when it is due after so many minutes. */
      async isComparedAfter(minutes: number): Promise<boolean> {
        const before = compared;
        now.setTime(now.getTime() + minutes * 60_000);
        await reconciler.drain();
        return compared > before;
      },
      async [Symbol.asyncDispose]() {
        await reconciler.stop();
        await w[Symbol.asyncDispose]();
      },
    };
  }

  it('is compared again after an hour, and earlier only if something has changed', async () => {
    await using idle = await idleWorld();
    const { w } = idle;
    idle.age();
    expect(await idle.isComparedAfter(0), 'the first comparison of a process').toBe(true);
    expect(await idle.isComparedAfter(16), 'nothing has changed').toBe(false);
    expect(await idle.isComparedAfter(16), 'nothing has changed').toBe(false);
    await w.rows('update queue set version = version');
    expect(await idle.isComparedAfter(16), 'a row has changed').toBe(true);
    expect(await idle.isComparedAfter(16), 'nothing has changed since then').toBe(false);
    await w.git('update-ref', 'refs/heads/new', await w.git('rev-parse', 'refs/heads/main'));
    expect(await idle.isComparedAfter(16), 'a branch is new').toBe(true);
    idle.age();
    expect(await idle.isComparedAfter(16), 'the last comparison was soon after a change').toBe(true);
    expect(await idle.isComparedAfter(46), 'nothing has changed').toBe(false);
    expect(await idle.isComparedAfter(16), 'the last comparison is an hour ago').toBe(true);
  });

  it('with an open pull request is compared every time', async () => {
    await using idle = await idleWorld();
    await idle.w.open('a', { 'a.txt': 'a\n' });
    idle.age();
    for (const minutes of [0, 16, 16]) expect(await idle.isComparedAfter(minutes)).toBe(true);
  });
});
