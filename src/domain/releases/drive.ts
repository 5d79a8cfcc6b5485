// Decides the next step of a deployment, and of the build of a candidate, from their rows and the time. The driver
// writes the decision and calls the provider. The driver may repeat a step, so every step can be carried out twice.
import { decideHostWait, notStartedAgain, waitForLease, waitForCall } from '../turns.ts';
import { isCancelUnsent } from './cancellation.ts';
import { isReportedAsRunning } from './provider-answers.ts';
import type { CandidateStatus, DeploymentStatus, ProviderSettings } from './release.ts';
import type { BuildSituation, DeploymentSituation, RunSituation } from './situation.ts';

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
  if (isTriggered && isSupervised(situation.provider))
    return decideSupervised(situation, { now, hostLimitSec: situation.reportTimeoutSec });
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

/** `hostLimitSec`: how long the run waits for a code host that fails. The writer adds the last failure to the reason. */
function decideSupervised(
  situation: RunSituation,
  { now, hostLimitSec }: { readonly now: number; readonly hostLimitSec: number },
): Step<'error'> {
  const held = waitForLease(situation.supervisedUntil, now);
  if (held !== null) return held;
  const wait = decideHostWait(situation, { now, limitMs: hostLimitSec * 1000 });
  if (wait === 'given_up')
    return { kind: 'become', status: 'error', because: `The code host has failed for ${minutes(hostLimitSec)}.` };
  if (wait !== null) return wait;
  if (situation.calls >= maxAttempts)
    return { kind: 'become', status: 'error', because: notStartedAgain('The command', situation) };
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
  const deadline = endOfBuild(situation);
  if (now >= deadline)
    return {
      kind: 'become',
      status: 'failed',
      because: `The build did not end within ${minutes(situation.timeoutSec)}.${isSupervised(situation.provider) ? ' This time includes waits for room at a worker.' : ''}`,
    };
  if (situation.isCanceled) return decideCanceledBuild(situation, { now, deadline });
  if (situation.provider.kind === 'none') return { kind: 'wait', for: 'report', until: deadline };
  if (!isSupervised(situation.provider)) return decideCall(situation, { now, deadline });
  const step = decideSupervised(situation, { now, hostLimitSec: situation.timeoutSec });
  if (step.kind === 'become') return { ...step, status: 'failed' };
  return step.kind === 'wait' ? { ...step, until: Math.min(step.until ?? deadline, deadline) } : step;
}

/** When a build ends at the latest, in milliseconds since the epoch. */
export function endOfBuild({ createdAt, timeoutSec }: Pick<BuildSituation, 'createdAt' | 'timeoutSec'>): number {
  return createdAt + timeoutSec * 1000;
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

function noReport({ reportTimeoutSec }: DeploymentSituation): string {
  return `No report about the deployment arrived for ${minutes(reportTimeoutSec)}.`;
}

function minutes(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  return `${Math.round(seconds / 60)} minutes`;
}
