// The lifecycle of a verification: its transitions, and the meaning of each status for the check on the head.
import type { VerificationStatus } from './preview.ts';

type Moves = Readonly<Record<VerificationStatus, readonly VerificationStatus[]>>;

/** Every write of a verification's status follows this table. */
export const verificationMoves = {
  pending: ['waiting', 'booting', 'driving', 'skipped', 'canceled', 'error'],
  waiting: ['driving', 'canceled', 'error'],
  booting: ['driving', 'tearing_down', 'canceled', 'error'],
  // If the worker and the sandbox were lost, another worker boots the preview again. If a newer registration has replaced
  // the registration that is tested, the verification waits again.
  driving: ['booting', 'waiting', 'tearing_down', 'passed', 'failed', 'canceled', 'error'],
  tearing_down: ['passed', 'failed', 'canceled', 'error'],
  passed: [],
  failed: [],
  skipped: [],
  canceled: [],
  error: [],
} as const satisfies Moves;

export function canMove(from: VerificationStatus, to: VerificationStatus): boolean {
  const moves: readonly VerificationStatus[] = verificationMoves[from];
  return moves.includes(to);
}

/** Whether the status never changes again. Another run for the same head is a new verification. */
export function isFinal(status: VerificationStatus): status is 'passed' | 'failed' | 'skipped' | 'canceled' | 'error' {
  return verificationMoves[status].length === 0;
}

export const finalStatuses = (Object.keys(verificationMoves) as VerificationStatus[]).filter(isFinal);

/** Whether the verification makes progress only while a worker supervises it. */
export function isSupervised(status: VerificationStatus): status is 'booting' | 'driving' | 'tearing_down' {
  return status === 'booting' || status === 'driving' || status === 'tearing_down';
}

/** The state of the check of a verification. The check is published again when this state changes. */
export type CheckOutcome = 'pending' | 'success' | 'failure' | 'cancelled';

export function checkOutcomeOf(status: VerificationStatus): CheckOutcome {
  switch (status) {
    case 'pending':
    case 'waiting':
    case 'booting':
    case 'driving':
    case 'tearing_down':
      return 'pending';
    case 'passed':
    case 'skipped':
      return 'success';
    case 'failed':
    case 'error':
      return 'failure';
    case 'canceled':
      return 'cancelled';
  }
}
