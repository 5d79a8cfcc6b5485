// Comments, statuses and pull requests at GitHub that people change later.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Octokit } from '@octokit/rest';
import { github, type GitHub, type GitHubWorld } from './github-world.ts';

let g: GitHub;
let w: GitHubWorld;
let number: number;
let head: string;

beforeAll(async () => {
  g = await github();
  w = await g.world();
  const main = await w.push({ branch: 'main', files: { a: '1\n' } });
  head = await w.push({ branch: 'topic', from: main, files: { b: '1\n' } });
  number = (await g.person.pulls.create({ ...w.place, title: 'Topic', head: 'topic', base: 'main' })).data.number;
});
afterAll(async () => await g.close());

test('a command in a comment that somebody else has edited is ignored, and one that its author has edited is followed', async () => {
  const { token } = g.emulator.addPerson('editor', 'admin');
  const editor = new Octokit({ baseUrl: g.emulator.apiUrl, auth: token });
  const since = Date.now() - 60_000;
  const write = async (body: string): Promise<number> =>
    (await g.person.issues.createComment({ ...w.place, issue_number: number, body })).data.id;
  const mended = await write('/interlock qeue');
  const forged = await write('Looks good.');
  await write('/interlock help');
  await g.person.issues.updateComment({ ...w.place, comment_id: mended, body: '/interlock queue' });
  await editor.issues.updateComment({ ...w.place, comment_id: forged, body: '/interlock dequeue' });
  // GitHub gives times in seconds, and these edits happen within one second.
  for (const id of [mended, forged])
    Object.assign(g.emulator.core.state.comments.must(id), { updatedAt: new Date(Date.now() + 2_000).toISOString() });
  const { comments } = await w.host.listCommentsAfter(w.repository, { cursor: null, since });
  expect(comments.map(({ body }) => body)).toEqual(['/interlock queue', '/interlock help']);
});

test('a status that becomes pending after its end is another attempt', async () => {
  const report = async (state: 'pending' | 'failure' | 'success'): Promise<string[]> => {
    await g.person.repos.createCommitStatus({ ...w.place, sha: head, context: 'ci', state });
    const { checks } = await w.host.readChecks(w.repository, head, { expected: ['ci'], movedAt: null });
    return checks.map(({ name, conclusion, attempt }) => `${name} ${conclusion} ${attempt}`);
  };
  expect(await report('pending')).toEqual(['ci pending 1']);
  expect(await report('failure')).toEqual(['ci failure 1']);
  expect(await report('pending')).toEqual(['ci pending 2']);
  expect(await report('success')).toEqual(['ci success 2']);
});

test('a pull request was last opened when somebody reopened it', async () => {
  const { host, repository } = w;
  const before = await host.getPullRequest(repository, number);
  expect(before?.lastOpenedAt).toBe(before?.createdAt);
  await host.closePullRequest(repository, number);
  await host.reopenPullRequest(repository, number);
  // GitHub gives times in seconds, and all of this happens within one second.
  const at = Date.parse('2027-01-01T00:00:00Z');
  const reopenings = g.emulator.core.state.timeline.filter(({ event }) => event === 'reopened');
  for (const each of reopenings) Object.assign(each, { createdAt: new Date(at).toISOString() });
  expect(reopenings).toHaveLength(1);
  expect(await host.getPullRequest(repository, number)).toMatchObject({ state: 'open', lastOpenedAt: at });
  expect(await host.listOpenPullRequests(repository)).toMatchObject([{ number, lastOpenedAt: at }]);
});
