// The life of a verification: how it moves, and what its statuses mean to the check that stands on the head.
import type { VerificationStatus } from './preview.ts';

type Moves = Readonly<Record<VerificationStatus, readonly VerificationStatus[]>>;

/** Every status of a verification is written along this table. */
export const verificationMoves = {
  pending: ['waiting', 'booting', 'driving', 'skipped', 'canceled', 'error'],
  waiting: ['driving', 'canceled', 'error'],
  booting: ['driving', 'tearing_down', 'canceled', 'error'],
  // Its worker was lost, and the sandbox with it: another boots it again. Or its registration was replaced by a newer one.
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

/** Nothing moves it any more; another run over the same head is another verification. */
export function isFinal(status: VerificationStatus): status is 'passed' | 'failed' | 'skipped' | 'canceled' | 'error' {
  return verificationMoves[status].length === 0;
}

export const finalStatuses = (Object.keys(verificationMoves) as VerificationStatus[]).filter(isFinal);

/** It lives only while somebody attends to it. */
export function isAttended(status: VerificationStatus): status is 'booting' | 'driving' | 'tearing_down' {
  return status === 'booting' || status === 'driving' || status === 'tearing_down';
}

/** What its check says: it is told anew when this changes. */
export type CheckWord = 'pending' | 'success' | 'failure' | 'cancelled';

export function checkWord(status: VerificationStatus): CheckWord {
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
