// Where the reading of a repository's comments stands: pure. GitHub shows a comment late now and then, so that the last
// minute is read again and the comments of it that are known are left out.

/** The part of GitHub's answer about a comment that is needed here. */
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
  // GitHub names whole seconds: what was said later in the second of `since` is named before it.
  if (cursor === null) return { at: since - (since % 1000), known: [] };
  const [at = '', ids = ''] = cursor.split(':');
  return { at: Number(at), known: ids === '' ? [] : ids.split(',').map(Number) };
}

/** Comments are asked for from this instant on. */
export function readFrom(cursor: Cursor, isFirst: boolean): number {
  return isFirst ? cursor.at : cursor.at - overlapMs;
}

/** `seen`: the oldest first. Answers the new ones, and where to read on. */
export function readComments<Comment extends CommentAnswer>(
  cursor: Cursor,
  seen: readonly Comment[],
  from: number,
): { readonly fresh: readonly Comment[]; readonly cursor: string } {
  // An old comment that was edited is answered too: it is not a new one.
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
