// Pull requests of GitHub land: people label them, and the repository's own workflow tests them on bot branches.
import { expect, test } from 'vitest';
import type { Finding } from '../../../src/domain/doctor/finding.ts';
import { examineRepository, queuePullRequest } from '../../../src/modules/queue/index.ts';
import { findRepository } from '../../../src/modules/repositories/index.ts';
import { git, messageOf } from '../commits.ts';
import { metricsOf } from '../../support/metrics.ts';
import { hostMerges } from '../../queue/merging.ts';
import { parallel } from '../../support/world.ts';
import { queueWorld, requiresTest } from './queue-world.ts';

test('of three labelled pull requests, GitHub shows two as landed, and the one with a failed check is blocked with a comment', async () => {
  await using w = await queueWorld();
  const one = await w.open('one', { one: '1\n' });
  const red = await w.open('red', { bad: '1\n' });
  const two = await w.open('two', { two: '2\n' });
  // If the commit on the bot branch had these words, GitHub would start no workflow.
  await w.person.pulls.update({ ...w.place, pull_number: two, title: 'Add two [skip ci]' });
  await w.label(one, red, two);
  expect(await w.settled(one, red, two)).toEqual({ [one]: 'merged', [red]: 'blocked', [two]: 'merged' });
  const isCleanedUp = async (): Promise<boolean> =>
    (await w.rows("select 1 from intent where state in ('planned', 'started')")).length === 0;
  await w.until(isCleanedUp);

  const clone = await w.clone();
  const landed = git(clone, 'log', '--first-parent', '--reverse', '--format=%H', 'origin/main').split('\n').slice(1);
  expect(landed.map((commit) => messageOf(clone, commit).split('\n')[0])).toEqual([
    `Add one (#${one})`,
    `Add two (skip ci) (#${two})`,
  ]);
  const { data: shown } = await w.person.pulls.get({ ...w.place, pull_number: one });
  expect(shown.state).toBe('closed');
  const { data: said } = await w.person.issues.listComments({ ...w.place, issue_number: one });
  expect(said.map(({ body }) => body).join('\n')).toContain(landed[0]);
  const { data: blocked } = await w.person.issues.listComments({ ...w.place, issue_number: red });
  expect(blocked.map(({ body }) => body).join('\n')).toContain('test');
  const { data: open } = await w.person.pulls.list({ ...w.place, state: 'open' });
  expect(open.map(({ number }) => number)).toEqual([red]);
  // The doctor now knows the checks of bot branches.
  const repository = await findRepository(w.ctx, { owner: w.place.owner, name: w.place.repo });
  const findings: Finding[] = [];
  await examineRepository(w.ctx, repository!, (finding) => void findings.push(finding));
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(findings.at(-1)?.message).toBe('Every required check runs on bot branches: test.');
  expect(w.emulator.core.mistakes).toEqual([]);
  const metrics = metricsOf(await w.service.metricsPage.text(null));
  for (const resource of ['rest', 'graphql'])
    expect(metrics[`interlock_github_requests_total{resource="${resource}",outcome="ok"}`]).toBeGreaterThan(0);
});

test('a pull request lands although the messages of its batch are longer than GitHub allows in a bot pull request', async () => {
  await using w = await queueWorld();
  const number = await w.open('one', { one: '1\n' });
  await w.push('main', { other: '1\n' });
  const repository = { owner: w.place.owner, name: w.place.repo };
  await queuePullRequest(w.ctx, {
    repository,
    number,
    source: 'graphql_api',
    mergeCommitMessage: { title: `Add ${'one '.repeat(20_000).trim()}` },
  });
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  const [bot] = await w.rows<{ number: number }>('select number from bot_pull_request');
  const { data } = await w.person.pulls.get({ ...w.place, pull_number: bot?.number ?? 0 });
  expect(data.body).toMatch(
    /^Land #1\n\n\* Add one one .*…\n\nInterlock opened this pull request to run CI on commit/s,
  );
});

test('a merge by GitHub that is refused because the base branch was just modified is tried again', async () => {
  await using w = await queueWorld({ configuration: `${hostMerges()}${requiresTest}` });
  const number = await w.open('one', { one: '1\n' });
  w.emulator.controls.fail({
    operation: 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
    status: 405,
    body: { message: 'Base branch was modified. Review and try the merge again.' },
    times: 1,
  });
  await w.label(number);
  await expect(w.settled(number)).rejects.toThrow('Base branch was modified.');
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('a squashed pull request is closed and its branch is deleted, although GitHub refuses comments on it', async () => {
  await using w = await queueWorld({ configuration: `delete_branch: true\n${parallel()}${requiresTest}` });
  const number = await w.open('one', { one: '1\n' });
  w.emulator.controls.fail({
    operation: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    status: 403,
    body: { message: 'Unable to create comment because issue is locked.' },
  });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  await w.until(async () => (await w.rows("select 1 from intent where state in ('planned', 'started')")).length === 0);
  const { data: shown } = await w.person.pulls.get({ ...w.place, pull_number: number });
  const { data: branches } = await w.person.repos.listBranches(w.place);
  expect([shown.state, branches.map(({ name }) => name)]).toEqual(['closed', ['main']]);
  expect(w.emulator.core.mistakes).toEqual([]);
});
