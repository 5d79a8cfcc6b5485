// A position in an account's event log, in the form for clients: `<epoch>.<position>` of the last applied event.
// Clients must not interpret it. The epoch changes when a database is restored, because positions may repeat after
// that.
import { DomainError } from '../../domain/errors.ts';

export interface Cursor {
  readonly epoch: number;
  /** The position of the last applied event. 0: no event was applied yet. */
  readonly position: number;
}

/** The range of positions from which events can be followed now. */
export interface LogBounds {
  readonly epoch: number;
  /** Position of the newest event. 0: there was never an event. */
  readonly head: number;
  /** The lowest position from which a stream misses no event. */
  readonly oldest: number;
}

const form = /^([1-9]\d{0,14})\.(0|[1-9]\d{0,14})$/;

export function formatCursor(cursor: Cursor): string {
  return `${cursor.epoch}.${cursor.position}`;
}

/** Parses a cursor. Throws BAD_INPUT with `field` if the text is no cursor. */
export function parseCursor(text: string, field = 'after'): Cursor {
  const parts = form.exec(text);
  if (parts === null)
    throw new DomainError('BAD_INPUT', `${field} must be a cursor of an event, as this service gave it`, field);
  return { epoch: Number(parts[1]), position: Number(parts[2]) };
}

/**
 * Throws CURSOR_EXPIRED if the log cannot be resumed after `cursor`. Then the cursor has another epoch, is older than
 * the oldest stored event, or is ahead of the newest event. The last case occurs only after a restore of the database.
 * In each case the client must read the state again and follow from a new cursor.
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
