// What every code host promises about drafts, comments, conclusions and heads.
import { describe, expect, test } from 'vitest';
import { HostRefused, RefMoved, type HostPullRequest } from '../../../src/hosts/port.ts';
import type { Given } from './given.ts';

/** A person who comments. */
export interface Speaker {
  readonly who: 'a writer' | 'a stranger';
  readonly mayWrite: boolean;
}

async function open({ host, repository }: Given, draft = false): Promise<HostPullRequest> {
  return await host.openPullRequest(repository, {
    title: 'Add b',
    body: 'Because.',
    author: 'ada',
    headBranch: 'topic',
    baseBranch: 'main',
    draft,
  });
}

export function describeConversations(given: () => Given, speakers: readonly Speaker[]): void {
  describe('comments', () => {
    test('of the same key are one comment, even with several writers', async () => {
      const { host, repository } = given();
      const { number } = await open(given());
      const write = async (version: number): Promise<void> =>
        await host.upsertComment(repository, number, { key: 'status', body: `Version ${version}`, version });
      await Promise.allSettled([1, 2, 3, 4].map(write));
      await write(5);
      expect((await host.listComments(repository, number)).map(({ body }) => body)).toEqual(['Version 5']);
    });

    test.each(speakers)(
      'of $who are listed once, the oldest first, with the permission to write',
      async ({ who, mayWrite }) => {
        const { host, repository, comment } = given();
        const { number } = await open(given());
        const since = Date.now() - 60_000;
        await host.upsertComment(repository, number, { key: 'status', body: 'Ours.' });
        for (const body of ['/interlock queue', 'Thanks.']) await comment({ number, body, by: who });
        const first = await host.listCommentsAfter(repository, { cursor: null, since });
        expect(first.comments.map(({ body, mayWrite: may }) => [body, may])).toEqual([
          ['/interlock queue', mayWrite],
          ['Thanks.', mayWrite],
        ]);
        await comment({ number, body: 'More.', by: who });
        const second = await host.listCommentsAfter(repository, { cursor: first.cursor, since });
        expect(second.comments.map(({ body }) => body)).toEqual(['More.']);
      },
    );
  });
}

export function describeHeads(given: () => Given): void {
  test('a draft is opened as a draft, and is not merged', async () => {
    const { host, repository, head } = given();
    const { number, draft } = await open(given(), true);
    expect(draft).toBe(true);
    const merge = { expectedHead: head, strategy: 'squash', message: 'Add b', unlessRef: null } as const;
    await expect(host.mergePullRequest(repository, number, merge)).rejects.toThrow(HostRefused);
  });

  test('an open pull request has the tips of its branches, and a closed one has none', async () => {
    const { host, repository, push, head, base } = given();
    const { number, headTip } = await open(given());
    expect(headTip).toBe(head);
    expect(await host.listOpenPullRequests(repository)).toMatchObject([{ number, headTip: head, baseTip: base }]);
    const next = await push({ branch: 'topic', files: { 'c.txt': 'c\n' } });
    await expect
      .poll(async () => await host.getPullRequest(repository, number))
      .toMatchObject({ headSha: next, headTip: next, baseTip: base });
    await host.closePullRequest(repository, number);
    expect(await host.getPullRequest(repository, number)).toMatchObject({
      state: 'closed',
      headSha: next,
      headTip: null,
      baseTip: null,
    });
  });

  test('a push stops an update that expects the old commit, and an update after a read succeeds', async () => {
    const { host, repository, push, head, base } = given();
    const pushed = await push({ branch: 'topic', files: { 'c.txt': 'c\n' } });
    const update = { ref: 'refs/heads/topic', to: base };
    await expect(host.updateRefs(repository, [{ ...update, from: head }])).rejects.toThrow(RefMoved);
    await host.updateRefs(repository, [{ ...update, from: pushed }]);
    // The second call is refused too: it may find the ref at its goal, but not at the expected commit.
    await expect(host.updateRefs(repository, [{ ...update, from: head }])).rejects.toThrow(RefMoved);
    expect((await host.readRef(repository, 'refs/heads/topic'))?.commit).toBe(base);
  });

  test('a pull request whose branch is deleted is closed, and is not reopened', async () => {
    const { host, repository, head } = given();
    const { number } = await open(given());
    await host.updateRefs(repository, [{ ref: 'refs/heads/topic', from: head, to: null }]);
    await expect.poll(async () => await host.getPullRequest(repository, number)).toMatchObject({ state: 'closed' });
    await expect(host.reopenPullRequest(repository, number)).rejects.toThrow(HostRefused);
  });

  test.each(['squash', 'merge', 'rebase'] as const)(
    'a %s that landed is concluded once, with its comment at most once',
    async (strategy) => {
      const { host, repository, base, head } = given();
      const { number } = await open(given());
      const composed = await host.composeCommit(repository, {
        parent: base,
        members: [{ head, strategy, message: 'Add b\n', authorName: 'Ada', authorEmail: 'ada@acme.test' }],
        batchCommit: 'group',
        groupMessage: 'Add b\n',
        at: 1_750_000_000_000,
        keepRef: 'refs/interlock/builds/1',
      });
      const commit = composed.kind === 'composed' ? composed.commit : '';
      await host.updateRefs(repository, [{ ref: 'refs/heads/main', from: base, to: commit }]);
      const landing = { mergeCommit: commit, at: 1_750_000_000_000, comment: `Landed as ${commit}.` };
      for (let times = 0; times < 2; times += 1) await host.concludePullRequest(repository, number, landing);
      expect(await host.findOpenPullRequests(repository, 'topic')).toEqual([]);
      const said = (await host.listComments(repository, number)).filter(({ body }) => body.includes(landing.comment));
      expect(said.length).toBeLessThanOrEqual(1);
    },
  );
}
