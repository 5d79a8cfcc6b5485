// Pull requests of forks whose branches have the names of branches of this repository.
import { describe, expect, it } from 'vitest';
import { requestSync } from '../../src/modules/queue/index.ts';
import { parallel, world, type World } from '../support/world.ts';
import { hostOf } from './stories.ts';

/** Opens a pull request of a fork whose branch has the name and the commit of a branch of this repository. */
async function openOfFork(w: World, branch: string): Promise<number> {
  const head = await w.commit(branch, { [`${branch}.txt`]: `${branch}\n` });
  const opened = await w.service.localHost.openPullRequestOfFork(hostOf(w), {
    title: `Add ${branch}`,
    body: '',
    author: 'grace',
    headBranch: branch,
    baseBranch: 'main',
    draft: false,
    fork: { owner: 'grace', name: 'web' },
    head,
  });
  await w.service.drain();
  return opened.number;
}

describe('a pull request of a fork', () => {
  it('is never brought up to date, and its landing does not touch the branch of the same name in this repository', async () => {
    await using w = await world({ configuration: `${parallel()}delete_branch: true\n` });
    const number = await openOfFork(w, 'topic');
    const head = await w.git('rev-parse', 'topic');
    await w.commit('main', { 'other.txt': 'other\n' });

    await requestSync(w.ctx, { repository: w.repository, number });
    await w.until(async () => (await w.comments(number)).some(({ key }) => key === 'sync'));
    expect(await w.comments(number)).toContainEqual(
      expect.objectContaining({ body: expect.stringContaining('topic is a branch of the fork grace/web') }),
    );
    expect(await w.git('rev-parse', 'topic')).toBe(head);

    // This push moves only the branch of this repository, not the branch of the fork.
    await w.commit('topic', { 'more.txt': 'more\n' });
    expect((await w.status(number)).head_sha).toBe(head);
    await w.git('update-ref', 'refs/heads/topic', head);

    await w.queue(number);
    await w.settled(number);
    await w.until(async () => (await w.host.pullRequest(number))?.state === 'merged');
    expect((await w.status(number)).status).toBe('merged');
    expect(await w.git('rev-parse', 'topic')).toBe(head);
    expect((await w.comments(number)).map(({ key }) => key)).not.toContain('left-out');
  });

  it('from a branch that is named like a bot branch is an ordinary pull request', async () => {
    await using w = await world({ configuration: parallel() });
    const first = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(first);
    await w.settled(first);
    // The batch of the first pull request has this number.
    const [batch] = await w.batches();
    const number = await openOfFork(w, `mq-bot-${batch?.id}`);
    await w.queue(number);
    await w.settled(number);
    expect(await w.status(number)).toMatchObject({ status: 'merged' });
  });
});
