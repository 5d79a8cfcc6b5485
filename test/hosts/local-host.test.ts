import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  HostRefused,
  HostUnavailable,
  openOnce,
  RefMoved,
  type HostClient,
  type HostRepository,
} from '../../src/hosts/port.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { filesOf, parentsOf, tip } from './commits.ts';
import { localWorld, type LocalWorld, until } from './local-world.ts';

let world: LocalWorld;
let base: string;
let head: string;

beforeEach(async () => {
  world = await localWorld();
  base = world.commit({ branch: 'main', files: { 'a.txt': 'a\n' } });
  head = world.commit({ branch: 'topic', from: base, files: { 'b.txt': 'b\n' } });
});
afterEach(async () => await world.close());

const open = async (changes: { headBranch?: string; baseBranch?: string; draft?: boolean; labels?: string[] } = {}) =>
  await world.host.openPullRequest(world.repository, {
    title: 'Add b',
    body: 'Because.',
    author: 'ada',
    headBranch: 'topic',
    baseBranch: 'main',
    draft: false,
    ...changes,
  });
const numbersOf = (kind: 'pull_request') =>
  world.events.flatMap((event) => (event.kind === kind ? [event.number] : []));

test('the doctor tests the folder and the checks, and names what is missing', async () => {
  const { host, repository } = world;
  const examine = async (id: string, baseBranches: readonly string[]): Promise<string[]> => {
    const found: string[] = [];
    const expectations = { baseBranches, requiredChecks: ['test'], isValidated: false };
    await host.examine({ ...repository, id }, expectations, ({ state, probe }) => void found.push(`${state} ${probe}`));
    return found;
  };
  const missing = ['ok folder', 'ok git', 'missing checks of main', 'missing checks of none'];
  expect(await examine(repository.id, ['main', 'none'])).toEqual(missing);
  world.commit({ branch: 'main', files: { '.service/ci.yml': 'checks: {test: {run: "true"}}' } });
  expect(await examine(repository.id, ['main'])).toEqual(['ok folder', 'ok git', 'ok checks of main']);
  expect(await examine('999', ['main'])).toEqual(['missing folder']);
});

describe('repositories', () => {
  test('reads refs, commits, files and first parents', async () => {
    const { host, repository } = world;
    expect(await host.readRef(repository, 'refs/heads/main')).toEqual({
      commit: base,
      tree: world.git('rev-parse', `${base}^{tree}`),
    });
    expect(await host.readRef(repository, 'refs/heads/none')).toBeNull();
    expect(await host.listRefs(repository, 'refs/heads/')).toEqual([
      { ref: 'refs/heads/main', commit: base },
      { ref: 'refs/heads/topic', commit: head },
    ]);
    expect(await host.readCommit(repository, head)).toMatchObject({
      commit: head,
      parents: [base],
      authorName: 'Ada',
      authorEmail: 'ada@example.org',
      message: 'Change b.txt',
    });
    expect(await host.readCommit(repository, '1'.repeat(40))).toBeNull();
    expect(
      (await host.listFirstParents(repository, { from: null, to: head, limit: 10 })).map(({ commit }) => commit),
    ).toEqual([head, base]);
    expect(
      (await host.listFirstParents(repository, { from: base, to: head, limit: 10 })).map(({ commit }) => commit),
    ).toEqual([head]);
    expect(await host.isAncestor(repository, base, head)).toBe(true);
    expect(await host.isAncestor(repository, head, base)).toBe(false);
    expect(await host.readFile(repository, { commit: head, path: 'b.txt', maxBytes: 100 })).toEqual({
      text: 'b\n',
      blob: world.git('rev-parse', `${head}:b.txt`),
    });
    expect(await host.readFile(repository, { commit: head, path: 'b.txt', maxBytes: 1 })).toBeNull();
    expect(await host.readFile(repository, { commit: base, path: 'b.txt', maxBytes: 100 })).toBeNull();
  });

  test('that are made again keep their content', async () => {
    await world.host.ensureRepository(world.repository, { defaultBranch: 'main' });
    expect(tip(world.directory, 'main')).toBe(base);
  });

  test('that are not on disk are unavailable, not empty', async () => {
    const missing = { ...world.repository, id: '999999' };
    await expect(world.host.readRef(missing, 'refs/heads/main')).rejects.toThrow(HostUnavailable);
    await expect(world.host.readRef({ ...missing, id: '../1' }, 'refs/heads/main')).rejects.toThrow(HostRefused);
  });
});

describe('pull requests', () => {
  test('have a number of their own, and are shown as by GitHub', async () => {
    const opened = await open({ labels: ['ready', 'ready'] });
    expect(opened).toMatchObject({
      number: 1,
      title: 'Add b',
      author: 'ada',
      headBranch: 'topic',
      baseBranch: 'main',
      headSha: head,
      state: 'open',
      draft: false,
      labels: ['ready'],
      approvals: 0,
      changesRequested: false,
      mergedAt: null,
      url: 'http://localhost:4000/acme/shop/pull/1',
    });
    world.commit({ branch: 'other', from: base, files: { 'c.txt': 'c\n' } });
    expect((await open({ headBranch: 'other' })).number).toBe(2);
    expect((await world.host.listOpenPullRequests(world.repository)).map(({ number }) => number)).toEqual([1, 2]);
    expect(numbersOf('pull_request')).toEqual([1, 2]);
  });

  test('that are opened at once have consecutive numbers, each once', async () => {
    const names = ['p', 'q', 'r', 's'];
    for (const name of names) world.commit({ branch: name, from: base, files: { [name]: name } });
    const opened = await Promise.all(names.map(async (headBranch) => await open({ headBranch })));
    expect(opened.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4]);
  });

  test('have new numbers, even if an old database is restored', async () => {
    await open();
    world.commit({ branch: 'other', from: base, files: { 'c.txt': 'c\n' } });
    await open({ headBranch: 'other' });
    // A restored backup that was made before the second pull request leaves these rows.
    const { db, git } = world.host.installation;
    await db.system.query('delete from local_pull_request where number = 2');
    await db.system.query('update local_repository set next_number = 2');
    expect((await open({ headBranch: 'other' })).number).toBe(3);
    expect(await git.text(world.directory, ['show', 'refs/interlock/last-number'])).toBe('3');
    expect(await git.text(world.directory, ['ls-remote', '.'])).not.toContain('last-number');
  });

  test.each([
    ['a head that does not exist', { headBranch: 'none' }, 'The head branch none does not exist'],
    ['a base that does not exist', { baseBranch: 'none' }, 'The base branch none does not exist'],
    ['the same branch', { headBranch: 'main' }, 'Head and base are the same branch, main'],
    ['an invalid branch name', { headBranch: 'a..b' }, 'is not a valid ref name'],
  ])('are refused for %s', async (_what, changes, message) => {
    const failure = await open(changes).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HostRefused);
    expect(String(failure)).toContain(message);
  });

  test('are refused when there is nothing to merge, or an open one for the same head and base', async () => {
    world.git('branch', 'same', base);
    await expect(open({ headBranch: 'same' })).rejects.toThrow('There is nothing to merge');
    await open();
    await expect(open()).rejects.toThrow('A pull request already exists from topic into main');
    await world.host.closePullRequest(world.repository, 1);
    expect((await open()).number).toBe(2);
  });

  test('show the tip of their branch as head, and keep the last head when the branch is deleted', async () => {
    await open();
    const moved = world.commit({ branch: 'topic', files: { 'b.txt': 'bb\n' } });
    expect((await world.host.getPullRequest(world.repository, 1))?.headSha).toBe(moved);
    await world.host.reconcile(world.repository);
    world.git('branch', '-D', 'topic');
    await world.host.reconcile(world.repository);
    expect(await world.host.getPullRequest(world.repository, 1)).toMatchObject({ state: 'closed', headSha: moved });
  });

  test('report each close and reopen once, and do not report the merge that the service concludes', async () => {
    const { host, repository } = world;
    await open();
    await host.closePullRequest(repository, 1);
    await host.closePullRequest(repository, 1);
    await host.reopenPullRequest(repository, 1);
    await host.concludePullRequest(repository, 1, { mergeCommit: head, at: 1_750_000_000_000, comment: 'Landed.' });
    await host.concludePullRequest(repository, 1, { mergeCommit: base, at: 1, comment: 'Landed.' });
    await host.closePullRequest(repository, 1);
    expect(await host.getPullRequest(repository, 1)).toMatchObject({
      state: 'merged',
      mergeCommitSha: head,
      mergedAt: 1_750_000_000_000,
    });
    expect(numbersOf('pull_request')).toEqual([1, 1, 1]);
    await expect(host.closePullRequest(repository, 9)).rejects.toThrow('There is no pull request #9');
  });

  test('count the last verdict of each reviewer', async () => {
    const { host, repository } = world;
    await open();
    await host.reviewPullRequest(repository, 1, { reviewer: 'bob', verdict: 'changes_requested' });
    await host.reviewPullRequest(repository, 1, { reviewer: 'cleo', verdict: 'approved' });
    expect(await host.getPullRequest(repository, 1)).toMatchObject({ approvals: 1, changesRequested: true });
    await host.reviewPullRequest(repository, 1, { reviewer: 'bob', verdict: 'approved' });
    expect(await host.getPullRequest(repository, 1)).toMatchObject({ approvals: 2, changesRequested: false });
    await host.reviewPullRequest(repository, 1, { reviewer: 'bob', verdict: 'dismissed' });
    expect(await host.getPullRequest(repository, 1)).toMatchObject({ approvals: 1, changesRequested: false });
    await expect(host.reviewPullRequest(repository, 1, { reviewer: 'ada', verdict: 'approved' })).rejects.toThrow(
      HostRefused,
    );
    // The same person, with a new name that was linked since.
    const cleo = { reviewer: 'cleopatra', alsoKnownAs: ['Cleo', 'cleopatra'] };
    await host.reviewPullRequest(repository, 1, { ...cleo, verdict: 'approved' });
    expect(await host.getPullRequest(repository, 1)).toMatchObject({ approvals: 1 });
  });

  test('refuse and do not count reviews of authors of the branch', async () => {
    const { host, repository } = world;
    await open();
    await host.reviewPullRequest(repository, 1, { reviewer: 'bob', verdict: 'changes_requested' });
    await host.reviewPullRequest(repository, 1, { reviewer: 'cleo', verdict: 'approved' });
    await host.addBranchAuthors(repository, 'elsewhere', ['cleo']);
    for (const names of [['bob', 'bob@acme.test'], ['bob']]) await host.addBranchAuthors(repository, 'topic', names);
    expect(await host.getPullRequest(repository, 1)).toMatchObject({ approvals: 1, changesRequested: false });
    const again = { reviewer: 'robert', alsoKnownAs: ['Bob@acme.test'], verdict: 'approved' } as const;
    await expect(host.reviewPullRequest(repository, 1, again)).rejects.toThrow(
      'Authors cannot review their own pull requests',
    );
  });

  test('have each label once, comments that are edited in place, and edits of title and draft', async () => {
    const { host, repository } = world;
    await open({ draft: true });
    for (const present of [true, true]) await host.setLabel(repository, 1, { label: 'mergequeue', present });
    await host.upsertComment(repository, 1, { key: 'status', body: 'queued' });
    await host.upsertComment(repository, 1, { key: 'status', body: 'merged' });
    await host.editPullRequest(repository, { number: 1 }, { title: 'Add more', draft: false });
    expect(await host.getPullRequest(repository, 1)).toMatchObject({
      labels: ['mergequeue'],
      title: 'Add more',
      body: 'Because.',
      draft: false,
    });
    expect(await host.listComments(repository, 1)).toEqual([
      {
        key: 'status',
        author: 'interlock',
        body: 'merged',
        createdAt: expect.any(Number),
        editedAt: expect.any(Number),
      },
    ]);
    await host.setLabel(repository, 1, { label: 'mergequeue', present: false });
    expect((await host.getPullRequest(repository, 1))?.labels).toEqual([]);
  });

  test('of another account do not exist', async () => {
    const other = await world.neighbour();
    await open();
    expect(await world.host.getPullRequest(other, 1)).toBeNull();
    expect(await world.host.listOpenPullRequests(other)).toEqual([]);
    expect(await world.host.getPullRequest({ ...world.repository, accountId: other.accountId }, 1)).toBeNull();
  });
});

describe('moving branches', () => {
  test('reports each ref, and each pull request whose head moved', async () => {
    await open();
    const moved = world.commit({ branch: 'aside', from: head, files: { 'c.txt': 'c\n' } });
    world.events.length = 0;
    await world.host.updateRefs(world.repository, [{ ref: 'refs/heads/topic', from: head, to: moved }]);
    expect(world.events).toEqual([
      { kind: 'push', repository: world.repository, ref: 'refs/heads/topic' },
      { kind: 'pull_request', repository: world.repository, number: 1 },
    ]);
  });

  test('a deleted head branch closes its pull request', async () => {
    await open();
    await world.host.updateRefs(world.repository, [{ ref: 'refs/heads/topic', from: head, to: null }]);
    expect((await world.host.getPullRequest(world.repository, 1))?.state).toBe('closed');
  });

  test('an update brings the base into a head, and moves no branch', async () => {
    const onto = world.commit({ branch: 'main', files: { 'c.txt': 'c\n' } });
    const input = { head, onto, method: 'merge', message: 'Merge main', at: 1_750_000_000_000 } as const;
    const updated = await world.host.composeUpdate(world.repository, input);
    if (updated.kind !== 'composed') throw new Error(updated.kind);
    expect(parentsOf(world.directory, updated.commit)).toEqual([head, onto]);
    expect(tip(world.directory, 'topic')).toBe(head);
    expect(await world.host.composeUpdate(world.repository, input)).toEqual(updated);
    expect(await world.host.composeUpdate(world.repository, { ...input, head: updated.commit })).toEqual(updated);
  });

  test('an update that conflicts names the paths', async () => {
    const onto = world.commit({ branch: 'main', files: { 'b.txt': 'other\n' } });
    for (const method of ['merge', 'rebase'] as const)
      expect(await world.host.composeUpdate(world.repository, { head, onto, method, message: 'Merge', at: 0 })).toEqual(
        { kind: 'conflict', paths: ['b.txt'] },
      );
  });
});

test('a landing that a kill interrupted between its two refs is complete for every reader of landings', async () => {
  const landing = 'refs/interlock/landings/7';
  world.git('update-ref', 'refs/heads/main', head);
  mkdirSync(join(world.directory, 'interlock-updates'));
  const updates = [
    { ref: 'refs/heads/main', from: base, to: head },
    { ref: landing, from: null, to: head },
  ];
  const note = { pid: process.pid, process: 'an earlier one', writtenAt: Date.now(), updates };
  writeFileSync(join(world.directory, 'interlock-updates', '1.json'), JSON.stringify(note));
  expect((await world.host.readRef(world.repository, landing))?.commit).toBe(head);
  expect(await world.host.listRefs(world.repository, 'refs/interlock/landings/')).toEqual([
    { ref: landing, commit: head },
  ]);
});

describe('the merge button', () => {
  test.each([
    ['squash', 1],
    ['merge', 2],
    ['rebase', 1],
  ] as const)('%s moves the base, and is refused for another head than the expected one', async (strategy, parents) => {
    await open();
    const onward = world.commit({ branch: 'main', files: { 'c.txt': 'c\n' } });
    await expect(
      world.host.mergePullRequest(world.repository, 1, {
        expectedHead: base,
        strategy,
        message: 'Add b (#1)',
        unlessRef: null,
      }),
    ).rejects.toThrow(RefMoved);
    const { commit } = await world.host.mergePullRequest(world.repository, 1, {
      expectedHead: head,
      strategy,
      message: 'Add b (#1)',
      unlessRef: null,
    });
    expect(tip(world.directory, 'main')).toBe(commit);
    expect(parentsOf(world.directory, commit)).toHaveLength(parents);
    expect(parentsOf(world.directory, commit)[0]).toBe(onward);
    expect(filesOf(world.directory, commit)).toEqual({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    expect(await world.host.getPullRequest(world.repository, 1)).toMatchObject({
      state: 'merged',
      mergeCommitSha: commit,
    });
    await expect(
      world.host.mergePullRequest(world.repository, 1, { expectedHead: head, strategy, message: '', unlessRef: null }),
    ).rejects.toThrow('Pull request #1 is not open');
  });

  test('refuses a conflict and a draft', async () => {
    world.commit({ branch: 'main', files: { 'b.txt': 'other\n' } });
    await open();
    await expect(
      world.host.mergePullRequest(world.repository, 1, {
        expectedHead: head,
        strategy: 'squash',
        message: 'x',
        unlessRef: null,
      }),
    ).rejects.toThrow('Pull request #1 conflicts with its base in b.txt');
    await world.host.editPullRequest(world.repository, { number: 1 }, { draft: true });
    await expect(
      world.host.mergePullRequest(world.repository, 1, {
        expectedHead: head,
        strategy: 'squash',
        message: 'x',
        unlessRef: null,
      }),
    ).rejects.toThrow('is a draft');
  });
});

test('at the start, a repository that cannot be repaired is reported, and the others are repaired', async () => {
  const other = await world.neighbour();
  const at = (repository: HostRepository, name: string): string =>
    join(world.host.installation.directoryOf(repository), name);
  // A half-done landing whose commit is lost.
  const updates = [
    { ref: 'refs/heads/main', from: null, to: base },
    { ref: 'refs/interlock/landings/7', from: null, to: '1'.repeat(40) },
  ];
  const note = { pid: 1, process: 'another', writtenAt: 0, updates };
  mkdirSync(at(world.repository, 'interlock-updates'));
  writeFileSync(at(world.repository, 'interlock-updates/1.json'), JSON.stringify(note));
  utimesSync(at(world.repository, 'interlock-updates/1.json'), 0, 0);
  for (const repository of [world.repository, other]) writeFileSync(at(repository, 'HEAD.lock'), '');
  const errors: unknown[] = [];
  await world.host.recover((error) => errors.push(error));
  expect(errors.map(String)).toEqual([expect.stringMatching(/acme\/shop cannot be repaired: .*landings\/7/)]);
  expect([world.repository, other].map((repository) => existsSync(at(repository, 'HEAD.lock')))).toEqual([
    false,
    false,
  ]);
});

describe('the reconciler', () => {
  test('reports every branch at its first look, and later the branches that moved without a report', async () => {
    await open();
    const errors: unknown[] = [];
    world.events.length = 0;
    const first = world.host.reconciler({ everyMs: 3_600_000, onError: (error) => errors.push(error) });
    first.start();
    await until('every branch is reported', async () => world.events.length >= 2);
    await first.stop();
    expect(world.events.map((event) => (event.kind === 'push' ? event.ref : event.kind))).toEqual([
      'refs/heads/main',
      'refs/heads/topic',
    ]);
    const moved = world.commit({ branch: 'topic', files: { 'c.txt': 'c\n' } });
    await world.host.reconcile(world.repository);
    expect(await world.sql('select head_sha from local_pull_request')).toEqual([{ head_sha: moved }]);
    expect(numbersOf('pull_request')).toEqual([1]);
    expect(errors).toEqual([]);
  });

  test('does not close a pull request that is opened with a new branch after the refs were read', async () => {
    const disarm = onFailpoint('reconcile:refs_read', async () => {
      world.commit({ branch: 'late', from: base, files: { 'c.txt': 'c\n' } });
      await open({ headBranch: 'late' });
    });
    try {
      await world.host.reconcile(world.repository);
    } finally {
      disarm();
    }
    expect(await world.sql('select head_branch, state from local_pull_request')).toEqual([
      { head_branch: 'late', state: 'open' },
    ]);
    world.git('branch', '-D', 'late');
    await world.host.reconcile(world.repository);
    expect(await world.sql('select head_branch, state from local_pull_request')).toEqual([
      { head_branch: 'late', state: 'closed' },
    ]);
  });
});

test('a pull request that another process opens at the same moment is found, and other refusals count', async () => {
  const { host, repository } = world;
  const client = {
    findOpenPullRequests: async (branch: string) => await host.findOpenPullRequests(repository, branch),
    openPullRequest: async (input: Parameters<HostClient['openPullRequest']>[0]) => {
      await world.secondHost().openPullRequest(repository, input);
      return await host.openPullRequest(repository, input);
    },
  };
  const wanted = { title: 'Add b', body: '', author: 'ada', headBranch: 'topic', baseBranch: 'main', draft: false };
  const opened = await openOnce(client, wanted);
  expect(opened).toMatchObject({ headBranch: 'topic', baseBranch: 'main', state: 'open' });
  expect((await openOnce(client, wanted)).number).toBe(opened.number);
  expect(await host.findOpenPullRequests(repository, 'topic')).toHaveLength(1);
  await expect(openOnce(client, { ...wanted, headBranch: 'missing' })).rejects.toThrow(HostRefused);
});
