import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

let w: EmulatorWorld;
beforeAll(async () => void (w = await emulatorWorld()));
afterEach(() => w.expectNoMistakes());
afterAll(async () => await w[Symbol.asyncDispose]());

async function read(number: number) {
  await w.emulator.core.settled();
  return (await w.person.pulls.get({ ...w.place, pull_number: number })).data;
}

describe('a pull request follows its branches', () => {
  it('has the new head after a push, also at refs/pull, and a timeline event after a force push', async () => {
    const { number } = await w.open('follows');
    const sha = await w.clone.push('follows', { 'follows.txt': 'again\n' });
    expect((await read(number)).head.sha).toBe(sha);
    expect(await w.clone.git('ls-remote', 'origin', `refs/pull/${number}/head`)).toContain(sha);
    const { data } = await w.person.issues.listEventsForTimeline({ ...w.place, issue_number: number });
    expect(data.map(({ event }) => event)).toEqual(['head_ref_force_pushed']);
  });

  it('is merged if its head becomes reachable from its base', async () => {
    const { number, sha } = await w.open('reachable');
    await w.clone.git('push', '--quiet', 'origin', `${sha}:refs/heads/main`);
    expect(await read(number)).toMatchObject({ state: 'closed', merged: true, merge_commit_sha: sha });
  });

  it('is closed, and not merged, if its head is moved to a commit that the base has', async () => {
    const { number } = await w.open('empty');
    await w.clone.git('push', '--quiet', '--force', 'origin', 'origin/main:refs/heads/empty');
    expect(await read(number)).toMatchObject({ state: 'closed', merged: false });
  });

  it('is closed if its head branch or its base branch is deleted', async () => {
    const base = await w.open('base-branch');
    await w.clone.push('on-top', { 'top.txt': 'top\n' }, 'origin/base-branch');
    const { data: top } = await w.person.pulls.create({ ...w.place, title: 't', head: 'on-top', base: 'base-branch' });
    await w.clone.git('push', '--quiet', 'origin', ':base-branch');
    expect(await read(base.number)).toMatchObject({ state: 'closed', merged: false });
    expect(await read(top.number)).toMatchObject({ state: 'closed', merged: false });
  });

  it('shows the older head while the API lags behind git', async () => {
    const { number, sha } = await w.open('lags');
    await w.emulator.controls.lag(true);
    const next = await w.clone.push('lags', { 'lags.txt': 'next\n' });
    expect((await read(number)).head.sha).toBe(sha);
    expect((await w.person.git.getRef({ ...w.place, ref: 'heads/lags' })).data.object.sha).toBe(sha);
    await w.emulator.controls.lag(false);
    expect((await read(number)).head.sha).toBe(next);
    expect((await w.person.git.getRef({ ...w.place, ref: 'heads/lags' })).data.object.sha).toBe(next);
  });
});

describe('merging a pull request', () => {
  it.each(['merge', 'squash', 'rebase'] as const)('by %s puts the commit on the base', async (method) => {
    const { number, sha } = await w.open(`by-${method}`);
    const { data } = await w.bot.pulls.merge({ ...w.place, pull_number: number, merge_method: method, sha });
    expect(await read(number)).toMatchObject({
      merged: true,
      merge_commit_sha: data.sha,
      merged_by: { type: 'Bot' },
    });
    expect(await w.clone.git('ls-remote', 'origin', 'refs/heads/main')).toContain(data.sha);
  });

  it('is refused for another head, for a conflict, for a draft and if the pull request is merged already', async () => {
    const merge = async (number: number, sha?: string) =>
      await w.person.pulls.merge({ ...w.place, pull_number: number, ...(sha === undefined ? {} : { sha }) });
    const one = await w.open('one', { 'same.txt': 'one\n' });
    const two = await w.open('two', { 'same.txt': 'two\n' });
    await expect(merge(one.number, two.sha)).rejects.toMatchObject({ status: 409 });
    await merge(one.number);
    await expect(merge(two.number)).rejects.toMatchObject({ status: 405 });
    await expect(merge(one.number)).rejects.toMatchObject({ status: 405 });
    await w.clone.push('draft', { 'draft.txt': 'draft\n' });
    const pull = { ...w.place, title: 'draft', head: 'draft', base: 'main', draft: true };
    const { data: draft } = await w.person.pulls.create(pull);
    await expect(merge(draft.number)).rejects.toMatchObject({ status: 405 });
  });

  it('deletes the head branch and moves pull requests that were based on it, if the repository is set so', async () => {
    await w.person.repos.update({ ...w.place, delete_branch_on_merge: true });
    const lower = await w.open('lower');
    await w.clone.push('upper', { 'upper.txt': 'upper\n' }, 'origin/lower');
    const { data: upper } = await w.person.pulls.create({ ...w.place, title: 'u', head: 'upper', base: 'lower' });
    await w.person.pulls.merge({ ...w.place, pull_number: lower.number });
    expect(await read(upper.number)).toMatchObject({ state: 'open', base: { ref: 'main' } });
    await w.person.repos.update({ ...w.place, delete_branch_on_merge: false });
  });
});

describe('opening a pull request', () => {
  it('is refused for a second pull request of the same head, if there are no new commits, and for unknown branches', async () => {
    await w.open('twice');
    const open = async (head: string, base = 'main') =>
      await w.person.pulls.create({ ...w.place, title: 't', head, base });
    await expect(open('twice')).rejects.toMatchObject({
      status: 422,
      response: { data: { errors: [{ message: `A pull request already exists for ${w.owner}:twice.` }] } },
    });
    await expect(open('nowhere')).rejects.toMatchObject({ status: 422 });
    await w.clone.git('push', '--quiet', 'origin', 'origin/main:refs/heads/same');
    await expect(open('same')).rejects.toMatchObject({
      response: { data: { errors: [{ message: 'No commits between main and same' }] } },
    });
  });

  it('keeps its base branch if another pull request of the same head has the new one', async () => {
    const { number } = await w.open('again');
    await w.clone.git('push', '--quiet', 'origin', 'origin/main:refs/heads/other-base');
    const { data: other } = await w.person.pulls.create({ ...w.place, title: 't', head: 'again', base: 'other-base' });
    await expect(w.person.pulls.update({ ...w.place, pull_number: other.number, base: 'main' })).rejects.toMatchObject({
      status: 422,
      response: {
        data: { errors: [{ message: "A pull request already exists for base branch 'main' and head branch 'again'" }] },
      },
    });
    await w.person.pulls.update({ ...w.place, pull_number: number, state: 'closed' });
    await w.person.pulls.update({ ...w.place, pull_number: other.number, base: 'main' });
    expect(await read(other.number)).toMatchObject({ state: 'open', base: { ref: 'main' } });
  });

  it('as a draft is refused if the plan has no drafts', async () => {
    const { fullName } = await w.emulator.addRepository('plain', { settings: { supportsDrafts: false } });
    const [owner = '', repo = ''] = fullName.split('/');
    await w.clone.git('push', '--quiet', `${w.emulator.url}/${fullName}.git`, 'HEAD:refs/heads/plain-draft');
    const pull = { owner, repo, title: 'd', head: 'plain-draft', base: 'main', draft: true };
    await expect(w.person.pulls.create(pull)).rejects.toMatchObject({
      status: 422,
      response: { data: { errors: [{ message: 'Draft pull requests are not supported in this repository.' }] } },
    });
  });

  it('from a fork works, and the base repository then has the commits of the fork', async () => {
    const stranger = w.emulator.addPerson('stranger', 'member');
    const octokit = w.octokitOf(stranger.token);
    await octokit.repos.createFork(w.place);
    const head = await w.clone.git('rev-parse', 'origin/main');
    const { data: commit } = await octokit.repos.createOrUpdateFileContents({
      owner: 'stranger',
      repo: w.repo,
      path: 'forked.txt',
      message: 'fork',
      content: Buffer.from('forked\n').toString('base64'),
    });
    const { data: pull } = await octokit.pulls.create({ ...w.place, title: 'f', head: 'stranger:main', base: 'main' });
    expect(pull.head.repo.full_name).toBe(`stranger/${w.repo}`);
    await w.clone.git('fetch', '--quiet', 'origin', commit.commit.sha ?? head);
    const file = await octokit.pulls.get({ ...w.place, pull_number: pull.number, mediaType: { format: 'diff' } });
    expect(file.data).toEqual(expect.stringContaining('+forked'));
    await octokit.repos.delete({ owner: 'stranger', repo: w.repo });
    expect((await read(pull.number)).head.repo).toBeNull();
  });
});

describe('reopening a pull request', () => {
  it('works until its head was force-pushed', async () => {
    const { number } = await w.open('reopened');
    const set = async (state: 'open' | 'closed') =>
      (await w.person.pulls.update({ ...w.place, pull_number: number, state })).data.state;
    expect([await set('closed'), await set('open'), await set('closed')]).toEqual(['closed', 'open', 'closed']);
    await w.clone.push('reopened', { 'other.txt': 'other\n' });
    await expect(set('open')).rejects.toMatchObject({ status: 422 });
  });
});

describe('labels, comments and reviews', () => {
  it('are stored: who set a label, which comments are newer than an instant, and who approved', async () => {
    const { number } = await w.open('talk');
    const issue = { ...w.place, issue_number: number };
    await w.bot.issues.addLabels({ ...issue, labels: ['queued'] });
    const labelled = (await w.person.pulls.list({ ...w.place, head: `${w.owner}:talk` })).data;
    expect(labelled).toMatchObject([{ number, labels: [{ name: 'queued', description: null }] }]);
    await w.person.issues.removeLabel({ ...issue, name: 'queued' });
    await expect(w.person.issues.removeLabel({ ...issue, name: 'queued' })).rejects.toMatchObject({ status: 404 });
    const { data: timeline } = await w.person.issues.listEventsForTimeline(issue);
    expect(timeline).toMatchObject([
      { event: 'labeled', actor: { login: 'interlock[bot]' }, label: { name: 'queued' } },
      { event: 'unlabeled', actor: { login: 'octocat' } },
    ]);
    const { data: comment } = await w.bot.issues.createComment({ ...issue, body: 'hello' });
    await w.bot.issues.updateComment({ ...w.place, comment_id: comment.id, body: 'hello again' });
    const { data: found } = await w.person.issues.listCommentsForRepo({ ...w.place, since: comment.created_at });
    expect(found).toMatchObject([{ body: 'hello again', performed_via_github_app: { slug: 'interlock' } }]);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await w.person.issues.listCommentsForRepo({ ...w.place, since: later })).data).toEqual([]);
    const review = { ...w.place, pull_number: number };
    await expect(w.person.pulls.createReview({ ...review, event: 'APPROVE' })).rejects.toMatchObject({ status: 422 });
    await w.bot.pulls.createReview({ ...review, event: 'APPROVE', body: 'good' });
    expect((await w.person.pulls.listReviews(review)).data).toMatchObject([{ state: 'APPROVED' }]);
  });
});
