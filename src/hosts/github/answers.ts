// Maps failures of GitHub's API to errors of the port, by the same rules for every call (ADR 0071).
import { RequestError } from '@octokit/request-error';
import { HostRefused, HostUnavailable } from '../port.ts';

export interface FailedCall {
  /** The status of the answer. Null: GitHub sent no answer. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly message: string;
  /** Whether the call is a write. */
  readonly writes: boolean;
  /** Whether the call requests the token that other calls need. */
  readonly isForToken: boolean;
}

export type Failure =
  | {
      readonly kind: 'unavailable';
      readonly message: string;
      readonly retryAt: number | null;
      /** Whether the App may not read the object, as long as nobody gives it the permission. */
      readonly isForbidden?: boolean;
    }
  /** A rate limit of GitHub refused the call. `until` is when GitHub accepts calls again. Null: GitHub did not say. */
  | { readonly kind: 'limited'; readonly until: number | null; readonly message: string }
  | { readonly kind: 'token'; readonly message: string }
  | {
      readonly kind: 'absent';
      readonly message: string;
      /** Whether the plan of the account lacks the feature, so that the object cannot exist. */
      readonly isOutsidePlan?: boolean;
    }
  | { readonly kind: 'refused'; readonly message: string };

/** The object does not exist at GitHub, or the App may not see it. GitHub gives the same answer in both cases. */
export class NotFoundAtGitHub extends HostUnavailable {}

/** The plan of the account lacks the feature to which the object belongs, so that the object cannot exist. */
export class OutsidePlanAtGitHub extends NotFoundAtGitHub {}

/** The App may not read the object. */
export class ForbiddenAtGitHub extends HostUnavailable {}

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

/** Says why the App gets no token. The call that needed the token was not sent. */
function withoutToken({ status, message, headers }: FailedCall, now: number): string {
  if (/suspended/i.test(message)) return suspendedMessage;
  if (status === 404) return 'The App is not installed at GitHub any more, or was deleted';
  if (undecodable.test(message))
    return "GitHub refuses the private key of the App. Generate another key in the App's settings at GitHub, and store the new key in Interlock";
  if (!/claim \('(iat|exp)'\)/.test(message)) return `GitHub gives the App no token: ${message}`;
  const offSec = Math.round((now - Date.parse(String(headers['date'] ?? ''))) / 1000);
  const off = Number.isNaN(offSec) ? 'not that of GitHub' : `${Math.abs(offSec)} s ${offSec > 0 ? 'ahead' : 'behind'}`;
  return `The clock of this machine is ${off}: set the clock, for example by NTP`;
}

/** GitHub's message about a token that the App signed with a key that GitHub does not know. */
export const undecodable = /could not be decoded/i;

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

/** GitHub's message about a feature that the plan of the account has only for public repositories. */
const ofPaidPlan = /make this repository public to enable this feature/i;

function forbidden({ message, headers, writes }: FailedCall): Failure {
  // A suspension counts as an outage, so that a landing that has started is retried after a short suspension.
  if (/suspended/i.test(message)) return { kind: 'unavailable', message: suspendedMessage, retryAt: null };
  // The plan of the account has no protection and no rulesets for private repositories, so no rule exists.
  if (!writes && ofPaidPlan.test(message))
    return { kind: 'absent', message: `GitHub: ${message}`, isOutsidePlan: true };
  const needed = headers['x-accepted-github-permissions'];
  const sentence =
    needed === undefined || needed === ''
      ? `GitHub refuses: ${message}`
      : `GitHub refuses: ${message}. The App needs the permission ${String(needed)}.`;
  return writes
    ? { kind: 'refused', message: sentence }
    : { kind: 'unavailable', message: sentence, retryAt: null, isForbidden: true };
}

/** The facts about a failed call of Octokit. Null: the error does not come from Octokit. */
export function readFailedCall(error: unknown): FailedCall | null {
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

/** Finds a refusal by the rate limit of GraphQL, which has the status 200. Null: the call was not refused. */
export function findLimitRefusal(answer: {
  readonly data: unknown;
  readonly headers: FailedCall['headers'];
}): FailedCall | null {
  const { errors } = (answer.data ?? {}) as Partial<Pick<GraphqlError, 'errors'>>;
  const limited = errors?.find(({ type }) => type === 'RATE_LIMITED');
  if (limited === undefined) return null;
  const { headers } = answer;
  return { status: 429, headers, message: limited.message ?? '', writes: false, isForToken: false };
}

/** Whether the token of a call lacks a permission, or does not reach the repository. GitHub answers both alike. */
export function isOutOfReach({ status, message }: FailedCall): boolean {
  return status === 403 && outOfReach.test(message);
}

const outOfReach = /not accessible by integration/i;

/** Whether an answer of GraphQL, which has the status 200, says that the token lacks a permission. */
export function lacksPermission(data: unknown): boolean {
  const { errors } = (data ?? {}) as Partial<Pick<GraphqlError, 'errors'>>;
  return (
    Array.isArray(errors) && errors.some(({ message }: { readonly message?: string }) => outOfReach.test(message ?? ''))
  );
}

interface GraphqlError extends Error {
  readonly headers: FailedCall['headers'];
  readonly errors?: readonly {
    readonly type?: string;
    readonly message?: string;
    readonly path?: readonly (string | number)[];
  }[];
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
      if (failure.isForbidden === true) return new ForbiddenAtGitHub(failure.message, { cause });
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
      return new (failure.isOutsidePlan === true ? OutsidePlanAtGitHub : NotFoundAtGitHub)(failure.message, { cause });
    case 'refused':
      return new HostRefused(failure.message, { cause });
  }
}
