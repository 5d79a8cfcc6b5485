// What webhooks report: tested with GitHub's own examples of every event, and with payloads that lack a part.
import examples from '@octokit/webhooks-examples';
import { expect, test } from 'vitest';
import { readWebhook, type WebhookNews, type WebhookPayload } from '../../../src/hosts/github/webhook-events.ts';

interface Example {
  readonly name: string;
  readonly examples: readonly WebhookPayload[];
}

const all = examples as unknown as readonly Example[];

function newsOf(name: string): WebhookNews[] {
  return all.filter((each) => each.name === name).flatMap((each) => each.examples.map((one) => readWebhook(name, one)));
}

test.each(all)('every example of $name is read', ({ name, examples: payloads }) => {
  for (const payload of payloads) {
    const news = readWebhook(name, payload);
    const ofRepository = payload.repository?.id;
    expect(news.repositoryId).toBe(ofRepository === undefined ? null : String(ofRepository));
    expect(news.changesInstallation).toBe(['installation', 'installation_repositories', 'repository'].includes(name));
  }
});

test.each([
  ['push', /^push refs\/(heads|tags)\//],
  ['pull_request', /^pull_request \d+$/],
  ['pull_request_review', /^pull_request \d+$/],
  ['pull_request_review_thread', /^pull_request \d+$/],
  ['check_run', /^checks [0-9a-f]{40}$/],
  ['check_suite', /^checks [0-9a-f]{40}$/],
  ['status', /^checks [0-9a-f]{40}$/],
  ['workflow_run', /^checks [0-9a-f]{40}$/],
  ['branch_protection_rule', /^rules$/],
])('every example of %s is one hint', (name, pattern) => {
  const hints = newsOf(name).map((news) => news.hints.map((hint) => Object.values(hint).join(' ')));
  expect(hints.length).toBeGreaterThan(0);
  const isDeletion = (hint: string): boolean => /^deletion refs\/(heads|tags)\/\S+ [0-9a-f]{40}$/.test(hint);
  for (const each of hints) expect(each.filter((hint) => !isDeletion(hint))).toEqual([expect.stringMatching(pattern)]);
});

const silent = all
  .map(({ name }) => name)
  .filter((name) => /^(issues|star|fork|merge_group|installation|repository|label|ping|workflow_job)$/.test(name));

test.each(silent)('no example of %s is a hint', (name) => {
  expect(newsOf(name).flatMap(({ hints }) => hints)).toEqual([]);
});

const repository = { id: 7 };

test.each<{ name: string; event: string; payload: WebhookPayload; hints: WebhookNews['hints'] }>([
  {
    name: 'a push that deletes a branch',
    event: 'push',
    payload: { ref: 'refs/heads/main', before: 'a'.repeat(40), deleted: true },
    hints: [
      { kind: 'deletion', ref: 'refs/heads/main', commit: 'a'.repeat(40) },
      { kind: 'push', ref: 'refs/heads/main' },
    ],
  },
  {
    name: 'a push that moves a branch',
    event: 'push',
    payload: { ref: 'refs/heads/main', before: 'a'.repeat(40), deleted: false },
    hints: [{ kind: 'push', ref: 'refs/heads/main' }],
  },
  {
    name: 'a comment on a pull request',
    event: 'issue_comment',
    payload: { action: 'created', issue: { number: 3, pull_request: {} } },
    hints: [{ kind: 'comment', number: 3 }],
  },
  {
    name: 'a comment that was edited',
    event: 'issue_comment',
    payload: { action: 'edited', issue: { number: 3, pull_request: {} } },
    hints: [],
  },
  {
    name: 'a comment on an issue',
    event: 'issue_comment',
    payload: { action: 'created', issue: { number: 3 } },
    hints: [],
  },
  {
    name: 'a ruleset that was changed',
    event: 'repository_ruleset',
    payload: {},
    hints: [{ kind: 'rules' }],
  },
  { name: 'a check without a commit', event: 'check_run', payload: { check_run: {} }, hints: [] },
  { name: 'a check of something else', event: 'check_run', payload: { check_run: { head_sha: '../x' } }, hints: [] },
  { name: 'a push without a ref', event: 'push', payload: {}, hints: [] },
  { name: 'a pull request without a number', event: 'pull_request', payload: { pull_request: null }, hints: [] },
  { name: 'a merge group', event: 'merge_group', payload: { action: 'checks_requested' }, hints: [] },
  { name: 'an event that does not exist yet', event: 'moon_landing', payload: { number: 4 }, hints: [] },
])('$name', ({ event, payload, hints }) => {
  expect(readWebhook(event, { ...payload, repository })).toEqual({
    repositoryId: '7',
    installationId: null,
    hints,
    changesInstallation: false,
  });
});

test('an empty payload has no hints', () => {
  expect(readWebhook('push', {})).toEqual({
    repositoryId: null,
    installationId: null,
    hints: [],
    changesInstallation: false,
  });
});
