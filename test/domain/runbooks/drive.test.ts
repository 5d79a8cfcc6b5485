// The decisions about a runbook, as a table: the situation and the next step.
import { describe, expect, it } from 'vitest';
import {
  countAttempts,
  decideRunbook,
  hostGivenUp,
  maxAttempts,
  pauseAfter,
  type LeafSituation,
  type PullRequestSituation,
  type RunbookSituation,
} from '../../../src/domain/runbooks/drive.ts';
import { hostGivenUpMs, isHostGivenUp } from '../../../src/domain/turns.ts';

const day = 24 * 60 * 60 * 1000;
const now = 10 * day;

function situation(more: Partial<RunbookSituation> = {}): RunbookSituation {
  return {
    prompts: [{ ordinal: 1, isPlanned: true }],
    leaves: [],
    pullRequests: [],
    isCanceled: false,
    isActive: true,
    prMode: 'single_pr',
    isPublishAsked: false,
    queueWhenGreen: false,
    supervisedUntil: null,
    callAt: null,
    calls: 0,
    problem: null,
    failingSince: null,
    ...more,
  };
}

function leaf(number: string, status: LeafSituation['status'], more: Partial<LeafSituation> = {}): LeafSituation {
  return { id: `leaf ${number}`, number, status, isPassedOver: false, commit: 'none', pullRequestId: null, ...more };
}

function pullRequest(more: Partial<PullRequestSituation> = {}): PullRequestSituation {
  return {
    id: 'one',
    ordinal: 1,
    state: 'open',
    isPushed: true,
    isStale: false,
    isQueued: false,
    isBelowMerged: false,
    ...more,
  };
}

const done = leaf('1.1', 'completed', { commit: 'pushed', pullRequestId: 'one' });
const planned = pullRequest({ state: 'planned' });
const working = leaf('1.1', 'in_progress');

describe('the next step of a runbook', () => {
  it.each<[string, Partial<RunbookSituation>, object]>([
    [
      'a prompt is planned first',
      { prompts: [{ ordinal: 1, isPlanned: false }] },
      { kind: 'supervise', work: { kind: 'plan', prompt: 1 } },
    ],
    [
      'plans a follow-up before the next leaf is started',
      { prompts: [...situation().prompts, { ordinal: 2, isPlanned: false }], leaves: [leaf('1.1', 'not_started')] },
      { kind: 'supervise', work: { kind: 'plan', prompt: 2 } },
    ],
    [
      'starts the next leaf',
      { leaves: [done, leaf('1.2', 'not_started'), leaf('1.3', 'not_started')] },
      { kind: 'become', leafId: 'leaf 1.2', status: 'queued', because: null },
    ],
    [
      'works on a started leaf',
      { leaves: [leaf('1.1', 'queued')] },
      { kind: 'supervise', work: { kind: 'leaf', leafId: 'leaf 1.1' } },
    ],
    [
      'works again on a leaf whose worker was lost',
      { leaves: [working], supervisedUntil: now },
      { kind: 'supervise', work: { kind: 'leaf', leafId: 'leaf 1.1' } },
    ],
    [
      'is a wait while a worker supervises the runbook',
      { leaves: [working], supervisedUntil: now + 1 },
      { kind: 'wait', for: 'lease', until: now + 1 },
    ],
    [
      'is a wait after a failed try',
      { leaves: [working], callAt: now + 5, calls: 1 },
      { kind: 'wait', for: 'call', until: now + 5 },
    ],
    [
      'fails a leaf after its worker was lost again and again',
      { leaves: [working], calls: maxAttempts },
      {
        kind: 'become',
        leafId: 'leaf 1.1',
        status: 'failed',
        because: 'The agent was started 5 times, and each time its worker was lost.',
      },
    ],
    [
      'fails the planning with the last error',
      { prompts: [{ ordinal: 1, isPlanned: false }], calls: maxAttempts, problem: 'It hiccups.' },
      { kind: 'fail_plan', prompt: 1, because: 'The agent was started 5 times. The last failure: It hiccups.' },
    ],
    [
      'starts the agent again after the wait for an unavailable host',
      { leaves: [working], calls: 0, problem: 'It is away.', failingSince: now - day + 1 },
      { kind: 'supervise', work: { kind: 'leaf', leafId: 'leaf 1.1' } },
    ],
    [
      'fails a leaf if the host has been unavailable for a day',
      { leaves: [working], problem: 'It is away.', failingSince: now - day, callAt: now + 1 },
      { kind: 'become', leafId: 'leaf 1.1', status: 'failed', because: hostGivenUp('It is away.') },
    ],
    [
      'fails the planning if the host has been unavailable for a day',
      { prompts: [{ ordinal: 1, isPlanned: false }], problem: 'It is away.', failingSince: now - day, callAt: now + 1 },
      { kind: 'fail_plan', prompt: 1, because: hostGivenUp('It is away.') },
    ],
    [
      'asks the host once more if a day passed without any worker',
      { leaves: [working], problem: 'It is away.', failingSince: now - day, callAt: now - day + 1_000 },
      { kind: 'supervise', work: { kind: 'leaf', leafId: 'leaf 1.1' } },
    ],
    [
      'fails a leaf whose workers were lost after a failure of the host',
      { leaves: [working], calls: maxAttempts, problem: 'It is away.', failingSince: now - 9, callAt: now - 8 },
      {
        kind: 'become',
        leafId: 'leaf 1.1',
        status: 'failed',
        because: 'The agent was started 5 times. The last failure: It is away.',
      },
    ],
    [
      'pushes a commit, also of a canceled runbook',
      {
        leaves: [{ ...working, commit: 'made', pullRequestId: 'one' }],
        pullRequests: [pullRequest({ state: 'planned', isPushed: false })],
        isCanceled: true,
      },
      { kind: 'call', call: { kind: 'push', leafId: 'leaf 1.1' } },
    ],
    [
      'opens the pull request of a pushed branch before its leaf is completed',
      { leaves: [{ ...working, commit: 'pushed', pullRequestId: 'one' }], pullRequests: [planned] },
      { kind: 'call', call: { kind: 'open', pullRequestId: 'one' } },
    ],
    [
      'updates the description of an open pull request before its leaf is completed',
      {
        leaves: [{ ...working, commit: 'pushed', pullRequestId: 'one' }],
        pullRequests: [pullRequest({ isStale: true })],
      },
      { kind: 'call', call: { kind: 'refresh', pullRequestId: 'one' } },
    ],
    [
      'completes a leaf after all of that',
      { leaves: [{ ...working, commit: 'pushed', pullRequestId: 'one' }], pullRequests: [pullRequest()] },
      { kind: 'become', leafId: 'leaf 1.1', status: 'completed', because: null },
    ],
    [
      'opens no pull request in manual mode',
      {
        leaves: [{ ...working, commit: 'pushed', pullRequestId: 'one' }],
        pullRequests: [planned],
        prMode: 'manual',
      },
      { kind: 'become', leafId: 'leaf 1.1', status: 'completed', because: null },
    ],
    [
      'opens a pull request in manual mode if a user asks',
      { leaves: [done], pullRequests: [planned], prMode: 'manual', isPublishAsked: true },
      { kind: 'call', call: { kind: 'open', pullRequestId: 'one' } },
    ],
    [
      'opens a pull request in manual mode if a user asks, also of a canceled runbook',
      { leaves: [done], pullRequests: [planned], prMode: 'manual', isPublishAsked: true, isCanceled: true },
      { kind: 'call', call: { kind: 'open', pullRequestId: 'one' } },
    ],
    [
      'does not request a pull request again that was finally refused',
      { leaves: [leaf('1.1', 'failed', { commit: 'pushed', pullRequestId: 'one' })], pullRequests: [planned] },
      { kind: 'ended' },
    ],
    [
      'publishes a retried leaf whose commit is pushed, without doing it again',
      { leaves: [leaf('1.1', 'queued', { commit: 'pushed', pullRequestId: 'one' })], pullRequests: [planned] },
      { kind: 'become', leafId: 'leaf 1.1', status: 'in_progress', because: null },
    ],
    [
      'starts nothing behind a failed leaf',
      { leaves: [leaf('1.1', 'failed'), leaf('1.2', 'not_started')] },
      { kind: 'ended' },
    ],
    [
      'works on a follow-up that goes on without the failed leaf',
      { leaves: [leaf('1.1', 'failed', { isPassedOver: true }), leaf('2.1', 'queued')] },
      { kind: 'supervise', work: { kind: 'leaf', leafId: 'leaf 2.1' } },
    ],
    [
      'waits with a pull request that is still to be queued while the repository is inactive',
      { leaves: [done], pullRequests: [pullRequest()], queueWhenGreen: true, isActive: false },
      { kind: 'wait', for: 'activation', until: null },
    ],
    [
      'waits with outdated labels while the repository is inactive',
      { leaves: [done], pullRequests: [pullRequest({ isStale: true })], isActive: false },
      { kind: 'wait', for: 'activation', until: null },
    ],
    [
      'opens the requested pull request although the repository is inactive',
      { leaves: [done], pullRequests: [planned], prMode: 'manual', isPublishAsked: true, isActive: false },
      { kind: 'call', call: { kind: 'open', pullRequestId: 'one' } },
    ],
    [
      'ends without pull requests to queue, also if the repository is inactive',
      { leaves: [done], pullRequests: [pullRequest()], isActive: false },
      { kind: 'ended' },
    ],
    ['ends a canceled runbook', { leaves: [leaf('1.1', 'queued')], isCanceled: true }, { kind: 'ended' }],
    ['ends when all is done', { leaves: [done], pullRequests: [pullRequest()] }, { kind: 'ended' }],
    [
      'queues when all is done, if that was requested',
      { leaves: [done], pullRequests: [pullRequest()], queueWhenGreen: true },
      { kind: 'call', call: { kind: 'queue', pullRequestId: 'one' } },
    ],
    [
      'does not queue while a leaf has failed',
      { leaves: [done, leaf('1.2', 'failed')], pullRequests: [pullRequest()], queueWhenGreen: true },
      { kind: 'ended' },
    ],
    [
      'waits for queued pull requests',
      { leaves: [done], pullRequests: [pullRequest({ isQueued: true })], queueWhenGreen: true },
      { kind: 'wait', for: 'merge', until: null },
    ],
    [
      'queues the lowest pull request of a stack',
      {
        leaves: [done],
        pullRequests: [pullRequest({ state: 'merged' }), pullRequest({ id: 'two' }), pullRequest({ id: 'three' })],
        queueWhenGreen: true,
      },
      { kind: 'call', call: { kind: 'queue', pullRequestId: 'two' } },
    ],
    [
      'moves a pull request to the target branch after its base has merged',
      {
        leaves: [done],
        pullRequests: [pullRequest({ state: 'merged' }), pullRequest({ id: 'two', isBelowMerged: true })],
        queueWhenGreen: true,
      },
      { kind: 'call', call: { kind: 'retarget', pullRequestId: 'two' } },
    ],
    [
      'ends when everything has merged',
      { leaves: [done], pullRequests: [pullRequest({ state: 'merged' })], queueWhenGreen: true },
      { kind: 'ended' },
    ],
  ])('%s', (_name, more, step) => {
    expect(decideRunbook(situation(more), now)).toEqual(step);
  });

  it.each([
    ['all of them, if the code host does not fail', { failingSince: null, callAt: 8, uncountedCallAt: 7 }, 3],
    ['those of the agent, after a failure of the code host', { failingSince: 5, callAt: 8, uncountedCallAt: 8 }, 3],
    ['none, after a failure that an earlier version counted', { failingSince: 5, callAt: 8, uncountedCallAt: 7 }, 0],
    ['none, if only an earlier version saw failures', { failingSince: 5, callAt: 8, uncountedCallAt: null }, 0],
  ])('counts attempts: %s', (_name, row, count) => {
    expect(countAttempts({ calls: 3, ...row })).toBe(count);
  });

  it('pauses longer after each failed try, and at most half an hour', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 100].map((calls) => pauseAfter(calls) / 1000);
    expect(seconds).toEqual([1, 2, 4, 8, 15, 30, 60, 120, 300, 600, 1800, 1800, 1800]);
  });

  it('asks a failing host about 60 times, and not after a day', () => {
    let [at, calls] = [now, 0];
    while (!isHostGivenUp(now, { now: at, limitMs: hostGivenUpMs })) at += pauseAfter((calls += 1));
    expect(calls).toBeLessThan(60);
    expect(at - now).toBeLessThan(day + pauseAfter(100));
    expect(hostGivenUp('It is away.')).toBe(
      'The code host has failed for 24 hours: retry when the host works again. The last failure: It is away.',
    );
  });
});
