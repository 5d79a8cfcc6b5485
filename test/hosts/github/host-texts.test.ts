// Interlock writes each comment and check at GitHub once: with two writers, lost answers, old versions and deleted
// comments. It opens each pull request once.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createGitHubHost } from '../../../src/hosts/github/index.ts';
import { HostRefused, HostUnavailable } from '../../../src/hosts/port.ts';
import { github, type GitHub, type GitHubWorld } from './github-world.ts';

let g: GitHub;
let w: GitHubWorld;
let number: number;

const commenting = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const checking = 'POST /repos/{owner}/{repo}/check-runs';

beforeAll(async () => {
  g = await github();
  w = await g.world();
  const main = await w.push({ branch: 'main', files: { a: '1\n' } });
  await w.push({ branch: 'topic', from: main, files: { b: '1\n' } });
  number = (await g.person.pulls.create({ ...w.place, title: 'Topic', head: 'topic', base: 'main' })).data.number;
});
afterEach(async () => await g.emulator.controls.clear());
afterAll(async () => await g.close());

async function said(): Promise<{ id: number; text: string }[]> {
  const { data } = await g.person.issues.listComments({ ...w.place, issue_number: number });
  return data.map(({ id, body = '' }) => ({ id, text: body.split('\n')[0] ?? '' }));
}

/** The comments with a key. Each test has a key of its own. */
async function saidOf(key: string): Promise<string[]> {
  return (await said()).map(({ text }) => text).filter((text) => text.startsWith(key));
}

async function say(key: string, text: string, version = 0): Promise<void> {
  await w.host.upsertComment(w.repository, number, { key, body: `${key} ${text}`, version });
}

test('the second text of a key replaces the first one', async () => {
  await say('edited', 'one', 1);
  await say('edited', 'two', 2);
  expect(await saidOf('edited')).toEqual(['edited two']);
});

test('two writers leave one comment: one writes, and the other may be told to try again', async () => {
  const ends = await Promise.allSettled([say('both', 'one', 1), say('both', 'one', 1)]);
  expect(ends.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []));
  for (const error of refused) expect(error).toBeInstanceOf(HostUnavailable);
  await say('both', 'one', 1);
  expect(await saidOf('both')).toEqual(['both one']);
});

test('a comment whose answer was lost is found again and edited', async () => {
  g.emulator.controls.fail({ operation: commenting, when: 'after', times: 1 });
  await expect(say('lost', 'one', 1)).rejects.toThrow(HostUnavailable);
  expect(await saidOf('lost')).toEqual(['lost one']);
  await say('lost', 'two', 2);
  expect(await saidOf('lost')).toEqual(['lost two']);
});

test('a comment that GitHub refused is written at the next try', async () => {
  g.emulator.controls.fail({ operation: commenting, when: 'before', times: 1 });
  await expect(say('failed', 'one', 1)).rejects.toThrow(HostUnavailable);
  expect(await saidOf('failed')).toEqual([]);
  await say('failed', 'one', 1);
  expect(await saidOf('failed')).toEqual(['failed one']);
});

test('a comment of a person with the same marker is not taken for the comment of Interlock', async () => {
  const body = 'forged by a person\n\n<!-- interlock:forged -->';
  await g.person.issues.createComment({ ...w.place, issue_number: number, body });
  g.emulator.controls.fail({ operation: commenting, when: 'before', times: 1 });
  await expect(say('forged', 'one', 1)).rejects.toThrow(HostUnavailable);
  await say('forged', 'one', 1);
  expect(await saidOf('forged')).toEqual(['forged by a person', 'forged one']);
});

test('a text of an older version does not come back', async () => {
  await say('older', 'two', 2);
  await say('older', 'one', 1);
  expect(await saidOf('older')).toEqual(['older two']);
});

test('a comment that somebody deleted is written again', async () => {
  await say('deleted', 'one', 1);
  const mine = (await said()).find(({ text }) => text.startsWith('deleted'));
  await g.person.issues.deleteComment({ ...w.place, comment_id: mine?.id ?? 0 });
  await expect(say('deleted', 'two', 2)).rejects.toThrow(HostUnavailable);
  await say('deleted', 'two', 2);
  expect(await saidOf('deleted')).toEqual(['deleted two']);
});

test('a check whose answer was lost is found again, so the commit has one check', async () => {
  const { data } = await g.person.pulls.get({ ...w.place, pull_number: number });
  const check = { commit: data.head.sha, name: 'interlock', title: 'In line', summary: '', url: null };
  g.emulator.controls.fail({ operation: checking, when: 'after', times: 1 });
  await expect(w.host.publishCheck(w.repository, { ...check, state: 'pending', version: 1 })).rejects.toThrow(
    HostUnavailable,
  );
  await w.host.publishCheck(w.repository, { ...check, state: 'success', title: 'Landed', version: 2 });
  const { data: shown } = await g.person.checks.listForRef({ ...w.place, ref: data.head.sha, check_name: 'interlock' });
  expect(shown.check_runs.map(({ conclusion, output }) => [conclusion, output.title])).toEqual([['success', 'Landed']]);
});

interface BudgetShown {
  readonly made_in_minute: number;
  readonly made_in_hour: number;
  readonly pause_sec: number;
  readonly is_paused: boolean;
}

async function budget(): Promise<BudgetShown | undefined> {
  const [row] = await g.sql<BudgetShown>(
    'select made_in_minute, made_in_hour, pause_sec, paused_until > now() as is_paused from host_budget',
  );
  return row;
}

test('two processes count their creations together, each creation once, and no other calls', async () => {
  await using other = secondHost();
  await g.sql('delete from host_budget');
  const before = (await budget())?.made_in_hour ?? 0;
  const upsert = async (host: GitHubWorld['host'], key: string): Promise<void> =>
    await host.upsertComment(w.repository, number, { key, body: `${key} one` });
  await Promise.all([upsert(w.host, 'count-1'), upsert(other.host, 'count-2'), upsert(other.host, 'count-3')]);
  await w.host.upsertComment(w.repository, number, { key: 'count-1', body: 'count-1 two' });
  expect(await budget()).toMatchObject({ made_in_minute: before + 3, made_in_hour: before + 3 });
});

test.each([
  {
    name: 'REST',
    fault: {
      operation: commenting,
      status: 403,
      body: { message: 'You have exceeded a secondary rate limit.' },
      headers: { 'retry-after': '120' },
    },
    meet: async (): Promise<unknown> => await say('paused', 'one', 1),
  },
  {
    name: 'GraphQL',
    fault: {
      operation: 'graphql',
      status: 200,
      body: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] },
      headers: { 'retry-after': '120' },
    },
    meet: async (): Promise<unknown> => await w.host.getPullRequest(w.repository, number),
  },
])('a pause that GitHub gives one process by $name holds the other process too', async ({ fault, meet }) => {
  await using other = secondHost();
  await g.sql('delete from host_budget');
  g.emulator.controls.fail({ ...fault, times: 1 });
  const met = await meet().catch((error: unknown) => error);
  expect(met).toBeInstanceOf(HostUnavailable);
  const until = (met as HostUnavailable).retryAt ?? 0;
  expect(until).toBeGreaterThan(Date.now() + 100_000);
  const held = await other.host.getPullRequest(w.repository, number).catch((error: unknown) => error);
  expect(held).toMatchObject({ message: 'GitHub asked this App to pause' });
  // Both times are two minutes after the same answer.
  expect(Math.abs(((held as HostUnavailable).retryAt ?? 0) - until)).toBeLessThan(10_000);
  expect(await budget()).toMatchObject({ is_paused: true });
  await g.sql('delete from host_budget');
});

test('spent points of REST stop calls of REST in every process, and no calls of GraphQL', async () => {
  await using other = secondHost();
  await g.sql('delete from host_budget');
  // Fetches a token by REST first.
  await other.host.getPullRequest(w.repository, number);
  g.emulator.controls.limits({ restPerHour: 1 });
  await expect(say('spent', 'one', 1)).rejects.toThrow(HostUnavailable);
  const held = other.host.upsertComment(w.repository, number, { key: 'spent', body: 'spent one', version: 2 });
  await expect(held).rejects.toThrow(/^0 of 1 REST points are left this hour$/);
  expect(await other.host.getPullRequest(w.repository, number)).toMatchObject({ title: 'Topic' });
  await g.sql('delete from host_budget');
});

test('a pull request that GitHub has opened and does not list yet is not refused as a second one', async () => {
  const input = { title: 'Late', body: '', author: 'interlock', headBranch: 'late', baseBranch: 'main', draft: false };
  await w.push({ branch: 'late', from: 'main', files: { late: '1\n' } });
  await w.host.openPullRequest(w.repository, input);
  const pullRequests = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
  g.emulator.controls.fail({
    operation: 'graphql',
    status: 200,
    times: 1,
    body: { data: { repository: { pullRequests } } },
  });
  const unlisted = await w.host.openPullRequest(w.repository, input).catch((error: unknown) => error);
  expect(unlisted).toBeInstanceOf(HostUnavailable);
  expect(unlisted).toMatchObject({
    message: 'GitHub has an open pull request from late into main, and does not list it yet',
  });
  await expect(w.host.openPullRequest(w.repository, input)).rejects.toThrow(HostRefused);
});

test("every answer of the emulator agrees with GitHub's description of its API", () => {
  expect(g.emulator.core.mistakes).toEqual([]);
});

/** The host of another process, which has its own client and the same rows. */
function secondHost(): { readonly host: GitHubWorld['host'] } & AsyncDisposable {
  const host = createGitHubHost(g.hostOptions());
  return { host, [Symbol.asyncDispose]: async () => await host.stop() };
}
