// Red builds, slow builds and time limits: which pull requests land, which are tried again, and which are blocked.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cleanUp } from '../../src/modules/queue/builds/batch.clean-up.ts';
import { renewHeadBuild } from '../../src/modules/queue/builds/head-build.ts';
import { retryBuild } from '../../src/modules/queue/requests/resetting.service.ts';
import { loadBatch } from '../../src/modules/queue/store/batch.rows.ts';
import { gate } from '../support/gate.ts';
import { parallel, serial, world, type World } from '../support/world.ts';
import { expectLandedOnce, judgedByBuildsAlone, line, resets, startCi, statuses, turnsAt } from './stories.ts';
import { builtTogether } from './failures.ts';

/** A pull request in serial mode whose build, the check of its head, runs until `waits` ends. */
async function buildingInSerialMode(waits: string) {
  const w = await world({
    configuration: serial(),
    // The check of the head that was brought up to date is the build.
    ci: `checks:\n  test: {run: 'test ! -e other || ${waits}'}\n`,
  });
  const number = await w.open('topic', { topic: '1\n' });
  await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
  await w.commit('main', { other: '1\n' });
  await w.queue(number);
  const conclusions = async (): Promise<(string | null)[]> =>
    (
      await w.rows<{ conclusion: string | null }>(
        `select coalesce(conclusion, state) as conclusion from local_check_run
         where commit = (select tested_commit from batch where tested_commit is not null order by id limit 1) order by id`,
      )
    ).map(({ conclusion }) => conclusion);
  const isRunning = (expected: readonly string[]) => async (): Promise<boolean> =>
    isDeepStrictEqual(await conclusions(), expected);
  await w.until(isRunning(['running']));
  return { w, number, isRunning };
}

describe('a red build', () => {
  it('is passed by the green build on top of it, and both pull requests land as one commit', async () => {
    const { w, numbers } = await builtTogether(['broken', 'repair']);
    await using _ = w;
    await using _ci = await startCi(w);
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect(await line(w)).toEqual(['Land #1 and #2']);
    expect((await w.batches()).map((batch) => batch.cause)).toEqual(['new', 'new', 'optimistic']);
    const [proof] = await w.rows<{ body: { grade: string } }>('select body from proof');
    expect(proof?.body.grade).toBe('same_tree');
  });

  it('is passed by a green build whose other checks go on, because its evidence must last until the landing', async () => {
    await using held = await gate();
    const required = 'preconditions:\n  use_github_mergeability: false\n  required_checks: [test]\n';
    await using w = await world({
      configuration: `${parallel({ builds: 2 })}${required}`,
      ci: `checks:\n  test: {run: 'test ! -e broken || test -e repair'}\n  docs: {run: 'test ! -e repair || ${held.waits}'}\n`,
      runsCi: false,
    });
    const numbers = [await w.open('broken', { broken: '1\n' }), await w.open('repair', { repair: '1\n' })];
    await w.queue(...numbers);
    await w.until(async () => (await statuses(w, ...numbers)).every((status) => status === 'tagged'));
    await using _ci = await startCi(w);
    await w.settled(...numbers);
    await w.until(async () => (await w.rows('select 1 from batch where cleaned_up_at is null')).length === 0);
    await held.open();
    const isOver = async (): Promise<boolean> =>
      (await w.rows("select 1 from local_check_run where state <> 'completed'")).length === 0;
    await w.until(isOver);
    expect(
      await w.rows(
        `select c.conclusion from local_check_run c join batch b on b.commit = c.commit
         where c.name = 'docs' and b.state <> 'landed' order by b.id desc limit 1`,
      ),
    ).toEqual([{ conclusion: 'success' }]);
  });

  it('is not passed if the failure depth is one: its pull request is blocked, and the others land without it', async () => {
    const { w, numbers } = await builtTogether(['broken', 'other', 'repair']);
    await using _ = w;
    await using _ci = await startCi(w);
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 107', 'merged', 'merged']);
    expect(await line(w)).toEqual(['Add other (#2)', 'Add repair (#3)']);
    expect(await resets(w)).toEqual([[301, 1, 2]]);
  });

  it('of a pull request with green own checks is tried again as often as max_requeue_attempts says', async () => {
    const flags = await mkdtemp(join(tmpdir(), 'interlock-flags-'));
    try {
      await chmod(flags, 0o777);
      // CI is red once for the two files together, and green afterwards.
      const flag = join(flags, 'seen');
      await using w = await world({
        configuration: parallel({ builds: 1, more: 'max_requeue_attempts: 1\n' }),
        ci: `checks:\n  test:\n    run: 'test ! -e x || test ! -e y || test -e ${flag} || { touch ${flag}; false; }'\n`,
      });
      const number = await w.open('x', { x: 'x\n' });
      await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
      await w.commit('main', { y: 'y\n' });
      await w.queue(number);
      await w.settled(number);
      await expectLandedOnce(w, number);
      expect(await resets(w)).toEqual([[301, number, 1]]);
      expect((await w.batches()).map(({ cause, state }) => [cause, state])).toEqual([
        ['new', 'failed'],
        ['retry', 'landed'],
      ]);
    } finally {
      await rm(flags, { recursive: true });
    }
  });

  it('blocks its pull request although another check of it was canceled first', async () => {
    await using held = await gate();
    await using w = await world({
      configuration: `${parallel({ builds: 1 })}${judgedByBuildsAlone}`,
      ci: `checks:\n  slow: {run: 'test ! -e other || sleep 600'}\n  test: {run: 'test ! -e other && exit; ${held.waits}; exit 1'}\n`,
    });
    const number = await w.open('topic', { topic: '1\n' });
    // The checks of the head itself do not wait.
    await w.commit('main', { other: '1\n' });
    await w.queue(number);
    const ofBuild = "c.commit in (select tested_commit from batch) and c.state = 'running'";
    await w.until(async () => (await w.rows(`select 1 from local_check_run c where ${ofBuild}`)).length === 2);
    await w.rows(`update local_check_run c set cancel_requested = true where ${ofBuild} and c.name = 'slow'`);
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'cancelled'")).length === 1);
    await held.open();
    await w.until(async () => !/queued|tagged/.test((await w.status(number)).status));
    expect(await statuses(w, number)).toEqual(['blocked 107']);
    expect(await resets(w)).toEqual([]);
  });

  it('is repeated if CI cancels it once, although the service stopped an earlier build of the same content', async () => {
    await using held = await gate();
    await using w = await world({
      configuration: `${parallel({ builds: 1 })}${judgedByBuildsAlone}`,
      ci: `checks:\n  test: {run: 'test ! -e other || ${held.waits}'}\n`,
    });
    const number = await w.open('topic', { topic: '1\n' });
    await w.commit('main', { other: '1\n' });
    await w.queue(number);
    const running = (batches: number) => async (): Promise<boolean> =>
      (await w.batches()).length === batches &&
      (await w.rows(`select 1 from local_check_run c where ${ofBuild}`)).length === 1;
    const ofBuild = "c.commit = (select tested_commit from batch order by id desc limit 1) and c.state = 'running'";
    await w.until(running(1));
    await retryBuild(w.ctx, { repository: w.repository, number });
    await w.until(running(2));
    await w.rows(`update local_check_run c set cancel_requested = true where ${ofBuild}`);
    await w.until(async () => (await w.batches()).length === 3 || (await statuses(w, number))[0] === 'blocked 107');
    await held.open();
    await w.settled(number);
    expect(await statuses(w, number)).toEqual(['merged']);
  });

  it('that hangs in serial mode runs again when a user builds it again', async () => {
    await using held = await gate();
    const { w, number, isRunning } = await buildingInSerialMode(held.waits);
    await using _ = w;
    await retryBuild(w.ctx, { repository: w.repository, number });
    await w.until(isRunning(['cancelled', 'running']));
    // The second request does not count as a build that CI canceled again.
    await retryBuild(w.ctx, { repository: w.repository, number });
    await w.until(isRunning(['cancelled', 'cancelled', 'running']));
    await held.open();
    await w.settled(number);
    await expectLandedOnce(w, number);
  });

  it('in serial mode is repeated if CI cancels it once after a user built it again, and blocks if CI does so twice', async () => {
    await using held = await gate();
    const { w, number, isRunning } = await buildingInSerialMode(held.waits);
    await using _ = w;
    // From the next attempt on, a cancellation counts as one by CI.
    const isCounted = async (): Promise<boolean> => (await w.rows('select 1 from build where stopped')).length === 0;
    const cancelByCi = async (): Promise<unknown> =>
      await w.rows("update local_check_run set cancel_requested = true where state = 'running'");
    const isBlocked = async (): Promise<boolean> => (await statuses(w, number))[0] === 'blocked 107';
    await retryBuild(w.ctx, { repository: w.repository, number });
    await w.until(async () => (await isRunning(['cancelled', 'running'])()) && (await isCounted()));
    await cancelByCi();
    const isRepeated = isRunning(['cancelled', 'cancelled', 'running']);
    await w.until(async () => (await isRepeated()) || (await isBlocked()));
    expect(await statuses(w, number)).not.toEqual(['blocked 107']);
    await cancelByCi();
    await w.until(isBlocked);
  });

  it('in serial mode is not stopped again by the clean-up of a build that a user reset, nor by a repeated step', async () => {
    await using held = await gate();
    const { w, number, isRunning } = await buildingInSerialMode(held.waits);
    await using _ = w;
    await retryBuild(w.ctx, { repository: w.repository, number });
    await w.until(isRunning(['cancelled', 'running']));
    const [reset, next] = await w.rows<{ id: string }>(
      `select b.id::text from batch b where b.id >= (select r.id from batch r where r.reset_code = 300) order by b.id limit 2`,
    );
    await cleanUp(w.ctx, await loadBatch(w.ctx, reset?.id ?? ''));
    await renewHeadBuild(w.ctx, await loadBatch(w.ctx, next?.id ?? ''));
    expect(await w.rows('select 1 from local_check_run where cancel_requested and conclusion is null')).toEqual([]);
    expect(await isRunning(['cancelled', 'running'])()).toBe(true);
    await held.open();
    await w.settled(number);
    await expectLandedOnce(w, number);
  });

  it('blocks its pull request with 107 when the attempts are used up', async () => {
    await using w = await world({
      configuration: parallel({ builds: 1, more: 'max_requeue_attempts: 1\n' }),
      ci: "checks:\n  test:\n    run: 'test ! -e x || test ! -e y'\n",
    });
    const number = await w.open('x', { x: 'x\n' });
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
    await w.commit('main', { y: 'y\n' });
    await w.queue(number);
    await w.settled(number);
    expect(await statuses(w, number)).toEqual(['blocked 107']);
    expect((await w.batches()).map((batch) => batch.state)).toEqual(['failed', 'failed']);
    expect((await w.events()).filter(([action]) => action === 'batch_failed')).toHaveLength(2);
  });
});

describe('a red own check', () => {
  it('keeps its pull request from landing by a green build, although another check of the head was canceled', async () => {
    await using held = await gate();
    const required = 'preconditions:\n  use_github_mergeability: false\n  required_checks: [test]\n';
    await using w = await world({
      configuration: `${parallel({ builds: 1 })}${required}`,
      // On the head, `slow` is canceled and `test` fails. On the build, both pass.
      ci: `checks:\n  slow: {run: 'test -e other || sleep 600'}\n  test: {run: 'test -e other || { ${held.waits}; exit 1; }'}\n`,
    });
    const number = await w.open('topic', { topic: '1\n' });
    const isRunning = "c.state = 'running' and c.commit in (select head_sha from pull_request)";
    await w.until(async () => (await w.rows(`select 1 from local_check_run c where ${isRunning}`)).length === 2);
    await w.rows(`update local_check_run c set cancel_requested = true where ${isRunning} and c.name = 'slow'`);
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'cancelled'")).length === 1);
    await held.open();
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'failure'")).length === 1);
    await w.commit('main', { other: '1\n' });
    await w.queue(number);
    await w.until(async () => !/queued|tagged/.test((await w.status(number)).status));
    expect(await statuses(w, number)).toEqual(['blocked 107']);
  });
});

describe('a time limit', () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const isBuilding = async (w: World) => (await w.rows('select 1 from bot_pull_request')).length > 0;

  it('for CI blocks a pull request with 111, and the next one is built without it', async () => {
    await using w = await world({ configuration: `${parallel({ builds: 1 })}ci_timeout_mins: 5\n`, runsCi: false });
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.commit('main', { 'other.txt': 'o\n' });
    await w.queue(...numbers);
    await w.until(() => isBuilding(w));
    await turnsAt(w, minutes(4));
    expect(await statuses(w, ...numbers)).toEqual(['tagged', 'queued']);
    await turnsAt(w, minutes(6));
    expect(await statuses(w, ...numbers)).toEqual(['blocked 111', 'tagged']);
    expect((await w.events()).map(([action]) => action)).toContain('batch_failed');
  });

  it('for filling a batch delays the build until the batch is full', async () => {
    await using w = await world({
      configuration: parallel({ builds: 2, batch: 2, more: 'batch_max_wait_minutes: 10\n' }),
    });
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(1);
    await turnsAt(w, minutes(9));
    expect(await w.batches()).toEqual([]);
    expect(await w.rows('select 1 from queue where next_look_at > now()')).toHaveLength(1);
    await w.queue(2);
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect(await line(w)).toEqual(['Land #1 and #2']);
  });
});
