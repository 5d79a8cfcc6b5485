// The cursor for reading the comments of a repository. Pure. GitHub can list comments after an instant only by their
// last change, so comments are read in the order of their changes. A comment is new once: later changes do not make it
// new again. GitHub sometimes lists a comment late, so each read repeats the last minute.

/** The fields of a comment that the cursor needs. */
export interface CommentAnswer {
  readonly id: number;
  readonly created_at: string;
}

export interface Cursor {
  /** The newest change that was read. */
  readonly at: number;
  /** Comments that were created before this instant are not new. It moves only when all changes were read. */
  readonly newFrom: number;
  /** The comments since `newFrom` that were new before, by id, with the instants of their creation. */
  readonly known: ReadonlyMap<number, number>;
}

const overlapMs = 60_000;

export function parseCursor(text: string | null, since: number): Cursor {
  // GitHub's instants are whole seconds, so `since` is rounded down. Otherwise comments of the same second would be
  // left out.
  const first = since - (since % 1000);
  if (text === null) return { at: first, newFrom: first, known: new Map() };
  const [at = '', ids = '', newFrom] = text.split(':');
  const read = { at: Number(at), newFrom: Number(newFrom ?? Math.max(first, Number(at) - overlapMs)) };
  // Earlier versions wrote neither `newFrom` nor the instants of the comments.
  const entries = ids === '' ? [] : ids.split(',').map((entry) => entry.split('='));
  return { ...read, known: new Map(entries.map(([id, createdAt = at]) => [Number(id), Number(createdAt)])) };
}

/** The instant from which changes of comments are requested. */
export function readFrom({ at, newFrom }: Cursor): number {
  return Math.max(at - overlapMs, newFrom);
}

/**
 * Returns the comments that are new, the oldest first, and the next cursor. `readTo` is the newest change that was read.
 * `hasMore` says whether GitHub has changes after it.
 */
export function readComments<Comment extends CommentAnswer>(
  cursor: Cursor,
  seen: readonly Comment[],
  { readTo, hasMore }: { readonly readTo: number; readonly hasMore: boolean },
): { readonly fresh: readonly Comment[]; readonly cursor: string } {
  const fresh = seen
    .filter(({ id, created_at }) => Date.parse(created_at) >= cursor.newFrom && !cursor.known.has(id))
    .toSorted((a, b) => a.created_at.localeCompare(b.created_at) || a.id - b.id);
  const at = Math.max(cursor.at, readTo);
  const newFrom = hasMore ? cursor.newFrom : Math.max(cursor.newFrom, at - overlapMs);
  const known = [...cursor.known, ...fresh.map(({ id, created_at }) => [id, Date.parse(created_at)] as const)]
    .filter(([, createdAt]) => createdAt >= newFrom)
    .map(([id, createdAt]) => `${id}=${createdAt}`);
  return { fresh, cursor: `${at}:${known.join(',')}:${newFrom}` };
}
