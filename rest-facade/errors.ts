// Makes the answers for errors. Each body is JSON: `{error}`, or `{error, message}` if the document says so.
import { errorCodes } from '../src/domain/errors.ts';
import type { ErrorBody } from './compile.ts';
import { BadRequest } from './request.ts';
import { type Answer, RefusedError, toRefusedError } from './response.ts';

export interface Failure {
  readonly status: number;
  /** A code of src/domain/errors.ts, or of the facade itself. */
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestId?: string;
}

export function failureAnswer(
  { status, code, message, headers, requestId }: Failure,
  form: ErrorBody = 'ERROR',
): Answer {
  const body = form === 'ERROR' ? { error: message } : { error: code.toLowerCase(), message };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify({ ...body, ...(requestId === undefined ? {} : { request_id: requestId }) }),
  };
}

/** Turns an error into a failure. `onInternal` receives the errors that are hidden from the caller. */
export function failureOf(error: unknown, requestId: string, onInternal: (error: unknown) => void): Failure {
  if (error instanceof BadRequest) return { status: 400, code: 'BAD_INPUT', message: error.message };
  const fastifyStatus = frameworkStatus(error);
  if (fastifyStatus !== undefined) {
    const code = fastifyStatus === 413 ? 'TOO_LARGE' : 'BAD_INPUT';
    return { status: fastifyStatus, code, message: (error as Error).message };
  }
  const { refusal } = error instanceof RefusedError ? error : toRefusedError(error);
  const { code } = refusal;
  const status = errorCodes[code];
  if (code === 'INTERNAL') {
    onInternal(error);
    return { status, code, message: 'Internal server error', requestId };
  }
  if (code === 'UNAUTHENTICATED')
    return { status, code, message: 'Unauthorized', headers: { 'www-authenticate': 'Bearer' } };
  if (code === 'UNAVAILABLE') onInternal(error);
  const { retryAfterSec, message } = refusal;
  const headers: Record<string, string> =
    retryAfterSec === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSec)) };
  return { status, code, message, headers };
}

function frameworkStatus(error: unknown): number | undefined {
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  const isOfFramework = typeof code === 'string' && code.startsWith('FST_');
  return isOfFramework && typeof statusCode === 'number' && statusCode < 500 ? statusCode : undefined;
}
