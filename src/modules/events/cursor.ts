// A place in an account's event log, as clients hold it: `<epoch>.<position>` of the last event they have applied.
// Clients must not read it. The epoch changes when a database is restored, because positions may then be given twice.
import { DomainError } from '../../domain/errors.ts';

export interface Cursor {
  readonly epoch: number;
  /** Of the last event applied; 0 before the first. */
  readonly position: number;
}

/** What can be followed right now. */
export interface LogBounds {
  readonly epoch: number;
  /** Position of the newest event, 0 when there never was one. */
  readonly head: number;
  /** The lowest position one can resume after without missing an event. */
  readonly oldest: number;
}

const form = /^([1-9]\d{0,14})\.(0|[1-9]\d{0,14})$/;

export function formatCursor(cursor: Cursor): string {
  return `${cursor.epoch}.${cursor.position}`;
}

/** Throws BAD_INPUT naming `field` when the text is no cursor. */
export function parseCursor(text: string, field = 'after'): Cursor {
  const parts = form.exec(text);
  if (parts === null)
    throw new DomainError('BAD_INPUT', `${field} must be a cursor of an event, as this service gave it`, field);
  return { epoch: Number(parts[1]), position: Number(parts[2]) };
}

/**
 * Throws CURSOR_EXPIRED when the log cannot be resumed after `cursor`: it is of another epoch, older than what is
 * kept, or ahead of the newest event, which only a restored database shows. Each has the same cure for the client:
 * read the state anew and follow from a cursor of now.
 */
export function requireFollowable(cursor: Cursor, bounds: LogBounds): void {
  if (cursor.epoch !== bounds.epoch || cursor.position < bounds.oldest || cursor.position > bounds.head)
    throw cursorExpired(bounds);
}

export function cursorExpired(bounds: LogBounds): DomainError {
  const oldest = formatCursor({ epoch: bounds.epoch, position: bounds.oldest });
  return new DomainError(
    'CURSOR_EXPIRED',
    `Events after this cursor are no longer kept. The oldest cursor is ${oldest}.`,
    'after',
  );
}
