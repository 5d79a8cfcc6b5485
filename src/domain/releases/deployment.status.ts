// The life of a deployment (interface 3.2): how the service itself moves one, and what its statuses mean. A report from
// outside is no move: it is taken as given, whatever the status was.
import { deploymentStatuses, type DeploymentStatus } from './release.ts';

type Moves = Readonly<Record<DeploymentStatus, readonly DeploymentStatus[]>>;

/** Every status the service writes by itself goes through this table. */
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

/** Nothing moves it any more, but for a report. */
export function isFinal(status: DeploymentStatus): status is 'success' | 'failure' | 'canceled' | 'error' {
  return deploymentMoves[status].length === 0;
}

export const finalStatuses = deploymentStatuses.filter(isFinal);

/** What a rollback cancels first. */
export const activeStatuses: readonly DeploymentStatus[] = deploymentStatuses.filter((status) => !isFinal(status));

/**
 * With one of these a deployment gives its slot back: it does not change the environment, or nobody can say how long it
 * would go on. One that has the slot becomes pending by a report alone.
 */
export function endsSlot(status: DeploymentStatus): boolean {
  return isFinal(status) || status === 'unknown' || status === 'pending';
}

export interface StatusTimes {
  readonly status: DeploymentStatus;
  /** The first status past pending. Null: it waits, or was canceled while it did. */
  readonly deployStartAt: Date | null;
  /** The final one. */
  readonly deployEndAt: Date | null;
}

/**
 * The times after a status, given or moved to. A final status told again keeps its end: what came true once does not
 * come true later. One canceled in line has ended and never started, however often that is told.
 */
export function timesAfter(before: StatusTimes, to: DeploymentStatus, now: Date): Omit<StatusTimes, 'status'> {
  const started = to !== 'pending' && to !== before.status && !(to === 'canceled' && before.status === 'pending');
  const deployStartAt = before.deployStartAt ?? (started ? now : null);
  if (!isFinal(to)) return { deployStartAt, deployEndAt: null };
  return { deployStartAt, deployEndAt: before.status === to && before.deployEndAt ? before.deployEndAt : now };
}

/**
 * Whether it goes to work on the environment, for the first time or once more: what a pipeline outside deploys again by
 * reports is the same deployment, and from then on the newest that started.
 */
export function begins(from: DeploymentStatus, to: DeploymentStatus): boolean {
  if (from === 'pending') return to !== 'pending' && to !== 'canceled';
  return isFinal(from) && (to === 'in_progress' || to === 'canceling');
}

export interface Cancelable {
  readonly status: DeploymentStatus;
  readonly hasSlot: boolean;
  /** The provider may have been called. */
  readonly triggerBegun: boolean;
}

/**
 * The statuses a cancellation takes a deployment through, last the one it stays in; none when there is nothing to
 * cancel. Whoever changes the environment is asked to stop, and that it did is waited for. Any other one is
 * canceled at once: it waits in line, or runs outside, where nobody would answer.
 */
export function decideCancel({ status, hasSlot, triggerBegun }: Cancelable): readonly DeploymentStatus[] {
  if (isFinal(status)) return [];
  if (hasSlot && (status !== 'pending' || triggerBegun)) return status === 'canceling' ? [] : ['canceling'];
  return status === 'in_progress' ? ['canceling', 'canceled'] : ['canceled'];
}
