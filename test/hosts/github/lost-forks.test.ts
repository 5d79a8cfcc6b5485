// The fork of a pull request changes or disappears at GitHub while the pull request is in line. GitHub keeps the commits
// of the pull request, so it lands.
import { expect, test } from 'vitest';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

/** Opens a pull request from a new fork, and returns its number and the name of the fork. */
async function openFromFork(w: QueueWorld): Promise<{ number: number; owner: string; repo: string }> {
  const { data: fork } = await w.person.repos.createFork({ ...w.place, name: 'fork-of-shop' });
  const at = { owner: fork.owner.login, repo: fork.name };
  await w.emulator.core.settled();
  const { data: main } = await w.person.git.getRef({ ...at, ref: 'heads/main' });
  await w.person.git.createRef({ ...at, ref: 'refs/heads/topic', sha: main.object.sha });
  const content = Buffer.from('topic\n').toString('base64');
  await w.person.repos.createOrUpdateFileContents({ ...at, path: 'topic', message: 'Topic', content, branch: 'topic' });
  const head = `${at.owner}:topic`;
  const { data: pull } = await w.person.pulls.create({
    ...w.place,
    title: 'Topic',
    head,
    head_repo: at.repo,
    base: 'main',
  });
  await w.emulator.core.settled();
  return { number: pull.number, ...at };
}

test.each([
  {
    change: 'deleted',
    make: async (w: QueueWorld, at: { owner: string; repo: string }) => await w.person.repos.delete(at),
  },
  {
    change: 'renamed',
    make: async (w: QueueWorld, at: { owner: string; repo: string }) =>
      await Promise.resolve(w.emulator.controls.rename(`${at.owner}/${at.repo}`, 'renamed-fork')),
  },
])('a pull request lands although its fork is $change while it is in line', async ({ make }) => {
  await using w = await queueWorld();
  const { number, owner, repo } = await openFromFork(w);
  const stop = onFailpoint('landing:before_gate', async () => {
    stop();
    await make(w, { owner, repo });
    // A webhook of this change makes Interlock read the pull request, which has no such fork any more.
    await w.person.issues.addLabels({ ...w.place, issue_number: number, labels: ['seen'] });
    await w.emulator.core.settled();
    await w.service.drain();
  });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  // GitHub's description of webhooks does not say that the repository of a head may be gone, but GitHub sends null then.
  const isGone = (mistake: string): boolean => mistake.endsWith('/pull_request/head/repo must be object');
  expect(w.emulator.core.mistakes.filter((mistake) => !isGone(mistake))).toEqual([]);
});
