// The closed list of error codes. Each edge maps them once: GraphQL puts the code in `extensions.code`, the REST facade
// turns it into a status, and workflows read whether a retry makes sense.
export const errorCodes = {
  BAD_INPUT: 400,
  NOT_QUEUEABLE: 400,
  SKIP_LINE_REASON_REQUIRED: 400,
  QUEUE_SOURCE_BLOCKED: 400,
  NOT_SUPPORTED: 400,
  ENVIRONMENT_FROZEN: 400,
  UNAUTHENTICATED: 401,
  RUNBOOK_BUDGET_SPENT: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  HEAD_MOVED: 409,
  LANDING_IN_PROGRESS: 409,
  CURSOR_EXPIRED: 410,
  TOO_LARGE: 413,
  KEY_REUSED: 422,
  RATE_LIMITED: 429,
  HOST_UNAVAILABLE: 503,
  /** The database does not answer. */
  UNAVAILABLE: 503,
  INTERNAL: 500,
} as const;

export type ErrorCode = keyof typeof errorCodes;

const retryAfterSec: Readonly<Partial<Record<ErrorCode, number>>> = { HOST_UNAVAILABLE: 5, UNAVAILABLE: 2 };

/** After how many seconds to repeat a request whose `Idempotency-Key` belongs to a request that is still in progress. */
export const inProgressRetrySec = 2;

/** A refusal whose text the caller reads unchanged. `field` names the input at fault, as the API spells it. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  /** When the same request may succeed. Undefined if only a different request can. */
  readonly retryAfterSec: number | undefined;
  constructor(code: ErrorCode, message: string, field?: string) {
    super(message);
    this.name = 'DomainError';
    this.code = code;
    this.field = field;
    this.retryAfterSec = retryAfterSec[code];
  }
}

/** Whether the same request may succeed later, although nothing about the request changes. */
export function isTemporary({ code }: DomainError): boolean {
  return code === 'CONFLICT' || code === 'HOST_UNAVAILABLE' || code === 'UNAVAILABLE' || code === 'INTERNAL';
}

export function notFound(what: string): DomainError {
  return new DomainError('NOT_FOUND', `${what} not found`);
}
