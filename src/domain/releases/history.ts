// What an environment has run, and where a rollback goes. A rollback takes the place in history of what it restored:
// the next one goes further back, and never returns to what was rolled back.
import type { DeploymentKind, DeploymentStatus } from './release.ts';

/** A deployment that succeeded. */
export interface Success {
  readonly kind: DeploymentKind;
  readonly candidateId: string;
  /** Of a rollback: the candidate it took back. Null: not known. */
  readonly tookBackId: string | null;
}

/** Of an environment, the newest deployment that started. */
export interface Latest {
  readonly id: string;
  readonly kind: DeploymentKind;
  readonly status: DeploymentStatus;
  readonly candidateId: string;
  readonly rollbackOfId: string | null;
}

export interface RollbackTarget {
  readonly candidateId: string;
  /** The deployment that is taken back. */
  readonly rollbackOfId: string;
}

/** The candidates an environment can go back to, what runs last. `successes` in the order in which they came true. */
export function foldSuccesses(successes: readonly Success[]): string[] {
  const stack: string[] = [];
  for (const success of successes) follow(stack, success);
  return stack;
}

/**
 * Whether the newest successes alone say what runs and what ran before it: no rollback went further back than they do,
 * and two are left of what they put on top. Of the first it is not known whether it was there already; that changes neither.
 */
export function sayEnough(newest: readonly Success[]): boolean {
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
    // Its earlier success was reported away: still, what it took back must not be gone back to.
    stack.length = place >= 0 ? place : placeOf(stack, tookBackId);
  }
  if (stack.at(-1) !== candidateId) stack.push(candidateId);
}

function placeOf(stack: readonly string[], candidateId: string | null): number {
  const place = candidateId === null ? -1 : stack.lastIndexOf(candidateId);
  return place < 0 ? stack.length : place;
}

/** Where a rollback goes now. Null: there is nothing to go back to. */
export function rollbackTarget(successes: readonly Success[], latest: Latest | null): RollbackTarget | null {
  if (latest === null) return null;
  const candidateId = candidateToRestore(foldSuccesses(successes), latest);
  if (candidateId === undefined) return null;
  return { candidateId, rollbackOfId: redoes(latest) ?? latest.id };
}

function candidateToRestore(stack: readonly string[], latest: Latest): string | undefined {
  if (latest.status === 'success') return stack.at(-2);
  return latest.kind === 'rollback' ? latest.candidateId : stack.at(-1);
}

// A rollback that did not succeed is done again, for what it was to take back.
function redoes({ kind, status, rollbackOfId }: Latest): string | null {
  return kind === 'rollback' && status !== 'success' ? rollbackOfId : null;
}
