// The lifecycle of a deployment (interface 3.2): the service's own transitions, and the meaning of each status. A
// report from outside is no transition: it is accepted from any status.
import { deploymentStatuses, type DeploymentStatus } from './release.ts';

type Moves = Readonly<Record<DeploymentStatus, readonly DeploymentStatus[]>>;

/** Every status that the service itself writes follows this table. */
export const deploymentMoves = {
  pending: ['in_progress', 'canceling', 'canceled', 'failure', 'error'],
  in_progress: ['success', 'failure', 'error', 'canceling', 'unknown'],
  canceling: ['canceled', 'success', 'failure', 'error'],
  unknown: ['pending', 'in_progress', 'success', 'failure', 'canceling', 'canceled', 'error'],
  success: [],
  failure: [],
  canceled: [],
  error: [],
} as const satisfies Moves;

export function canMove(from: DeploymentStatus, to: DeploymentStatus): boolean {
  const moves: readonly DeploymentStatus[] = deploymentMoves[from];
  return moves.includes(to);
}

/** Whether the status is final: only a report from outside can change it. */
export function isFinal(status: DeploymentStatus): status is 'success' | 'failure' | 'canceled' | 'error' {
  return deploymentMoves[status].length === 0;
}

export const finalStatuses = deploymentStatuses.filter(isFinal);

/** A rollback first cancels deployments in these statuses. */
export const activeStatuses: readonly DeploymentStatus[] = deploymentStatuses.filter((status) => !isFinal(status));

/**
 * A deployment that gets one of these statuses gives its slot back. It no longer changes the environment, or nobody
 * knows how long it will. Only a report makes a deployment with the slot pending.
 */
export function endsSlot(status: DeploymentStatus): boolean {
  return isFinal(status) || status === 'unknown' || status === 'pending';
}

export interface StatusTimes {
  readonly status: DeploymentStatus;
  /** When the deployment got its first status after pending. Null: it is pending, or was canceled while pending. */
  readonly deployStartAt: Date | null;
  /** When the deployment got its final status. Null: its status is not final. */
  readonly deployEndAt: Date | null;
}

/**
 * The times after a reported or written status. If a final status is reported again, the first end is kept. A
 * deployment that was canceled while it waited has an end and no start, even if its cancellation is reported again.
 */
export function timesAfter(before: StatusTimes, to: DeploymentStatus, now: Date): Omit<StatusTimes, 'status'> {
  const started = to !== 'pending' && to !== before.status && !(to === 'canceled' && before.status === 'pending');
  const deployStartAt = before.deployStartAt ?? (started ? now : null);
  if (!isFinal(to)) return { deployStartAt, deployEndAt: null };
  return { deployStartAt, deployEndAt: before.status === to && before.deployEndAt ? before.deployEndAt : now };
}

/**
 * The instant at which a deployment starts or ends: now, or just after the newest start and success of its environment,
 * if the clock of the server that wrote them is ahead. The history of an environment is ordered by these instants.
 */
export function instantAfter(newest: Date | null, now: Date): Date {
  return newest !== null && newest >= now ? new Date(newest.getTime() + 1) : now;
}

/**
 * Whether this change of status means that the deployment starts to change the environment, for the first time or
 * again. If a pipeline outside reports an ended deployment as started again, the deployment counts as the newest one.
 */
export function startsDeployment(from: DeploymentStatus, to: DeploymentStatus): boolean {
  if (from === 'pending') return to !== 'pending' && to !== 'canceled';
  return isFinal(from) && (to === 'in_progress' || to === 'canceling');
}

export interface Cancelable {
  readonly status: DeploymentStatus;
  readonly hasSlot: boolean;
  /** The provider may have been called. */
  readonly triggerStarted: boolean;
}

/**
 * The statuses that a cancellation writes, in order. Empty: there is nothing to cancel. If the deployment has the slot
 * and changes the environment, its provider is asked to stop, and the service waits for the result. Any other
 * deployment is canceled at once, because it waits in line, or runs outside, where nobody would answer.
 */
export function decideCancel({ status, hasSlot, triggerStarted }: Cancelable): readonly DeploymentStatus[] {
  if (isFinal(status)) return [];
  if (hasSlot && (status !== 'pending' || triggerStarted)) return status === 'canceling' ? [] : ['canceling'];
  return status === 'in_progress' ? ['canceling', 'canceled'] : ['canceled'];
}
