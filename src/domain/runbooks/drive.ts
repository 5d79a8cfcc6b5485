// Decides the next step of a runbook from its rows and the time. The driver writes the decision, calls the code host
// and supervises the agent. The driver may repeat a step, so every step can be carried out twice.
import { backOff, decideHostWait, hostGivenUpHours, hostGivenUpMs, waitForLease, waitForCall } from '../turns.ts';
import { isLive, type PrMode, type RunbookPullRequestState, type StepStatus } from './runbook.ts';

export interface LeafSituation {
  readonly id: string;
  readonly number: string;
  readonly status: StepStatus;
  /** Whether the leaf failed, and a later prompt continues without it. */
  readonly isPassedOver: boolean;
  /** `none`: the leaf has no commit. `made`: its commit is not pushed yet. `pushed`: its commit is on its branch. */
  readonly commit: 'none' | 'made' | 'pushed';
  /** Id of the pull request of the leaf's commit. Null: the leaf has no commit. */
  readonly pullRequestId: string | null;
}

export interface PullRequestSituation {
  readonly id: string;
  readonly ordinal: number;
  readonly state: RunbookPullRequestState;
  /** Whether the branch of the pull request has a pushed commit. */
  readonly isPushed: boolean;
  /** Whether the text or the labels of the pull request are outdated. */
  readonly isStale: boolean;
  /** Whether the queue was asked to merge the head of the pull request. */
  readonly isQueued: boolean;
  /** Whether the pull request below has merged, so that this one must be retargeted to the target branch. */
  readonly isBelowMerged: boolean;
}

export interface RunbookSituation {
  /** In order. */
  readonly prompts: readonly { readonly ordinal: number; readonly isPlanned: boolean }[];
  readonly leaves: readonly LeafSituation[];
  readonly pullRequests: readonly PullRequestSituation[];
  readonly isCanceled: boolean;
  /** Whether the repository is active. */
  readonly isActive: boolean;
  readonly prMode: PrMode;
  /** Whether a user requested the pull requests, in `manual` mode. */
  readonly isPublishAsked: boolean;
  readonly queueWhenGreen: boolean;
  /** Until when a worker holds the lease of the runbook. All instants here are milliseconds since the epoch. */
  readonly supervisedUntil: number | null;
  /** No call and no attempt is made before this instant. Null: the next one can be made now. */
  readonly callAt: number | null;
  /** How many calls, or attempts of the agent, in a row had no result. Attempts that the code host ended do not count. */
  readonly calls: number;
  /** The error of the last call or attempt. Null: no error is known. */
  readonly problem: string | null;
  /** Since when calls of the code host fail. Null: the last call succeeded. */
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
  /** `until` null: until the workflow is woken. */
  | { readonly kind: 'wait'; readonly for: 'lease' | 'call' | 'merge' | 'activation'; readonly until: number | null }
  | { readonly kind: 'become'; readonly leafId: string; readonly status: StepStatus; readonly because: string | null }
  | { readonly kind: 'fail_plan'; readonly prompt: number; readonly because: string }
  | { readonly kind: 'ended' };

export const maxAttempts = 5;

/**
 * How many attempts of the agent in a row had no result. Attempts that the code host ended do not count. A worker of an
 * earlier version counts them in `calls`, and schedules the next attempt at another `callAt` than `uncountedCallAt`. Such
 * a `calls` says nothing about the agent, so it counts as 0.
 */
export function countAttempts(row: {
  readonly calls: number;
  readonly callAt: number | null;
  readonly failingSince: number | null;
  /** The `callAt` after the last attempt that the code host ended and that `calls` does not count. Null: none. */
  readonly uncountedCallAt: number | null;
}): number {
  return row.failingSince !== null && row.callAt !== row.uncountedCallAt ? 0 : row.calls;
}

export function decideRunbook(situation: RunbookSituation, now: number): RunbookStep {
  const held = waitForLease(situation.supervisedUntil, now);
  if (held !== null) return held;
  // A committed leaf is completed first, even if the runbook was canceled, because the next leaf builds on its commit.
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
  if (prompt !== undefined) return dueWork(situation, { kind: 'plan', prompt: prompt.ordinal }, now);
  const leaf = situation.leaves.find(({ status, isPassedOver }) => status !== 'completed' && !isPassedOver);
  // Nothing after a failed leaf starts.
  if (leaf === undefined || leaf.status === 'failed') return null;
  if (leaf.status === 'not_started') return { kind: 'become', leafId: leaf.id, status: 'queued', because: null };
  return dueWork(situation, { kind: 'leaf', leafId: leaf.id }, now);
}

/**
 * The next step after the agent has finished: the calls for its pull requests, from the bottom of the stack. While the
 * repository is inactive, the runbook only opens pull requests, and waits with the other calls.
 */
function decideRest(situation: RunbookSituation, now: number): RunbookStep {
  const rest = findRest(situation);
  if (rest === 'nothing') return { kind: 'ended' };
  if (rest === 'merge') return { kind: 'wait', for: 'merge', until: null };
  if (!situation.isActive && rest.kind !== 'open') return { kind: 'wait', for: 'activation', until: null };
  return dueCall(situation, rest, now);
}

/** The next call. `merge`: the lowest pull request must be merged or closed first. */
function findRest(situation: RunbookSituation): RunbookCall | 'merge' | 'nothing' {
  const live = situation.pullRequests.filter(isLive);
  for (const pullRequest of live) {
    const call = publishingCall(situation, pullRequest);
    if (call !== null && isStillDue(situation, call)) return call;
    if (pullRequest.state === 'open' && pullRequest.isBelowMerged)
      return { kind: 'retarget', pullRequestId: pullRequest.id };
  }
  const isDone = situation.leaves.length > 0 && situation.leaves.every(({ status }) => status === 'completed');
  const lowest = live.find(({ state }) => state === 'open');
  if (!situation.queueWhenGreen || situation.isCanceled || !isDone || lowest === undefined) return 'nothing';
  return lowest.isQueued ? 'merge' : { kind: 'queue', pullRequestId: lowest.id };
}

/**
 * Whether a call must still be made. If the host refused a pull request permanently, the leaf has failed: the host is
 * called again only after a retry or for the next commit. In manual mode the pull request that a user requested is
 * opened even if the runbook was canceled.
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
  const { calls, problem } = situation;
  const wait = decideHostWait(situation, { now, limitMs: hostGivenUpMs });
  if (wait === 'given_up') return failWork(work, hostGivenUp(problem ?? 'no reason is known'));
  if (calls >= maxAttempts) return failWork(work, notStartedAgain(calls, problem));
  return wait ?? { kind: 'supervise', work };
}

function failWork(work: AgentWork, because: string): RunbookStep {
  return work.kind === 'plan'
    ? { kind: 'fail_plan', prompt: work.prompt, because }
    : { kind: 'become', leafId: work.leafId, status: 'failed', because };
}

function notStartedAgain(calls: number, problem: string | null): string {
  return problem === null
    ? `The agent was started ${calls} times, and each time its worker was lost.`
    : `The agent was started ${calls} times. The last failure: ${problem}`;
}

/** The limit of one attempt: long enough for a model that uses all its turns. */
export const defaultStepLimitMs = 2 * 60 * 60 * 1000;

/** The reason of the failure if a plan or a leaf exceeded its time limit. */
export function pastItsLimit(kind: AgentWork['kind'], limitMs: number): string {
  const minutes = `${limitMs / 60_000} minutes, which is the time limit (RUNBOOK_STEP_MINUTES)`;
  return kind === 'plan'
    ? `The plan was not made after ${minutes}: prompt again, and ask for less work at a time.`
    : `The step was not done after ${minutes}: retry it, or divide it into smaller steps.`;
}

/** The back-off after this many failed calls or attempts in a row, in milliseconds: from a second up to half an hour. */
export const pauseAfter = backOff([1, 2, 4, 8, 15, 30, 60, 120, 300, 600, 1_800]);

/** The reason of the failure if a call has failed for a day, and the last time not because of the code host. */
export function callGivenUp(problem: string): string {
  return `It was tried for ${hostGivenUpHours} hours without success: retry later. The last failure: ${problem}`;
}

/** The reason of the failure if the code host has failed for a day. */
export function hostGivenUp(problem: string): string {
  return `The code host has failed for ${hostGivenUpHours} hours: retry when the host works again. The last failure: ${problem}`;
}
