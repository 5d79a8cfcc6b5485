// What is decided of a runbook, as a table: what its rows say, and what happens next.
import { describe, expect, it } from 'vitest';
import {
  decideRunbook,
  hostGivenUp,
  isHostGivenUp,
  mostAttempts,
  pauseAfter,
  type LeafSituation,
  type PullRequestSituation,
  type RunbookSituation,
} from '../../../src/domain/runbooks/drive.ts';

const day = 24 * 60 * 60 * 1000;
const now = 10 * day;

function situation(more: Partial<RunbookSituation> = {}): RunbookSituation {
  return {
    prompts: [{ ordinal: 1, isPlanned: true }],
    leaves: [],
    pullRequests: [],
    isCanceled: false,
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

describe('what happens next', () => {
  it.each<[string, Partial<RunbookSituation>, object]>([
    [
      'a prompt is planned first',
      { prompts: [{ ordinal: 1, isPlanned: false }] },
      { kind: 'supervise', work: { kind: 'plan', prompt: 1 } },
    ],
    [
      'a follow-up is planned before the next leaf is started',
      { prompts: [...situation().prompts, { ordinal: 2, isPlanned: false }], leaves: [leaf('1.1', 'not_started')] },
      { kind: 'supervise', work: { kind: 'plan', prompt: 2 } },
    ],
    [
      'the next leaf has its turn',
      { leaves: [done, leaf('1.2', 'not_started'), leaf('1.3', 'not_started')] },
      { kind: 'become', leafId: 'leaf 1.2', status: 'queued', because: null },
    ],
    [
      'one whose turn has come is worked on',
      { leaves: [leaf('1.1', 'queued')] },
      { kind: 'supervise', work: { kind: 'leaf', leafId: 'leaf 1.1' } },
    ],
    [
      'one whose worker was lost is worked on again',
      { leaves: [working], supervisedUntil: now },
      { kind: 'supervise', work: { kind: 'leaf', leafId: 'leaf 1.1' } },
    ],
    [
      'nothing happens while a worker supervises it',
      { leaves: [working], supervisedUntil: now + 1 },
      { kind: 'wait', for: 'lease', until: now + 1 },
    ],
    [
      'what came to nothing is left alone for a while',
      { leaves: [working], callAt: now + 5, calls: 1 },
      { kind: 'wait', for: 'call', until: now + 5 },
    ],
    [
      'a leaf is given up after its worker was lost again and again',
      { leaves: [working], calls: mostAttempts },
      {
        kind: 'become',
        leafId: 'leaf 1.1',
        status: 'failed',
        because: 'It was started 5 times, and each time its worker was lost.',
      },
    ],
    [
      'planning is given up with the last words',
      { prompts: [{ ordinal: 1, isPlanned: false }], calls: mostAttempts, problem: 'It hiccups.' },
      { kind: 'fail_plan', prompt: 1, because: 'It was started 5 times. The last failure: It hiccups.' },
    ],
    [
      'a leaf waits for a host that is away, however often it was started in vain',
      { leaves: [working], calls: 40, problem: 'It is away.', failingSince: now - day + 1 },
      { kind: 'supervise', work: { kind: 'leaf', leafId: 'leaf 1.1' } },
    ],
    [
      'a leaf is given up when the host has been away for a day',
      { leaves: [working], calls: 2, problem: 'It is away.', failingSince: now - day },
      { kind: 'become', leafId: 'leaf 1.1', status: 'failed', because: hostGivenUp('It is away.') },
    ],
    [
      'planning is given up when the host has been away for a day',
      { prompts: [{ ordinal: 1, isPlanned: false }], problem: 'It is away.', failingSince: now - day },
      { kind: 'fail_plan', prompt: 1, because: hostGivenUp('It is away.') },
    ],
    [
      'a commit that is made is pushed, also of a canceled runbook',
      {
        leaves: [{ ...working, commit: 'made', pullRequestId: 'one' }],
        pullRequests: [pullRequest({ state: 'planned', isPushed: false })],
        isCanceled: true,
      },
      { kind: 'call', call: { kind: 'push', leafId: 'leaf 1.1' } },
    ],
    [
      'what is pushed is opened before its leaf is completed',
      { leaves: [{ ...working, commit: 'pushed', pullRequestId: 'one' }], pullRequests: [planned] },
      { kind: 'call', call: { kind: 'open', pullRequestId: 'one' } },
    ],
    [
      'a commit pushed to an open pull request is described there before its leaf is completed',
      {
        leaves: [{ ...working, commit: 'pushed', pullRequestId: 'one' }],
        pullRequests: [pullRequest({ isStale: true })],
      },
      { kind: 'call', call: { kind: 'refresh', pullRequestId: 'one' } },
    ],
    [
      'a leaf is completed when all of that is done',
      { leaves: [{ ...working, commit: 'pushed', pullRequestId: 'one' }], pullRequests: [pullRequest()] },
      { kind: 'become', leafId: 'leaf 1.1', status: 'completed', because: null },
    ],
    [
      'in manual mode nothing is opened',
      {
        leaves: [{ ...working, commit: 'pushed', pullRequestId: 'one' }],
        pullRequests: [planned],
        prMode: 'manual',
      },
      { kind: 'become', leafId: 'leaf 1.1', status: 'completed', because: null },
    ],
    [
      'in manual mode it is opened when somebody asks',
      { leaves: [done], pullRequests: [planned], prMode: 'manual', isPublishAsked: true },
      { kind: 'call', call: { kind: 'open', pullRequestId: 'one' } },
    ],
    [
      'in manual mode it is opened when somebody asks, also of a canceled runbook',
      { leaves: [done], pullRequests: [planned], prMode: 'manual', isPublishAsked: true, isCanceled: true },
      { kind: 'call', call: { kind: 'open', pullRequestId: 'one' } },
    ],
    [
      'a pull request that was refused for good is not requested again',
      { leaves: [leaf('1.1', 'failed', { commit: 'pushed', pullRequestId: 'one' })], pullRequests: [planned] },
      { kind: 'ended' },
    ],
    [
      'one whose commit is pushed already is published when it is retried, not done again',
      { leaves: [leaf('1.1', 'queued', { commit: 'pushed', pullRequestId: 'one' })], pullRequests: [planned] },
      { kind: 'become', leafId: 'leaf 1.1', status: 'in_progress', because: null },
    ],
    [
      'nothing is started behind a failed leaf',
      { leaves: [leaf('1.1', 'failed'), leaf('1.2', 'not_started')] },
      { kind: 'ended' },
    ],
    [
      'a follow-up that went on without it is worked on',
      { leaves: [leaf('1.1', 'failed', { isPassedOver: true }), leaf('2.1', 'queued')] },
      { kind: 'supervise', work: { kind: 'leaf', leafId: 'leaf 2.1' } },
    ],
    ['nothing goes on when it is canceled', { leaves: [leaf('1.1', 'queued')], isCanceled: true }, { kind: 'ended' }],
    ['it ends when all is done', { leaves: [done], pullRequests: [pullRequest()] }, { kind: 'ended' }],
    [
      'it is queued when all is done, if that was asked',
      { leaves: [done], pullRequests: [pullRequest()], queueWhenGreen: true },
      { kind: 'call', call: { kind: 'queue', pullRequestId: 'one' } },
    ],
    [
      'it is not queued while a leaf has failed',
      { leaves: [done, leaf('1.2', 'failed')], pullRequests: [pullRequest()], queueWhenGreen: true },
      { kind: 'ended' },
    ],
    [
      'what is queued is waited for',
      { leaves: [done], pullRequests: [pullRequest({ isQueued: true })], queueWhenGreen: true },
      { kind: 'wait', for: 'merge', until: null },
    ],
    [
      'of a stack the lowest is queued',
      {
        leaves: [done],
        pullRequests: [pullRequest({ state: 'merged' }), pullRequest({ id: 'two' }), pullRequest({ id: 'three' })],
        queueWhenGreen: true,
      },
      { kind: 'call', call: { kind: 'queue', pullRequestId: 'two' } },
    ],
    [
      'one whose base has merged goes into the target branch first',
      {
        leaves: [done],
        pullRequests: [pullRequest({ state: 'merged' }), pullRequest({ id: 'two', isBelowMerged: true })],
        queueWhenGreen: true,
      },
      { kind: 'call', call: { kind: 'retarget', pullRequestId: 'two' } },
    ],
    [
      'it ends when everything has merged',
      { leaves: [done], pullRequests: [pullRequest({ state: 'merged' })], queueWhenGreen: true },
      { kind: 'ended' },
    ],
  ])('%s', (_name, more, step) => {
    expect(decideRunbook(situation(more), now)).toEqual(step);
  });

  it('leaves more time the more often it came to nothing, half an hour at most', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 100].map((calls) => pauseAfter(calls) / 1000);
    expect(seconds).toEqual([1, 2, 4, 8, 15, 30, 60, 120, 300, 600, 1800, 1800, 1800]);
  });

  it('asks a host that fails about 60 times, and after a day no more', () => {
    let [at, calls] = [now, 0];
    while (!isHostGivenUp(now, at)) at += pauseAfter((calls += 1));
    expect(calls).toBeLessThan(60);
    expect(at - now).toBeLessThan(day + pauseAfter(100));
    expect(hostGivenUp('It is away.')).toBe(
      'The code host has failed for 24 hours: retry it when the host works again. The last failure: It is away.',
    );
  });
});
