// Which candidates an environment has run, and the target of a rollback. After a rollback the history ends with the
// restored candidate. So the next rollback goes further back, and never returns to a candidate that was rolled back.
import type { DeploymentKind, DeploymentStatus } from './release.ts';

/** A deployment that succeeded. */
export interface Success {
  readonly kind: DeploymentKind;
  readonly candidateId: string;
  /** For a rollback, the candidate that it replaced. Null: not known. */
  readonly tookBackId: string | null;
}

/** The newest deployment of an environment, of those that have started. */
export interface LatestDeployment {
  readonly id: string;
  readonly kind: DeploymentKind;
  readonly status: DeploymentStatus;
  readonly candidateId: string;
  readonly rollbackOfId: string | null;
}

export interface RollbackTarget {
  readonly candidateId: string;
  /** The deployment that is rolled back. */
  readonly rollbackOfId: string;
}

/**
 * The candidates that an environment can go back to, the running one last. `successes` are in the order of their
 * success.
 */
export function listRestorable(successes: readonly Success[]): string[] {
  const stack: string[] = [];
  for (const success of successes) follow(stack, success);
  return stack;
}

/**
 * Whether the newest successes suffice to know what runs and what ran before it: no rollback among them went further
 * back than they do, and at least two candidates remain. Whether the first one was deployed earlier too is not known,
 * and does not matter.
 */
export function areEnoughSuccesses(newest: readonly Success[]): boolean {
  const stack: string[] = [];
  for (const success of newest) {
    if (success.kind === 'rollback' && !stack.includes(success.candidateId)) return false;
    follow(stack, success);
  }
  return stack.length >= 2;
}

function follow(stack: string[], { kind, candidateId, tookBackId }: Success): void {
  if (kind === 'rollback') {
    const place = stack.lastIndexOf(candidateId);
    // If the restored candidate is not in the stack, a report has changed its earlier success. The candidate that the
    // rollback replaced must still not be restored.
    stack.length = place >= 0 ? place : placeOf(stack, tookBackId);
  }
  if (stack.at(-1) !== candidateId) stack.push(candidateId);
}

function placeOf(stack: readonly string[], candidateId: string | null): number {
  const place = candidateId === null ? -1 : stack.lastIndexOf(candidateId);
  return place < 0 ? stack.length : place;
}

/** The target of a rollback now. Null: there is nothing to go back to. */
export function rollbackTarget(successes: readonly Success[], latest: LatestDeployment | null): RollbackTarget | null {
  if (latest === null) return null;
  const candidateId = candidateToRestore(listRestorable(successes), latest);
  if (candidateId === undefined) return null;
  return { candidateId, rollbackOfId: repeatedRollbackOf(latest) ?? latest.id };
}

function candidateToRestore(stack: readonly string[], latest: LatestDeployment): string | undefined {
  if (latest.status === 'success') return stack.at(-2);
  return latest.kind === 'rollback' ? latest.candidateId : stack.at(-1);
}

// A failed rollback is repeated for the same deployment.
function repeatedRollbackOf({ kind, status, rollbackOfId }: LatestDeployment): string | null {
  return kind === 'rollback' && status !== 'success' ? rollbackOfId : null;
}
