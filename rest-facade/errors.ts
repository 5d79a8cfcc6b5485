// Every failure under the facade is `{error}` in JSON, whoever found it.
import { errorCodes } from '../src/domain/errors.ts';
import { BadRequest } from './request.ts';
import { type Answer, Refused, refusedBy } from './response.ts';

export function plainError(status: number, error: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify({ error }),
  };
}

/** `onInternal` hears of what the caller is not told. */
export function errorAnswer(error: unknown, requestId: string, onInternal: (error: unknown) => void): Answer {
  if (error instanceof BadRequest) return plainError(400, error.message);
  const fastifyStatus = frameworkStatus(error);
  if (fastifyStatus !== undefined) return plainError(fastifyStatus, (error as Error).message);
  const { refusal } = error instanceof Refused ? error : refusedBy(error);
  const status = errorCodes[refusal.code];
  if (refusal.code === 'INTERNAL') {
    onInternal(error);
    const answer = plainError(status, '');
    return { ...answer, body: JSON.stringify({ error: 'Internal server error', request_id: requestId }) };
  }
  if (refusal.code === 'UNAUTHENTICATED') return plainError(status, 'Unauthorized', { 'www-authenticate': 'Bearer' });
  const headers: Record<string, string> = {};
  if (refusal.retryAfterSec !== undefined) headers['retry-after'] = String(Math.ceil(refusal.retryAfterSec));
  return plainError(status, refusal.message, headers);
}

function frameworkStatus(error: unknown): number | undefined {
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  const ours = typeof code === 'string' && code.startsWith('FST_');
  return ours && typeof statusCode === 'number' && statusCode < 500 ? statusCode : undefined;
}
