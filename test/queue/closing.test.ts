// Pull requests that are closed and reopened here, and repositories that are deactivated.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import {
  closePullRequest,
  queuePullRequest,
  reopenPullRequest,
  setRepositoryActive,
  syncPullRequest,
} from '../../src/modules/queue/index.ts';
import { toHostedRepository } from '../../src/hosts/port.ts';
import { createRepository, loadRepository } from '../../src/modules/repositories/index.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { parallel, world, type World } from '../support/world.ts';
import { hostOf } from './stories.ts';

const configuration = parallel({ builds: 1, batch: 2 });

async function actionsOf(w: World, number: number): Promise<string[]> {
  return (await w.events()).filter(([, numbers]) => numbers.includes(number)).map(([action]) => action);
}

describe('a pull request', () => {
  it('that is closed leaves its batch, and its batch is superseded; after it is reopened, it can be queued again', async () => {
    await using w = await world({ configuration, runsCi: false });
    const [one, other] = [await w.open('one', { 'one.txt': '1\n' }), await w.open('other', { 'other.txt': '2\n' })];
    await w.queue(one, other);
    await w.until(async () => (await w.status(one)).status === 'tagged');
    const of = { repository: w.repository, number: one };
    const { pullRequestId } = await closePullRequest(w.ctx, of);
    expect(await closePullRequest(w.ctx, of)).toEqual({ pullRequestId });
    expect((await w.status(one)).status).toBe('closed');
    await w.until(async () => (await w.rows("select 1 from batch where state = 'superseded'")).length > 0);
    expect((await w.status(other)).status).not.toBe('closed');
    await reopenPullRequest(w.ctx, of);
    await reopenPullRequest(w.ctx, of);
    expect((await w.status(one)).status).toBe('open');
    await queuePullRequest(w.ctx, { ...of, source: 'graphql_api' });
    await w.until(async () => ['queued', 'tagged'].includes((await w.status(one)).status));
  });

  it('that is closed and reopened between two reads of the host leaves the line', async () => {
    await using w = await world({ configuration, runsCi: false });
    const [one, other] = [await w.open('one', { 'one.txt': '1\n' }), await w.open('other', { 'other.txt': '2\n' })];
    await w.queue(one, other);
    await w.host.label(one, 'mergequeue', true, 'ada');
    await w.service.drain();
    await w.until(async () => (await w.status(one)).status === 'tagged');
    const reopened = Promise.withResolvers<void>();
    replaceHostMethod(w, 'getPullRequest', (original) => async (...given) => {
      await reopened.promise;
      return await original(...given);
    });
    await w.service.localHost.closePullRequest(hostOf(w), one);
    await w.service.localHost.reopenPullRequest(hostOf(w), one);
    reopened.resolve();
    await w.service.drain();
    expect((await w.status(one)).status).toBe('open');
    expect((await actionsOf(w, one)).filter((action) => action === 'opened')).toHaveLength(2);
    await w.until(async () => (await w.rows("select 1 from batch where state = 'superseded'")).length > 0);
    await w.until(
      async () => (await w.rows("select 1 from local_pull_request where 'mergequeue' = any(labels)")).length === 0,
    );
    expect((await w.status(other)).status).not.toBe('open');
    await w.service.drain();
    expect((await actionsOf(w, one)).filter((action) => action === 'opened')).toHaveLength(2);
    await w.queue(one);
    expect(['queued', 'tagged']).toContain((await w.status(one)).status);
  });

  it('that an earlier version saw closed and reopened keeps its request to merge', async () => {
    await using w = await world({
      configuration: `${configuration}preconditions:\n  number_of_approvals: 1\n`,
      runsCi: false,
    });
    const number = await w.open('one', { 'one.txt': '1\n' });
    // What a process of an earlier version writes. It does not know the column last_opened_at.
    const follow = async (status: string): Promise<unknown> =>
      await w.rows('update pull_request set status = $1 where number = $2', [status, number]);
    await follow('closed');
    await w.rows('update local_pull_request set reopened_at = now() where number = $1', [number]);
    await follow('open');
    await follow('pending');
    await syncPullRequest(w.ctx, toHostedRepository(await loadRepository(w.ctx, w.repository)), number);
    expect((await w.status(number)).status).toBe('pending');
  });

  it('that is merged can be neither closed nor reopened, and one whose branch is gone cannot be reopened', async () => {
    await using w = await world({ configuration });
    const [one, other] = [await w.open('one', { 'one.txt': '1\n' }), await w.open('other', { 'other.txt': '2\n' })];
    await w.queue(one);
    await w.settled(one);
    const merged = { repository: w.repository, number: one };
    await expect(closePullRequest(w.ctx, merged)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(reopenPullRequest(w.ctx, merged)).rejects.toMatchObject({ code: 'CONFLICT' });
    const gone = { repository: w.repository, number: other };
    await closePullRequest(w.ctx, gone);
    await w.git('branch', '-D', 'other');
    await expect(reopenPullRequest(w.ctx, gone)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(closePullRequest(w.ctx, { ...gone, number: 99 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('the event log', () => {
  it('says that a pull request was closed, became pending or was changed at the host, once for each change', async () => {
    await using w = await world({
      configuration: `${configuration}preconditions:\n  number_of_approvals: 1\n`,
      runsCi: false,
    });
    const number = await w.open('one', { 'one.txt': '1\n' });
    const last = async (): Promise<unknown> =>
      (
        await w.rows<{ action: string; payload: { status: string; statusText: string | null } }>(
          'select action, payload from event order by id desc limit 1',
        )
      ).map(({ action, payload }) => [action, payload.status, payload.statusText]);
    await w.queue(number);
    expect(await last()).toEqual([['pull_request_changed', 'pending', (await w.status(number)).status_text]]);
    await w.service.localHost.editPullRequest(hostOf(w), { number }, { title: 'Another title' });
    await w.service.drain();
    expect(await last()).toEqual([['pull_request_changed', 'pending', (await w.status(number)).status_text]]);
    await w.dequeue(number);
    await w.commit('one', { 'one.txt': '2\n' });
    await closePullRequest(w.ctx, { repository: w.repository, number });
    expect(await last()).toEqual([['pull_request_changed', 'closed', null]]);
    const changed = 'pull_request_changed';
    expect(await actionsOf(w, number)).toEqual(['opened', changed, changed, 'dequeued', changed, changed]);
  });
});

describe('a repository', () => {
  it('queues nothing and gives up its line while it is inactive, and goes on when it is active again', async () => {
    await using w = await world({ configuration, runsCi: false });
    const [one, other] = [await w.open('one', { 'one.txt': '1\n' }), await w.open('other', { 'other.txt': '2\n' })];
    await w.queue(one, other);
    const set = async (active: boolean): Promise<unknown> =>
      await setRepositoryActive(w.ctx, { repository: w.repository, active });
    for (const _again of [1, 2]) await set(false);
    for (const number of [one, other]) {
      expect((await w.status(number)).status).toBe('open');
      expect((await actionsOf(w, number)).filter((action) => action === 'dequeued')).toHaveLength(1);
    }
    const ask = async (): Promise<unknown> =>
      await queuePullRequest(w.ctx, { repository: w.repository, number: one, source: 'graphql_api' });
    await expect(ask()).rejects.toThrow('The repository is inactive.');
    await expect(createRepository(w.ctx, { ...w.repository, host: 'local' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    for (const _again of [1, 2]) await set(true);
    await ask();
    await w.until(async () => (await w.status(one)).status === 'tagged');
    expect((await w.events()).filter(([action]) => action.startsWith('repository_')).map(([action]) => action)).toEqual(
      ['repository_created', 'repository_deactivated', 'repository_activated'],
    );
  });

  it('takes in no pull request that was requested while it was deactivated', async () => {
    await using w = await world({ configuration, runsCi: false });
    const number = await w.open('late', { 'late.txt': '1\n' });
    const holding = new pg.Client({ connectionString: w.databaseUrl });
    await holding.connect();
    const waiting = async (): Promise<unknown> =>
      (
        await w.rows(
          'select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()',
        )
      ).length;
    await holding.query('begin');
    await holding.query('select from queue for no key update');
    const taking = setRepositoryActive(w.ctx, { repository: w.repository, active: false });
    await expect.poll(waiting).toBe(1);
    const asking = queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api' });
    const answers = Promise.allSettled([taking, asking]);
    await expect.poll(waiting).toBe(2);
    await holding.query('commit');
    await holding.end();
    const [taken, asked] = await answers;
    expect([taken.status, asked]).toMatchObject(['fulfilled', { reason: { message: 'The repository is inactive.' } }]);
  });
});
