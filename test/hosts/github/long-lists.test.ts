// Lists that are longer than a page of GitHub, which has at most a hundred entries.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parallel } from '../../support/world.ts';
import { commitAll } from '../commits.ts';
import { github, type GitHub } from './github-world.ts';
import { queueWorld } from './queue-world.ts';

let g: GitHub;

beforeAll(async () => {
  g = await github();
  // Long lists need many calls.
  g.emulator.controls.limits({ pointsPerMinute: 100_000, contentPerMinute: 100_000 });
});
afterAll(async () => await g.close());

function workflowOf(names: readonly string[], on = 'push'): string {
  const jobs = names.map((name) => `  ${name}: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }\n`);
  return `on: ${on}\njobs:\n${jobs.join('')}`;
}

const jobs = Array.from({ length: 150 }, (_, index) => `job-${String(index + 1).padStart(3, '0')}`);
const lastJob = jobs.at(-1) ?? '';

test('every run of a suite with more than a hundred runs is read, and an attempt of a later page is run again', async () => {
  const { host, repository, push } = await g.world();
  g.emulator.controls.checks(({ name, attempt }) => (name === lastJob && attempt === 1 ? 'failure' : 'success'));
  const pushed = await push({ branch: 'topic', files: { '.github/workflows/ci.yml': workflowOf(jobs) } });
  const read = async () => await host.readChecks(repository, pushed, { expected: [lastJob], movedAt: null });
  await expect.poll(async () => (await read()).complete).toBe(true);
  const before = await read();
  expect(before.checks.map(({ name }) => name)).toEqual(jobs);
  expect(before.checks.filter(({ conclusion }) => conclusion !== 'success')).toMatchObject([
    { name: lastJob, attempt: 1, conclusion: 'failure' },
  ]);

  expect(await host.rerunChecks(repository, pushed, [lastJob])).toEqual([lastJob]);
  await expect
    .poll(async () => (await read()).checks.at(-1))
    .toMatchObject({ name: lastJob, attempt: 2, conclusion: 'success' });
});

test('every suite of a commit with more than a hundred suites is read', async () => {
  const { host, repository, push } = await g.world();
  g.emulator.controls.checks(({ name }) => (name === lastJob ? 'failure' : 'success'));
  const shown = jobs.slice(-102);
  const files = Object.fromEntries(shown.map((name) => [`.github/workflows/${name}.yml`, workflowOf([name])]));
  const pushed = await push({ branch: 'topic', files });
  const read = async () => await host.readChecks(repository, pushed, { expected: [lastJob], movedAt: null });
  await expect.poll(async () => (await read()).complete).toBe(true);
  const report = await read();
  expect(report.checks.map(({ name }) => name)).toEqual(shown);
  expect(report.checks.at(-1)).toMatchObject({ name: lastJob, conclusion: 'failure' });
});

test('a commit with more runs than are read is pending, also by its passed check, and its checks say why', async () => {
  const { host, repository, push } = await g.world();
  g.emulator.controls.checks(() => 'success');
  const pushed = await push({ branch: 'topic', files: { '.github/workflows/ci.yml': workflowOf(['test']) } });
  const read = async () => await host.readChecks(repository, pushed, { expected: ['test'], movedAt: null });
  await expect.poll(async () => (await read()).complete).toBe(true);
  const { checkRuns } = g.emulator.core.state;
  const [run] = checkRuns.filter(({ headSha }) => headSha === pushed);
  if (run === undefined) throw new Error('The check has no run.');
  const { id: _, ...row } = run;
  for (let times = 0; times < 2_100; times += 1) checkRuns.insert({ ...row, name: `other-${times}` });
  const report = await read();
  expect(report).toMatchObject({ complete: false, settlesAt: null, canceled: false });
  expect(new Set(report.checks.map(({ conclusion }) => conclusion))).toEqual(new Set(['pending']));
  expect(report.checks.find(({ name }) => name === 'test')).toMatchObject({
    attempt: 2,
    summary: expect.stringContaining('more checks than Interlock reads'),
  });
});

describe('a status that failed after it had passed', () => {
  // Each of the others is older than the failure and newer than the pass.
  test.each([
    { others: 600, report: { complete: true, checks: [{ name: 'ci', attempt: 3, conclusion: 'failure' }] } },
    {
      others: 2_100,
      report: {
        complete: false,
        settlesAt: null,
        checks: [{ name: 'ci', conclusion: 'pending', summary: expect.stringContaining('more checks') as string }],
      },
    },
  ])('is a later attempt, also with $others other statuses between both', async ({ others, report }) => {
    const { host, repository, place, push } = await g.world();
    const pushed = await push({ branch: 'topic', files: { 'a.txt': 'a\n' } });
    const set = async (context: string, state: 'failure' | 'success') =>
      await g.person.repos.createCommitStatus({ ...place, sha: pushed, context, state });
    const read = async () => await host.readChecks(repository, pushed, { expected: ['ci'], movedAt: null });
    await set('ci', 'failure');
    await set('ci', 'success');
    const [before] = (await read()).checks;
    expect(before).toMatchObject({ attempt: 2, conclusion: 'success' });
    const { statuses } = g.emulator.core.state;
    const [passed] = statuses.filter(({ sha }) => sha === pushed).slice(-1);
    if (passed === undefined) throw new Error('The commit has no status.');
    const { id: _, ...row } = passed;
    for (let times = 0; times < others; times += 1) statuses.insert({ ...row, context: 'progress' });
    await set('ci', 'failure');
    const after = await read();
    const checks = after.checks.filter(({ name }) => name === 'ci');
    expect({ ...after, checks }).toMatchObject(report);
    expect(checks[0]?.attempt).toBeGreaterThan(before?.attempt ?? Infinity);
  });
});

test('a rule after the first hundred is read', async () => {
  const { host, repository, place, push } = await g.world();
  await push({ branch: 'main', files: { 'a.txt': 'a\n' } });
  const ruleset = { ...place, target: 'branch', enforcement: 'active' } as const;
  const conditions = { ref_name: { include: ['refs/heads/main'], exclude: [] } };
  for (let number = 1; number <= 50; number += 1)
    await g.person.repos.createRepoRuleset({
      ...ruleset,
      name: `frozen ${number}`,
      conditions,
      rules: [{ type: 'deletion' }, { type: 'non_fast_forward' }],
    });
  const required_status_checks = [{ context: 'last' }];
  await g.person.repos.createRepoRuleset({
    ...ruleset,
    name: 'checks',
    conditions,
    rules: [
      {
        type: 'required_status_checks',
        parameters: { required_status_checks, strict_required_status_checks_policy: false },
      },
    ],
  });
  expect((await host.readBaseRules(repository, 'main')).requiredChecks).toEqual(['last']);
});

test('of more than 250 commits, one whose signature is not read counts as unverified', async () => {
  const { host, repository, directory, push, pushTo } = await g.world();
  const base = await push({ branch: 'main', files: { 'a.txt': 'a\n' } });
  const topic = Array.from({ length: 251 }, (_, index) => ({
    branch: 'topic',
    ...(index === 0 && { from: base }),
    files: { 'a.txt': `${index + 1}\n` },
  }));
  const head = commitAll(directory, topic).at(-1) ?? '';
  await pushTo(`${repository.owner}/${repository.name}`, 'refs/heads/topic:refs/heads/topic');
  expect(await host.countUnverifiedCommits(repository, { head, base })).toBe(251);
});

test('the 101st conversation counts, if it is the only unresolved one', async () => {
  const { host, repository, place, push } = await g.world();
  await push({ branch: 'main', files: { 'a.txt': 'a\n' } });
  await push({ branch: 'topic', from: 'main', files: { 'a.txt': `a\n${'line\n'.repeat(101)}` } });
  const { data } = await g.person.pulls.create({ ...place, title: 'Add', head: 'topic', base: 'main' });
  const at = { ...place, pull_number: data.number };
  const comments = Array.from({ length: 101 }, (_, index) => ({
    path: 'a.txt',
    line: index + 2,
    side: 'RIGHT',
    body: '?',
  }));
  await g.person.pulls.createReview({ ...at, event: 'COMMENT', comments });
  const threads = await host.listThreads(repository, data.number);
  expect(threads.length).toBe(101);
  for (const { id } of threads.slice(0, 100))
    await g.person.graphql('mutation ($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id } } }', {
      id,
    });
  expect(await host.getPullRequest(repository, data.number)).toMatchObject({ unresolvedConversations: 1 });
  expect(await host.listOpenPullRequests(repository)).toMatchObject([{ unresolvedConversations: 1 }]);
});

test.each([
  {
    name: 'the first, blocks its pull request if the 130th is red',
    required: 'job-001',
    red: 'job-130',
    status: 'blocked',
  },
  { name: 'the last, lands if all are green', required: lastJob, red: null, status: 'merged' },
])('a batch with 150 jobs that requires all, and by name $name', async ({ required, red, status }) => {
  await using w = await queueWorld({
    configuration: `${parallel({ more: `require_all_draft_checks_pass: true\noverride_required_checks: [${required}]\n` })}
preconditions: { use_github_mergeability: false }
`,
    files: { '.github/workflows/ci.yml': workflowOf(jobs, "{ push: { branches: ['mq-bot-**'] } }") },
  });
  w.emulator.controls.checks(({ name }) => (name === red ? 'failure' : 'success'));
  const number = await w.open('topic', { topic: '1\n' });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: status });
});
