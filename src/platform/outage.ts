// Retries during a short outage of the database, such as a restart that takes seconds.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DomainError } from '../domain/errors.ts';

const firstPauseMs = 50;
const longestPauseMs = 1_000;
const longestOutageMs = 60_000;

/**
 * Repeats `write` while the database does not answer, for at most a minute. Other failures are thrown at once. The
 * answer to a commit may be lost, so `write` must detect that it has succeeded before.
 */
export async function retryDuringOutage<T>(write: () => Promise<T>, log: Pick<Logger, 'warn'>): Promise<T> {
  const deadline = performance.now() + longestOutageMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await write();
    } catch (error) {
      if (!isOutage(error) || performance.now() + pauseMs > deadline) throw error;
      if (pauseMs === firstPauseMs)
        log.warn({ error: String(error) }, 'The database did not answer. Interlock tries again.');
      await delay(pauseMs);
    }
  }
}

/**
 * SQLSTATE of broken or terminated sessions, of exhausted resources, of lock and statement timeouts, and of
 * transactions that were rolled back, such as deadlocks.
 */
const sqlStates = /^(08...|53...|57P..|57014|55P03|40...)$/;
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);
/** The driver's own errors about connections have no code. */
const driverMessages =
  /^Connection terminated|is not queryable$|^timeout exceeded when trying to connect|^timeout expired$/;

/** Whether the same statement may soon succeed. False if the database or the service refused the statement. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  // A PostgreSQL server that is stopped has no socket file.
  if (code === 'ENOENT') return syscall === 'connect';
  if (typeof code === 'string') return networkCodes.has(code) || sqlStates.test(code);
  return driverMessages.test(error.message);
}

const silentMs = 60_000;

/**
 * Returns a function that logs failures of loops with `message`. During an outage of the database all loops of a process
 * fail several times a second, so the log says at most once a minute that the database does not answer.
 */
export function createFailureLog(log: Logger, message: string): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (!isSilence(error)) return log.error({ error: String(error) }, message);
    const now = performance.now();
    if (now - loggedAt < silentMs) return;
    loggedAt = now;
    log.error({ error: String(error) }, 'The database does not answer. Interlock tries again.');
  };
}

/** Whether the database cannot be reached or ends its sessions, unlike a statement that only this time did not succeed. */
function isSilence(error: unknown): boolean {
  return isOutage(error) && !/^(?:40|53|55|57014)/.test(String((error as { readonly code?: unknown }).code));
}

/** Returns the error UNAVAILABLE for an outage. Every other error is returned unchanged. */
export function outageAsRefusal(error: unknown): unknown {
  if (!isOutage(error)) return error;
  const refusal = new DomainError('UNAVAILABLE', 'Interlock is unavailable for a moment. Try again.');
  refusal.cause = error;
  return refusal;
}

/** Does `work`. An outage is thrown as the error UNAVAILABLE. */
export async function refusingOutages<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw outageAsRefusal(error);
  }
}
