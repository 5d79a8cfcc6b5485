// What happens next to a deployment, and to the build of a candidate, as a function of their rows and the time. The
// driver writes what is decided here and makes the calls; everything it does may have been done before.
import { backOff, waitForLease, waitForCall } from '../turns.ts';
import type { CandidateStatus, DeploymentStatus, ProviderSettings } from './release.ts';

/** The progress of a run at a provider. Instants are milliseconds since the epoch. */
export interface RunSituation {
  readonly provider: ProviderSettings;
  /** Null: the provider has not accepted it yet. */
  readonly triggeredAt: number | null;
  readonly cancelSentAt: number | null;
  /** No call before this instant. */
  readonly callAt: number | null;
  /** Calls or supervised attempts in a row. */
  readonly calls: number;
  /** Until when a worker holds its lease. */
  readonly supervisedUntil: number | null;
}

export interface DeploymentSituation extends RunSituation {
  readonly status: DeploymentStatus;
  /** A report created it, so that the service never triggers it. */
  readonly isReported: boolean;
  readonly triggerStartedAt: number | null;
  /** Which deployment may change the environment now. */
  readonly slot: 'ours' | 'free' | 'taken';
  /** No other deployment in line goes first. */
  readonly isFirstInLine: boolean;
  /** The freeze that applies to it. `until` null: until somebody ends it. */
  readonly freeze: { readonly until: number | null } | null;
  /** When the last news about it came. */
  readonly statusAt: number;
  readonly reportTimeoutSec: number;
  /** It was canceled without waiting, and its provider has not been notified yet. */
  readonly cancelPending: boolean;
  /** It was started at a provider that its environment no longer has. */
  readonly isElsewhere: boolean;
}

export interface BuildSituation extends RunSituation {
  readonly status: CandidateStatus;
  readonly isCanceled: boolean;
  readonly createdAt: number;
  readonly timeoutSec: number;
}

export type ProviderCall = 'trigger' | 'read' | 'cancel';

/**
 * What it waits for: its turn, the end of a freeze, a report, the time of the next call, or the worker that supervises
 * it.
 */
export type WaitFor = 'turn' | 'freeze' | 'report' | 'call' | 'lease';

export type RunStep =
  | { readonly kind: 'call'; readonly call: ProviderCall }
  | { readonly kind: 'supervise' }
  /** `until` null: until it is woken. */
  | { readonly kind: 'wait'; readonly for: WaitFor; readonly until: number | null };

export type Step<Status extends string> =
  | RunStep
  | { readonly kind: 'ended' }
  | { readonly kind: 'become'; readonly status: Status; readonly because: string };

export type DeploymentStep = Step<DeploymentStatus> | { readonly kind: 'take_slot' };
export type BuildStep = Step<CandidateStatus>;

const triggerWithinMs = 10 * 60_000;
const mostAttempts = 5;

export function decideDeployment(situation: DeploymentSituation, now: number): DeploymentStep {
  switch (situation.status) {
    case 'pending':
      return decidePending(situation, now);
    case 'in_progress':
      return decideInProgress(situation, now);
    case 'canceling':
      return decideCanceling(situation, now);
    case 'canceled':
      return situation.cancelPending && !situation.isElsewhere
        ? dueAt(situation, { call: 'cancel', now })
        : { kind: 'ended' };
    // Its slot is free. Later news about it comes only by a report.
    case 'unknown':
    case 'success':
    case 'failure':
    case 'error':
      return { kind: 'ended' };
  }
}

/**
 * Whether the provider is notified of a canceled deployment whose result nobody waits for. It is if it was called
 * and may still be at work. A deployment that is driven from outside has no provider, and a provider that was
 * configured later does not know the deployment.
 */
export function mustNotifyCancel({
  status,
  isReported,
  triggerStartedAt,
  provider,
  isElsewhere,
}: Pick<DeploymentSituation, 'status' | 'isReported' | 'triggerStartedAt' | 'provider' | 'isElsewhere'>): boolean {
  const isCalled = provider.kind === 'http' || provider.kind === 'github_actions';
  return status === 'unknown' && triggerStartedAt !== null && !isReported && isCalled && !isElsewhere;
}

function decidePending(situation: DeploymentSituation, now: number): DeploymentStep {
  if (situation.slot === 'ours') {
    // A report set it back to pending. It is not triggered twice, and it does not block the others for ever.
    const deadline = situation.statusAt + situation.reportTimeoutSec * 1000;
    if (now < deadline) return { kind: 'wait', for: 'report', until: deadline };
    return { kind: 'become', status: 'error', because: silence(situation) };
  }
  if (situation.isReported || situation.triggerStartedAt !== null) return { kind: 'wait', for: 'report', until: null };
  if (situation.slot === 'taken' || !situation.isFirstInLine) return { kind: 'wait', for: 'turn', until: null };
  if (situation.freeze !== null) return { kind: 'wait', for: 'freeze', until: situation.freeze.until };
  return { kind: 'take_slot' };
}

function decideInProgress(situation: DeploymentSituation, now: number): DeploymentStep {
  const deadline = situation.statusAt + situation.reportTimeoutSec * 1000;
  // The provider is not asked about a deployment that is reported from outside or was reopened by a report.
  const isTriggered = situation.slot === 'ours' && situation.triggerStartedAt !== null;
  if (isTriggered && isSupervised(situation.provider)) return decideSupervised(situation, now);
  if (
    isTriggered &&
    situation.triggeredAt === null &&
    now >= Math.min(deadline, situation.triggerStartedAt + triggerWithinMs)
  )
    return {
      kind: 'become',
      status: 'unknown',
      because: 'Its provider could not be reached; whether it began is not known.',
    };
  if (now >= deadline)
    return {
      kind: 'become',
      status: 'unknown',
      because: silence(situation),
    };
  if (!isTriggered) return { kind: 'wait', for: 'report', until: deadline };
  return decideCall(situation, { now, deadline });
}

function decideSupervised(situation: RunSituation, now: number): Step<'error'> {
  const held = waitForLease(situation.supervisedUntil, now);
  if (held !== null) return held;
  if (situation.calls >= mostAttempts)
    return {
      kind: 'become',
      status: 'error',
      because: `It was started ${situation.calls} times, and each time its worker was lost.`,
    };
  return { kind: 'supervise' };
}

function decideCanceling(situation: DeploymentSituation, now: number): DeploymentStep {
  const canceled = { kind: 'become', status: 'canceled', because: 'It was canceled.' } as const;
  const isTriggered = situation.slot === 'ours' && situation.triggerStartedAt !== null;
  if (!isTriggered || situation.provider.kind === 'none') return canceled;
  if (isSupervised(situation.provider))
    // No worker supervises it, so that what it ran has ended.
    return waitForLease(situation.supervisedUntil, now) ?? canceled;
  const deadline = situation.statusAt + situation.reportTimeoutSec * 1000;
  if (now >= deadline)
    return {
      kind: 'become',
      status: 'error',
      because: `It was to be canceled, and nobody said for ${minutes(situation.reportTimeoutSec)} how it ended.`,
    };
  return decideCall(situation, { now, deadline, isCanceling: true });
}

export function decideBuild(situation: BuildSituation, now: number): BuildStep {
  if (situation.status !== 'building') return { kind: 'ended' };
  const deadline = situation.createdAt + situation.timeoutSec * 1000;
  if (now >= deadline)
    return {
      kind: 'become',
      status: 'failed',
      because: `Its build did not end within ${minutes(situation.timeoutSec)}.`,
    };
  if (situation.isCanceled) return decideCanceledBuild(situation, { now, deadline });
  if (situation.provider.kind === 'none') return { kind: 'wait', for: 'report', until: deadline };
  if (!isSupervised(situation.provider)) return decideCall(situation, { now, deadline });
  const step = decideSupervised(situation, now);
  return step.kind === 'become' ? { ...step, status: 'failed' } : step;
}

/** A canceled build is told to its provider. Nobody waits until it has ended there. */
function decideCanceledBuild(
  situation: BuildSituation,
  { now, deadline }: { readonly now: number; readonly deadline: number },
): BuildStep {
  const { provider, cancelSentAt, supervisedUntil } = situation;
  const failed = { kind: 'become', status: 'failed', because: 'It was canceled.' } as const;
  if (provider.kind === 'none' || cancelSentAt !== null) return failed;
  // No worker supervises it, so that what it ran has ended.
  if (isSupervised(provider)) return waitForLease(supervisedUntil, now) ?? failed;
  return decideCall(situation, { now, deadline, isCanceling: true });
}

function decideCall(
  situation: RunSituation,
  { now, deadline, isCanceling = false }: { now: number; deadline: number; isCanceling?: boolean },
): RunStep {
  const call = dueCall(situation, isCanceling);
  if (call === 'read' && !canBeAsked(situation.provider)) return { kind: 'wait', for: 'report', until: deadline };
  return dueAt(situation, { call, now, deadline });
}

function dueAt(
  { callAt }: RunSituation,
  { call, now, deadline = Number.POSITIVE_INFINITY }: { call: ProviderCall; now: number; deadline?: number },
): RunStep {
  const wait = waitForCall(callAt, now);
  return wait === null ? { kind: 'call', call } : { ...wait, until: Math.min(wait.until, deadline) };
}

function dueCall({ provider, triggeredAt, cancelSentAt }: RunSituation, isCanceling: boolean): ProviderCall {
  if (!isCanceling) return triggeredAt === null ? 'trigger' : 'read';
  // It may run, and only its key is known: a dispatch with the same key is answered without a second run.
  if (provider.kind === 'github_actions' && triggeredAt === null) return 'trigger';
  return cancelSentAt === null ? 'cancel' : 'read';
}

/** Whether the deployment runs only while a worker supervises it and reports all the time. */
export function isSupervised(provider: ProviderSettings): boolean {
  return provider.kind === 'command';
}

/** Whether the provider can be asked for the result. Other providers report it themselves. */
export function canBeAsked(provider: ProviderSettings): boolean {
  return provider.kind === 'github_actions' || (provider.kind === 'http' && provider.statusUrl !== null);
}

/** How long to leave the provider alone after so many calls in a row. */
export const pauseAfter = backOff([2, 4, 8, 15, 30, 60]);

const mostCancelCalls = 10;

/**
 * How long to wait after this many failed calls in a row. Null: the provider of a canceled deployment is not called
 * again. Everything that has not ended is called until its time limit.
 */
export function pauseAfterFailure(status: DeploymentStatus, calls: number): number | null {
  return status === 'canceled' && calls >= mostCancelCalls ? null : pauseAfter(calls);
}

/** `gone`: the provider does not know the run. `unknown`: the answer is not understood, or the provider cannot tell. */
export type ProviderState = 'running' | 'success' | 'failure' | 'canceled' | 'error' | 'gone' | 'unknown';

/** The statuses that follow from the provider's answer, in that order. Empty: the status stays. */
export function statusesByReading(
  state: ProviderState,
  { status, triggeredAt }: { readonly status: DeploymentStatus; readonly triggeredAt: number | null },
): readonly DeploymentStatus[] {
  if (status !== 'in_progress' && status !== 'canceling') return [];
  switch (state) {
    case 'success':
    case 'failure':
    case 'error':
      return [state];
    case 'canceled':
      // Somebody stopped it at the provider.
      return status === 'canceling' ? ['canceled'] : ['canceling', 'canceled'];
    case 'running':
      return [];
    case 'gone':
      // The provider may have forgotten an ended run. A run that was to be canceled is certainly over.
      return status === 'canceling' ? ['canceled'] : [];
    case 'unknown':
      // It never reached the provider and must not start any more.
      return status === 'canceling' && triggeredAt === null ? ['canceled'] : [];
  }
}

/** Null: it goes on. */
export function candidateStatusByReading(state: ProviderState): CandidateStatus | null {
  switch (state) {
    case 'success':
      return 'ready';
    case 'failure':
    case 'error':
    case 'canceled':
      return 'failed';
    case 'running':
    case 'gone':
    case 'unknown':
      return null;
  }
}

function silence({ reportTimeoutSec }: DeploymentSituation): string {
  return `Nothing was heard of it for ${minutes(reportTimeoutSec)}.`;
}

function minutes(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  return `${Math.round(seconds / 60)} minutes`;
}
