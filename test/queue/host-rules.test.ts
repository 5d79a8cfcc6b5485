// Peculiarities of other code hosts: rules for a base branch, pull requests that are shown with an old head, reports of
// checks that become complete after a wait, and commits that are gone.
import { describe, expect, it } from 'vitest';
import { CommitMissing, HostUnavailable, type BaseRules } from '../../src/hosts/port.ts';
import type { Condition } from '../../src/domain/queue/explain/condition.ts';
import { replaceConfiguration } from '../../src/modules/repositories/index.ts';
import { explainWorld } from '../support/explanation-log.ts';
import { gate } from '../support/gate.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { configurationYaml, parallel, serial, world, type World } from '../support/world.ts';

/** Sets the rules of main. The service is notified as by a push. */
async function demand(w: World, rules: Partial<BaseRules>): Promise<void> {
  replaceHostMethod(w, 'readBaseRules', (original) => async (...of) => ({ ...(await original(...of)), ...rules }));
  const repository = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository };
  w.service.localHost.installation.emit({ kind: 'push', repository, ref: 'refs/heads/main' });
  await w.service.drain();
}

const sentences = async (w: World, number: number): Promise<string[]> => {
  const answer = (await explainWorld(w, null)).find((each) => each.number === number);
  const all = (conditions: readonly Condition[]): string[] =>
    conditions.flatMap(({ sentence, conditions: parts }) => [sentence, ...all(parts)]);
  return [answer?.sentence ?? '', ...all(answer?.conditions ?? [])];
};

describe('the rules of the host for a base branch', () => {
  it('that refuse every landing are explained before a landing is tried, and no pull request is blocked', async () => {
    await using build = await gate();
    await using w = await world({ ci: `checks:\n  test:\n    run: '${build.waits}'\n`, configuration: parallel() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const why = 'The ruleset main requires a pull request. Add Interlock to its bypass list, mode always.';
    await demand(w, { push: 'refused', why });
    await w.queue(number);
    await w.until(async () => (await sentences(w, number)).some((sentence) => sentence.includes(why)));
    expect(await w.status(number)).toMatchObject({ status: 'queued' });
    expect(await w.batches()).toEqual([]);
    await demand(w, { push: 'free', why });
    await w.until(async () => (await w.batches()).length > 0);
    expect(await sentences(w, number)).toContain(why);
    await build.open();
    await w.settled(number);
    expect(await w.status(number)).toMatchObject({ status: 'merged' });
  });

  it('that require checks of each commit make the queue build the commit itself, although its tree is green', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
    const number = await w.open('feature', { 'feature.txt': 'new\n' });
    await demand(w, { push: 'checked' });
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
    await w.queue(number);
    await w.settled(number);
    const { merge_commit_sha } = await w.status(number);
    const [proof] = await w.rows<{ body: unknown }>('select body from proof');
    expect(proof?.body).toMatchObject({ grade: 'exact', evidence: [{ commit: merge_commit_sha }] });
    await w.configure(serial());
    const next = await w.open('next', { 'next.txt': 'new\n' });
    await w.until(async () => (await w.rows('select 1 from build where finished_at is not null')).length > 2);
    await w.queue(next);
    await w.until(async () =>
      (await sentences(w, next)).some((message) => message.includes('lands commits that CI never saw')),
    );
  });

  it('that require a check apply even if the configuration does not name it: no landing of a red commit is tried', async () => {
    const ci = "checks:\n  test:\n    run: 'true'\n  build:\n    run: 'test ! -e broken'\n";
    const named = 'preconditions:\n  use_github_mergeability: false\n  required_checks: [test]\n';
    await using w = await world({ ci, configuration: parallel({ builds: 2, batch: 1 }) + named });
    const [red, green] = [await w.open('red', { broken: '1\n' }), await w.open('green', { 'a.txt': 'a\n' })];
    await demand(w, { push: 'checked', enforcedChecks: ['build'] });
    await w.queue(red, green);
    await w.settled(red, green);
    expect(await w.status(green)).toMatchObject({ status: 'merged' });
    expect(await w.status(red)).toMatchObject({ status: 'blocked', status_code: 107 });
    expect(
      await w.rows(
        "select number from intent i join batch b on b.id = i.batch_id join batch_member m on m.batch_id = b.id join pull_request p on p.id = m.pull_request_id where i.kind = 'land'",
      ),
    ).toEqual([{ number: green }]);
  });

  it('that forbid merge commits refuse a configuration that makes merge commits', async () => {
    await using w = await world({
      configuration: parallel({ more: '' }) + 'merge_strategy:\n  batch_commit: linear\n',
    });
    await w.open('a', { 'a.txt': 'a\n' });
    await demand(w, { linear: true });
    const save = async (strategy: string): Promise<string> => {
      const yaml = configurationYaml(`${parallel()}merge_strategy:\n  ${strategy}\n`);
      const outcome = await replaceConfiguration(w.ctx, { repository: w.repository, yaml });
      return outcome.kind === 'accepted' ? 'accepted' : outcome.problems.map(({ reason }) => reason).join();
    };
    expect(await save('name: merge')).toBe(
      'the code host takes no merge commits on main, and merge_strategy.name is merge: set merge_strategy.name to squash or rebase, or remove the rule',
    );
    expect(await save('name: rebase')).toMatch(
      /^the code host takes no merge commits on main, and merge_strategy\.batch_commit/,
    );
    expect(await save('name: rebase\n  batch_commit: linear')).toBe('accepted');
  });
});

describe('a host whose answers are late or missing', () => {
  it('and that shows an old head keeps the pull request out of the line until it shows the new head', async () => {
    await using w = await world();
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const { head_sha: old } = await w.status(number);
    let isLate = true;
    replaceHostMethod(w, 'getPullRequest', (original) => async (...of) => {
      const seen = await original(...of);
      return seen && isLate ? { ...seen, headSha: old } : seen;
    });
    const tip = await w.commit('a', { 'a.txt': 'b\n' });
    await w.queue(number);
    await w.until(async () => (await w.status(number)).status === 'pending');
    expect(await w.status(number)).toMatchObject({
      head_sha: tip,
      status_text: 'The code host still shows an older head than the tip of its branch.',
    });
    expect(await w.rows('select status_actor from pull_request where number = $1', [number])).toEqual([
      { status_actor: 'queue' },
    ]);
    // No event reports that the host shows the new head now.
    isLate = false;
    await w.settled(number);
    expect(await w.git('show', 'main:a.txt')).toBe('b');
  });

  it('and that has lost a commit supersedes its batch (309), and its pull requests are built again', async () => {
    await using w = await world({ configuration: parallel() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    let isGone = true;
    replaceHostMethod(w, 'updateRefs', (original) => async (repository, updates) => {
      const base = updates.find(({ ref }) => ref === 'refs/heads/main');
      if (isGone && base) {
        isGone = false;
        throw new CommitMissing(base.to ?? '');
      }
      await original(repository, updates);
    });
    await w.queue(number);
    await w.settled(number);
    expect(await w.status(number)).toMatchObject({ status: 'merged' });
    expect(await w.rows('select state, reset_code from batch order by id')).toEqual([
      { state: 'superseded', reset_code: 309 },
      { state: 'landed', reset_code: null },
    ]);
  });

  it('and that asks to wait at a landing is called again at the given time, and explanations say so', async () => {
    await using w = await world({ configuration: parallel() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const calls: number[] = [];
    // A call that comes before the test has seen the wait is asked to wait again, so that a slow machine cannot miss it.
    const given: number[] = [];
    let isSeen = false;
    replaceHostMethod(w, 'updateRefs', (original) => async (repository, updates) => {
      if (!updates.some(({ ref }) => ref === 'refs/heads/main')) return await original(repository, updates);
      calls.push(Date.now());
      if (isSeen) return await original(repository, updates);
      const retryAt = Date.now() + 1_000;
      given.push(retryAt);
      throw new HostUnavailable('Too many requests.', { retryAt });
    });
    await w.queue(number);
    await w.until(async () =>
      (await sentences(w, number)).some((message) => message.includes('has asked to wait until')),
    );
    isSeen = true;
    await w.settled(number);
    expect(await w.status(number)).toMatchObject({ status: 'merged' });
    expect(calls).toHaveLength(given.length + 1);
    for (const [at, retryAt] of given.entries()) expect(calls[at + 1]).toBeGreaterThanOrEqual(retryAt);
    expect(await w.rows('select 1 from queue where halted_reason is not null')).toEqual([]);
  });

  it('and whose report becomes complete after a wait is read again at that time, without an event', async () => {
    await using w = await world({ configuration: parallel() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.commit('main', { 'other.txt': 'other\n' });
    const settlesAt = new Map<string, number>();
    // Each read moves the end of the wait until the test has seen the wait, so that a slow machine cannot miss it.
    let isSeen = false;
    replaceHostMethod(w, 'readChecks', (original) => async (repository, commit, wanted) => {
      const report = await original(repository, commit, wanted);
      if (!report.complete || report.checks.some(({ conclusion }) => conclusion === 'pending')) return report;
      const at = (isSeen ? settlesAt.get(commit) : undefined) ?? Date.now() + 1_500;
      settlesAt.set(commit, at);
      const isComplete = Date.now() >= at;
      const checks = report.checks.map((check) => ({ ...check, event: 'push' }));
      return { ...report, checks, complete: isComplete, settlesAt: isComplete ? null : at };
    });
    await w.queue(number);
    await w.until(async () => (await w.rows('select 1 from host_hint where due_at > now()')).length > 0);
    isSeen = true;
    await w.settled(number);
    expect(await w.status(number)).toMatchObject({ status: 'merged' });
    const [proof] = await w.rows<{ body: unknown }>('select body from proof');
    expect(proof?.body).toMatchObject({ evidence: [{ checks: [{ name: 'test', event: 'push' }] }] });
  });
});
