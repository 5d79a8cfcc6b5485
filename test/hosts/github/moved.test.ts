// The base branch is renamed at GitHub in the middle of a landing. Each pull request lands once.
import { expect, test } from 'vitest';
import { HostRefused } from '../../../src/hosts/port.ts';
import { syncPullRequest } from '../../../src/modules/queue/host-sync/pull-requests.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { git } from '../commits.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

/**
 * Renames a default branch as GitHub does: makes the new branch, changes the default branch and the bases of open pull
 * requests, and deletes the old branch.
 */
async function renameDefaultBranch(w: QueueWorld, from: string, to: string): Promise<void> {
  const { data } = await w.person.git.getRef({ ...w.place, ref: `heads/${from}` });
  await w.person.git.createRef({ ...w.place, ref: `refs/heads/${to}`, sha: data.object.sha });
  await w.person.repos.update({ ...w.place, default_branch: to });
  const open = await w.person.pulls.list({ ...w.place, state: 'open', base: from });
  for (const { number } of open.data) await w.person.pulls.update({ ...w.place, pull_number: number, base: to });
  await w.person.git.deleteRef({ ...w.place, ref: `heads/${from}` });
  // After the webhook about the default branch, each process lists the installation within a second.
  await w.service.syncInstallations();
}

function once(failpoint: string, work: () => Promise<void>): void {
  const stop = onFailpoint(failpoint, async () => {
    stop();
    await work();
  });
}

/** Runs turns of the engine, which fail at GitHub because of the old name, until the condition holds. */
async function whileMoving(w: QueueWorld, condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    const failure = await w.until(condition).catch((error: unknown) => error);
    expect([undefined, expect.any(HostRefused)]).toContainEqual(failure);
  }
}

const left = async (w: QueueWorld, number: number): Promise<boolean> =>
  (await w.rows("select 1 from pull_request where number = $1 and status = 'open'", [number])).length > 0;

async function lastComment(w: QueueWorld, issue_number: number): Promise<string> {
  const { data } = await w.person.issues.listComments({ ...w.place, issue_number });
  return data.map(({ body }) => body ?? '').find((body) => body.includes('now, and was')) ?? '';
}

test('pull requests land once, if the default branch is renamed between the gate and the push, or between the push and the record', async () => {
  await using w = await queueWorld();
  const [one, two] = [await w.open('one', { one: '1\n' }), await w.open('two', { two: '2\n' })];
  once('landing:before_move', async () => await renameDefaultBranch(w, 'main', 'trunk'));
  await w.label(one);
  await whileMoving(w, async () => await left(w, one));
  await w.until(async () => (await lastComment(w, one)) !== '');
  expect(await lastComment(w, one)).toContain(
    'The base branch of this pull request is `trunk` now, and was `main`. This pull request is no longer in line, because builds on `main` do not test it on `trunk`. Ask again to merge it into `trunk`.',
  );
  once('landing:after_host', async () => await renameDefaultBranch(w, 'trunk', 'stable'));
  await w.label(one);
  expect(await w.settled(one)).toEqual({ [one]: 'merged' });
  await w.label(two);
  expect(await w.settled(two)).toEqual({ [two]: 'merged' });
  // The builds for the old names have ended, and do not count as running builds.
  expect(await w.rows("select state from batch where state in ('making', 'building', 'landing')")).toEqual([]);
  const clone = await w.clone();
  expect(git(clone, 'log', '--first-parent', '--format=%s', 'origin/stable').split('\n')).toEqual([
    `Add two (#${two})`,
    `Add one (#${one})`,
    'First',
  ]);
  expect(await w.rows('select halted_reason from queue where halted_reason is not null')).toEqual([]);
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('a new repository under the name of a renamed one is not taken for it', async () => {
  await using w = await queueWorld();
  const number = await w.open('one', { one: '1\n' });
  const status = async (): Promise<unknown> =>
    (await w.rows<{ status: string }>('select status from pull_request where number = $1', [number]))[0]?.status;
  await w.until(async () => (await status()) === 'open');
  w.emulator.controls.webhooks({ drop: 1 });
  w.emulator.controls.rename(`${w.place.owner}/${w.place.repo}`, 'store');
  // A token of the renamed repository reads every public repository.
  await w.person.repos.createInOrg({ org: w.place.owner, name: w.place.repo, private: false });
  await w.push('main', { 'new.txt': '1\n' });
  expect(await w.open('two', { two: '2\n' })).toBe(number);
  await w.person.pulls.update({ ...w.place, pull_number: number, state: 'closed' });
  await expect(syncPullRequest(w.ctx, { ...w.repository, host: 'github' }, number)).rejects.toThrow(
    'The repository was renamed or moved at GitHub',
  );
  expect(await status()).toBe('open');
  expect(w.emulator.core.mistakes).toEqual([]);
});

test.each([{ isPrivate: false }, { isPrivate: true }])(
  'the branches of a new repository under the name of a renamed one are not read, if it is private: $isPrivate',
  async ({ isPrivate }) => {
    await using w = await queueWorld();
    const host = w.ctx.hosts('github');
    const main = await host.readRef(w.repository, 'refs/heads/main');
    const read = async (): Promise<unknown> =>
      await Promise.all([
        host.readRef(w.repository, 'refs/heads/main'),
        host.listRefs(w.repository, 'refs/heads/'),
        host.readRef(w.repository, 'refs/heads/other'),
      ]);
    w.emulator.controls.webhooks({ drop: 1 });
    w.emulator.controls.rename(`${w.place.owner}/${w.place.repo}`, 'store');
    await w.person.repos.createInOrg({ org: w.place.owner, name: w.place.repo, private: isPrivate });
    await w.push('main', { 'new.txt': '1\n' });
    await w.push('other', { 'other.txt': '1\n' });
    await expect(read()).rejects.toThrow('The repository was renamed or moved at GitHub');
    // A branch that is not there tells something too.
    await expect(host.readRef(w.repository, 'refs/heads/missing')).rejects.toThrow('renamed or moved');
    const renamed = { ...w.repository, name: 'store' };
    expect(await host.readRef(renamed, 'refs/heads/main')).toEqual(main);
    expect(w.emulator.core.mistakes).toEqual([]);
  },
);

test('a push that begins before a renaming moves nothing in a new repository under the old name', async () => {
  await using w = await queueWorld();
  const host = w.ctx.hosts('github');
  const head = (await host.readRef(w.repository, 'refs/heads/main'))?.commit ?? '';
  w.emulator.controls.webhooks({ drop: 1 });
  once('github:before_push', async () => {
    w.emulator.controls.rename(`${w.place.owner}/${w.place.repo}`, 'store');
    await w.person.repos.createInOrg({ org: w.place.owner, name: w.place.repo, private: false });
    await w.push('main', { 'new.txt': '1\n' });
  });
  await expect(host.updateRefs(w.repository, [{ ref: 'refs/heads/three', from: null, to: head }])).rejects.toThrow(
    'GitHub moved nothing',
  );
  expect((await writtenIn(w, w.place)).branches).toEqual(['main']);
  expect((await writtenIn(w, { ...w.place, repo: 'store' })).branches).toEqual(['main']);
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('nothing is written to a new repository under the name of a renamed one', async () => {
  await using w = await queueWorld();
  const number = await w.open('one', { one: '1\n' });
  const head = await w.push('two', { two: '2\n' });
  const host = w.ctx.hosts('github');
  await host.getPullRequest(w.repository, number);
  w.emulator.controls.webhooks({ drop: 1 });
  w.emulator.controls.rename(`${w.place.owner}/${w.place.repo}`, 'store');
  const renamed = { ...w.place, repo: 'store' };
  // The new repository has the same commits, branches and numbers, and everybody may read it.
  await w.person.repos.createInOrg({ org: w.place.owner, name: w.place.repo, private: false });
  for (const [branch, text] of [
    ['main', 'a'],
    ['one', 'b'],
    ['two', 'c'],
  ] as const)
    await w.push(branch, { [`${text}.txt`]: '1\n' });
  await w.person.pulls.create({ ...w.place, title: 'Other', head: 'one', base: 'main' });
  const before = await writtenIn(w, w.place);

  await host.upsertComment(w.repository, number, { key: 'status', body: 'Hello' });
  await host.setLabel(w.repository, number, { label: 'queued', present: true });
  await host.publishCheck(w.repository, {
    commit: head,
    name: 'interlock',
    state: 'pending',
    title: 'In line',
    summary: 'In line',
    url: null,
    version: 1,
  });
  const opened = await host.openPullRequest(w.repository, {
    title: 'Two',
    body: '',
    headBranch: 'two',
    baseBranch: 'main',
    author: 'interlock',
    draft: false,
  });
  expect(opened).toMatchObject({ number: number + 1, headSha: head });
  await expect(host.updateRefs(w.repository, [{ ref: 'refs/heads/three', from: null, to: head }])).rejects.toThrow(
    'The repository was renamed or moved at GitHub',
  );

  expect(await writtenIn(w, w.place)).toEqual(before);
  expect(await writtenIn(w, renamed)).toMatchObject({
    labels: ['queued'],
    comments: [expect.stringContaining('Hello')],
    pulls: ['Add one', 'Two'],
    branches: ['main', 'one', 'two'],
  });
  const { data } = await w.person.checks.listForRef({ ...renamed, ref: head });
  expect(data.check_runs.map(({ name }) => name)).toContain('interlock');
  expect(w.emulator.core.mistakes).toEqual([]);
});

async function writtenIn({ person }: QueueWorld, place: QueueWorld['place']) {
  const pulls = (await person.pulls.list({ ...place, state: 'all', direction: 'asc' })).data;
  const comments = (await person.issues.listCommentsForRepo(place)).data;
  const branches = (await person.repos.listBranches(place)).data;
  return {
    labels: pulls.flatMap(({ labels }) => labels.map(({ name }) => name)),
    comments: comments.map(({ body }) => body ?? ''),
    pulls: pulls.map(({ title }) => title),
    branches: branches.map(({ name }) => name).toSorted(),
  };
}
