// Connections of GraphQL. A connection that has neither `first` nor `last`, or asks for more than a hundred rows, is
// refused.
import { type FieldNode, Kind } from 'graphql';
import { GraphqlFault } from './fault.ts';

export interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

const largestPage = 100;
/** The fields of a connection that need `first` or `last`. */
const pagedFields = new Set(['nodes', 'edges', 'pageInfo']);
const pageCheck = Symbol('pageCheck');

/** Makes a connection. Only the rows of the page are turned into views. */
export function connect<T>(name: string, given: object, rows: readonly T[], view: (row: T) => unknown): object {
  const cursorOf = (index: number): string => writeCursor(index + 1);
  // A query that selects only `totalCount` needs neither `first` nor `last`.
  const page = (): Page => pageOf(name, given, rows.length);
  const checkPage = (): void => void page();
  const rowsOf = ({ start, end }: Page): readonly T[] => rows.slice(start, end);
  return {
    nodes: () => Promise.all(rowsOf(page()).map((row) => view(row))),
    edges: () => {
      const { start, end } = page();
      return rowsOf({ start, end }).map((row, index) => ({ cursor: cursorOf(start + index), node: () => view(row) }));
    },
    totalCount: rows.length,
    [pageCheck]: checkPage,
    pageInfo: () => {
      const { start, end } = page();
      return {
        hasNextPage: end < rows.length,
        hasPreviousPage: start > 0,
        startCursor: start === end ? null : cursorOf(start),
        endCursor: start === end ? null : cursorOf(end - 1),
      };
    },
  };
}

/** Refuses a connection without a valid page, if the selection has a field that needs a page. */
export function checkPageOf(value: unknown, fieldNodes: readonly FieldNode[]): void {
  const check = (value as { [pageCheck]?: () => void } | null | undefined)?.[pageCheck];
  if (check === undefined) return;
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const isPaged = selections.some((each) => each.kind !== Kind.FIELD || pagedFields.has(each.name.value));
  if (isPaged) check();
}

interface Page {
  readonly start: number;
  readonly end: number;
}

function pageOf(name: string, given: object, total: number): Page {
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
  const to = Math.max(from, typeof before === 'string' ? readCursor(before) - 1 : total);
  return boundary === 'first'
    ? { start: Math.min(from, total), end: Math.min(to, total, from + size) }
    : { start: Math.max(from, to - size), end: to };
}

function writeCursor(position: number): string {
  return Buffer.from(`cursor:v2:${position}`).toString('base64');
}

function readCursor(cursor: string): number {
  const [, position] = /^cursor:v2:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8')) ?? [];
  if (position === undefined) throw new GraphqlFault(null, `\`${cursor}\` does not appear to be a valid cursor.`);
  return Number(position);
}
