// GitHub's failures as errors of the port: one table for every call (ADR 0071).
import { RequestError } from '@octokit/request-error';
import { HostRefused, HostUnavailable } from '../port.ts';

export interface FailedCall {
  /** Null: no answer came. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly message: string;
  /** Whether the call would have changed something at GitHub. */
  readonly writes: boolean;
  /** Whether the App asked for the token that other calls need. */
  readonly isForToken: boolean;
}

export type Failure =
  | { readonly kind: 'unavailable'; readonly message: string; readonly retryAt: number | null }
  /** GitHub asks for fewer calls. `until` is null if it does not say when to come back. */
  | { readonly kind: 'limited'; readonly until: number | null; readonly message: string }
  | { readonly kind: 'token'; readonly message: string }
  | { readonly kind: 'absent'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

/** There is nothing at that address, or the App may not see it: GitHub answers both alike. */
export class NotFoundAtGitHub extends HostUnavailable {}

export function judgeFailure(call: FailedCall, now: number): Failure {
  const { status, message } = call;
  if (status === null || status >= 500) return { kind: 'unavailable', message: `GitHub: ${message}`, retryAt: null };
  const limit = limitOf(call, now);
  if (limit !== null) return limit;
  if (call.isForToken) return { kind: 'unavailable', message: withoutToken(call, now), retryAt: null };
  if (status === 401) return { kind: 'token', message: `GitHub refused the App's token: ${message}` };
  if (status === 404 || status === 410) return { kind: 'absent', message: `GitHub: ${message}` };
  if (status === 403) return forbidden(call);
  if (status >= 300 && status < 400)
    return { kind: 'unavailable', message: 'The repository was renamed or moved at GitHub', retryAt: null };
  return { kind: 'refused', message: `GitHub: ${message}` };
}

/** The App gets no token, so its request did not reach GitHub: nothing was read or changed. */
function withoutToken({ status, message, headers }: FailedCall, now: number): string {
  if (/suspended/i.test(message)) return suspendedMessage;
  if (status === 404) return 'The App is not installed at GitHub any more, or was deleted';
  if (/could not be decoded/i.test(message))
    return "GitHub refuses the private key of the App. Generate another one in the App's settings at GitHub, and store it in Interlock";
  if (!/claim \('(iat|exp)'\)/.test(message)) return `GitHub gives the App no token: ${message}`;
  const offSec = Math.round((now - Date.parse(String(headers['date'] ?? ''))) / 1000);
  const off = Number.isNaN(offSec) ? 'not that of GitHub' : `${Math.abs(offSec)} s ${offSec > 0 ? 'ahead' : 'behind'}`;
  return `The clock of this machine is ${off}: set it, for example by NTP`;
}

const suspendedMessage = 'The installation of the App is suspended at GitHub';

function limitOf({ status, headers, message }: FailedCall, now: number): Failure | null {
  if (status !== 403 && status !== 429) return null;
  const sentence = `GitHub asks for fewer calls: ${message}`;
  const waitSec = Number(headers['retry-after'] ?? Number.NaN);
  if (!Number.isNaN(waitSec)) return { kind: 'limited', until: now + waitSec * 1000, message: sentence };
  const resetSec = Number(headers['x-ratelimit-reset'] ?? Number.NaN);
  if (headers['x-ratelimit-remaining'] !== undefined && Number(headers['x-ratelimit-remaining']) === 0)
    return { kind: 'limited', until: Number.isNaN(resetSec) ? null : resetSec * 1000, message: sentence };
  return status === 429 || /rate limit|abuse detection/i.test(message)
    ? { kind: 'limited', until: null, message: sentence }
    : null;
}

function forbidden({ message, headers, writes }: FailedCall): Failure {
  // A landing that has started must not be given up because somebody suspends the App for a moment.
  if (/suspended/i.test(message)) return { kind: 'unavailable', message: suspendedMessage, retryAt: null };
  const needed = headers['x-accepted-github-permissions'];
  const sentence =
    needed === undefined || needed === ''
      ? `GitHub refuses: ${message}`
      : `GitHub refuses: ${message}. The App needs the permission ${String(needed)}.`;
  return writes ? { kind: 'refused', message: sentence } : { kind: 'unavailable', message: sentence, retryAt: null };
}

/** The facts about a failed call of Octokit. Null: the error is not of Octokit. */
export function failedCall(error: unknown): FailedCall | null {
  if (error instanceof RequestError) {
    const hasAnswer = error.response !== undefined;
    return {
      status: hasAnswer ? error.status : null,
      headers: error.response?.headers ?? {},
      message: error.message,
      writes:
        error.request.method !== 'GET' && error.request.method !== 'HEAD' && !error.request.url.endsWith('/graphql'),
      isForToken: error.request.url.endsWith('/access_tokens'),
    };
  }
  if (isGraphqlError(error)) {
    const [first] = error.errors ?? [];
    return {
      status: statusOfType(first?.type),
      headers: error.headers,
      message: first?.message ?? error.message,
      writes: false,
      isForToken: false,
    };
  }
  return null;
}

/** GraphQL refuses a call beyond its limit in an answer of status 200. Null: it was not refused. */
export function limitedAnswer(answer: {
  readonly data: unknown;
  readonly headers: FailedCall['headers'];
}): FailedCall | null {
  const { errors } = (answer.data ?? {}) as Partial<Pick<GraphqlError, 'errors'>>;
  const limited = errors?.find(({ type }) => type === 'RATE_LIMITED');
  if (limited === undefined) return null;
  const { headers } = answer;
  return { status: 429, headers, message: limited.message ?? '', writes: false, isForToken: false };
}

interface GraphqlError extends Error {
  readonly headers: FailedCall['headers'];
  readonly errors?: readonly { readonly type?: string; readonly message?: string }[];
}

function isGraphqlError(error: unknown): error is GraphqlError {
  return error instanceof Error && error.name === 'GraphqlResponseError';
}

function statusOfType(type: string | undefined): number {
  if (type === 'NOT_FOUND') return 404;
  if (type === 'RATE_LIMITED') return 429;
  if (type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES') return 403;
  return type === 'SERVICE_UNAVAILABLE' || type === undefined ? 503 : 422;
}

export function asPortError(failure: Failure, cause: unknown): Error {
  switch (failure.kind) {
    case 'unavailable':
      return new HostUnavailable(failure.message, {
        cause,
        ...(failure.retryAt === null ? {} : { retryAt: failure.retryAt }),
      });
    case 'limited':
      return new HostUnavailable(failure.message, {
        cause,
        ...(failure.until === null ? {} : { retryAt: failure.until }),
      });
    case 'token':
      return new HostUnavailable(failure.message, { cause });
    case 'absent':
      return new NotFoundAtGitHub(failure.message, { cause });
    case 'refused':
      return new HostRefused(failure.message, { cause });
  }
}
