// The ways of merging: Interlock moves the refs, the host merges, or a pull request lands untested. Meanwhile workers
// hang or die, and users push.
import { describe, expect, it, vi } from 'vitest';
import type { LocalHost } from '../../src/hosts/local/index.ts';
import { carryOut, openPullRequest } from '../../src/modules/queue/index.ts';
import { findUnknownLandings } from '../../src/modules/queue/facts/unknown-landings.ts';
import { replaceConfiguration } from '../../src/modules/repositories/index.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { isAtGitHub } from '../support/world-host.ts';
import { parallel, world, type World } from '../support/world.ts';
import {
  dyingAt,
  expectLandedOnce,
  expectVerified,
  hostOf,
  line,
  meanwhile,
  retarget,
  setLabel,
  statuses,
} from './stories.ts';
import { hangAt, startedLanding, hostMerges, mergedEvents, countBots, greenHeads } from './merging.ts';
import { among, cases } from '../support/tier.ts';

describe("the host's own merge", () => {
  it.each(
    cases<readonly [string, readonly string[]]>({
      standard: [['rebase', ['Change a', 'Change a', 'Change b']]],
      full: [
        ['squash', ['Add a (#1)', 'Add b (#2)']],
        ['merge', ['Add a (#1)', 'Add b (#2)']],
      ],
    }),
  )(
    'by %s makes the commits, their trees are those that were tested, and later builds stay valid',
    async (strategy, subjects) => {
      await using w = await world({ configuration: `${hostMerges()}merge_strategy:\n  name: ${strategy}\n` });
      await w.commit('a', { 'a.txt': 'a\n' });
      const a = await w.open('a', { 'more.txt': 'more\n' });
      const b = await w.open('b', { 'b.txt': 'b\n' });
      await w.commit('main', { 'other.txt': 'other\n' });
      await w.queue(a, b);
      await w.settled(a, b);
      await expectLandedOnce(w, a, b);
      expect((await line(w)).slice(1)).toEqual(subjects);
      expect((await w.batches()).map(({ state }) => state)).toEqual(['landed', 'landed']);
      const rows = await w.rows<{ commit: string; tree: string }>(
        'select l.commit, b.tree from landing l join batch b on b.id = l.batch_id order by l.id',
      );
      expect(rows).toHaveLength(2);
      for (const { commit, tree } of rows) expect(await w.git('rev-parse', `${commit}^{tree}`)).toBe(tree);
      await expectVerified(w, { host_merged: 2, external: 1 });
    },
  );

  it.each(among(['landing:before_merge', 'landing:after_merge', 'landing:after_host'], ['landing:after_merge']))(
    'is done once, even if its worker dies at %s',
    async (failpoint) => {
      await using w = await world({ configuration: hostMerges() });
      const number = await w.open('a', { 'a.txt': 'a\n' });
      await w.queue(number);
      await dyingAt(w, failpoint, () => w.settled(number));
      await expectLandedOnce(w, number);
      expect(await line(w)).toEqual(['Add a (#1)']);
      await expectVerified(w, { host_merged: 1 });
    },
  );

  it('halts the queue with the reason, if the base moved between the check of the base and the merge', async () => {
    await using w = await world({ configuration: hostMerges() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    const halted = () =>
      w.until(async () => (await w.rows('select 1 from queue where halted_reason is not null')).length > 0);
    await meanwhile(
      'landing:before_merge',
      async () => void (await w.commit('main', { 'outside.txt': 'o\n' })),
      halted,
    );
    const [queue] = await w.rows<{ halted_reason: string }>('select halted_reason from queue');
    expect(queue?.halted_reason).toMatch(/^The host merged #1 as [0-9a-f]{40}, with 1 other commits before it/);
    expect(await w.rows('select 1 from landing')).toEqual([]);
    // The host has merged the pull request, so its status is merged, but it did not land through the queue.
    await w.until(async () => (await w.status(number)).status === 'merged');
    await expectVerified(w, { external: 2 });
  });

  it('is refused if the head was pushed after the gate, and nothing lands untested', async () => {
    await using w = await world({ configuration: hostMerges() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    await meanwhile(
      'landing:before_merge',
      async () => void (await w.commit('a', { 'late.txt': 'late\n' })),
      () => w.settled(number),
    );
    expect(await w.status(number)).toMatchObject({ status: 'blocked', status_code: 116 });
    expect(await line(w)).toEqual([]);
  });

  it('lands once if the host shows the merge late', async () => {
    await using w = await world({ configuration: hostMerges() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    let before: Awaited<ReturnType<LocalHost['getPullRequest']>> = null;
    replaceHostMethod(w, 'mergePullRequest', (original) => async (...of) => {
      before = await w.service.localHost.getPullRequest(hostOf(w), number);
      return await original(...of);
    });
    let looks = 0;
    replaceHostMethod(w, 'getPullRequest', (original) => async (...of) => {
      if (before === null || looks === 2) return await original(...of);
      looks += 1;
      // As if there had been many attempts before this one.
      await w.rows("update intent set attempt = 30 where kind = 'land' and state = 'started'");
      return before;
    });
    await w.queue(number);
    await w.settled(number);
    await expectLandedOnce(w, number);
    expect(await line(w)).toEqual([`Add a (#${number})`]);
    await expectVerified(w, { host_merged: 1 });
    expect((await w.events()).map(([action]) => action)).not.toContain('queue_halted');
  });

  it('of a pull request that was merged before its batch was made gives the landing up, and does not halt the queue', async () => {
    await using w = await world({ configuration: hostMerges() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.pause(true);
    await w.queue(number);
    const commit = await w.commit('main', { 'a.txt': 'a\n' }, { message: `Add a (#${number})` });
    await w.pause(false);
    // The host shows this merge only after the batch was made, and nobody reports it.
    const showMerge = async (): Promise<void> => {
      await w.rows(
        "update local_pull_request set state = 'merged', merged_at = now(), merge_commit_sha = $2 where number = $1",
        [number, commit],
      );
    };
    await meanwhile('landing:before_gate', showMerge, () => w.settled(number));
    await expectLandedOnce(w, number);
    expect(await w.rows("select outcome ->> 'reason' as reason from intent where kind = 'land'")).toEqual([
      { reason: 'base moved' },
    ]);
    expect(await line(w)).toEqual([`Add a (#${number})`]);
  });

  it('that was given up while it hung halts the queue if the host carries it out later and cannot refuse it', async () => {
    await using w = await world({ configuration: hostMerges() });
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const mergePullRequest = host.mergePullRequest.bind(host);
    host.mergePullRequest = async (repository, merged, merge) =>
      await mergePullRequest(repository, merged, { ...merge, unlessRef: null });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    const zombie = hangAt('landing:before_merge');
    const halted = w.until(
      async () => (await w.rows('select 1 from queue where halted_reason is not null')).length > 0,
    );
    await vi.waitFor(() => expect(zombie.isHanging()).toBe(true), { timeout: 60_000 });
    await w.commit('main', { 'outside.txt': 'outside\n' });
    await carryOut(w.ctx, await startedLanding(w));
    zombie.letGo();
    await halted;
    expect(await w.rows('select 1 from landing')).toEqual([]);
  });
});

describe('without a queue, a pull request', () => {
  it('lands at once and untested if its preconditions hold, and the proof names the setting', async () => {
    await using w = await world({
      configuration:
        'merge_mode:\n  type: no-queue\npreconditions:\n  number_of_approvals: 1\n  use_github_mergeability: false\n',
      runsCi: false,
    });
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    const [a = 0, b = 0] = numbers;
    await w.queue(a, b);
    expect(await w.status(a)).toMatchObject({ status: 'pending', status_code: 101 });
    for (const number of numbers) await w.host.review(number, { reviewer: 'bob', verdict: 'approved' });
    await w.service.drain();
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
    expect(await line(w)).toEqual(['Add a (#1)', 'Add b (#2)']);
    expect(await countBots(w)).toBe(0);
    const [proof] = await w.rows<{ body: object }>('select body from proof order by id');
    expect(proof?.body).toMatchObject({ grade: 'unvalidated', exceptionBy: 'merge_mode.type: no-queue', evidence: [] });
    await expectVerified(w, { unvalidated: 2 });
  });
});

describe('an up-to-date green head', () => {
  it('lands without a bot pull request, and the event says so; the pull request behind it gets a bot pull request', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await greenHeads(w, 2);
    await w.queue(a, b);
    await w.settled(a, b);
    expect(await mergedEvents(w)).toEqual([
      [a, true],
      [b, false],
    ]);
    expect(await countBots(w)).toBe(1);
  });
});

describe('the head branch of a landed pull request', () => {
  it('is deleted if delete_branch is set, unless a label keeps it', async () => {
    await using w = await world();
    const yaml = `merge_rules:\n  labels: {trigger: mergequeue, skip_delete_branch: keep}\n  delete_branch: true\n  merge_mode: {type: parallel, parallel_mode: {batch_size: 2}}\n`;
    expect(await replaceConfiguration(w.ctx, { repository: w.repository, yaml })).toMatchObject({ kind: 'accepted' });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await setLabel(w, b, 'keep');
    await w.queue(a, b);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
    expect(await w.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')).toBe('b\nmain');
  });
});

describe('a head branch that something else needs', () => {
  const deleting = `${parallel({ builds: 1 })}delete_branch: true\n`;

  async function branches(w: World): Promise<string[]> {
    return (await w.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')).split('\n');
  }

  async function concluded(w: World): Promise<void> {
    await w.until(
      async () =>
        (await w.rows("select 1 from intent where kind = 'conclude_pull_request' and state <> 'done'")).length === 0,
    );
  }

  it('is not deleted while it is the head or the base of another open pull request', async () => {
    await using w = await world({ configuration: deleting });
    await w.git('branch', 'next', 'main');
    const [a, above] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await openPullRequest(w.ctx, { repository: w.repository, title: 'To next', headBranch: 'a', baseBranch: 'next' });
    await retarget(w, above, 'a');
    await w.queue(a);
    await w.settled(a);
    await concluded(w);
    expect(await branches(w)).toContain('a');
    await w.service.localHost.reconcile(hostOf(w));
    await w.service.drain();
    expect(await statuses(w, a, above, 3)).toEqual(['merged', 'open', 'open']);
  });

  it('is not deleted if it is the base branch of a queue', async () => {
    await using w = await world({ configuration: `${deleting}base_branches: [main, next]\n` });
    const toMain = await w.open('next', { 'next.txt': 'n\n' });
    await w.queue(toMain);
    await w.settled(toMain);
    await concluded(w);
    expect(await branches(w)).toEqual(['main', 'next']);
  });

  it('is deleted if it only matches a regular expression of base branches, and was never one', async () => {
    await using w = await world({ configuration: `${deleting}base_branches: [/.*/]\n` });
    const toMain = await w.open('next', { 'next.txt': 'n\n' });
    await w.queue(toMain);
    await w.settled(toMain);
    await concluded(w);
    expect(await branches(w)).toEqual(['main']);
  });
});

describe('a landing that was given up', () => {
  it('cannot happen later, even if the base is set back to its earlier commit while the worker still hangs', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    const base = await w.git('rev-parse', 'main');
    const zombie = hangAt('landing:before_move');
    const settled = w.settled(number);
    await vi.waitFor(() => expect(zombie.isHanging()).toBe(true), { timeout: 60_000 });

    const outside = await w.commit('main', { 'outside.txt': 'outside\n' });
    await carryOut(w.ctx, await startedLanding(w));
    await w.git('update-ref', 'refs/heads/main', base, outside);
    zombie.letGo();
    await settled;

    await expectLandedOnce(w, number);
    expect(await line(w)).toEqual(['Add a (#1)']);
    const refs = (await w.git('for-each-ref', '--format=%(objectname)', 'refs/interlock/landings/')).split('\n');
    expect(refs).toHaveLength(2);
    const [, landed] = refs;
    expect(landed).toBe((await w.status(number)).merge_commit_sha);
    await expectVerified(w, { same_tree: 1 });
    // A restored database does not know the given-up landing. Its tombstone keeps it from being taken for a landing.
    const host = { ...hostOf(w), host: isAtGitHub ? ('github' as const) : ('local' as const) };
    await w.rows('update batch set given_up = false');
    expect(await findUnknownLandings(w.ctx, host)).toEqual([]);
  });
});
