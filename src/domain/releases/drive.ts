// Decides the next step of a deployment, and of the build of a candidate, from their rows and the time. The driver
// writes the decision and calls the provider. The driver may repeat a step, so every step can be carried out twice.
import { backOff, waitForLease, waitForCall } from '../turns.ts';
import { endsSlot, isFinal } from './deployment.status.ts';
import type { CandidateStatus, DeploymentStatus, ProviderSettings } from './release.ts';

/** The progress of a run at a provider. Instants are milliseconds since the epoch. */
export interface RunSituation {
  readonly provider: ProviderSettings;
  /** When the provider accepted the run. Null: the provider has not accepted the run yet. */
  readonly triggeredAt: number | null;
  readonly cancelSentAt: number | null;
  /** The provider is not called before this instant. Null: the provider can be called now. */
  readonly callAt: number | null;
  /** How many calls or supervised attempts were made in a row. */
  readonly calls: number;
  /** Until when a worker holds the lease of the run. Null: no worker holds the lease. */
  readonly supervisedUntil: number | null;
}

export interface DeploymentSituation extends RunSituation {
  readonly status: DeploymentStatus;
  /** Whether a report created the deployment. The service never triggers such a deployment. */
  readonly isReported: boolean;
  readonly triggerStartedAt: number | null;
  /** Which deployment may change the environment now. */
  readonly slot: 'ours' | 'free' | 'taken';
  /** Whether the deployment is the next in line for the slot. */
  readonly isFirstInLine: boolean;
  /** The freeze that holds the deployment. `until` null: until somebody ends the freeze. */
  readonly freeze: { readonly until: number | null } | null;
  /** When the status was last reported or written. */
  readonly statusAt: number;
  readonly reportTimeoutSec: number;
  /** When a user last canceled the deployment. */
  readonly cancelRequestedAt: number | null;
  /** Whether the deployment was canceled without the slot, and its provider has not been notified yet. */
  readonly cancelPending: boolean;
  /** Whether the deployment was started at a provider that its environment no longer has. */
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
 * What a run waits for: its turn for the slot, the end of a freeze, a report, the time of the next call, or the end of
 * the lease of another worker.
 */
export type WaitFor = 'turn' | 'freeze' | 'report' | 'call' | 'lease';

export type RunStep =
  | { readonly kind: 'call'; readonly call: ProviderCall }
  | { readonly kind: 'supervise' }
  /** `until` null: until the workflow is woken. */
  | { readonly kind: 'wait'; readonly for: WaitFor; readonly until: number | null };

export type Step<Status extends string> =
  | RunStep
  | { readonly kind: 'ended' }
  | { readonly kind: 'become'; readonly status: Status; readonly because: string };

export type DeploymentStep = Step<DeploymentStatus> | { readonly kind: 'take_slot' };
export type BuildStep = Step<CandidateStatus>;

const triggerWithinMs = 10 * 60_000;
const maxAttempts = 5;

export function decideDeployment(situation: DeploymentSituation, now: number): DeploymentStep {
  const step = decideByStatus(situation, now);
  const isLeftToOthers = step.kind === 'ended' || (step.kind === 'wait' && step.for === 'report');
  if (!isLeftToOthers || !situation.cancelPending || situation.isElsewhere) return step;
  const deadline = step.kind === 'wait' ? (step.until ?? undefined) : undefined;
  return dueAt(situation, { call: 'cancel', now, deadline });
}

function decideByStatus(situation: DeploymentSituation, now: number): DeploymentStep {
  switch (situation.status) {
    case 'pending':
      return decidePending(situation, now);
    case 'in_progress':
      return decideInProgress(situation, now);
    case 'canceling':
      return decideCanceling(situation, now);
    // The deployment has given its slot back. From now on only a report changes its status.
    case 'canceled':
    case 'unknown':
    case 'success':
    case 'failure':
    case 'error':
      return { kind: 'ended' };
  }
}

/**
 * Whether the provider must be notified that a deployment was canceled, although nobody waits for the result. The
 * provider must be notified if it was called and may still run the deployment. A deployment from outside has no
 * provider, and a provider that was configured later does not know the deployment.
 */
export function mustNotifyCancel({
  status,
  isReported,
  triggerStartedAt,
  provider,
  isElsewhere,
}: Pick<DeploymentSituation, 'status' | 'isReported' | 'triggerStartedAt' | 'provider' | 'isElsewhere'>): boolean {
  return status === 'unknown' && mayRunAt(provider, triggerStartedAt) && !isReported && !isElsewhere;
}

/** Whether the provider may have been called, and a run may go on there without Interlock. */
function mayRunAt(provider: ProviderSettings, triggerStartedAt: number | null): boolean {
  return triggerStartedAt !== null && (provider.kind === 'http' || provider.kind === 'github_actions');
}

/** Whether a report has said since the start that the run goes on. */
function isReportedAsRunning({
  status,
  triggerStartedAt,
  statusAt,
}: Pick<DeploymentSituation, 'status' | 'triggerStartedAt' | 'statusAt'>): boolean {
  return status === 'in_progress' && triggerStartedAt !== null && statusAt > triggerStartedAt;
}

/**
 * What follows if the provider refuses the start. If a report says that the run goes on, the provider carries out the
 * run that an earlier call started (`goes_on`). Only a provider that is called over HTTP can be asked about a run, and
 * can be told to cancel it, without the answer to its start. `isRepeated`: an earlier call may have started the run.
 */
export function decideRefusedStart(
  situation: Pick<DeploymentSituation, 'status' | 'provider' | 'triggerStartedAt' | 'statusAt'>,
  { isRepeated }: { readonly isRepeated: boolean },
): 'goes_on' | 'canceled' | 'error' {
  const canBeReached = situation.provider.kind === 'http';
  if (situation.status === 'canceling') return isRepeated && !canBeReached ? 'error' : 'canceled';
  return canBeReached && isReportedAsRunning(situation) ? 'goes_on' : 'error';
}

/** Whether a user canceled the deployment with the slot, and its provider has not been asked to cancel it yet. */
export function isCancelUnsent({
  slot,
  cancelRequestedAt,
  cancelSentAt,
}: Pick<DeploymentSituation, 'slot' | 'cancelRequestedAt' | 'cancelSentAt'>): boolean {
  return slot === 'ours' && cancelRequestedAt !== null && cancelSentAt === null;
}

/**
 * Whether the provider must still be notified of a cancellation after this change of status. Only the report of an end
 * shows that the run needs no cancellation any more.
 */
export function mustStillNotifyCancel(
  before: Pick<
    DeploymentSituation,
    'slot' | 'cancelRequestedAt' | 'cancelSentAt' | 'cancelPending' | 'provider' | 'triggerStartedAt'
  >,
  { to, source }: { readonly to: DeploymentStatus; readonly source: 'service' | 'report' },
): boolean {
  if (before.cancelPending) return source === 'service' || !isFinal(to);
  const losesSlot = endsSlot(to) && !isFinal(to);
  return losesSlot && isCancelUnsent(before) && mayRunAt(before.provider, before.triggerStartedAt);
}

/**
 * Whether the pauses between failed calls go on after this change of status, because they belong to a cancellation that
 * is still to be sent. A report between two calls is no reason to call at once. The pauses after other failed calls end.
 */
export function keepsPauses(
  before: Pick<DeploymentSituation, 'slot' | 'cancelRequestedAt' | 'cancelSentAt' | 'cancelPending'>,
  { to, cancelPending }: { readonly to: DeploymentStatus; readonly cancelPending: boolean },
): boolean {
  return (before.cancelPending && cancelPending) || (isCancelUnsent(before) && !endsSlot(to));
}

function decidePending(situation: DeploymentSituation, now: number): DeploymentStep {
  if (situation.slot === 'ours') {
    // A report set the deployment back to pending. The deployment is not triggered twice. It waits for a report only
    // until the time limit, so that it does not block the other deployments for ever.
    const deadline = situation.statusAt + situation.reportTimeoutSec * 1000;
    if (now < deadline) return { kind: 'wait', for: 'report', until: deadline };
    return { kind: 'become', status: 'error', because: noReport(situation) };
  }
  if (situation.isReported || situation.triggerStartedAt !== null) return { kind: 'wait', for: 'report', until: null };
  if (situation.slot === 'taken' || !situation.isFirstInLine) return { kind: 'wait', for: 'turn', until: null };
  if (situation.freeze !== null) return { kind: 'wait', for: 'freeze', until: situation.freeze.until };
  return { kind: 'take_slot' };
}

function decideInProgress(situation: DeploymentSituation, now: number): DeploymentStep {
  // A report that arrived before the cancellation was sent does not undo the cancellation.
  if (isCancelUnsent(situation)) return { kind: 'become', status: 'canceling', because: 'It was canceled.' };
  const deadline = situation.statusAt + situation.reportTimeoutSec * 1000;
  // The provider is not asked about a deployment that is reported from outside or was reopened by a report.
  const isTriggered = situation.slot === 'ours' && situation.triggerStartedAt !== null;
  if (isTriggered && isSupervised(situation.provider)) return decideSupervised(situation, now);
  if (
    isTriggered &&
    situation.triggeredAt === null &&
    !isReportedAsRunning(situation) &&
    now >= Math.min(deadline, situation.triggerStartedAt + triggerWithinMs)
  )
    return {
      kind: 'become',
      status: 'unknown',
      because: 'The provider could not be reached, so Interlock does not know whether the deployment began.',
    };
  if (now >= deadline)
    return {
      kind: 'become',
      status: 'unknown',
      because: noReport(situation),
    };
  if (!isTriggered) return { kind: 'wait', for: 'report', until: deadline };
  return decideCall(situation, { now, deadline });
}

function decideSupervised(situation: RunSituation, now: number): Step<'error'> {
  const held = waitForLease(situation.supervisedUntil, now);
  if (held !== null) return held;
  if (situation.calls >= maxAttempts)
    return {
      kind: 'become',
      status: 'error',
      because: `The command was started ${situation.calls} times, and each time its worker was lost.`,
    };
  return { kind: 'supervise' };
}

function decideCanceling(situation: DeploymentSituation, now: number): DeploymentStep {
  const canceled = { kind: 'become', status: 'canceled', because: 'It was canceled.' } as const;
  const isTriggered = situation.slot === 'ours' && situation.triggerStartedAt !== null;
  if (!isTriggered || situation.provider.kind === 'none') return canceled;
  if (isSupervised(situation.provider))
    // Without a worker that supervises the command, the command has ended.
    return waitForLease(situation.supervisedUntil, now) ?? canceled;
  const deadline = situation.statusAt + situation.reportTimeoutSec * 1000;
  if (now >= deadline)
    return {
      kind: 'become',
      status: 'error',
      because: `The deployment was canceled. Within ${minutes(situation.reportTimeoutSec)} no report said how it ended.`,
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
      because: `The build did not end within ${minutes(situation.timeoutSec)}.`,
    };
  if (situation.isCanceled) return decideCanceledBuild(situation, { now, deadline });
  if (situation.provider.kind === 'none') return { kind: 'wait', for: 'report', until: deadline };
  if (!isSupervised(situation.provider)) return decideCall(situation, { now, deadline });
  const step = decideSupervised(situation, now);
  return step.kind === 'become' ? { ...step, status: 'failed' } : step;
}

/** The provider of a canceled build is notified. Nobody waits until the build has ended at the provider. */
function decideCanceledBuild(
  situation: BuildSituation,
  { now, deadline }: { readonly now: number; readonly deadline: number },
): BuildStep {
  const { provider, cancelSentAt, supervisedUntil } = situation;
  const failed = { kind: 'become', status: 'failed', because: 'It was canceled.' } as const;
  if (provider.kind === 'none' || cancelSentAt !== null) return failed;
  // Without a worker that supervises the command, the command has ended.
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
  {
    call,
    now,
    deadline = Number.POSITIVE_INFINITY,
  }: { call: ProviderCall; now: number; deadline?: number | undefined },
): RunStep {
  const wait = waitForCall(callAt, now);
  return wait === null ? { kind: 'call', call } : { ...wait, until: Math.min(wait.until, deadline) };
}

function dueCall({ provider, triggeredAt, cancelSentAt }: RunSituation, isCanceling: boolean): ProviderCall {
  if (!isCanceling) return triggeredAt === null ? 'trigger' : 'read';
  // The run may exist, but its id is not known. A second dispatch with the same key returns the id and starts no run.
  if (provider.kind === 'github_actions' && triggeredAt === null) return 'trigger';
  return cancelSentAt === null ? 'cancel' : 'read';
}

/** Whether a run at this provider goes on only while a worker supervises it. */
export function isSupervised(provider: ProviderSettings): boolean {
  return provider.kind === 'command';
}

/** Whether the provider can be asked for the result. Other providers report it themselves. */
export function canBeAsked(provider: ProviderSettings): boolean {
  return provider.kind === 'github_actions' || (provider.kind === 'http' && provider.statusUrl !== null);
}

/** The back-off before the next call of the provider, in milliseconds, after this many calls in a row. */
export const pauseAfter = backOff([2, 4, 8, 15, 30, 60]);

const maxCancelCalls = 10;

/**
 * The back-off after this many failed calls in a row, in milliseconds. Null: the provider of a deployment that was
 * canceled without the slot is not called again. The provider of any other deployment is called until the time limit.
 */
export function pauseAfterFailure({
  cancelPending,
  calls,
}: Pick<DeploymentSituation, 'cancelPending' | 'calls'>): number | null {
  return cancelPending && calls >= maxCancelCalls ? null : pauseAfter(calls);
}

/** `gone`: the provider does not know the run. `unknown`: the answer is not understood, or the provider cannot tell. */
export type ProviderState = 'running' | 'success' | 'failure' | 'canceled' | 'error' | 'gone' | 'unknown';

/** The statuses that a deployment gets after the provider's answer, in order. Empty: the status does not change. */
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
      // The run was stopped at the provider. If nobody had canceled it here, the status `canceling` comes first.
      return status === 'canceling' ? ['canceled'] : ['canceling', 'canceled'];
    case 'running':
      return [];
    case 'gone':
      // The provider may have deleted the record of an ended run. A run that is being canceled has ended in any case.
      return status === 'canceling' ? ['canceled'] : [];
    case 'unknown':
      // The provider never accepted the run, and the run must not start any more.
      return status === 'canceling' && triggeredAt === null ? ['canceled'] : [];
  }
}

/** The status of a candidate after the provider's answer about its build. Null: the build goes on. */
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

function noReport({ reportTimeoutSec }: DeploymentSituation): string {
  return `No report about the deployment arrived for ${minutes(reportTimeoutSec)}.`;
}

function minutes(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  return `${Math.round(seconds / 60)} minutes`;
}
