// The host is read without a lock, so an older read may be written last.
import pg from 'pg';
import { toHostedRepository } from '../../src/hosts/port.ts';
import { describe, expect, it } from 'vitest';
import { syncPullRequest } from '../../src/modules/queue/index.ts';
import { loadRepository } from '../../src/modules/repositories/index.ts';
import type { Context } from '../../src/context.ts';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, statuses } from './stories.ts';

/** A context in which `meanwhile` runs while the first read of a pull request has not returned yet. */
function slowReader(w: World, meanwhile: () => Promise<void>): Context {
  const { localHost } = w.service;
  let reads = 0;
  const slow = {
    ...localHost,
    getPullRequest: async (...args: Parameters<typeof localHost.getPullRequest>) => {
      const seen = await localHost.getPullRequest(...args);
      reads += 1;
      if (reads === 1) await meanwhile();
      return seen;
    },
  };
  return { ...w.ctx, hosts: () => slow };
}

const waitingSessions = `select distinct pid from pg_locks l join pg_stat_activity a using (pid)
  where not l.granted and a.datname = current_database()`;

describe('a slow read of the host', () => {
  it.each(['block', 'requeue'])(
    'does not set the head back after a push and a new request to merge (%s)',
    async (onCommitAdded) => {
      await using w = await world({
        configuration: parallel({ builds: 1, more: `on_commit_added: ${onCommitAdded}\n` }),
      });
      const number = await w.open('a', { 'a.txt': '1\n' });
      let pushed = '';
      const slow = slowReader(w, async () => {
        pushed = await w.commit('a', { 'a.txt': '2\n' });
        await w.queue(number);
      });
      await syncPullRequest(slow, toHostedRepository(await loadRepository(w.ctx, w.repository)), number);
      expect(await w.status(number)).toMatchObject({ status: 'queued', head_sha: pushed });
      await w.settled(number);
      await expectLandedOnce(w, number);
      expect(await w.git('show', 'main:a.txt')).toBe('2');
    },
  );

  it('does not reopen a pull request that was closed meanwhile', async () => {
    await using w = await world({ configuration: parallel({ builds: 1 }) });
    const number = await w.open('a', { 'a.txt': '1\n' });
    const slow = slowReader(w, async () => {
      await w.host.close(number);
      await w.service.drain();
    });
    await syncPullRequest(slow, toHostedRepository(await loadRepository(w.ctx, w.repository)), number);
    expect(await statuses(w, number)).toEqual(['closed']);
    expect((await w.events()).map(([action]) => action).filter((action) => action === 'opened')).toEqual(['opened']);
  });

  it('causes no turn of the queue if another read has stored the same meanwhile', async () => {
    await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
    const number = await w.open('a', { 'a.txt': '1\n' });
    await w.service.drain();
    const repository = toHostedRepository(await loadRepository(w.ctx, w.repository));
    const versions = async (): Promise<unknown> => await w.rows('select base_branch, version from queue order by id');
    const other = new pg.Client({ connectionString: w.databaseUrl });
    await other.connect();
    await other.query("begin; update queue set version = 100 where base_branch = 'main'");
    // The row differs from the host, so that a sync writes it. A sync of the service may wait for the lock too.
    await w.rows("update pull_request set title = 'old' where number = $1", [number]);
    const syncing = [1, 2].map(async () => await syncPullRequest(w.ctx, repository, number));
    await expect.poll(async () => (await w.rows(waitingSessions)).length).toBeGreaterThanOrEqual(2);
    await other.query('commit');
    await other.end();
    for (const synced of await Promise.all(syncing)) expect(synced?.title).not.toBe('old');
    expect(await versions()).toEqual([{ base_branch: 'main', version: '101' }]);
  });

  it('is repeated if the pull request moved to another queue before the locks were taken', async () => {
    await using w = await world({ configuration: parallel({ builds: 1 }) });
    await w.commit('release', { 'release.txt': '1\n' }, { from: 'main' });
    await w.open('b', { 'b.txt': '1\n' }, { base: 'release' });
    const number = await w.open('a', { 'a.txt': '1\n' });
    await w.service.drain();
    const queueOf = async (): Promise<string | undefined> =>
      (
        await w.rows<{ base: string }>(
          'select q.base_branch as base from pull_request p join queue q on q.id = p.queue_id where p.number = $1',
          [number],
        )
      )[0]?.base;
    expect(await queueOf()).toBe('main');
    // The row differs from the host, so that the sync writes it.
    await w.rows("update pull_request set title = 'old' where number = $1", [number]);
    const other = new pg.Client({ connectionString: w.databaseUrl });
    await other.connect();
    await other.query("begin; select 1 from queue where base_branch = 'main' for no key update");
    const syncing = syncPullRequest(w.ctx, toHostedRepository(await loadRepository(w.ctx, w.repository)), number);
    await expect.poll(async () => (await w.rows(waitingSessions)).length).toBeGreaterThan(0);
    await other.query(
      "update pull_request set queue_id = (select id from queue where base_branch = 'release') where title = 'old'; commit",
    );
    await other.end();
    expect((await syncing)?.title).not.toBe('old');
    expect(await queueOf()).toBe('main');
  });
});
