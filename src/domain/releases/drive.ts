// What happens next to a deployment, and to the build of a candidate, as a function of their rows and the time. The
// driver writes what is decided here and makes the calls; everything it does may have been done before.
import { backOff, waitForAttendant, waitForCall } from '../turns.ts';
import type { CandidateStatus, DeploymentStatus, ProviderSettings } from './release.ts';

/** How far a run at a provider has come. Instants are milliseconds since the epoch. */
export interface RunSituation {
  readonly provider: ProviderSettings;
  /** Null: the provider has not said that it took it on. */
  readonly triggeredAt: number | null;
  readonly cancelToldAt: number | null;
  /** No call before that. */
  readonly callAt: number | null;
  /** Calls, or attendances, in a row of the same kind. */
  readonly calls: number;
  /** Until when somebody attends to it. */
  readonly attendedUntil: number | null;
}

export interface DeploymentSituation extends RunSituation {
  readonly status: DeploymentStatus;
  /** Made by a report: never ours to trigger. */
  readonly isReported: boolean;
  readonly triggerBegunAt: number | null;
  /** Who may change the environment now. */
  readonly slot: 'ours' | 'free' | 'taken';
  /** Nobody of the line goes before it. */
  readonly isFirstInLine: boolean;
  /** A freeze that holds for it; `until` null: until somebody ends it. */
  readonly freeze: { readonly until: number | null } | null;
  /** Since when nothing was heard of it. */
  readonly statusAt: number;
  readonly reportTimeoutSec: number;
  /** Canceled without waiting for it, and its provider not told yet. */
  readonly cancelOwed: boolean;
  /** It was begun at a provider that its environment has no longer. */
  readonly isElsewhere: boolean;
}

export interface BuildSituation extends RunSituation {
  readonly status: CandidateStatus;
  readonly createdAt: number;
  readonly timeoutSec: number;
}

export type ProviderCall = 'trigger' | 'read' | 'cancel';

/** What a wait is for: its turn, the end of a freeze, a report, the time of the next call, whoever attends to it. */
export type WaitFor = 'turn' | 'freeze' | 'report' | 'call' | 'attendant';

export type RunStep =
  | { readonly kind: 'call'; readonly call: ProviderCall }
  | { readonly kind: 'attend' }
  /** `until` null: for as long as nobody wakes it. */
  | { readonly kind: 'wait'; readonly for: WaitFor; readonly until: number | null };

export type Step<Status extends string> =
  | RunStep
  | { readonly kind: 'ended' }
  | { readonly kind: 'become'; readonly status: Status; readonly because: string };

export type DeploymentStep = Step<DeploymentStatus> | { readonly kind: 'take_slot' };
export type BuildStep = Step<CandidateStatus>;

const triggerWithinMs = 10 * 60_000;
const mostAttendances = 5;

export function decideDeployment(situation: DeploymentSituation, now: number): DeploymentStep {
  switch (situation.status) {
    case 'pending':
      return decidePending(situation, now);
    case 'in_progress':
      return decideInProgress(situation, now);
    case 'canceling':
      return decideCanceling(situation, now);
    case 'canceled':
      return situation.cancelOwed && !situation.isElsewhere
        ? dueAt(situation, { call: 'cancel', now })
        : { kind: 'ended' };
    // Its slot is free, and whatever is heard of it later is heard by a report.
    case 'unknown':
    case 'success':
    case 'failure':
    case 'error':
      return { kind: 'ended' };
  }
}

/**
 * Whether the provider is told that a deployment was canceled although nobody waits for what comes of it: it was called,
 * was not heard of any more, and may be at work. One that is driven from outside has nobody to be told, and a provider
 * that came later knows nothing of it.
 */
export function owesCancel({
  status,
  isReported,
  triggerBegunAt,
  provider,
  isElsewhere,
}: Pick<DeploymentSituation, 'status' | 'isReported' | 'triggerBegunAt' | 'provider' | 'isElsewhere'>): boolean {
  const isCalled = provider.kind === 'http' || provider.kind === 'github_actions';
  return status === 'unknown' && triggerBegunAt !== null && !isReported && isCalled && !isElsewhere;
}

function decidePending(situation: DeploymentSituation, now: number): DeploymentStep {
  if (situation.slot === 'ours') {
    // A report set it back. It is not triggered twice, and does not keep the others waiting for ever.
    const deadline = situation.statusAt + situation.reportTimeoutSec * 1000;
    if (now < deadline) return { kind: 'wait', for: 'report', until: deadline };
    return { kind: 'become', status: 'error', because: silence(situation) };
  }
  if (situation.isReported || situation.triggerBegunAt !== null) return { kind: 'wait', for: 'report', until: null };
  if (situation.slot === 'taken' || !situation.isFirstInLine) return { kind: 'wait', for: 'turn', until: null };
  if (situation.freeze !== null) return { kind: 'wait', for: 'freeze', until: situation.freeze.until };
  return { kind: 'take_slot' };
}

function decideInProgress(situation: DeploymentSituation, now: number): DeploymentStep {
  const deadline = situation.statusAt + situation.reportTimeoutSec * 1000;
  // One that is reported from outside, or was reopened by a report, is not ours to ask about.
  const isOurs = situation.slot === 'ours' && situation.triggerBegunAt !== null;
  if (isOurs && isAttended(situation.provider)) return decideAttended(situation, now);
  if (isOurs && situation.triggeredAt === null && now >= Math.min(deadline, situation.triggerBegunAt + triggerWithinMs))
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
  if (!isOurs) return { kind: 'wait', for: 'report', until: deadline };
  return decideCall(situation, { now, deadline });
}

function decideAttended(situation: RunSituation, now: number): Step<'error'> {
  const attended = waitForAttendant(situation.attendedUntil, now);
  if (attended !== null) return attended;
  if (situation.calls >= mostAttendances)
    return {
      kind: 'become',
      status: 'error',
      because: `It was started ${situation.calls} times, and each time its worker was lost.`,
    };
  return { kind: 'attend' };
}

function decideCanceling(situation: DeploymentSituation, now: number): DeploymentStep {
  const canceled = { kind: 'become', status: 'canceled', because: 'It was canceled.' } as const;
  const isOurs = situation.slot === 'ours' && situation.triggerBegunAt !== null;
  if (!isOurs || situation.provider.kind === 'none') return canceled;
  if (isAttended(situation.provider))
    // Nobody attends to it: what it ran ended with whoever did.
    return waitForAttendant(situation.attendedUntil, now) ?? canceled;
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
  if (situation.provider.kind === 'none') return { kind: 'wait', for: 'report', until: deadline };
  if (!isAttended(situation.provider)) return decideCall(situation, { now, deadline });
  const attended = decideAttended(situation, now);
  return attended.kind === 'become' ? { ...attended, status: 'failed' } : attended;
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

function dueCall({ provider, triggeredAt, cancelToldAt }: RunSituation, isCanceling: boolean): ProviderCall {
  if (!isCanceling) return triggeredAt === null ? 'trigger' : 'read';
  // It may run, and can be canceled by its name alone: dispatched again under its key, it is answered.
  if (provider.kind === 'github_actions' && triggeredAt === null) return 'trigger';
  return cancelToldAt === null ? 'cancel' : 'read';
}

/** It lives only while somebody attends to it, and is heard of all the time. */
export function isAttended(provider: ProviderSettings): boolean {
  return provider.kind === 'command';
}

/** Otherwise only reports tell how it ended. */
export function canBeAsked(provider: ProviderSettings): boolean {
  return provider.kind === 'github_actions' || (provider.kind === 'http' && provider.statusUrl !== null);
}

/** How long to leave the provider alone after so many calls in a row. */
export const pauseAfter = backOff([2, 4, 8, 15, 30, 60]);

const mostTellings = 10;

/**
 * How long to wait after so many calls in a row that failed. Null: it is not tried again, as nothing else would end it:
 * everything that has not ended is called until its time is over.
 */
export function pauseAfterFailure(status: DeploymentStatus, calls: number): number | null {
  return status === 'canceled' && calls >= mostTellings ? null : pauseAfter(calls);
}

/** `gone`: the provider says that it knows of no such run. `unknown`: it cannot be understood, or cannot tell. */
export type ProviderState = 'running' | 'success' | 'failure' | 'canceled' | 'error' | 'gone' | 'unknown';

/** What a deployment becomes by what its provider says, in that order. None: it stays what it is. */
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
      // It may have forgotten one that ended. Of one that was to be canceled nothing is left that could run.
      return status === 'canceling' ? ['canceled'] : [];
    case 'unknown':
      // It never got there, and was not to be begun any more.
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
