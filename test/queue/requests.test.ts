// Requests by commands in comments, the preconditions of a pull request (validations, conversations, signatures), and
// reports.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { LocalHost } from '../../src/hosts/local/index.ts';
import { HostRefused } from '../../src/hosts/port.ts';
import { openPullRequest, queuePullRequest, requestSync, updatePullRequest } from '../../src/modules/queue/index.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, hostOf, meanwhile, resetCodes, retarget, statuses } from './stories.ts';

const run = promisify(execFile);

async function say(w: World, number: number, body: string, author = 'ada'): Promise<void> {
  await w.service.localHost.addComment(hostOf(w), number, { author, body });
  await w.service.drain();
}

async function answers(w: World, number: number): Promise<string[]> {
  const comments = await w.host.comments(number);
  return comments.filter(({ key }) => key.startsWith('reply:')).map(({ body }) => body);
}

async function refusal(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => 'accepted',
    (error: Error) => error.message,
  );
}

describe('a command in a comment', () => {
  it('queues, is carried out once although it is reported again, and is answered with the reason if it is refused', async () => {
    await using w = await world({
      configuration: `${parallel()}command_restrictions:\n  - commands: [dequeue]\n    allowed_actors: ['@grace']\n`,
    });
    await w.pause(true);
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await say(w, number, 'Nice.\n\n/interlock merge');
    expect(await statuses(w, number)).toEqual(['queued']);
    await say(w, number, '/interlock skip-line now', 'mallory');
    await say(w, number, '/interlock dequeue');
    await say(w, number, '/interlock frobnicate');
    await w.until(async () => (await answers(w, number)).length === 3);
    expect(await answers(w, number)).toEqual(
      expect.arrayContaining([
        '@mallory Not authorized to skip the line in this repository.',
        '@ada @ada is not among those who may dequeue here: @grace.',
        '@ada `frobnicate` is not a command. `/interlock help` lists the commands.',
      ]),
    );
    await say(w, number, '/interlock cancel', 'grace');
    expect(await statuses(w, number)).toEqual(['open']);
    // The host reports all comments once more, as after a restored cursor.
    await w.rows('delete from comment_cursor');
    await say(w, number, 'No command.');
    expect(await statuses(w, number)).toEqual(['open']);
    expect(await answers(w, number)).toHaveLength(3);
    await w.pause(false);
    await say(w, number, '/interlock queue');
    await w.settled(number);
    await expectLandedOnce(w, number);
  });

  it('is answered with the sentence of a call where queueing by commands is disabled, or the pull request is over', async () => {
    await using w = await world({ configuration: `${parallel()}blocked_queue_sources: [slash_command, rest_api]\n` });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await say(w, number, '/interlock queue');
    await w.until(async () => (await answers(w, number)).length === 1);
    expect(await answers(w, number)).toEqual(['@ada Queueing by slash_command is disabled']);
    expect(await refusal(queuePullRequest(w.ctx, { repository: w.repository, number, source: 'rest_api' }))).toBe(
      'Queueing by rest_api is disabled',
    );
    expect(await statuses(w, number)).toEqual(['open']);
  });
});

describe('the preconditions of a pull request', () => {
  it('check title and body: 108 names the failed validation, until it passes, and also in line', async () => {
    const validations = `preconditions:\n  validations:\n    - name: a ticket\n      match: {type: title, regex: '^TEA-\\d+ '}\n`;
    await using w = await world({ configuration: `${parallel()}${validations}` });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    expect(await statuses(w, number)).toEqual(['blocked 108']);
    expect((await w.status(number)).status_text).toBe('A validation failed: a ticket.');
    await w.pause(true);
    await w.service.localHost.editPullRequest(hostOf(w), { number }, { title: 'TEA-1 Add a' });
    await w.queue(number);
    expect(await statuses(w, number)).toEqual(['queued']);
    await w.service.localHost.editPullRequest(hostOf(w), { number }, { title: 'Add a' });
    await w.until(async () => (await statuses(w, number))[0] === 'blocked 108');
    // The earlier refusal does not matter when the configuration no longer has the rule.
    await w.configure(parallel());
    await w.pause(false);
    await w.queue(number);
    await w.settled(number);
    await expectLandedOnce(w, number);
  });

  it('check conversations: pending with 113, and queued when they are resolved', async () => {
    await using w = await world({
      configuration: `${parallel()}preconditions:\n  conversation_resolution_required: true\n`,
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const thread = await w.service.localHost.openThread(hostOf(w), number, { author: 'grace', body: 'Why?' });
    await w.queue(number);
    expect(await statuses(w, number)).toEqual(['pending 113']);
    const resolution = { thread: thread.id, by: 'ada', resolved: true };
    await w.service.localHost.resolveThread(hostOf(w), number, resolution);
    await w.settled(number);
    await expectLandedOnce(w, number);
  });

  it('check signatures with git: 115 without one, also for pull requests in line', async () => {
    await using w = await world();
    await w.pause(true);
    const unsigned = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(unsigned);
    await w.configure(`${parallel()}preconditions:\n  require_verified_commits: true\n`);
    await w.until(async () => (await statuses(w, unsigned))[0] === 'blocked 115');
    await w.commit('b', { 'b.txt': 'b\n' });
    await commitSigned(w, 'b', 'main');
    const opened = await openPullRequest(w.ctx, { repository: w.repository, title: 'Add b', headBranch: 'b' });
    expect(opened.pullRequestId).toBeDefined();
    await w.pause(false);
    await w.queue(2);
    await w.settled(2);
    await expectLandedOnce(w, 2);
  });

  it('check signatures again if another base branch adds commits to the pull request', async () => {
    await using w = await world({
      configuration: `${parallel()}base_branches: [main, next]\npreconditions:\n  require_verified_commits: true\n`,
    });
    await w.commit('next', { 'unsigned.txt': 'u\n' });
    await w.commit('b', { 'unsigned.txt': 'u\n', 'b.txt': 'b\n' });
    await commitSigned(w, 'b', 'next');
    await openPullRequest(w.ctx, { repository: w.repository, title: 'Add b', headBranch: 'b', baseBranch: 'next' });
    await w.pause(true);
    await w.queue(1);
    expect(await statuses(w, 1)).toEqual(['queued']);
    await retarget(w, 1, 'main');
    await w.queue(1);
    expect(await statuses(w, 1)).toEqual(['blocked 115']);
  });

  it('check signatures again if another base branch was chosen for a moment during a landing', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'on_commit_added: requeue\n' })}base_branches: [main, next]\npreconditions:\n  require_verified_commits: true\n`,
    });
    await w.commit('next', { 'unsigned.txt': 'u\n' });
    await w.commit('b', { 'b.txt': 'b\n' });
    await commitSigned(w, 'b', 'main');
    await openPullRequest(w.ctx, { repository: w.repository, title: 'Add b', headBranch: 'b' });
    await w.queue(1);
    await meanwhile(
      'landing:after_gate',
      async () => {
        await w.commit('b', { 'unsigned.txt': 'u\n' });
        await commitSigned(w, 'b', 'next');
        await w.service.drain();
        await retarget(w, 1, 'next');
        await retarget(w, 1, 'main');
        await w.commit('main', { 'other.txt': 'o\n' });
      },
      async () => await w.settled(1),
    );
    expect(await statuses(w, 1)).toEqual(['blocked 115']);
  });

  it('count no signatures for a base branch that the pull request leaves meanwhile', async () => {
    const configuration = `${parallel()}base_branches: [main, next]\n`;
    await using w = await world({ configuration });
    await w.commit('next', { 'unsigned.txt': 'u\n' });
    await w.commit('b', { 'unsigned.txt': 'u\n', 'b.txt': 'b\n' });
    await commitSigned(w, 'b', 'next');
    await openPullRequest(w.ctx, { repository: w.repository, title: 'Add b', headBranch: 'b', baseBranch: 'next' });
    await w.pause(true);
    await w.queue(1);
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const { countUnverifiedCommits } = host;
    host.countUnverifiedCommits = async (...of) => {
      const counted = await countUnverifiedCommits(...of);
      host.countUnverifiedCommits = countUnverifiedCommits;
      await w.host.retarget(1, 'main');
      return counted;
    };
    await w.configure(`${configuration}preconditions:\n  require_verified_commits: true\n`);
    await w.until(async () => (await statuses(w, 1))[0] === 'open');
    await w.service.drain();
    await w.queue(1);
    expect(await statuses(w, 1)).toEqual(['blocked 115']);
  });
});

describe('skip_validation', () => {
  it.each(['block', 'requeue'])('ends with the head that it was requested for (on_commit_added: %s)', async (added) => {
    await using w = await world({ configuration: parallel({ more: `on_commit_added: ${added}\n` }) });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.pause(true);
    await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', skipValidation: true });
    expect(await statuses(w, number)).toEqual(['queued']);
    await w.commit('a', { bad: 'bad\n' });
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'failure'")).length > 0);
    await w.queue(number);
    await w.pause(false);
    await w.settled(number);
    expect(await statuses(w, number)).toEqual(['blocked 107']);
    expect(await w.landed()).toEqual([]);
  });

  it('stays when a sync brings the base branch into the head', async () => {
    await using w = await world({ configuration: parallel() });
    const number = await w.open('a', { bad: 'bad\n' });
    await w.pause(true);
    await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', skipValidation: true });
    await w.commit('main', { 'other.txt': 'o\n' });
    const { head_sha: head } = await w.status(number);
    await requestSync(w.ctx, { repository: w.repository, number });
    await w.until(async () => (await w.status(number)).head_sha !== head);
    await w.pause(false);
    await w.settled(number);
    await expectLandedOnce(w, number);
  });

  it('ends when a sync brings in the branch of another pull request, which may never land', async () => {
    await using w = await world({ configuration: `${parallel()}auto_detect_stacks: true\n` });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.open('bad', { bad: 'bad\n' });
    await w.pause(true);
    await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', skipValidation: true });
    const { head_sha: head } = await w.status(number);
    await retarget(w, number, 'bad');
    await requestSync(w.ctx, { repository: w.repository, number });
    await w.until(async () => (await w.status(number)).head_sha !== head);
    await retarget(w, number, 'main');
    await w.pause(false);
    await w.settled(number);
    expect(await statuses(w, number)).toEqual(['blocked 107']);
  });

  it('ends when the pull request leaves its stack, because the commits below it then land with it', async () => {
    await using w = await world({ configuration: `${parallel()}auto_detect_stacks: true\n` });
    await w.open('bad', { bad: 'bad\n' });
    const number = await w.open('a', { 'a.txt': 'a\n' }, { from: 'origin/bad', base: 'bad' });
    await w.pause(true);
    await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', skipValidation: true });
    await retarget(w, number, 'main');
    await w.pause(false);
    await w.settled(number);
    expect(await statuses(w, number)).toEqual(['blocked 107']);
  });

  it('ends when the pull request leaves its stack during a landing below it that is given up', async () => {
    await using w = await world({ configuration: `${parallel()}auto_detect_stacks: true\n` });
    const below = await w.open('below', { 'below.txt': 'below\n' });
    const number = await w.open('a', { 'a.txt': 'a\n' }, { from: 'origin/below', base: 'below' });
    await w.queue(below);
    await meanwhile(
      'landing:after_gate',
      async () => {
        await queuePullRequest(w.ctx, {
          repository: w.repository,
          number,
          source: 'graphql_api',
          skipValidation: true,
        });
        await retarget(w, number, 'main');
        await w.commit('main', { 'other.txt': 'other\n' });
        await w.commit('below', { 'late.txt': 'late\n' });
      },
      async () => await w.settled(number),
    );
    expect(await statuses(w, below, number)).toEqual(['blocked 116', 'merged']);
    expect(await w.rows('select grade from landing')).toEqual([{ grade: 'exact' }]);
  });

  it.each([
    { push: 'was reported', isReported: true },
    { push: 'was not reported yet', isReported: false },
  ])('ends when the pull request below lands without a later push to it, which $push', async ({ isReported }) => {
    await using w = await world({ configuration: `${parallel()}auto_detect_stacks: true\n` });
    const below = await w.open('below', { 'below.txt': 'below\n' });
    const number = await w.open('a', { 'a.txt': 'a\n' }, { from: 'origin/below', base: 'below' });
    await w.queue(below);
    await meanwhile(
      'landing:after_gate',
      async () => {
        await w.commit('later', { bad: 'bad\n' }, { from: 'origin/below' });
        await w.commit('a', { 'more.txt': 'more\n' }, { from: 'origin/later' });
        await w.git('update-ref', 'refs/heads/below', 'later');
        if (isReported) await w.commit('below', { 'more.txt': 'more\n' });
        await queuePullRequest(w.ctx, {
          repository: w.repository,
          number,
          source: 'graphql_api',
          skipValidation: true,
        });
      },
      async () => await w.settled(below, number),
    );
    expect(await statuses(w, below, number)).toEqual(['merged', 'blocked 107']);
    expect(await w.rows("select 1 from landing where grade = 'unvalidated'")).toEqual([]);
    expect((await w.git('ls-tree', '--name-only', 'main')).split('\n')).not.toContain('bad');
  });

  it.each([
    { base: 'gets another base branch', isRefused: false },
    { base: 'keeps its base branch, because the host refuses another one', isRefused: true },
  ])(
    'is refused when the pull request below has landed without a push that was not reported yet, and it $base',
    async ({ isRefused }) => {
      await using w = await world({ configuration: `${parallel()}auto_detect_stacks: true\n` });
      const below = await w.open('below', { 'below.txt': 'below\n' });
      const number = await w.open('a', { 'a.txt': 'a\n' }, { from: 'origin/below', base: 'below' });
      const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
      if (isRefused) host.setBaseBranch = async () => await Promise.reject(new HostRefused('The branch is locked.'));
      await w.queue(below);
      let skipped = '';
      await meanwhile(
        'landing:after_conclude',
        async () => {
          await w.commit('later', { bad: 'bad\n' }, { from: 'origin/below' });
          await w.commit('newer', { 'more.txt': 'more\n' }, { from: 'origin/later' });
          // Nobody reports these pushes.
          await w.git('update-ref', 'refs/heads/below', 'later');
          await w.git('update-ref', 'refs/heads/a', 'newer');
          const request = { repository: w.repository, number, source: 'graphql_api' } as const;
          skipped = await refusal(queuePullRequest(w.ctx, { ...request, skipValidation: true }));
          await queuePullRequest(w.ctx, request);
        },
        async () => await w.settled(below, number),
      );
      expect(skipped).toContain(`The validation of #${number} cannot be skipped while its base branch is below`);
      expect(await statuses(w, below, number)).toEqual(['merged', 'blocked 107']);
      expect(await w.rows("select 1 from landing where grade = 'unvalidated'")).toEqual([]);
      expect((await w.git('ls-tree', '--name-only', 'main')).split('\n')).not.toContain('bad');
    },
  );

  it('is refused while the base branch is still a landed branch with commits that the landing left out', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'use_affected_targets: true\n' })}auto_detect_stacks: true\n`,
    });
    const below = await w.open('below', { 'below.txt': 'below\n' });
    const number = await w.open('a', { 'a.txt': 'a\n' }, { from: 'origin/below', base: 'below' });
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const { setBaseBranch } = host;
    host.setBaseBranch = async () => await Promise.reject(new HostRefused('The branch is locked.'));
    await w.queue(below);
    await meanwhile(
      'landing:after_conclude',
      async () => {
        await w.commit('later', { bad: 'bad\n' }, { from: 'origin/below' });
        await w.commit('newer', { 'more.txt': 'more\n' }, { from: 'origin/later' });
        // Nobody reports these pushes.
        await w.git('update-ref', 'refs/heads/below', 'later');
        await w.git('update-ref', 'refs/heads/a', 'newer');
      },
      async () => await w.settled(below),
    );
    await w.until(
      async () =>
        (await w.rows("select 1 from intent where kind = 'conclude_pull_request' and state = 'done'")).length > 0,
    );
    const request = { repository: w.repository, number };
    const asked = queuePullRequest(w.ctx, { ...request, source: 'graphql_api', skipValidation: true });
    await expect(asked).rejects.toMatchObject({
      code: 'NOT_QUEUEABLE',
      message: `The validation of #${number} cannot be skipped while its base branch is below: #${below} has landed, and commits that were pushed to this branch afterwards would land with #${number} without a build. Change the base branch to main first.`,
    });
    await updatePullRequest(w.ctx, { ...request, affectedTargets: ['a'] });
    expect(
      await w.rows('select status, skip_validation, affected_targets from pull_request where number = $1', [number]),
    ).toEqual([{ status: 'open', skip_validation: false, affected_targets: null }]);
    host.setBaseBranch = setBaseBranch;
    await retarget(w, number, 'main');
    await queuePullRequest(w.ctx, { ...request, source: 'graphql_api', skipValidation: true, affectedTargets: ['a'] });
    expect(
      await w.rows('select skip_validation, affected_targets from pull_request where number = $1', [number]),
    ).toEqual([{ skip_validation: true, affected_targets: ['a'] }]);
  });

  it('is refused if commits were pushed to the landed branch after the landing, and brought in', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'use_affected_targets: true\n' })}auto_detect_stacks: true\n`,
    });
    const below = await w.open('below', { 'below.txt': 'below\n' });
    const number = await w.open('a', { 'a.txt': 'a\n' }, { from: 'origin/below', base: 'below' });
    replaceHostMethod(w, 'setBaseBranch', () => async () => {
      await Promise.reject(new HostRefused('The branch is locked.'));
    });
    await w.queue(below);
    await w.settled(below);
    await w.until(
      async () =>
        (await w.rows("select 1 from intent where kind = 'conclude_pull_request' and state = 'done'")).length > 0,
    );
    const pushed = await w.commit('below', { bad: 'bad\n' });
    await w.commit('a', { 'more.txt': 'more\n' }, { from: pushed });
    const request = { repository: w.repository, number };
    const asked = queuePullRequest(w.ctx, { ...request, source: 'graphql_api', skipValidation: true });
    await expect(asked).rejects.toMatchObject({
      code: 'NOT_QUEUEABLE',
      field: 'pull_request.skip_validation',
    });
    await updatePullRequest(w.ctx, { ...request, affectedTargets: ['a'] });
    expect(
      await w.rows('select status, skip_validation, affected_targets from pull_request where number = $1', [number]),
    ).toEqual([{ status: 'open', skip_validation: false, affected_targets: null }]);
    expect((await w.git('ls-tree', '--name-only', 'main')).split('\n')).not.toContain('bad');
  });

  it('ends with a head that the queue made for a pull request with another base branch', async () => {
    await using w = await world({ configuration: parallel() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.pause(true);
    await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', skipValidation: true });
    const { head_sha: head } = await w.status(number);
    await w.commit('other', { bad: 'bad\n' });
    await w.git('update-ref', 'refs/heads/twin', head);
    await openPullRequest(w.ctx, { repository: w.repository, title: 'Twin', headBranch: 'twin', baseBranch: 'other' });
    await requestSync(w.ctx, { repository: w.repository, number: 2 });
    await w.until(async () => (await w.status(2)).head_sha !== head);
    await w.git('update-ref', 'refs/heads/a', 'twin');
    await w.service.localHost.reconcile(hostOf(w));
    await w.service.drain();
    expect((await w.status(number)).head_sha).toBe(await w.git('rev-parse', 'twin'));
    expect(await statuses(w, number)).toEqual(['blocked 116']);
    expect(await w.rows('select skip_validation from pull_request where number = $1', [number])).toEqual([
      { skip_validation: false },
    ]);
  });
});

/** Replaces the branch by one signed commit on `parent` with the same files. */
async function commitSigned(w: World, branch: string, parent: string): Promise<void> {
  const key = join(w.dataDir, 'key');
  if (!existsSync(key)) await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  await writeFile(join(w.dataDir, 'allowed_signers'), `ada@example.test ${await readFile(`${key}.pub`, 'utf8')}`);
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test'];
  const signing = [...identity, '-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`];
  const tree = `${branch}^{tree}`;
  const signed = await w.git(...signing, 'commit-tree', '-S', '-p', parent, '-m', `Add ${branch}`, tree);
  await w.git('update-ref', `refs/heads/${branch}`, signed);
}

describe('a report', () => {
  it('of a merge elsewhere is accepted if git confirms it, and otherwise refused', async () => {
    await using w = await world();
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const report = async (mergeCommitSha: string): Promise<string> =>
      await refusal(updatePullRequest(w.ctx, { repository: w.repository, number, mergeCommitSha }));
    const other = await w.commit('main', { 'other.txt': 'other\n' });
    const { head_sha: head } = await w.status(number);
    expect(await report(other)).toBe(
      `pull_request.merge_commit_sha is ${other}, which does not contain the head ${head}.`,
    );
    expect(await report(head)).toBe(`pull_request.merge_commit_sha is ${head}, which is not on main.`);
    expect(await statuses(w, number)).toEqual(['open']);
    const squashed = await w.commit('main', { 'a.txt': 'a\n' }, { message: 'Squashed by hand' });
    expect(await report(squashed)).toBe('accepted');
    expect(await report(squashed)).toBe('accepted');
    expect(await report(other)).toMatch(/does not contain the head|merged already/);
    expect(await w.status(number)).toMatchObject({ status: 'merged', merge_commit_sha: squashed });
    expect((await w.events()).filter(([action]) => action === 'merged')).toHaveLength(1);
    await w.until(async () => (await w.host.pullRequest(number))?.state === 'merged');
  });

  it('about a future head is kept for that head, and about a replaced head is ignored', async () => {
    await using w = await world();
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const { head_sha: first } = await w.status(number);
    const next = await w.git(
      ...['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test'],
      ...['commit-tree', '-p', first, '-m', 'More', 'a^{tree}'],
    );
    const title = async (): Promise<string | null> =>
      (await w.rows<{ merge_title: string | null }>('select merge_title from pull_request'))[0]?.merge_title ?? null;
    const update = async (headCommitSha: string, text: string): Promise<unknown> =>
      await updatePullRequest(w.ctx, {
        repository: w.repository,
        number,
        headCommitSha,
        mergeCommitMessage: { title: text },
      });
    await update(next, 'For the next head');
    expect(await title()).toBeNull();
    await w.git('update-ref', 'refs/heads/a', next);
    await w.service.localHost.reconcile(hostOf(w));
    await w.service.drain();
    expect(await title()).toBe('For the next head');
    await update(first, 'Late');
    expect(await title()).toBe('For the next head');
  });

  it.each([
    ['gets another base branch', async (w: World) => await retarget(w, 2, 'main')],
    [
      'stands on a branch whose landing left out commits',
      async (w: World) => {
        await w.queue(1);
        await meanwhile(
          'landing:after_conclude',
          async () => void (await w.commit('below', { 'later.txt': 'later\n' })),
          async () => await w.settled(1),
        );
      },
    ],
  ])(
    'of affected targets of a future head ends when the pull request %s before this head is read',
    async (_, change) => {
      await using w = await world({
        configuration: `${parallel({ more: 'use_affected_targets: true\n' })}auto_detect_stacks: true\n`,
      });
      await w.open('below', { 'below.txt': 'below\n' });
      const number = await w.open('a', { 'a.txt': 'a\n' }, { from: 'origin/below', base: 'below' });
      const next = await w.git(
        ...['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test'],
        ...['commit-tree', '-p', (await w.status(number)).head_sha, '-m', 'More', 'a^{tree}'],
      );
      await updatePullRequest(w.ctx, {
        repository: w.repository,
        number,
        headCommitSha: next,
        affectedTargets: ['a'],
        mergeCommitMessage: { title: 'For the next head' },
      });
      await change(w);
      await w.git('update-ref', 'refs/heads/a', next);
      await w.service.localHost.reconcile(hostOf(w));
      await w.service.drain();
      expect(
        await w.rows(
          'select base_branch, head_sha, affected_targets, merge_title from pull_request where number = $1',
          [number],
        ),
      ).toEqual([{ base_branch: 'main', head_sha: next, affected_targets: null, merge_title: 'For the next head' }]);
    },
  );

  it('about a head that moves during the report is not stored for the new head, and its merge is refused', async () => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const { head_sha: head } = await w.status(number);
    const push = async (): Promise<void> => {
      await w.commit('a', { 'more.txt': 'more\n' });
      await w.service.localHost.reconcile(hostOf(w));
      await w.service.drain();
    };
    await meanwhile('report:judged', push, async () => {
      await updatePullRequest(w.ctx, {
        repository: w.repository,
        number,
        headCommitSha: head,
        affectedTargets: ['//a'],
      });
    });
    const { head_sha: next } = await w.status(number);
    expect(next).not.toBe(head);
    expect(await w.rows('select from pull_request where affected_targets is not null')).toEqual([]);

    const mergeCommitSha = await w.commit('main', { 'a.txt': 'a\n', 'more.txt': 'more\n' }, { message: 'By hand' });
    await meanwhile(
      'report:judged',
      async () => {
        await w.commit('a', { 'last.txt': 'last\n' });
        await w.service.localHost.reconcile(hostOf(w));
        await w.service.drain();
      },
      async () => {
        expect(await refusal(updatePullRequest(w.ctx, { repository: w.repository, number, mergeCommitSha }))).toBe(
          'The head or the base branch changed during the report. Report the merge again.',
        );
      },
    );
    expect(await statuses(w, number)).toEqual(['open']);
  });

  it('of affected targets ends when a sync brings in the branch of another pull request, whose changes are not in it', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'use_affected_targets: true\n' })}auto_detect_stacks: true\n`,
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.open('other', { 'other.txt': 'other\n' });
    await w.pause(true);
    const targets = async (): Promise<unknown> =>
      (await w.rows('select affected_targets as targets from pull_request where number = $1', [number]))[0];
    await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', affectedTargets: ['a'] });
    const { head_sha: head } = await w.status(number);
    await retarget(w, number, 'other');
    expect(await targets()).toEqual({ targets: ['a'] });
    await requestSync(w.ctx, { repository: w.repository, number });
    await w.until(async () => (await w.status(number)).head_sha !== head);
    await retarget(w, number, 'main');
    expect(await targets()).toEqual({ targets: null });
  });

  it('of affected targets ends when the pull request gets another base branch, which lacks commits of the earlier one', async () => {
    await using w = await world({ configuration: parallel({ more: 'use_affected_targets: true\n' }) });
    await w.open('other', { 'other.txt': 'other\n' });
    const number = await w.open('a', { 'a.txt': 'a\n' }, { from: 'origin/other', base: 'other' });
    await updatePullRequest(w.ctx, { repository: w.repository, number, affectedTargets: ['a'] });
    await retarget(w, number, 'main');
    expect(await w.rows('select affected_targets from pull_request where number = $1', [number])).toEqual([
      { affected_targets: null },
    ]);
  });

  it('of affected targets stays when the pull request below has landed', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'use_affected_targets: true\n' })}auto_detect_stacks: true\ndelete_branch: true\n`,
    });
    const below = await w.open('below', { 'below.txt': 'below\n' });
    const number = await w.open('a', { 'a.txt': 'a\n' }, { from: 'origin/below', base: 'below' });
    await updatePullRequest(w.ctx, { repository: w.repository, number, affectedTargets: ['a'] });
    await w.queue(below);
    await w.settled(below);
    await w.until(
      async () =>
        (await w.rows("select 1 from pull_request where number = $1 and base_branch = 'main'", [number])).length > 0,
    );
    expect(await w.rows('select affected_targets from pull_request where number = $1', [number])).toEqual([
      { affected_targets: ['a'] },
    ]);
  });

  it('of a commit with an open conversation makes the pull request pending, and its batch is reset with 310', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'on_commit_added: requeue\n' })}preconditions:\n  conversation_resolution_required: true\n`,
      runsCi: false,
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    await w.until(async () => (await statuses(w, number))[0] === 'tagged');
    await w.rows(
      `insert into local_thread (account_id, repository_id, number, author, body, opened_at)
       select account_id, repository_id, number, 'grace', 'Why?', now() from local_pull_request where number = $1`,
      [number],
    );
    await w.commit('a', { 'a.txt': 'more\n' });
    expect(await statuses(w, number)).toEqual(['pending 113']);
    await w.until(async () => (await resetCodes(w)).length === 1);
    expect(await resetCodes(w)).toEqual([310]);
  });
});
