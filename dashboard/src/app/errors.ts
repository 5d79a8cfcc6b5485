// Why an operation failed, as the message of the API, or as a sentence of the dashboard if there was no answer. When a
// failed read is tried again.
import type { CombinedError } from '@urql/core';

export interface Problem {
  readonly sentence: string;
  /**
   * A code of the API's closed list, or of the dashboard: NETWORK (no answer), EMPTY (no data), UNKNOWN (no code),
   * DATE (a date that cannot be read), DASHBOARD (a fault of the dashboard itself).
   */
  readonly code: string;
  readonly requestId: string | null;
}

export function problemOf(error: CombinedError): Problem {
  const [first] = error.graphQLErrors;
  if (first) {
    const { code, requestId } = first.extensions as { readonly code?: string; readonly requestId?: string };
    return { sentence: first.message, code: code ?? 'UNKNOWN', requestId: requestId ?? null };
  }
  return {
    sentence: 'The server did not answer.',
    code: 'NETWORK',
    requestId: null,
  };
}

/** A refusal of the API, with its code. */
export class RefusedError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.sentence);
    this.problem = problem;
  }
}

/**
 * The problem of anything that was thrown. An error that is no refusal is a fault of the dashboard. The browser reports
 * such an error too, as if nobody had caught it.
 */
export function problemOfThrown(error: unknown): Problem {
  if (error instanceof RefusedError) return error.problem;
  reportError(error);
  return {
    sentence: `The dashboard has failed (${String(error)}). Load the page again. If this happens once more, report it.`,
    code: 'DASHBOARD',
    requestId: null,
  };
}

/** Whether the server may have carried out an action that has failed with this problem. */
export function mayBeDone({ code }: Problem): boolean {
  return code === 'NETWORK' || code === 'DASHBOARD';
}

/** Reads an instant that a user has typed. Empty: null. Throws `RefusedError` if it cannot be read. */
export function instantOf(typed: string, field: string): string | null {
  if (typed === '') return null;
  // An input of dates accepts years with five digits, which `Date` does not read.
  const at = new Date(typed);
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  throw new RefusedError({
    sentence: `${field} is no date that can be read. Its year has four digits, as in 2027.`,
    code: 'DATE',
    requestId: null,
  });
}

const passingCodes = new Set(['NETWORK', 'RATE_LIMITED', 'UNAVAILABLE', 'HOST_UNAVAILABLE']);

/** Whether the same read may succeed a moment later. */
export function isPassing({ code }: Problem): boolean {
  return passingCodes.has(code);
}

const slowestRetryMs = 15_000;

/** How long to wait before the next attempt, after this number of failed attempts. */
export function backOffMs(failures: number): number {
  return Math.min(slowestRetryMs, 500 * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
}

export function problemReference({ code, requestId }: Problem): string {
  return requestId === null ? code : `${code}, request ${requestId}`;
}
