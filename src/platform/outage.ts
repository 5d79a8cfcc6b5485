// A database that is away for a moment: its restart takes seconds, and what was done meanwhile is not done again.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DomainError } from '../domain/errors.ts';

const firstPauseMs = 50;
const longestPauseMs = 1_000;
const longestOutageMs = 60_000;

/**
 * Tries `write` again while the database does not answer, for a minute at most. Other failures are thrown at once. An
 * answer may be lost after the commit, so `write` must find out by itself that it was done before.
 */
export async function retryDuringOutage<T>(write: () => Promise<T>, log: Logger): Promise<T> {
  const deadline = performance.now() + longestOutageMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await write();
    } catch (error) {
      if (!isOutage(error) || performance.now() + pauseMs > deadline) throw error;
      if (pauseMs === firstPauseMs) log.warn({ error: String(error) }, 'The database did not answer; trying again.');
      await delay(pauseMs);
    }
  }
}

/**
 * SQLSTATE of sessions that broke or were ended, of resources used up, and of locks and statements that took too long.
 */
const sqlStates = /^(08...|53...|57P..|57014|55P03|40...)$/;
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);
/** The driver gives no code to what it says about its own connections. */
const driverMessages = /^Connection terminated|is not queryable$|^timeout exceeded when trying to connect/;

/** Whether the same statement may succeed in a moment. False if the database or the service refused the statement. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  // The socket of a server that is stopped is no file.
  if (code === 'ENOENT') return syscall === 'connect';
  if (typeof code === 'string') return networkCodes.has(code) || sqlStates.test(code);
  return driverMessages.test(error.message);
}

/** The error that a caller gets for an outage. Every other error is returned as it is. */
export function outageAsRefusal(error: unknown): unknown {
  if (!isOutage(error)) return error;
  const refusal = new DomainError('UNAVAILABLE', 'Interlock is unavailable for a moment. Try again.');
  refusal.cause = error;
  return refusal;
}

/** Does `work`; an outage in it is a refusal of the request. */
export async function refusingOutages<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw outageAsRefusal(error);
  }
}
