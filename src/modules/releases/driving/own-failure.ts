// What fails in the service itself while it calls or attends to a provider.
import { DriverException, NotFoundError } from '@mikro-orm/core';
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Attending } from './attendance.ts';

const longestWords = 500;

/** False for rows that are gone and for a worker that stops: the first needs nothing more, the second another worker. */
export function isOwnFailure(error: unknown, { signal }: Pick<Attending, 'signal'>): boolean {
  if (signal?.aborted) return false;
  return !(error instanceof NotFoundError || (error instanceof DomainError && error.code === 'NOT_FOUND'));
}

/** For people who read the run; the log has all of it. What a database says may show its statements. */
export function wordsOfOwn({ log }: Context, error: unknown, of: Readonly<Record<string, string>>): string {
  log.error({ ...of, error }, 'A provider could not be called, or attended to.');
  if (!(error instanceof Error) || error instanceof DriverException)
    return 'The service failed at it: its log says why.';
  return `The service failed at it: ${error.message}`.slice(0, longestWords);
}
