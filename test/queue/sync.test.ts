// A branch is brought up to date on request: what git shows, what comments say, and how it affects a pull request in
// line.
import { describe, expect, it } from 'vitest';
import { HostRefused, HostUnavailable } from '../../src/hosts/port.ts';
import { requestRefresh, requestSync, carryOut } from '../../src/modules/queue/index.ts';
import { previewSync } from '../../src/modules/queue/requests/branch-work.previews.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { startEngine } from '../support/engine.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { among, inFull } from '../support/tier.ts';
import { parallel, serial, world, type World } from '../support/world.ts';
import { dyingAt, expectLandedOnce } from './stories.ts';

async function sync(w: World, number: number): Promise<void> {
  await requestSync(w.ctx, { repository: w.repository, number });
  await carriedOut(w);
}

async function carriedOut(w: World): Promise<void> {
  await w.until(
    async () =>
      (await w.rows("select 1 from intent where kind in ('sync', 'refresh') and state in ('planned', 'started')"))
        .length === 0,
  );
}

const parents = async (w: World, revision: string): Promise<string[]> =>
  (await w.git('log', '-1', '--format=%P', revision)).split(' ');

async function syncCount(w: World, number: number): Promise<number | undefined> {
  const [row] = await w.rows<{ sync_count: number }>('select sync_count from pull_request where number = $1', [number]);
  return row?.sync_count;
}

describe('a sync', () => {
  it('merges the base into the branch once, and counts the sync', async () => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const before = (await w.status(number)).head_sha;
    const request = { repository: w.repository, number };
    expect((await previewSync(w.ctx, request)).message).toBe(
      `The branch of #${number} is up to date with main: nothing would be pushed.`,
    );
    const tip = await w.commit('main', { 'other.txt': 'other\n' });
    expect((await previewSync(w.ctx, request)).message).toMatch(
      `The branch of #${number} would be brought up to date with main`,
    );
    expect(await w.rows("select 1 from intent where kind = 'sync'")).toEqual([]);
    expect(await w.git('rev-parse', 'a')).toBe(before);
    await sync(w, number);
    expect(await parents(w, 'a')).toEqual([before, tip]);
    expect(await w.git('log', '-1', '--format=%s|%cn', 'a')).toBe(`Merge branch 'main' into a|${w.host.committer}`);
    expect((await w.status(number)).head_sha).toBe(await w.git('rev-parse', 'a'));
    await sync(w, number);
    expect(await parents(w, 'a')).toEqual([before, tip]);
    expect(await syncCount(w, number)).toBe(1);
    expect(await w.comments(number)).toEqual([]);
  });

  it('rebases with use_rebase, keeps authors and messages, and leaves out commits that the base has already', async () => {
    await using w = await world({ configuration: `${parallel()}use_rebase: true\n`, runsCi: false });
    const one = await w.commit('a', { 'a.txt': '1\n' }, { message: 'One' });
    await w.commit('a', { 'a.txt': '2\n' }, { message: 'Two' });
    const number = await w.open('a', { 'more.txt': 'm\n' });
    await w.commit('main', { 'other.txt': 'other\n' });
    // The first commit reaches the base as another commit, and later commits of the base change the same file.
    await w.commit('main', { 'a.txt': '1\n' }, { message: await w.git('log', '-1', '--format=%s', one) });
    await sync(w, number);
    expect((await w.git('log', '--reverse', '--format=%s|%an|%cn', 'main..a')).split('\n')).toEqual([
      `Two|Ada|${w.host.committer}`,
      `Change a|Ada|${w.host.committer}`,
    ]);
    expect(await w.git('merge-base', 'main', 'a')).toBe(await w.git('rev-parse', 'main'));
    expect(await w.git('show', 'a:a.txt')).toBe('2');
    expect((await w.status(number)).head_sha).toBe(await w.git('rev-parse', 'a'));
  });

  it.each([
    ['merging', ''],
    ['rebasing', 'use_rebase: true\n'],
  ])(
    'that conflicts by %s is reported with the paths and pushes nothing, and a later sync replaces the report',
    async (_by, more) => {
      await using w = await world({ configuration: `${parallel()}${more}`, runsCi: false });
      const number = await w.open('a', { 'README.md': 'mine\n' });
      const before = await w.git('rev-parse', 'a');
      await w.commit('main', { 'README.md': 'theirs\n' });
      await sync(w, number);
      expect(await w.git('rev-parse', 'a')).toBe(before);
      const [comment] = await w.comments(number);
      expect(comment?.body).toMatch(/^\*\*Not brought up to date\.\*\*/);
      expect(comment?.body).toContain('- `README.md`');
      expect(await w.events()).toContainEqual(['sync_failed', [number]]);
      await w.commit('a', { 'a.txt': 'a\n' }, { from: 'origin/main' });
      await w.commit('main', { 'other.txt': 'other\n' });
      await sync(w, number);
      expect((await w.comments(number)).map(({ body }) => body)).toEqual([
        expect.stringMatching(/^\*\*Up to date\*\*/),
      ]);
    },
  );

  it.each(among(['', 'use_rebase: true\n'], ['']))(
    'of a pull request in line does not count as a push by a person (more rules: %j)',
    async (more) => {
      await using w = await world({ configuration: `${parallel()}${more}` });
      await w.pause(true);
      const number = await w.open('a', { 'a.txt': 'a\n' });
      await w.queue(number);
      await w.commit('main', { 'other.txt': 'other\n' });
      await sync(w, number);
      expect(['queued', 'tagged']).toContain((await w.status(number)).status);
      expect((await w.status(number)).head_sha).toBe(await w.git('rev-parse', 'a'));
      await w.pause(false);
      await w.settled(number);
      await expectLandedOnce(w, number);
      expect(await syncCount(w, number)).toBe(1);
    },
  );

  it('of a pull request that is being built says in its preview that the build stops', async () => {
    await using w = await world({ configuration: parallel(), runsCi: false });
    await w.commit('a', { 'a.txt': 'a\n' });
    await w.commit('main', { 'other.txt': 'other\n' });
    const number = await w.open('a', { 'more.txt': 'm\n' });
    await w.queue(number);
    await w.until(async () => (await w.status(number)).status === 'tagged');
    const { impacts } = await previewSync(w.ctx, { repository: w.repository, number });
    expect(impacts).toMatchObject([{ baseBranch: 'main', buildsStopped: [[number]] }]);
    expect((await w.status(number)).head_sha).toBe(await w.git('rev-parse', 'a'));
  });

  it('brings the base into a head that was pushed while the sync was made', async () => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const tip = await w.commit('main', { 'other.txt': 'other\n' });
    let pushed = '';
    const stop = onFailpoint('update:before_push', async () => {
      if (pushed === '') pushed = await w.commit('a', { 'late.txt': 'late\n' });
    });
    await sync(w, number);
    stop();
    expect(await parents(w, 'a')).toEqual([pushed, tip]);
  });

  it('rebases a stacked pull request onto the branch below it', async () => {
    await using w = await world({ configuration: `${parallel()}use_rebase: true\n`, runsCi: false });
    await w.open('lower', { 'lower.txt': '1\n' });
    const number = await w.open('upper', { 'upper.txt': 'u\n' }, { from: 'origin/lower', base: 'lower' });
    await w.commit('main', { 'other.txt': 'other\n' });
    await sync(w, 1);
    await w.commit('lower', { 'lower.txt': '2\n' });
    await sync(w, number);
    expect(await w.git('log', '--format=%s', 'lower..upper')).toBe('Change upper');
    expect(await w.git('merge-base', 'lower', 'upper')).toBe(await w.git('rev-parse', 'lower'));
  });

  it('is refused for a pull request that is merged or closed, and moves nothing during its landing', async () => {
    await using w = await world();
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const closed = await w.open('b', { 'b.txt': 'b\n' });
    await w.host.close(closed);
    await w.commit('main', { 'other.txt': 'other\n' });
    await w.queue(number);
    const head = await w.git('rev-parse', 'a');
    let during = '';
    const stop = onFailpoint('landing:after_gate', async () => {
      stop();
      await requestSync(w.ctx, { repository: w.repository, number });
      const [intent] = await w.rows<{ id: string }>("select id from intent where kind = 'sync'");
      await carryOut(w.ctx, intent?.id ?? '');
      during = await w.git('rev-parse', 'a');
    });
    await w.settled(number);
    await expectLandedOnce(w, number);
    await carriedOut(w);
    expect([during, await w.git('rev-parse', 'a')]).toEqual([head, head]);
    for (const each of [number, closed])
      await expect(requestSync(w.ctx, { repository: w.repository, number: each })).rejects.toThrow(
        /only an open one can be synced/,
      );
  });

  it('that is asked for again is tried at once, although the host had asked to wait', async () => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const before = await w.git('rev-parse', 'a');
    const tip = await w.commit('main', { 'other.txt': 'other\n' });
    let asksToWait = true;
    replaceHostMethod(w, 'composeUpdate', (original) => async (...given) => {
      if (asksToWait) throw new HostUnavailable('Not now', { retryAt: Date.now() + 3_600_000 });
      return await original(...given);
    });
    await requestSync(w.ctx, { repository: w.repository, number });
    await w.until(async () => (await w.rows('select 1 from intent where next_try_at > now()')).length > 0);
    asksToWait = false;
    await sync(w, number);
    expect(await parents(w, 'a')).toEqual([before, tip]);
  });

  it('is answered if the code host refuses a read', async () => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.commit('main', { 'other.txt': 'other\n' });
    let isRefused = false;
    replaceHostMethod(w, 'getPullRequest', (original) => async (...given) => {
      if (isRefused) throw new HostRefused('GitHub: The request is not valid.');
      return await original(...given);
    });
    await requestSync(w.ctx, { repository: w.repository, number });
    isRefused = true;
    await carriedOut(w);
    isRefused = false;
    await w.until(async () => (await w.comments(number)).length > 0);
    expect((await w.comments(number)).map(({ body }) => body)).toEqual([
      '**Not brought up to date** with `main`: the code host answered "GitHub: The request is not valid."; ask again.',
    ]);
    expect((await w.events()).map(([action]) => action)).toContain('sync_failed');
  });

  it('is pushed and counted once, even if its worker dies after the push', async () => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const before = await w.git('rev-parse', 'a');
    const tip = await w.commit('main', { 'other.txt': 'other\n' });
    await requestSync(w.ctx, { repository: w.repository, number });
    await dyingAt(w, 'update:after_push', async () => await carriedOut(w));
    expect(await parents(w, 'a')).toEqual([before, tip]);
    expect(await syncCount(w, number)).toBe(1);
  });

  it.each(inFull('update:before_push', 'update:after_push'))('survives a kill at %s', async (failpoint) => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const before = await w.git('rev-parse', 'a');
    const tip = await w.commit('main', { 'other.txt': 'other\n' });
    await requestSync(w.ctx, { repository: w.repository, number });
    await using killed = await startEngine(w.engine, failpoint);
    expect(await killed.ended).toMatch(/SIGKILL|137/);
    await using next = await startEngine(w.engine);
    await w.watch([]);
    await next.kill();
    expect(await parents(w, 'a')).toEqual([before, tip]);
    expect(await syncCount(w, number)).toBe(1);
  });
});

describe('serial mode with use_rebase', () => {
  it('rebases the head and lands what was tested', async () => {
    await using w = await world({ configuration: `${serial()}use_rebase: true\n` });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const tip = await w.commit('main', { 'other.txt': 'other\n' });
    await w.queue(number);
    await w.settled(number);
    await expectLandedOnce(w, number);
    expect(await parents(w, (await w.status(number)).head_sha)).toEqual([tip]);
    expect(await syncCount(w, number)).toBe(1);
  });
});

describe('a refresh', () => {
  it('finds changes that no event reported', async () => {
    await using w = await world({
      configuration: `${parallel()}preconditions:\n  number_of_approvals: 1\n`,
      runsCi: false,
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    expect((await w.status(number)).status).toBe('pending');
    await w.rows(
      'insert into local_review (account_id, repository_id, number, reviewer, verdict, at) values ($1, $2, $3, $4, $5, now())',
      [w.ctx.accountId, w.repositoryId, number, 'grace', 'approved'],
    );
    const answer = await requestRefresh(w.ctx, { repository: w.repository, number });
    expect(answer.message).toContain(`#${number}`);
    await w.until(async () => ['queued', 'tagged'].includes((await w.status(number)).status));
    await carriedOut(w);
  });
});
