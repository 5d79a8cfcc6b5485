// A workflow drives deployments, builds, runbooks and verifications by turns. The workflow reads its rows again at the
// planned time or when it is woken. The rows record when the relay reads them, in case the workflow or a wake is lost.

/**
 * What follows a turn: an action, the end of the work, or a wait. `until`: an instant in milliseconds since the epoch.
 * Null: until the workflow is woken.
 */
export type AfterTurn =
  | { readonly kind: 'call' | 'supervise' | 'ended' }
  | { readonly kind: 'wait'; readonly until: number | null };

interface WaitFor<What extends string> {
  readonly kind: 'wait';
  readonly for: What;
  readonly until: number;
}

const graceMs = 15_000;
const carryOutMs = 60_000;
const longestMs = 5 * 60_000;
const lostWakeMs = 2_000;
const behindMs = 1_000;

/** Returns a function from the number of failures in a row to the pause in milliseconds. The last pause repeats. */
export function backOff(pausesSec: readonly [number, ...number[]]): (calls: number) => number {
  return (calls) => (pausesSec[Math.min(Math.max(calls, 1), pausesSec.length) - 1] ?? pausesSec[0]) * 1000;
}

/** The wait until the back-off after a failed call ends. Null: the next call is due. */
export function waitForCall(callAt: number | null, now: number): WaitFor<'call'> | null {
  return callAt !== null && callAt > now ? { kind: 'wait', for: 'call', until: callAt } : null;
}

/** The wait until the lease of another worker ends. Null: no worker holds the lease. */
export function waitForLease(supervisedUntil: number | null, now: number): WaitFor<'lease'> | null {
  return supervisedUntil !== null && supervisedUntil > now
    ? { kind: 'wait', for: 'lease', until: supervisedUntil }
    : null;
}

/** Failures of the code host in a row, for which work waits. Instants in milliseconds since the epoch. */
export interface HostFailures {
  /** No attempt starts before this instant. Null: no attempt has failed. */
  readonly callAt: number | null;
  /** When the first of these failures happened. Null: the last attempt did not fail because of the code host. */
  readonly failingSince: number | null;
}

const longestBeforeHostMs = 15 * 60_000;
const shortestHostPauseMs = 2_000;
const longestHostPauseMs = 60_000;

/**
 * Since when the code host fails, after another failure at `now`. An attempt that lasted longer than a quarter of an
 * hour got what it needed from the host, so the failures before it are not counted.
 */
export function hostFailsSince({ callAt, failingSince }: HostFailures, now: number): number {
  const isInRow = failingSince !== null && callAt !== null && now - callAt <= longestBeforeHostMs;
  return isInRow ? failingSince : now;
}

/** The pause after a failure of the code host, in milliseconds. It is as long as the host has failed already. */
export function pauseAfterHost(failingSince: number, now: number): number {
  return Math.min(Math.max(now - failingSince, shortestHostPauseMs), longestHostPauseMs);
}

/** How many hours a runbook or a verification waits for a code host that fails. */
export const hostGivenUpHours = 24;
export const hostGivenUpMs = hostGivenUpHours * 60 * 60_000;

/** Whether the code host has failed for `limitMs`, so that the work is given up. */
export function isHostGivenUp(
  failingSince: number,
  { now, limitMs }: { readonly now: number; readonly limitMs: number },
): boolean {
  return now - failingSince >= limitMs;
}

/**
 * What supervised work does after its attempt failed because of the code host. Such an attempt does not count as an
 * attempt of the work. `given_up`: the host has failed for `limitMs`. Null: the next attempt can start now.
 */
export function decideHostWait(
  { callAt, failingSince }: HostFailures,
  { now, limitMs }: { readonly now: number; readonly limitMs: number },
): WaitFor<'call'> | 'given_up' | null {
  const wait = waitForCall(callAt, now);
  if (wait === null || failingSince === null) return wait;
  if (isHostGivenUp(failingSince, { now, limitMs })) return 'given_up';
  return { ...wait, until: Math.min(wait.until, failingSince + limitMs) };
}

/**
 * Why supervised work is not started again. `what` names the work, such as `The command`. If `problem` is not null, it is
 * the last failure, which the caller adds.
 */
export function notStartedAgain(
  what: string,
  { calls, problem }: { readonly calls: number; readonly problem: string | null },
): string {
  return problem === null
    ? `${what} was started ${calls} times, and each time its worker was lost.`
    : `${what} was started ${calls} times without a result.`;
}

/**
 * When the relay reads the row after a turn: some time after the workflow should have read it, but at the latest after
 * five minutes. Null: never, the work has ended.
 */
export function relayAt(left: AfterTurn, now: Date): Date | null {
  if (left.kind === 'ended') return null;
  if (left.kind !== 'wait') return new Date(now.getTime() + carryOutMs);
  const workflowAt = (left.until ?? Number.POSITIVE_INFINITY) + graceMs;
  return new Date(Math.min(workflowAt, now.getTime() + longestMs));
}

/**
 * How long the workflow waits before the turn at `nextLookAt`, in milliseconds. `now` is the time of Temporal's clock,
 * and `nextLookAt` is a time of the database's clock, which may be behind. `elapsed`: the instant for which the last wait
 * was not cut short. Null: it was cut short, or there was none. If the turn after that wait names the same instant, the
 * database's clock is behind, and each further turn waits for a second.
 */
export function waitMs(
  nextLookAt: number,
  { now, elapsed }: { readonly now: number; readonly elapsed: number | null },
): number {
  return Math.max(nextLookAt === elapsed ? behindMs : 1, nextLookAt - now);
}

/** When the relay wakes a workflow after a commit, unless the wake has arrived by then. */
export function whenWakeIsLost(now: Date): Date {
  return new Date(now.getTime() + lostWakeMs);
}

/**
 * Whether a change of what a queue is planned from must wake the queue, given its versions before the change. If the
 * version is higher than the planned version, an earlier change has sent a wake, or has begun a plan that may end with a
 * wake. Both wait for the lock of the later change, and so handle the later change too. A queue without a plan is always
 * woken.
 */
export function isWakeNeeded({
  version,
  plannedVersion,
}: {
  readonly version: number;
  readonly plannedVersion: number;
}): boolean {
  return version === plannedVersion || plannedVersion === 0;
}
