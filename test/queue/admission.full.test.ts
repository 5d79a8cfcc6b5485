// A user asks to merge a draft, a pull request without an approval, and one whose base branch is not managed.
import { describe, expect, it } from 'vitest';
import { openPullRequest } from '../../src/modules/queue/index.ts';
import { parallel, world } from '../support/world.ts';
import { expectLandedOnce, hostOf, statuses } from './stories.ts';

describe('asking to merge', () => {
  it('a draft is blocked with 114, and lands if it is queued again as ready for review', async () => {
    await using w = await world({ configuration: parallel() });
    await w.commit('a', { 'a.txt': 'a\n' });
    await openPullRequest(w.ctx, { repository: w.repository, title: 'Add a', headBranch: 'a', draft: true });
    await w.queue(1);
    expect(await statuses(w, 1)).toEqual(['blocked 114']);
    await w.service.localHost.editPullRequest(hostOf(w), { number: 1 }, { draft: false });
    await w.queue(1);
    await w.settled(1);
    await expectLandedOnce(w, 1);
  });

  it('a pull request that lacks an approval waits with 101, and is queued when the approval comes', async () => {
    await using w = await world({ configuration: `${parallel()}preconditions:\n  number_of_approvals: 1\n` });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    expect(await statuses(w, number)).toEqual(['pending 101']);
    await w.host.review(number, { reviewer: 'grace', verdict: 'approved' });
    await w.settled(number);
    await expectLandedOnce(w, number);
    expect((await w.events()).filter(([action]) => action === 'queued')).toEqual([['queued', [number]]]);
  });

  it('a pull request into a base branch that is not managed is blocked with 118', async () => {
    await using w = await world({ configuration: parallel() });
    await w.commit('release', { 'release.txt': 'r\n' });
    await w.commit('a', { 'a.txt': 'a\n' });
    await openPullRequest(w.ctx, { repository: w.repository, title: 'Add a', headBranch: 'a', baseBranch: 'release' });
    await w.queue(1);
    expect(await statuses(w, 1)).toEqual(['blocked 118']);
  });
});
