import { describe, expect, it } from 'vitest';
import { isSubscribed, problemOfActions, webhookActions } from '../../../src/domain/events/subscription.ts';
import { webhookBody } from '../../../src/domain/events/webhook-body.ts';

const repository = { owner: 'acme', name: 'shop' };
const facts = { number: 7, author: 'ada', status: 'tagged', skipLine: true, statusCode: null, statusText: null };

describe('the body of an event', () => {
  it('has exactly what the documentation lists', () => {
    const body = webhookBody(
      { action: 'merged', payload: { ...facts, status: 'merged', mergeCommit: 'c', commit: 'd', recovered: true } },
      repository,
    );
    expect(Object.keys(body ?? {})).toEqual([
      'action',
      'repository',
      'organization',
      'pr_number',
      'author',
      'status',
      'skip_line',
      'status_code',
      'status_code_text',
    ]);
  });

  it('of a dequeue has the code of a dequeue and its sentence', () => {
    expect(
      webhookBody({ action: 'dequeued', payload: { ...facts, status: 'open', statusCode: 104 } }, repository),
    ).toMatchObject({
      status: 'open',
      status_code: 104,
      status_code_text: 'It was dequeued, or its trigger label was removed.',
    });
  });

  it('of a batch lists its members with their new status', () => {
    const member = { ...facts, status: 'merged' };
    expect(
      webhookBody(
        { action: 'batch_merged', payload: { pullRequests: [member], batchCommitSha: 'e'.repeat(40), grade: 'exact' } },
        repository,
      ),
    ).toEqual({
      action: 'batch_merged',
      repository: 'shop',
      organization: 'acme',
      pull_requests: [{ pr_number: 7, author: 'ada', status: 'merged', skip_line: true, status_code: null }],
      batch_commit_sha: 'e'.repeat(40),
    });
  });

  it('is null for actions without documentation and for closed pull requests', () => {
    expect(webhookBody({ action: 'batch_started', payload: {} }, repository)).toBeNull();
    expect(webhookBody({ action: 'blocked', payload: { ...facts, status: 'closed' } }, repository)).toBeNull();
  });
});

describe('a subscription', () => {
  it('to * includes every documented action, and no other', () => {
    expect(webhookActions.filter((action) => isSubscribed(['*'], action))).toEqual(webhookActions);
    expect(['batch_started', 'queue_halted', 'ping'].filter((action) => isSubscribed(['*'], action))).toEqual([]);
    expect(isSubscribed(['merged'], 'queued')).toBe(false);
  });

  it('names existing actions, each once, or only *', () => {
    expect([['merged', 'config_change'], ['*']].map(problemOfActions)).toEqual([null, null]);
    expect(problemOfActions([])).toContain('at least one action');
    expect(problemOfActions(['merged', 'merged'])).toContain('once');
    expect(problemOfActions(['*', 'merged'])).toContain('must name only *');
    expect(problemOfActions(['batch_started'])).toContain('not "batch_started"');
  });
});
