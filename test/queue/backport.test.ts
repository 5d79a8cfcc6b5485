// A merged pull request is brought to another branch: the commits, the new pull request, and the comments about it.
import { describe, expect, it } from 'vitest';
import { HostRefused, HostUnavailable } from '../../src/hosts/port.ts';
import type { LocalHost } from '../../src/hosts/local/index.ts';
import { requestBackport, carryOut, openPullRequest } from '../../src/modules/queue/index.ts';
import { previewBackport } from '../../src/modules/queue/requests/branch-work.previews.ts';
import { createRepository } from '../../src/modules/repositories/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { startEngine } from '../support/engine.ts';
import { among, inFull } from '../support/tier.ts';
import { parallel, world, type World } from '../support/world.ts';
import { dyingAt } from './stories.ts';

const branch = 'interlock/backport-1-to-release';

/** Requests a backport as a user, whose actions are recorded. */
async function backport(w: World, number: number, targetBranch = 'release'): Promise<string> {
  const actor = { ...w.ctx.actor, kind: 'user_token', email: 'grace@example.test' } as const;
  const asUser = { ...w.ctx, actor, source: 'graphql_api' };
  const { message } = await requestBackport(asUser, { repository: w.repository, number, targetBranch });
  return message;
}

async function carriedOut(w: World): Promise<void> {
  await w.until(
    async () =>
      (await w.rows("select 1 from intent where kind = 'backport' and state in ('planned', 'started')")).length === 0,
  );
}

/** Opens the first pull request, for a branch that exists. */
async function openAs(w: World, headBranch: string): Promise<number> {
  await openPullRequest(w.ctx, { repository: w.repository, title: `Add ${headBranch}`, headBranch });
  return 1;
}

async function merged(w: World, ...numbers: number[]): Promise<void> {
  await w.queue(...numbers);
  await w.settled(...numbers);
  for (const number of numbers) expect((await w.status(number)).status).toBe('merged');
}

async function opened(w: World): Promise<{ number: number; title: string; body: string; base_branch: string }[]> {
  return await w.rows('select number, title, body, base_branch from pull_request where head_branch = $1', [branch]);
}

const strategies = [
  ['squash', ['Add a (#1)']],
  ['merge', ['Add a (#1)']],
  ['rebase', ['One', 'Two']],
] as const;

describe('a backport', () => {
  it.each(among(strategies, strategies.slice(0, 1)))(
    'of a pull request that landed by %s together with another picks the commits of that pull request alone',
    async (strategy, subjects) => {
      await using w = await world({
        configuration: `${parallel({ builds: 1, batch: 2 })}merge_strategy:\n  name: ${strategy}\n`,
      });
      await w.git('branch', 'release', 'main');
      await w.commit('release', { 'release.txt': 'r\n' });
      await w.commit('a', { 'a.txt': '1\n' }, { message: 'One' });
      await w.commit('a', { 'a.txt': '2\n' }, { message: 'Two' });
      const head = await w.git('rev-parse', 'a');
      const first = await openAs(w, 'a');
      const second = await w.open('b', { 'b.txt': 'b\n' });
      await merged(w, first, second);
      const release = await w.git('rev-parse', 'release');
      expect(await backport(w, first)).toBe(
        'Backporting #1 to release was initiated; progress is reported in comments on the pull request.',
      );
      await carriedOut(w);

      const log = (await w.git('log', '--reverse', '--format=%s|%an|%cn|%ai', `release..${branch}`)).split('\n');
      expect(log.map((line) => line.split('|').slice(0, 3))).toEqual(
        subjects.map((subject) => [subject, 'Ada', w.host.committer]),
      );
      expect(await w.git('rev-parse', `${branch}~${subjects.length}`)).toBe(release);
      expect(await w.git('show', `${branch}:a.txt`)).toBe('2');
      expect(await w.git('diff', '--name-only', 'release', branch)).toBe('a.txt');
      const { own_commit: own } = (
        await w.rows<{ own_commit: string }>('select own_commit from landed_member order by pull_request_id')
      )[0] ?? { own_commit: head };
      expect(await w.git('log', '-1', '--format=%B', branch)).toMatch(
        new RegExp(`\\(cherry picked from commit ${own}\\)$`),
      );
      const [there] = await opened(w);
      expect(there).toMatchObject({ title: '[release] Add a', base_branch: 'release' });
      expect(there?.body).toContain(`#1 (${w.host.pageOf(first)})`);
      expect((await w.comments(first)).filter(({ key }) => key.startsWith('backport'))).toEqual([
        { key: 'backport:release:begin', body: '**Backport** to `release` has started.' },
        { key: 'backport:release:result', body: expect.stringContaining(`opened as #${there?.number}`) },
      ]);
    },
  );

  it('cannot be approved by the authors of the original pull request', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    await w.git('branch', 'release', 'main');
    await w.commit('a', { 'a.txt': '1\n' });
    const host = w.service.localHost;
    const repository = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository };
    const { number } = await host.openPullRequest(repository, {
      ...{ title: 'Add a', body: '', author: 'ada', headBranch: 'a', baseBranch: 'main', draft: false },
    });
    await host.addBranchAuthors(repository, 'a', ['bob']);
    await merged(w, number);
    await backport(w, number);
    await carriedOut(w);
    const [{ number: brought } = { number: 0 }] = await opened(w);
    for (const reviewer of ['ada', 'Bob'])
      await expect(host.reviewPullRequest(repository, brought, { reviewer, verdict: 'approved' })).rejects.toThrow(
        'Authors cannot review their own pull requests',
      );
    await host.reviewPullRequest(repository, brought, { reviewer: 'cleo', verdict: 'approved' });
    expect(await host.getPullRequest(repository, brought)).toMatchObject({ approvals: 1 });
  });

  it('that is requested twice is made once, and that is requested before the merge begins after the merge', async () => {
    await using w = await world();
    await w.git('branch', 'release', 'main');
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const foreseen = async (): Promise<string> =>
      (await previewBackport(w.ctx, { repository: w.repository, number, targetBranch: 'release' })).message;
    expect(await foreseen()).toBe(
      `A pull request to release with the commits of #${number} would be opened, once it is merged.`,
    );
    expect(await w.rows('select 1 from backport')).toEqual([]);
    expect(await backport(w, number)).toContain('begins once it is merged');
    await carriedOut(w);
    expect((await w.comments(number)).map(({ body }) => body)).toEqual([
      '**Backport** to `release` begins when this pull request is merged.',
    ]);
    expect(await opened(w)).toEqual([]);
    await merged(w, number);
    await w.until(async () => (await opened(w)).length > 0);
    await carriedOut(w);
    const before = await w.git('rev-parse', branch);
    const actions = "select 1 from user_action where action = 'pull_request_backported'";
    expect(await w.rows(actions)).toHaveLength(1);
    const [there] = await opened(w);
    expect(await backport(w, number)).toBe(`#${number} has been backported to release already.`);
    await carriedOut(w);
    expect(await w.rows(actions)).toHaveLength(1);
    expect(await opened(w)).toHaveLength(1);
    expect(await foreseen()).toBe(
      `#${number} has been backported to release by #${there?.number}: nothing would be done.`,
    );
    expect(await w.git('rev-parse', branch)).toBe(before);
    expect((await w.events()).filter(([action]) => action === 'backported')).toEqual([['backported', [number]]]);
  });

  it('that conflicts names the files, leaves no branch, and can be requested again', async () => {
    await using w = await world();
    await w.git('branch', 'release', 'main');
    await w.commit('release', { 'README.md': 'released\n' });
    const number = await w.open('a', { 'README.md': 'mine\n', 'a.txt': 'a\n' });
    await merged(w, number);
    await backport(w, number);
    await carriedOut(w);
    const reports = (await w.comments(number)).find(({ key }) => key === 'backport:release:failure');
    expect(reports?.body).toContain('conflicts in:\n\n- `README.md`');
    expect(reports?.body).toContain(`git cherry-pick ${await w.git('rev-parse', 'main')}`);
    expect(await w.git('branch', '--list', branch)).toBe('');
    expect(await opened(w)).toEqual([]);
    expect(await w.events()).toContainEqual(['backport_failed', [number]]);
    await w.commit('release', { 'README.md': 'shop\n' });
    await backport(w, number);
    await carriedOut(w);
    expect(await opened(w)).toHaveLength(1);
    await w.git('branch', 'later', 'main');
    await backport(w, number, 'later');
    await carriedOut(w);
    expect((await w.comments(number)).at(-1)?.body).toContain('`later` already has the changes of this pull request');
  });

  it.each([
    ['fails again and again', new Error('a surprise'), 0, 'it failed 20 times'],
    [
      'finds no code host for an hour',
      new HostUnavailable('away'),
      61 * 60_000,
      'the code host could not be reached for an hour',
    ],
  ])('that %s is given up with a message, and can be requested again', async (_name, error, laterMs, message) => {
    await using w = await world();
    await w.git('branch', 'release', 'main');
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await merged(w, number);
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const cherryPick = host.cherryPick.bind(host);
    host.cherryPick = async () => {
      throw error;
    };
    await backport(w, number);
    const [intent] = await w.rows<{ id: string }>("select id from intent where kind = 'backport'");
    const later = { ...w.ctx, clock: () => new Date(Date.now() + laterMs) };
    for (let n = 0; n < 20; n += 1)
      await carryOut(later, intent?.id ?? '').catch((failure) => expect(failure).toBe(error));
    host.cherryPick = cherryPick;
    const reports = async () => (await w.comments(number)).filter(({ body }) => body.includes('was not made'));
    await w.until(async () => (await reports()).length > 0);
    expect((await reports())[0]?.body).toBe(`**Backport** to \`release\` was not made: ${message}; ask again.`);
    expect(await w.rows('select state, reason from backport')).toEqual([{ state: 'refused', reason: message }]);
    expect(await w.events()).toContainEqual(['backport_failed', [number]]);
    await backport(w, number);
    await carriedOut(w);
    expect(await opened(w)).toHaveLength(1);
  });

  it('stays open if the host refuses to show it just after it was opened', async () => {
    await using w = await world();
    await w.git('branch', 'release', 'main');
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await merged(w, number);
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const getPullRequest = host.getPullRequest.bind(host);
    const disarm = onFailpoint('backport:after_open', async () => {
      host.getPullRequest = async () => await Promise.reject(new HostRefused('not for you'));
    });
    try {
      await backport(w, number);
      await carriedOut(w);
    } finally {
      disarm();
      host.getPullRequest = getPullRequest;
    }
    expect(await w.rows('select state, reason from backport')).toEqual([{ state: 'opened', reason: null }]);
    expect(await w.git('branch', '--list', branch)).toContain(branch);
    expect((await w.host.pullRequests()).find((each) => each.branch === branch)).toMatchObject({ isOpen: true });
  });

  it.each([
    ['merge', 'One and Two'],
    ['rebase', 'Two'],
  ])(
    'of a pull request that was merged outside of the queue by %s picks all its commits',
    async (strategy, subject) => {
      await using w = await world({ runsCi: false });
      await w.git('branch', 'release', 'main');
      await w.commit('a', { 'a.txt': '1\n' }, { message: 'One' });
      await w.commit('a', { 'b.txt': '2\n' }, { message: 'Two' });
      const number = await openAs(w, 'a');
      await w.host.merge(number, {
        expectedHead: await w.git('rev-parse', 'a'),
        strategy: strategy as 'merge' | 'rebase',
        message: 'One and Two',
      });
      await w.until(async () => (await w.status(number)).status === 'merged');
      await backport(w, number);
      await carriedOut(w);
      expect(await w.git('diff', '--name-only', 'release', branch)).toBe('a.txt\nb.txt');
      expect(await w.git('log', '-1', '--format=%s', branch)).toBe(subject);
    },
  );

  it('is refused with the reason, and its repository may be left out if the number is unique', async () => {
    await using w = await world({ runsCi: false });
    await w.git('branch', 'release', 'main');
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const closed = await w.open('b', { 'b.txt': 'b\n' });
    await w.host.close(closed);
    await expect(backport(w, closed)).rejects.toThrow('closed without being merged');
    await expect(backport(w, number, 'none')).rejects.toThrow('Target branch none not found');
    await expect(
      previewBackport(w.ctx, { repository: w.repository, number: closed, targetBranch: 'release' }),
    ).rejects.toThrow('closed without being merged');
    await expect(backport(w, number, 'mq-bot-1')).rejects.toThrow('Target branch mq-bot-1 not found');
    const unnamed = { repository: { owner: 'acme' }, number, targetBranch: 'release' };
    expect((await requestBackport(w.ctx, unnamed)).message).toContain('#1 to release');
    const other = await createRepository(w.ctx, { owner: 'acme', name: 'other', host: 'local' });
    expect((await requestBackport(w.ctx, unnamed)).message).toContain('#1 to release');
    await w.rows(
      `insert into pull_request (account_id, repository_id, number, title, author, head_branch, base_branch, head_sha, author_name, author_email, url, created_at)
       select account_id, $1, number, title, author, head_branch, base_branch, head_sha, author_name, author_email, url, created_at
       from pull_request where number = $2`,
      [other.id, number],
    );
    await expect(requestBackport(w.ctx, unnamed)).rejects.toThrow('source_pull.repository.name is required');
  });

  it('opens one pull request, even if its worker dies after opening it', async () => {
    await using w = await world();
    await w.git('branch', 'release', 'main');
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await merged(w, number);
    await backport(w, number);
    await dyingAt(w, 'backport:after_open', async () => await carriedOut(w));
    const pulls = (await w.host.pullRequests()).filter((each) => each.branch === branch);
    expect(pulls).toHaveLength(1);
    expect((await w.comments(number)).map(({ key }) => key)).toEqual(
      expect.arrayContaining(['backport:release:begin', 'backport:release:result']),
    );
  });

  it.each(inFull('backport:after_branch', 'backport:after_open'))('survives a kill at %s', async (failpoint) => {
    await using w = await world();
    await w.git('branch', 'release', 'main');
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await merged(w, number);
    await backport(w, number);
    await using killed = await startEngine(w.engine, failpoint);
    expect(await killed.ended).toMatch(/SIGKILL|137/);
    await using next = await startEngine(w.engine);
    await w.watch([]);
    await next.kill();
    const pulls = (await w.host.pullRequests()).filter((each) => each.branch === branch);
    expect(pulls).toHaveLength(1);
    expect((await w.comments(number)).map(({ key }) => key)).toEqual(
      expect.arrayContaining(['backport:release:begin', 'backport:release:result']),
    );
  });
});
