// The cursor for reading the comments of a repository. Pure. GitHub sometimes lists a comment late, so each read
// repeats the last minute and leaves out the comments that were returned before.

/** The fields of a comment that the cursor needs. */
export interface CommentAnswer {
  readonly id: number;
  readonly created_at: string;
}

interface Cursor {
  readonly at: number;
  readonly known: readonly number[];
}

const overlapMs = 60_000;

export function parseCursor(cursor: string | null, since: number): Cursor {
  // GitHub's instants are whole seconds, so `since` is rounded down. Otherwise comments of the same second would be
  // left out.
  if (cursor === null) return { at: since - (since % 1000), known: [] };
  const [at = '', ids = ''] = cursor.split(':');
  return { at: Number(at), known: ids === '' ? [] : ids.split(',').map(Number) };
}

/** The instant from which comments are requested. */
export function readFrom(cursor: Cursor, isFirst: boolean): number {
  return isFirst ? cursor.at : cursor.at - overlapMs;
}

/** `seen` has GitHub's comments, the oldest first. Returns the comments that are new, and the next cursor. */
export function readComments<Comment extends CommentAnswer>(
  cursor: Cursor,
  seen: readonly Comment[],
  from: number,
): { readonly fresh: readonly Comment[]; readonly cursor: string } {
  // GitHub also lists old comments that were edited. They are not new.
  const recent = seen.filter(({ created_at }) => Date.parse(created_at) >= from);
  const fresh = recent.filter(({ id }) => !cursor.known.includes(id));
  const at = Math.max(cursor.at, ...recent.map(({ created_at }) => Date.parse(created_at)));
  const known = [
    ...new Set([
      ...cursor.known.filter(() => at - cursor.at < overlapMs),
      ...recent.filter(({ created_at }) => Date.parse(created_at) >= at - overlapMs).map(({ id }) => id),
    ]),
  ];
  return { fresh, cursor: `${at}:${known.join(',')}` };
}
