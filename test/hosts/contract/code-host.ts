// What every code host promises. `describeCodeHost` tests each adapter in the same way, only through the port.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CommitMissing, HostRefused, RefMoved, type CodeHost, type RefUpdate } from '../../../src/hosts/port.ts';
import { describeChecks } from './checks.ts';
import type { Given } from './given.ts';
import type { MakeHost } from './host-under-test.ts';
import { describeConversations, describeHeads, type Speaker } from './pull-requests.ts';

const none = '1'.repeat(40);

/** `speakers`: people who can comment at the host. */
export function describeCodeHost(
  name: string,
  { speakers }: { readonly speakers: readonly Speaker[] },
  makeHost: MakeHost,
): void {
  describe(`the code host ${name}`, () => {
    let w: Given;
    beforeEach(async () => {
      const made = await makeHost();
      const base = await made.push({ branch: 'main', files: { 'a.txt': 'a\n' } });
      const head = await made.push({ branch: 'topic', from: base, files: { 'b.txt': 'b\n' } });
      w = { ...made, base, head };
    });
    afterEach(async () => await w.close());

    describeRefs(() => w);
    describeComposing(() => w);
    describePullRequests(() => w);
    describeMerging(() => w);
    describeHeads(() => w);
    describeConversations(() => w, speakers);
    describeChecks(() => w);
  });
}

function describeRefs(given: () => Given): void {
  const tip = async (ref: string): Promise<string | null> =>
    (await given().host.readRef(given().repository, ref))?.commit ?? null;

  test('reads refs, commits and files, and returns null for what does not exist', async () => {
    const { host, repository, base, head } = given();
    expect(await tip('refs/heads/main')).toBe(base);
    expect(await tip('refs/heads/none')).toBeNull();
    expect(await host.listRefs(repository, 'refs/heads/')).toEqual([
      { ref: 'refs/heads/main', commit: base },
      { ref: 'refs/heads/topic', commit: head },
    ]);
    expect(await host.listRefs(repository, 'refs/heads/to')).toEqual([{ ref: 'refs/heads/topic', commit: head }]);
    expect(await host.readCommit(repository, head)).toMatchObject({ commit: head, parents: [base] });
    expect(await host.readCommit(repository, none)).toBeNull();
    expect(await host.isAncestor(repository, base, head)).toBe(true);
    expect(await host.isAncestor(repository, head, base)).toBe(false);
    const file = { commit: head, path: 'b.txt', maxBytes: 100 };
    expect((await host.readFile(repository, file))?.text).toBe('b\n');
    expect(await host.readFile(repository, { ...file, maxBytes: 1 })).toBeNull();
    expect(await host.readFile(repository, { ...file, commit: base })).toBeNull();
    const lines = await host.listFirstParents(repository, { from: base, to: head, limit: 10 });
    expect(lines.map(({ commit }) => commit)).toEqual([head]);
  });

  test('moves all refs of an update, or none of them', async () => {
    const { host, repository, base, head } = given();
    const landing = 'refs/interlock/landings/1';
    const move = async (...updates: RefUpdate[]): Promise<void> => await host.updateRefs(repository, updates);
    const refused: readonly (readonly RefUpdate[])[] = [
      // A wrong expected value, a ref that exists already, and a ref that does not exist.
      [
        { ref: landing, from: null, to: head },
        { ref: 'refs/heads/main', from: head, to: base },
      ],
      [
        { ref: landing, from: null, to: head },
        { ref: 'refs/heads/topic', from: null, to: base },
      ],
      [
        { ref: landing, from: null, to: head },
        { ref: 'refs/heads/none', from: base, to: head },
      ],
    ];
    for (const updates of refused) {
      await expect(move(...updates)).rejects.toThrow(RefMoved);
      expect(await tip('refs/heads/main')).toBe(base);
      expect(await tip(landing)).toBeNull();
    }
    await move({ ref: 'refs/heads/main', from: base, to: head }, { ref: landing, from: null, to: head });
    expect([await tip('refs/heads/main'), await tip(landing)]).toEqual([head, head]);
    await move({ ref: 'refs/heads/topic', from: head, to: null });
    expect(await tip('refs/heads/topic')).toBeNull();
  });

  test('accepts only one of two racing updates of a ref', async () => {
    const { host, repository, base, head } = given();
    const other = await given().push({ branch: 'other', from: base, files: { 'c.txt': 'c\n' } });
    const raced = await Promise.allSettled(
      [head, other].map(async (to) => await host.updateRefs(repository, [{ ref: 'refs/heads/main', from: base, to }])),
    );
    expect(raced.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([head, other]).toContain(await tip('refs/heads/main'));
  });
}

function describeComposing(given: () => Given): void {
  const compose = async (parent: string, keepRef: string): ReturnType<CodeHost['composeCommit']> =>
    await given().host.composeCommit(given().repository, {
      parent,
      members: [
        { head: given().head, strategy: 'squash', message: 'Add b\n', authorName: 'Ada', authorEmail: 'ada@acme.test' },
      ],
      batchCommit: 'group',
      groupMessage: 'Add b\n',
      at: 1_750_000_000_000,
      keepRef,
    });

  test('makes the same commit of the same input, and moves no branch', async () => {
    const { host, repository, base } = given();
    const onto = await given().push({ branch: 'main', files: { 'c.txt': 'c\n' } });
    const first = await compose(onto, 'refs/interlock/builds/1');
    expect(first.kind).toBe('composed');
    expect(await compose(onto, 'refs/interlock/builds/2')).toEqual(first);
    expect((await host.readRef(repository, 'refs/heads/main'))?.commit).toBe(onto);
    expect(onto).not.toBe(base);
  });

  test('commits in one name, and keeps the commits', async () => {
    const { host, repository, base } = given();
    const composed = await compose(base, 'refs/interlock/builds/1');
    const { name, email } = host.identity(repository);
    expect([name, email]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/^\S+@\S+$/)]);
    const made = composed.kind === 'composed' ? composed.commit : '';
    for (let times = 0; times < 2; times += 1) await host.keepCommit(repository, made, 'refs/interlock/builds/2');
    await expect(host.keepCommit(repository, none, 'refs/interlock/builds/3')).rejects.toThrow(CommitMissing);
    const missing = host.updateRefs(repository, [{ ref: 'refs/heads/main', from: base, to: none }]);
    await expect(missing).rejects.toThrow(CommitMissing);
    await host.updateRefs(repository, [{ ref: 'refs/heads/main', from: base, to: made }]);
  });

  test('names the paths of a conflict', async () => {
    const onto = await given().push({ branch: 'main', files: { 'b.txt': 'other\n' } });
    expect(await compose(onto, 'refs/interlock/builds/1')).toEqual({ kind: 'conflict', at: 0, paths: ['b.txt'] });
  });
}

function describePullRequests(given: () => Given): void {
  test('opens, finds, closes and reopens a pull request', async () => {
    const { host, repository, head } = given();
    const opened = await open(given());
    expect(opened).toMatchObject({
      headBranch: 'topic',
      headFork: null,
      baseBranch: 'main',
      headSha: head,
      state: 'open',
    });
    expect(await host.getPullRequest(repository, opened.number)).toEqual(opened);
    expect(await host.findOpenPullRequests(repository, 'topic')).toEqual([opened]);
    expect(await host.findOpenPullRequests(repository, 'main')).toEqual([]);
    await expect(open(given())).rejects.toThrow(HostRefused);
    for (let times = 0; times < 2; times += 1) await host.closePullRequest(repository, opened.number);
    expect(await host.findOpenPullRequests(repository, 'topic')).toEqual([]);
    expect(await host.getPullRequest(repository, opened.number)).toMatchObject({ state: 'closed', headSha: head });
    await host.reopenPullRequest(repository, opened.number);
    expect(await host.listOpenPullRequests(repository)).toHaveLength(1);
    expect(await host.getPullRequest(repository, 99_999_999)).toBeNull();
  });

  test.each([
    ['a missing head', { headBranch: 'none' }],
    ['a missing base', { baseBranch: 'none' }],
    ['the same branch', { headBranch: 'main' }],
  ])('refuses to open a pull request of %s', async (_what, changes) => {
    await expect(open(given(), changes)).rejects.toThrow(HostRefused);
  });

  test('distinguishes the branch of a fork from the branch of the same name', async () => {
    const { host, repository, base, head } = given();
    const number = await given().openOfFork({ branch: 'topic', head });
    await given().push({ branch: 'topic', files: { 'more.txt': 'more\n' } });
    expect(await host.getPullRequest(repository, number)).toMatchObject({
      headBranch: 'topic',
      headFork: { owner: expect.any(String), name: expect.any(String) },
      headSha: head,
    });
    expect(await host.findOpenPullRequests(repository, 'topic')).toEqual([]);
    const own = await open(given());
    expect(await host.findOpenPullRequests(repository, 'topic')).toEqual([own]);
    const tip = (await host.readRef(repository, 'refs/heads/topic'))?.commit ?? null;
    await host.updateRefs(repository, [{ ref: 'refs/heads/topic', from: tip, to: null }]);
    expect(await host.getPullRequest(repository, number)).toMatchObject({ state: 'open', headSha: head });
    expect(await host.isAncestor(repository, base, head)).toBe(true);
  });

  test('keeps each label once, and edits a comment of a key in place', async () => {
    const { host, repository } = given();
    const { number } = await open(given());
    for (let times = 0; times < 2; times += 1)
      await host.setLabel(repository, number, { label: 'ready', present: true });
    expect((await host.getPullRequest(repository, number))?.labels).toEqual(['ready']);
    expect(await host.readLabelChange(repository, number, 'ready')).toMatchObject({ present: true, byQueue: true });
    await host.setLabel(repository, number, { label: 'ready', present: false });
    expect((await host.getPullRequest(repository, number))?.labels).toEqual([]);
    for (const [version, body] of [
      [1, 'queued'],
      [3, 'merged'],
      [2, 'late'],
    ] as const)
      await host.upsertComment(repository, number, { key: 'status', body, version });
    expect((await host.listComments(repository, number)).map(({ body }) => body)).toEqual(['merged']);
  });
}

function describeMerging(given: () => Given): void {
  test.each(['squash', 'merge', 'rebase'] as const)(
    'merges by %s only if the head is as expected',
    async (strategy) => {
      const { host, repository, base, head } = given();
      const { number } = await open(given());
      const merge = { expectedHead: head, strategy, message: 'Add b', unlessRef: null };
      await expect(host.mergePullRequest(repository, number, { ...merge, expectedHead: base })).rejects.toThrow(
        RefMoved,
      );
      const { commit } = await host.mergePullRequest(repository, number, merge);
      expect((await host.readRef(repository, 'refs/heads/main'))?.commit).toBe(commit);
      expect(await host.getPullRequest(repository, number)).toMatchObject({ state: 'merged', mergeCommitSha: commit });
      await expect(host.mergePullRequest(repository, number, merge)).rejects.toThrow(HostRefused);
    },
  );
}

async function open(
  { host, repository }: Given,
  changes: { readonly headBranch?: string; readonly baseBranch?: string } = {},
): ReturnType<CodeHost['openPullRequest']> {
  return await host.openPullRequest(repository, {
    title: 'Add b',
    body: 'Because.',
    author: 'ada',
    headBranch: 'topic',
    baseBranch: 'main',
    draft: false,
    ...changes,
  });
}
