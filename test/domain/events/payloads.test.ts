import { describe, expect, test } from 'vitest';
import {
  batchActions,
  batchPayload,
  configChangePayload,
  pullRequestActions,
  pullRequestPayload,
  type PullRequestEventFacts,
} from '../../../src/domain/events/payloads.ts';
import type { PullRequestStatus } from '../../../src/domain/queue/model/snapshot.ts';

const repository = { owner: 'acme', name: 'shop' };
const facts: PullRequestEventFacts = {
  number: 7,
  author: 'octavia',
  status: 'queued',
  skipLine: false,
  statusCode: null,
  statusText: null,
};
const documented = {
  repository: 'shop',
  organization: 'acme',
  pr_number: 7,
  author: 'octavia',
  status: 'queued',
  skip_line: false,
  status_code: null,
  status_code_text: null,
};
const bot = {
  number: 9,
  url: 'https://example.com/9',
  targetBranch: 'main',
  headCommitSha: 'b'.repeat(40),
  preBatchSha: 'a'.repeat(40),
};
const botPayload = {
  github_url: 'https://example.com/9',
  number: 9,
  target_branch: 'main',
  head_commit_sha: 'b'.repeat(40),
  head_branch_oid: 'b'.repeat(40),
  codemix_pre_batch_sha: 'a'.repeat(40),
};
/** Everything that an event can have. An action must leave out what its documentation does not name. */
const everything = {
  failedChecks: ['unit'],
  pullRequestsReset: 3,
  botPullRequestsClosed: 2,
  botPullRequest: bot,
  blockingPullRequests: [5, 6],
  instantMerge: true,
  message: 'The host said no.',
  resetCode: 301,
  resetText: 'The queue was reset because a pull request failed.',
} satisfies Partial<PullRequestEventFacts>;

describe('a pull request event', () => {
  const reset = { pr_reset_count: 3, closed_bot_pr_count: 2 };
  test.each([
    ['opened', {}],
    ['labeled', {}],
    ['queued', {}],
    ['dequeued', {}],
    ['top_of_queue', {}],
    ['blocked', {}],
    ['stuck', {}],
    ['added_to_batch', { blocking_pr_numbers: [5, 6] }],
    ['merged', { instant_merge: true }],
    [
      'reset',
      {
        status_code: 301,
        status_code_text: 'The queue was reset because a pull request failed.',
        message: 'The host said no.',
        failed_ci_list: ['unit'],
        ...reset,
        bot_pull_request: botPayload,
      },
    ],
  ] as const)('%s has exactly the documented keys', (action, own) => {
    expect(pullRequestPayload(action, repository, { ...facts, ...everything })).toEqual({
      action,
      ...documented,
      ...own,
    });
  });

  test('is in the table above for every action', () => {
    expect(pullRequestActions).toHaveLength(10);
  });

  test.each([
    ['open', 'open'],
    ['pending', 'pending'],
    ['queued', 'queued'],
    ['tagged', 'queued'],
    ['blocked', 'blocked'],
    ['merged', 'merged'],
  ] as const)('of a pull request with the status %s has the status %s', (status, said) => {
    expect(pullRequestPayload('labeled', repository, { ...facts, status })).toMatchObject({ status: said });
  });

  test('is never sent for a closed pull request', () => {
    expect(pullRequestPayload('dequeued', repository, { ...facts, status: 'closed' })).toBeNull();
  });

  test.each([
    [106, undefined],
    [107, ['unit', 'lint']],
    [111, undefined],
  ])('`blocked` with %i lists failed checks only if a check failed', (statusCode, failed) => {
    const payload = pullRequestPayload('blocked', repository, {
      ...facts,
      status: 'blocked',
      statusCode,
      statusText: 'Why.',
      failedChecks: ['unit', 'lint'],
    });
    expect(payload).toMatchObject({ status_code: statusCode, status_code_text: 'Why.' });
    expect(payload?.failed_ci_list).toEqual(failed);
  });

  test.each([302, 303, 307, 310])('`reset` with %i names no bot pull request and no failed check', (resetCode) => {
    const payload = pullRequestPayload('reset', repository, { ...facts, ...everything, resetCode, resetText: 'Why.' });
    expect(payload).toEqual({
      action: 'reset',
      ...documented,
      ...reset,
      status_code: resetCode,
      status_code_text: 'Why.',
      message: 'The host said no.',
    });
  });

  test('keeps the order of the documented keys', () => {
    const payload = pullRequestPayload('reset', repository, { ...facts, ...everything }) ?? {};
    expect(Object.keys(payload)).toEqual([
      'action',
      'repository',
      'organization',
      'pr_number',
      'author',
      'status',
      'skip_line',
      'status_code',
      'status_code_text',
      'message',
      'failed_ci_list',
      'pr_reset_count',
      'closed_bot_pr_count',
      'bot_pull_request',
    ]);
  });

  test('added_to_batch without earlier pull requests has an empty list of blocking ones', () => {
    expect(pullRequestPayload('added_to_batch', repository, facts)).toMatchObject({ blocking_pr_numbers: [] });
  });
});

describe('a batch event', () => {
  const member = (number: number, status: PullRequestStatus, statusCode: number | null = null) => ({
    ...facts,
    number,
    status,
    statusCode,
  });

  test.each(batchActions)('%s lists its members in order, with their present status', (action) => {
    const payload = batchPayload(action, repository, {
      pullRequests: [member(3, 'merged'), member(1, 'tagged'), member(2, 'blocked', 107)],
      batchCommitSha: 'c'.repeat(40),
    });
    expect(payload).toEqual({
      action,
      repository: 'shop',
      organization: 'acme',
      batch_commit_sha: 'c'.repeat(40),
      pull_requests: [
        { pr_number: 3, author: 'octavia', status: 'merged', skip_line: false, status_code: null },
        { pr_number: 1, author: 'octavia', status: 'queued', skip_line: false, status_code: null },
        { pr_number: 2, author: 'octavia', status: 'blocked', skip_line: false, status_code: 107 },
      ],
    });
  });

  test('has no commit without a bot pull request, and a message only if there is one', () => {
    const serial = batchPayload('batch_failed', repository, {
      pullRequests: [member(1, 'blocked', 107)],
      batchCommitSha: null,
    });
    expect(Object.keys(serial)).toEqual(['action', 'repository', 'organization', 'pull_requests']);
    expect(
      batchPayload('batch_failed', repository, { pullRequests: [], batchCommitSha: null, message: 'unit failed' }),
    ).toMatchObject({ message: 'unit failed' });
  });

  test('leaves out a member that was closed meanwhile', () => {
    const payload = batchPayload('batch_failed', repository, {
      pullRequests: [member(1, 'closed'), member(2, 'blocked', 107)],
      batchCommitSha: null,
    });
    expect(payload.pull_requests.map((of) => of.pr_number)).toEqual([2]);
  });
});

describe('a configuration change', () => {
  const change = {
    email: null,
    ghUsername: null,
    commitSha: null,
    modifiedAt: '2026-11-21T10:00:00.000Z',
    diff: '-a\n+b\n',
  };

  test('by the API or the dashboard has the email address', () => {
    expect(configChangePayload(repository, { ...change, email: 'ada@example.com' })).toEqual({
      action: 'config_change',
      repository: { name: 'shop', org: 'acme' },
      history: { modified_by: { email: 'ada@example.com' }, modified_at: '2026-11-21T10:00:00.000Z', diff: '-a\n+b\n' },
    });
  });

  test('through the repository has the user and the commit', () => {
    expect(
      configChangePayload(repository, { ...change, ghUsername: 'ada', commitSha: 'd'.repeat(40) }).history,
    ).toEqual({
      modified_by: { gh_username: 'ada' },
      modified_at: '2026-11-21T10:00:00.000Z',
      commit_sha: 'd'.repeat(40),
      diff: '-a\n+b\n',
    });
  });
});
