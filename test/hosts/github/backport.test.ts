// Backports at GitHub of pull requests that landed without the queue.
import { assert, expect, test } from 'vitest';
import { requestBackport, syncPullRequest } from '../../../src/modules/queue/index.ts';
import { findRepository } from '../../../src/modules/repositories/index.ts';
import { git } from '../commits.ts';
import { queueWorld } from './queue-world.ts';

test('a pull request that was merged before Interlock read it has its merge commit', async () => {
  await using w = await queueWorld();
  w.emulator.setWebhookUrl('http://127.0.0.1:9/');
  const head = await w.push('one', { one: '1\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'Add one', head: 'one', base: 'main' });
  await w.person.git.updateRef({ ...w.place, ref: 'heads/main', sha: head });
  await w.emulator.core.settled();
  const repository = await findRepository(w.ctx, { owner: w.place.owner, name: w.place.repo });
  assert(repository !== null);
  await syncPullRequest(w.ctx, repository, data.number);
  const known = await w.rows('select status, merge_commit_sha, merged_by_queue from pull_request where number = $1', [
    data.number,
  ]);
  expect(known).toEqual([{ status: 'merged', merge_commit_sha: head, merged_by_queue: false }]);
});

test('a backport of a fast-forwarded pull request has all commits of the pull request, and none of its base', async () => {
  await using w = await queueWorld();
  await w.push('release', { 'release.txt': 'release\n' });
  await w.push('one', { one: '1\n' });
  await w.push('main', { 'base.txt': 'base\n' });
  await w.push('one', { 'base.txt': 'base\n' }, { merges: ['main'], message: 'Bring main' });
  const head = await w.push('one', { two: '2\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'Add one', head: 'one', base: 'main' });
  await w.person.git.updateRef({ ...w.place, ref: 'heads/main', sha: head });
  await w.emulator.core.settled();
  const statusOf = async (): Promise<string | undefined> =>
    (await w.rows<{ status: string }>('select status from pull_request where number = $1', [data.number]))[0]?.status;
  await w.until(async () => (await statusOf()) === 'merged');

  const repository = { owner: w.place.owner, name: w.place.repo };
  await requestBackport(w.ctx, { repository, number: data.number, targetBranch: 'release' });
  await w.until(async () => (await w.rows("select 1 from backport where state <> 'waiting'")).length > 0);
  expect(await w.rows('select state, reason from backport')).toEqual([{ state: 'opened', reason: null }]);
  const clone = await w.clone();
  const made = `origin/release..origin/interlock/backport-${data.number}-to-release`;
  expect(git(clone, 'log', '--reverse', '--format=%s', made).split('\n')).toEqual(['Change one', 'Change two']);
  expect(git(clone, 'diff', '--name-only', made.replace('..', '...')).split('\n')).toEqual(['one', 'two']);
  expect(w.emulator.core.mistakes).toEqual([]);
});
