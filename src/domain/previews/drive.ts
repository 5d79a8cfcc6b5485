// What happens next to a verification, as a function of its rows and the time. The driver writes what is decided here
// and does what is left; everything it does may have been done before. Instants are milliseconds since the epoch.
import { backOff, waitForLease, waitForCall } from '../turns.ts';
import type { VerificationStatus } from './preview.ts';
import { checkOutcomeOf, isSupervised, isFinal, type CheckOutcome } from './verification.status.ts';

export interface VerificationSituation {
  readonly status: VerificationStatus;
  /** An open pull request still has that head. */
  readonly isWanted: boolean;
  readonly cancelRequestedAt: number | null;
  /** The state of the check on the head. Null: it is not there. */
  readonly publishedCheck: CheckOutcome | null;
  /** The newest valid registration for that head. */
  readonly registrationId: string | null;
  readonly waitUntil: number | null;
  /** It may have a running sandbox. */
  readonly hasSandbox: boolean;
  /** No call before this instant. */
  readonly callAt: number | null;
  /** Attempts in a row. */
  readonly calls: number;
  /** Until when a worker holds its lease. */
  readonly supervisedUntil: number | null;
}

/** `prepare`: read its configuration. `publish`: write its state on the head. */
export type VerificationCall = 'prepare' | 'publish';

export type VerificationStep =
  | { readonly kind: 'call'; readonly call: VerificationCall }
  /** Boot, drive, judge and tear down. For a canceled verification, only tear down. */
  | { readonly kind: 'supervise' }
  | { readonly kind: 'wait'; readonly for: 'registration' | 'call' | 'lease'; readonly until: number | null }
  | { readonly kind: 'become'; readonly status: VerificationStatus; readonly because: string }
  /** Drive the preview that CI registered. */
  | { readonly kind: 'attach'; readonly registrationId: string }
  /** No registration came in time, so that the code is judged instead. */
  | { readonly kind: 'degrade'; readonly because: string }
  | { readonly kind: 'ended' };

const mostAttempts = 3;

export function decideVerification(situation: VerificationSituation, now: number): VerificationStep {
  const { status } = situation;
  if (isFinal(status)) return decidePublishing(situation, now) ?? { kind: 'ended' };
  if (isCanceled(situation)) return decideCanceled(situation, now);
  switch (status) {
    case 'pending':
      return decidePublishing(situation, now) ?? decideCall(situation, { call: 'prepare', now });
    case 'waiting':
      return decideWaiting(situation, now);
    case 'booting':
    case 'driving':
    case 'tearing_down':
      return decideSupervised(situation, now);
    default:
      return status satisfies never;
  }
}

export function isCanceled({
  isWanted,
  cancelRequestedAt,
}: Pick<VerificationSituation, 'isWanted' | 'cancelRequestedAt'>): boolean {
  return !isWanted || cancelRequestedAt !== null;
}

function decidePublishing(situation: VerificationSituation, now: number): VerificationStep | null {
  const { status, publishedCheck } = situation;
  return publishedCheck === checkOutcomeOf(status) ? null : decideCall(situation, { call: 'publish', now });
}

function decideCall(
  { callAt }: VerificationSituation,
  { call, now }: { readonly call: VerificationCall; readonly now: number },
): VerificationStep {
  return waitForCall(callAt, now) ?? { kind: 'call', call };
}

function decideWaiting({ registrationId, waitUntil }: VerificationSituation, now: number): VerificationStep {
  if (registrationId !== null) return { kind: 'attach', registrationId };
  if (waitUntil === null || now >= waitUntil)
    return { kind: 'degrade', because: 'No preview was registered for this commit in time.' };
  return { kind: 'wait', for: 'registration', until: waitUntil };
}

function decideSupervised({ supervisedUntil, calls }: VerificationSituation, now: number): VerificationStep {
  const held = waitForLease(supervisedUntil, now);
  if (held !== null) return held;
  if (calls >= mostAttempts)
    return {
      kind: 'become',
      status: 'error',
      because: `It was started ${calls} times, and each time its worker was lost.`,
    };
  return { kind: 'supervise' };
}

function decideCanceled(
  { status, isWanted, hasSandbox, supervisedUntil, calls }: VerificationSituation,
  now: number,
): VerificationStep {
  const because = isWanted ? 'It was canceled.' : 'The pull request has another head by now, or is closed.';
  const canceled = { kind: 'become', status: 'canceled', because } as const;
  if (!isSupervised(status)) return canceled;
  const held = waitForLease(supervisedUntil, now);
  if (held !== null) return held;
  // What no worker could take away is found when what runs is compared with the rows.
  return hasSandbox && calls < mostAttempts ? { kind: 'supervise' } : canceled;
}

/** How long to leave the host alone after so many calls in a row that failed. */
export const pauseAfter = backOff([2, 4, 8, 15, 30, 60]);
