// Decides which part of a log is on screen. At first this is the end of the log. Earlier pieces are added when the
// reader asks for them. The size is bounded: if the reader goes far back in a long log, pieces at the end are dropped.

export interface Piece {
  readonly cursor: string;
  readonly text: string;
}

/** A page of the log's connection, read by `last` and `before`. */
export interface EarlierPage {
  readonly nodes: readonly Piece[];
  readonly pageInfo: { readonly hasPreviousPage: boolean };
}

export interface LogWindow {
  readonly pieces: readonly Piece[];
  /** Whether the log has pieces before `pieces`. */
  readonly hasEarlier: boolean;
  /**
   * Whether pieces at the end were dropped, because the reader asked for earlier pieces. Then text that is written now
   * is not shown.
   */
  readonly hasLater: boolean;
  /** How many characters stay on screen when more text comes at the end. Pieces before these are dropped. */
  readonly maxCharacters: number;
}

/** The limit of `maxCharacters` until the reader asks for earlier pieces. */
const defaultCharacters = 300_000;
/** How many characters are shown at most, however far the reader goes back. */
const maxShown = 4_000_000;

export const emptyLog: LogWindow = {
  pieces: [],
  hasEarlier: false,
  hasLater: false,
  maxCharacters: defaultCharacters,
};

export function lengthOf({ pieces }: Pick<LogWindow, 'pieces'>): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0);
}

/**
 * Adds earlier pieces. They stay on screen until 300,000 more characters have come at the end. If more than `maxShown`
 * characters would be shown, pieces at the end are dropped.
 */
export function withEarlier(log: LogWindow, { nodes, pageInfo }: EarlierPage): LogWindow {
  const pieces = [...nodes];
  let length = lengthOf({ pieces });
  for (const piece of log.pieces) {
    length += piece.text.length;
    if (length > maxShown) break;
    pieces.push(piece);
  }
  const isFirst = log.pieces.length === 0;
  return {
    pieces,
    hasEarlier: pageInfo.hasPreviousPage,
    hasLater: log.hasLater || pieces.length < nodes.length + log.pieces.length,
    maxCharacters: isFirst ? log.maxCharacters : Math.max(log.maxCharacters, lengthOf({ pieces }) + defaultCharacters),
  };
}

export function withLater(log: LogWindow, later: readonly Piece[]): LogWindow {
  if (log.hasLater) return log;
  const pieces = [...log.pieces, ...later];
  let surplus = lengthOf({ pieces }) - log.maxCharacters;
  let from = 0;
  for (const { text } of pieces.slice(0, -1)) {
    if (surplus <= 0) break;
    surplus -= text.length;
    from += 1;
  }
  return { ...log, pieces: pieces.slice(from), hasEarlier: log.hasEarlier || from > 0 };
}
