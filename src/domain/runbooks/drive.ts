// What happens next to a runbook, as a function of its rows and the time. The driver writes what is decided here, makes
// the calls and supervises the agent; everything it does may have been done before.
import { backOff, waitForLease, waitForCall } from '../turns.ts';
import type { PrMode, RunbookPullRequestState, StepStatus } from './runbook.ts';

export interface LeafSituation {
  readonly id: string;
  readonly number: string;
  readonly status: StepStatus;
  /** It failed, and a later prompt continues without it. */
  readonly isPassedOver: boolean;
  /** Whether its changes are committed, and whether the commit is pushed to its branch. */
  readonly commit: 'none' | 'made' | 'pushed';
  /** The pull request of its commit. Null: it has no commit. */
  readonly pullRequestId: string | null;
}

export interface PullRequestSituation {
  readonly id: string;
  readonly ordinal: number;
  readonly state: RunbookPullRequestState;
  /** Its branch has a pushed commit. */
  readonly isPushed: boolean;
  /** Its text or labels are outdated. */
  readonly isStale: boolean;
  /** The queue was asked to merge its head. */
  readonly isQueued: boolean;
  /** The pull request below it has merged, so that it must be retargeted to the target branch. */
  readonly isBelowMerged: boolean;
}

export interface RunbookSituation {
  /** In order. */
  readonly prompts: readonly { readonly ordinal: number; readonly isPlanned: boolean }[];
  readonly leaves: readonly LeafSituation[];
  readonly pullRequests: readonly PullRequestSituation[];
  readonly isCanceled: boolean;
  readonly prMode: PrMode;
  /** Somebody requested its pull requests, in `manual` mode. */
  readonly isPublishAsked: boolean;
  readonly queueWhenGreen: boolean;
  /** Until when a worker holds its lease. All instants here are milliseconds since the epoch. */
  readonly supervisedUntil: number | null;
  /** No call and no attempt before this instant. */
  readonly callAt: number | null;
  /** Calls or attempts in a row without a result. */
  readonly calls: number;
  /** The error of the last one. */
  readonly problem: string | null;
  /** Since when the code host fails. Null: the last call succeeded. */
  readonly failingSince: number | null;
}

export type AgentWork =
  | { readonly kind: 'plan'; readonly prompt: number }
  | { readonly kind: 'leaf'; readonly leafId: string };

export type RunbookCall =
  | { readonly kind: 'push'; readonly leafId: string }
  | { readonly kind: 'open' | 'refresh' | 'retarget' | 'queue'; readonly pullRequestId: string };

export type RunbookStep =
  | { readonly kind: 'supervise'; readonly work: AgentWork }
  | { readonly kind: 'call'; readonly call: RunbookCall }
  /** `until` null: until it is woken. */
  | { readonly kind: 'wait'; readonly for: 'lease' | 'call' | 'merge'; readonly until: number | null }
  | { readonly kind: 'become'; readonly leafId: string; readonly status: StepStatus; readonly because: string | null }
  | { readonly kind: 'fail_plan'; readonly prompt: number; readonly because: string }
  | { readonly kind: 'ended' };

export const mostAttempts = 5;

export function decideRunbook(situation: RunbookSituation, now: number): RunbookStep {
  const held = waitForLease(situation.supervisedUntil, now);
  if (held !== null) return held;
  // A committed leaf is brought to its end first, even if the runbook was canceled, because the next leaf stands on its
  // commit.
  const committed = situation.leaves.find(
    ({ status, commit }) => commit !== 'none' && (status === 'queued' || status === 'in_progress'),
  );
  if (committed !== undefined) return decideCommitted(situation, committed, now);
  const work = situation.isCanceled ? null : decideWork(situation, now);
  return work ?? decideRest(situation, now);
}

/** A leaf is completed when its commit is visible: pushed, and in a pull request that lists it. */
function decideCommitted(situation: RunbookSituation, leaf: LeafSituation, now: number): RunbookStep {
  if (leaf.status === 'queued') return { kind: 'become', leafId: leaf.id, status: 'in_progress', because: null };
  if (leaf.commit === 'made') return dueCall(situation, { kind: 'push', leafId: leaf.id }, now);
  const pullRequest = situation.pullRequests.find(({ id }) => id === leaf.pullRequestId);
  const call = pullRequest === undefined ? null : publishingCall(situation, pullRequest);
  if (call !== null) return dueCall(situation, call, now);
  return { kind: 'become', leafId: leaf.id, status: 'completed', because: null };
}

function decideWork(situation: RunbookSituation, now: number): RunbookStep | null {
  const prompt = situation.prompts.find(({ isPlanned }) => !isPlanned);
  if (prompt !== undefined) {
    if (isGivenUp(situation, now)) return { kind: 'fail_plan', prompt: prompt.ordinal, because: givenUp(situation) };
    return dueWork(situation, { kind: 'plan', prompt: prompt.ordinal }, now);
  }
  const leaf = situation.leaves.find(({ status, isPassedOver }) => status !== 'completed' && !isPassedOver);
  // Nothing after a failed leaf starts.
  if (leaf === undefined || leaf.status === 'failed') return null;
  if (leaf.status === 'not_started') return { kind: 'become', leafId: leaf.id, status: 'queued', because: null };
  if (isGivenUp(situation, now))
    return { kind: 'become', leafId: leaf.id, status: 'failed', because: givenUp(situation) };
  return dueWork(situation, { kind: 'leaf', leafId: leaf.id }, now);
}

/** The agent is finished: what its pull requests still need, from the bottom of the stack. */
function decideRest(situation: RunbookSituation, now: number): RunbookStep {
  const live = situation.pullRequests.filter(({ state }) => state === 'planned' || state === 'open');
  for (const pullRequest of live) {
    const call = publishingCall(situation, pullRequest);
    if (call !== null && isStillDue(situation, call)) return dueCall(situation, call, now);
    if (pullRequest.state === 'open' && pullRequest.isBelowMerged)
      return dueCall(situation, { kind: 'retarget', pullRequestId: pullRequest.id }, now);
  }
  const isDone = situation.leaves.length > 0 && situation.leaves.every(({ status }) => status === 'completed');
  const lowest = live.find(({ state }) => state === 'open');
  if (!situation.queueWhenGreen || situation.isCanceled || !isDone || lowest === undefined) return { kind: 'ended' };
  if (!lowest.isQueued) return dueCall(situation, { kind: 'queue', pullRequestId: lowest.id }, now);
  return { kind: 'wait', for: 'merge', until: null };
}

/**
 * The host is not asked again about a permanent refusal: the leaf failed by it, and a retry or the next commit asks
 * again. In manual mode a request counts even in a canceled runbook.
 */
function isStillDue({ isCanceled, prMode, leaves }: RunbookSituation, call: RunbookCall): boolean {
  if (call.kind !== 'open') return !isCanceled;
  if (prMode === 'manual') return true;
  const isRefused = leaves.some(
    ({ status, commit, pullRequestId }) =>
      status === 'failed' && commit === 'pushed' && pullRequestId === call.pullRequestId,
  );
  return !isCanceled && !isRefused;
}

function publishingCall(situation: RunbookSituation, pullRequest: PullRequestSituation): RunbookCall | null {
  const isWanted = situation.prMode !== 'manual' || situation.isPublishAsked;
  if (pullRequest.state === 'planned')
    return isWanted && pullRequest.isPushed ? { kind: 'open', pullRequestId: pullRequest.id } : null;
  if (pullRequest.state === 'open' && pullRequest.isStale) return { kind: 'refresh', pullRequestId: pullRequest.id };
  return null;
}

function dueCall(situation: RunbookSituation, call: RunbookCall, now: number): RunbookStep {
  return waitForCall(situation.callAt, now) ?? { kind: 'call', call };
}

function dueWork(situation: RunbookSituation, work: AgentWork, now: number): RunbookStep {
  return waitForCall(situation.callAt, now) ?? { kind: 'supervise', work };
}

/** While the host is down nothing has started, so that a wait costs only time. */
function isGivenUp({ calls, failingSince }: RunbookSituation, now: number): boolean {
  return failingSince === null ? calls >= mostAttempts : isHostGivenUp(failingSince, now);
}

function givenUp({ calls, problem, failingSince }: RunbookSituation): string {
  if (failingSince !== null) return hostGivenUp(problem ?? 'no reason is known');
  return problem === null
    ? `It was started ${calls} times, and each time its worker was lost.`
    : `It was started ${calls} times. Last: ${problem}`;
}

/** The limit of one attempt: long enough for a model that uses all its turns. */
export const defaultStepLimitMs = 2 * 60 * 60 * 1000;

/** Why a plan or a leaf failed that exceeded its time limit. */
export function pastItsLimit(kind: AgentWork['kind'], limitMs: number): string {
  const minutes = `${limitMs / 60_000} minutes, which is the time limit (RUNBOOK_STEP_MINUTES)`;
  return kind === 'plan'
    ? `It was not planned after ${minutes}: prompt again, for less at once.`
    : `It was not done after ${minutes}: retry it, or divide it into smaller steps.`;
}

/** How long to leave what failed alone after so many times in a row: seconds at first, at last half an hour. */
export const pauseAfter = backOff([1, 2, 4, 8, 15, 30, 60, 120, 300, 600, 1_800]);

const hostGivenUpHours = 24;

/** A code host that has failed for a day is not called again until somebody retries or prompts. */
export function isHostGivenUp(failingSince: number, now: number): boolean {
  return now - failingSince >= hostGivenUpHours * 60 * 60 * 1000;
}

export function hostGivenUp(problem: string): string {
  return `The code host has failed for ${hostGivenUpHours} hours: retry it when that works again. Last: ${problem}`;
}
