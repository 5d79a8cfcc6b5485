// Decides the next step of a verification from its rows and the time. The driver writes the decision and carries it
// out. The driver may repeat a step, so every step can be carried out twice. Instants are milliseconds since the epoch.
import {
  backOff,
  decideHostWait,
  hostGivenUpHours,
  hostGivenUpMs,
  notStartedAgain,
  waitForLease,
  waitForCall,
} from '../turns.ts';
import type { VerificationStatus } from './preview.ts';
import { checkOutcomeOf, isSupervised, isFinal, type CheckOutcome } from './verification.status.ts';

export interface VerificationSituation {
  readonly status: VerificationStatus;
  /** Whether the repository is active, and an open pull request still has the head commit that is verified. */
  readonly isWanted: boolean;
  /** Whether the repository is active. */
  readonly isActive: boolean;
  readonly cancelRequestedAt: number | null;
  /** The state of the check on the head commit. Null: the check is not published yet. */
  readonly publishedCheck: CheckOutcome | null;
  /** Id of the newest valid registration for the head commit. Null: there is none. */
  readonly registrationId: string | null;
  readonly waitUntil: number | null;
  /** Whether a sandbox of the verification may be running. */
  readonly hasSandbox: boolean;
  /** No call is made before this instant. Null: the next call can be made now. */
  readonly callAt: number | null;
  /** How many attempts were made in a row. */
  readonly calls: number;
  /** The last failure. Null: no failure is known. */
  readonly problem: string | null;
  /** Since when attempts fail because of the code host. Null: the last one did not. */
  readonly failingSince: number | null;
  /** Until when a worker holds the lease of the verification. Null: no worker holds the lease. */
  readonly supervisedUntil: number | null;
}

/** `prepare`: read the configuration. `publish`: write the check on the head commit. */
export type VerificationCall = 'prepare' | 'publish';

export type VerificationStep =
  | { readonly kind: 'call'; readonly call: VerificationCall }
  /** Boot the preview, test it, judge the result and tear the preview down. If canceled, only tear it down. */
  | { readonly kind: 'supervise' }
  | { readonly kind: 'wait'; readonly for: 'registration' | 'call' | 'lease'; readonly until: number | null }
  | { readonly kind: 'become'; readonly status: VerificationStatus; readonly because: string }
  /** Test the preview that CI registered. */
  | { readonly kind: 'attach'; readonly registrationId: string }
  /** CI registered no preview in time, so the code is analysed instead. */
  | { readonly kind: 'degrade'; readonly because: string }
  | { readonly kind: 'ended' };

const maxAttempts = 3;
/** Failed calls in a row, in about a minute, after which the check is not published in an inactive repository. */
const maxCallsIfInactive = 6;

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

/** Says why a verification is canceled. */
export function cancellationText({ isWanted, isActive }: Pick<VerificationSituation, 'isWanted' | 'isActive'>): string {
  if (!isActive) return 'The repository is inactive.';
  return isWanted
    ? 'The verification was canceled.'
    : 'The pull request was merged or closed, or has another head by now.';
}

/** Null: the check is published, or the host gives no more access to the inactive repository. */
function decidePublishing(situation: VerificationSituation, now: number): VerificationStep | null {
  const { status, publishedCheck, isActive, calls } = situation;
  const isGivenUp = !isActive && calls >= maxCallsIfInactive;
  return isGivenUp || publishedCheck === checkOutcomeOf(status)
    ? null
    : decideCall(situation, { call: 'publish', now });
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

function decideSupervised(situation: VerificationSituation, now: number): VerificationStep {
  const held = waitForLease(situation.supervisedUntil, now);
  if (held !== null) return held;
  const wait = decideHostWait(situation, { now, limitMs: hostGivenUpMs });
  if (wait === 'given_up') return endWithError(situation, `The code host has failed for ${hostGivenUpHours} hours.`);
  if (wait !== null) return wait;
  if (situation.calls >= maxAttempts) return endWithError(situation, notStartedAgain('The verification', situation));
  return { kind: 'supervise' };
}

function endWithError({ problem }: VerificationSituation, because: string): VerificationStep {
  const failure = problem === null ? '' : ` The last failure: ${problem}`;
  return { kind: 'become', status: 'error', because: `${because}${failure}` };
}

function decideCanceled(situation: VerificationSituation, now: number): VerificationStep {
  const { status, hasSandbox, supervisedUntil, calls } = situation;
  const canceled = { kind: 'become', status: 'canceled', because: cancellationText(situation) } as const;
  if (!isSupervised(status)) return canceled;
  const held = waitForLease(supervisedUntil, now);
  if (held !== null) return held;
  // A sandbox that no worker could remove is found later, when the running sandboxes are compared with the rows.
  return hasSandbox && calls < maxAttempts ? { kind: 'supervise' } : canceled;
}

/** The back-off before the next call of the code host, in milliseconds, after this many failed calls in a row. */
export const pauseAfter = backOff([2, 4, 8, 15, 30, 60]);
