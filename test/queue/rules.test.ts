// Rules of a repository besides the order of the line: barriers, time limits, merge windows, bisections.
import { describe, expect, it } from 'vitest';
import { parallel, world, type World } from '../support/world.ts';
import { atRest, expectLandedOnce, judgedByBuildsAlone, line, startCi, statuses, turnsAt } from './stories.ts';
import { minutes, openPullRequests, listBatches, withSlowOwnChecks } from './rules.ts';

async function label(w: World, number: number, name: string): Promise<void> {
  await w.host.label(number, name, true);
  await w.service.drain();
}

const checksThatRun = "select 1 from local_check_run where state <> 'completed'";

/** Reads the labels of pull requests from the host. */
async function labelsOf(w: World, ...numbers: number[]): Promise<readonly string[]> {
  const found = await Promise.all(numbers.map(async (number) => await w.host.pullRequest(number)));
  return found.flatMap((pullRequest) => pullRequest?.labels ?? []);
}

describe('a barrier', () => {
  it('is built alone on those before it, and those behind it are built after it has landed', async () => {
    await using w = await world({
      configuration: parallel({ builds: 5, batch: 2, more: 'block_parallel_builds_label: barrier\n' }),
      runsCi: false,
    });
    const [a = 0, b = 0, c = 0, d = 0] = await openPullRequests(w, 'a', 'b', 'c', 'd');
    await label(w, b, 'barrier');
    await w.queue(a, b, c, d);
    await w.until(async () => (await statuses(w, a, b)).every((status) => status === 'tagged'));
    expect(await listBatches(w)).toEqual([[a], [b]]);
    expect(await statuses(w, c, d)).toEqual(['queued', 'queued']);
    await using _ = await startCi(w);
    await w.settled(a, b, c, d);
    await expectLandedOnce(w, a, b, c, d);
    expect(await line(w)).toEqual(['Add a (#1)', 'Add b (#2)', 'Land #3 and #4']);
    expect(await listBatches(w)).toEqual([[a], [b], [c, d]]);
  });
});

describe('a pull request whose build is green while its own checks run', () => {
  it('is stuck at once with a limit of zero: it is announced, blocked with 112, and may be queued again', async () => {
    await using slow = await withSlowOwnChecks(parallel({ more: 'stuck_pr_timeout_mins: 0\nstuck_pr_label: slow\n' }), [
      'a',
    ]);
    const { w, numbers } = slow;
    await w.queue(...numbers);
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 112']);
    const actions = (await w.events()).map(([action]) => action);
    expect(actions.indexOf('blocked')).toBe(actions.indexOf('stuck') + 1);
    await w.until(async () => (await labelsOf(w, ...numbers)).includes('slow'));
    // The evidence of the first build is used again, and the own checks still run.
    await w.queue(...numbers);
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 112']);
    await slow.release();
    await w.until(async () => (await w.rows(checksThatRun)).length === 0);
    await w.queue(...numbers);
    await w.settled(...numbers);
    await expectLandedOnce(w, ...numbers);
    expect(await labelsOf(w, ...numbers)).not.toContain('slow');
  });
});

describe('a build without any started check', () => {
  it('is awaited until the time limit, then the host is asked again, and then the pull request is blocked with 111', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 1, more: 'draft_checks_started_timeout_mins: 5\n' })}${judgedByBuildsAlone}`,
      runsCi: false,
    });
    const [a = 0, b = 0] = await openPullRequests(w, 'a', 'b');
    await w.commit('main', { 'other.txt': 'o\n' });
    await w.queue(a, b);
    await w.until(async () => (await w.rows('select 1 from batch where build_started_at is not null')).length > 0);
    // CI has lost the checks that it should run.
    for (const table of ['check_result', 'local_check_run'])
      await w.rows(`delete from ${table} where commit in (select tested_commit from batch)`);
    await w.rows(
      'update build set complete = false, finished_at = null where commit in (select tested_commit from batch)',
    );
    await turnsAt(w, minutes(4));
    expect(await statuses(w, a, b)).toEqual(['tagged', 'queued']);
    expect(await w.rows("select 1 from intent where kind = 'read_checks'")).toEqual([]);
    // The host was asked once already and refused, which is no answer.
    await w.rows(
      `insert into intent (account_id, queue_id, kind, key, payload, state, planned_at, concluded_at)
       select account_id, queue_id, 'read_checks', tested_commit, '{}', 'failed', now(), $1 from batch`,
      [minutes(6).toISOString()],
    );
    await turnsAt(w, minutes(6));
    expect(await statuses(w, a, b)).toEqual(['blocked 111', 'tagged']);
    expect((await w.status(a)).status_text).toBe('CI started no check within 5 min.');
    expect(await w.rows("select 1 from intent where kind = 'read_checks' and state = 'done'")).toHaveLength(1);
  });
});

describe('merge windows', () => {
  it('do not use up the time limit of CI for a build that starts later', async () => {
    let aheadMs = 0;
    await using w = await world({ clock: () => new Date(Date.now() + aheadMs) });
    const limited = (more: string): string =>
      `${parallel({ more })}ci_timeout_mins: 1\nmerge_windows:\n  - {cron_start: "0 0 1 1 *", cron_end: "1 0 1 1 *", timezone: UTC}\n`;
    await w.configure(limited(''));
    const [a = 0] = await openPullRequests(w, 'a');
    await w.until(async () => (await w.rows('select 1 from build where finished_at is null')).length === 0);
    await w.queue(a);
    await w.until(async () => (await w.rows('select 1 from batch where build_started_at is not null')).length === 1);
    expect(await statuses(w, a)).toEqual(['queued']);
    aheadMs = 2 * 60_000;
    await w.configure(limited('skip_draft_when_up_to_date: false\n'));
    await w.until(async () => (await statuses(w, a))[0] !== 'queued');
    expect(await statuses(w, a)).toEqual(['tagged']);
  });

  it('do not use up the time limit of CI for a check that runs again meanwhile', async () => {
    let aheadMs = 0;
    await using w = await world({ clock: () => new Date(Date.now() + aheadMs) });
    await w.configure(
      `${parallel({ more: 'skip_draft_when_up_to_date: false\n' })}ci_timeout_mins: 5\nmerge_windows:\n  - {cron_start: "0 0 1 1 *", cron_end: "1 0 1 1 *", timezone: UTC}\n`,
    );
    const [a = 0] = await openPullRequests(w, 'a');
    await w.queue(a);
    const green = 'select 1 from batch b join build u on u.commit = b.tested_commit and u.finished_at is not null';
    await w.until(async () => (await w.rows(green)).length === 1);
    aheadMs = 60 * 60_000;
    const checks = async (): Promise<unknown> =>
      await w.rows(
        `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, heard_at)
         select r.account_id, r.repository_id, r.commit, r.name, 2, 'pending', $1 from check_result r
         join batch b on b.tested_commit = r.commit`,
        [new Date(Date.now() + aheadMs)],
      );
    await checks();
    await turnsAt(w, new Date(Date.now() + aheadMs + 4 * 60_000));
    expect(await statuses(w, a)).toEqual(['tagged']);
    await turnsAt(w, new Date(Date.now() + aheadMs + 6 * 60_000));
    expect(await statuses(w, a)).toEqual(['blocked 111']);
  });

  it('delay landings, not builds, until they open', async () => {
    const opensAt = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 3_600_000);
    const hour = opensAt.getUTCHours();
    const window = `{cron_start: "0 ${hour} * * *", cron_end: "30 ${hour} * * *", timezone: UTC}`;
    await using w = await world({ configuration: `${parallel({ builds: 2 })}merge_windows: [${window}]\n` });
    const numbers = await openPullRequests(w, 'a', 'b');
    await w.commit('main', { 'other.txt': 'o\n' });
    await w.queue(...numbers);
    await w.until(async () => {
      const green = await w.rows(
        'select 1 from batch b join build u on u.commit = b.tested_commit and u.finished_at is not null',
      );
      return green.length === 2;
    });
    await turnsAt(w, new Date(opensAt.getTime() - 1000));
    expect(await line(w)).toEqual(['Change main']);
    expect(await w.rows("select 1 from intent where kind = 'land'")).toEqual([]);
    expect(await w.rows('select next_look_at from queue')).toEqual([{ next_look_at: opensAt }]);
    await turnsAt(w, opensAt);
    await turnsAt(w, opensAt);
    expect(await line(w)).toEqual(['Change main', 'Add a (#1)', 'Add b (#2)']);
    expect(await statuses(w, ...numbers)).toEqual(['merged', 'merged']);
  });
});

describe('a failed batch', () => {
  it('is bisected at most max_bisection_attempts times: the rest is blocked, the event says so, and the others land', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 4, batch: 4, more: 'max_bisection_attempts: 1\n' })}${judgedByBuildsAlone}`,
    });
    const numbers: number[] = [];
    for (const name of ['a', 'bad', 'c', 'd']) numbers.push(await w.open(name, { [name]: `${name}\n` }));
    await w.queue(...numbers);
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 107', 'blocked 107', 'merged', 'merged']);
    expect((await w.status(1)).status_text).toBe(
      'A required check failed: test. It was tested together with #2. It is not known which pull request is at fault.',
    );
    await atRest(w);
    expect(await line(w)).toEqual(['Land #3 and #4']);
    const ended = await w.rows<{ action: string; payload: { message?: string } }>(
      "select action, payload from event where action in ('batch_bisected', 'batch_failed') order by id",
    );
    expect(ended.map(({ action, payload }) => [action, payload.message])).toEqual([
      ['batch_bisected', 'A required check failed: test.'],
      ['batch_failed', 'A required check failed: test.'],
    ]);
  });
});

describe('a required check that never runs', () => {
  it('is reported as a check that did not run', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'override_required_checks: [ghost]\n' })}${judgedByBuildsAlone}`,
    });
    const [number = 0] = await openPullRequests(w, 'a');
    await w.queue(number);
    await w.settled(number);
    expect(await w.status(number)).toMatchObject({
      status_code: 107,
      status_text: 'A required check did not run: ghost.',
    });
  });
});
