// Pages of GraphQL. A page without `first` or `last`, or of more than a hundred rows, is refused.
import { GraphqlFault } from './fault.ts';

export interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

const largestPage = 100;

/** Answers a connection. Only the rows of the page are viewed. */
export function connect<T>(
  name: string,
  given: object,
  rows: readonly T[],
  view: (row: T) => unknown,
  more: Readonly<Record<string, unknown>> = {},
): object {
  const { first, last, after, before } = given as PageArguments;
  const size = first ?? last;
  if (size === null || size === undefined)
    throw new GraphqlFault(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  const boundary = typeof first === 'number' ? 'first' : 'last';
  if (size > largestPage)
    throw new GraphqlFault(
      'EXCESSIVE_PAGINATION',
      `Requesting ${size} records on the \`${name}\` connection exceeds the \`${boundary}\` limit of ${largestPage} records.`,
    );
  const from = typeof after === 'string' ? readCursor(after) : 0;
  const to = typeof before === 'string' ? readCursor(before) - 1 : rows.length;
  const start = boundary === 'first' ? from : Math.max(from, to - size);
  const end = boundary === 'first' ? Math.min(to, from + size) : to;
  const page = rows.slice(start, end);
  const cursorOf = (index: number): string => writeCursor(start + index + 1);
  const nodes = (): unknown => Promise.all(page.map((row) => view(row)));
  return {
    nodes,
    edges: () => page.map((row, index) => ({ cursor: cursorOf(index), node: () => view(row) })),
    totalCount: rows.length,
    pageInfo: {
      hasNextPage: end < rows.length,
      hasPreviousPage: start > 0,
      startCursor: page.length === 0 ? null : cursorOf(0),
      endCursor: page.length === 0 ? null : cursorOf(page.length - 1),
    },
    ...more,
  };
}

function writeCursor(position: number): string {
  return Buffer.from(`cursor:v2:${position}`).toString('base64');
}

function readCursor(cursor: string): number {
  const [, position] = /^cursor:v2:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8')) ?? [];
  if (position === undefined) throw new GraphqlFault(null, `\`${cursor}\` does not appear to be a valid cursor.`);
  return Number(position);
}
