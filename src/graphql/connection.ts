// Relay connections by keyset: a cursor is the sort key of a row, so that new and deleted rows do not shift a page.
import 'reflect-metadata';
import type { ClassType } from 'type-graphql';
import { Args, ArgsType, Extensions, Field, Int, ObjectType } from 'type-graphql';
import { DomainError } from '../domain/errors.ts';

const greatestPage = 100;
/** The price of `totalCount`, which needs a statement of its own (src/graphql/limits.ts). */
const countPrice = 300;

@ObjectType({ description: 'Where a page of a connection begins and ends.', simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether there are entries after this page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, {
    description: 'Whether there are entries before this page. Always false unless the page was requested with `last`.',
  })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'Cursor of the first row, for `before` in connections that have this argument. Null for an empty page.',
  })
  startCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the last row, for `after` in the request for the next page. Null for an empty page.',
  })
  endCursor!: string | null;
}

export interface Edge<Node> {
  readonly cursor: string;
  readonly node: Node;
}

export interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge<Node>[];
  readonly pageInfo: PageInfo;
  /** Called only if the client requests it. */
  readonly totalCount?: () => Promise<number>;
}

/** Makes the two GraphQL types of a connection of `type`: the connection and its edge. */
export function connectionType<Node extends object>(
  type: ClassType<Node>,
  name: string,
  counted = false,
): ClassType<Connection<Node>> {
  @ObjectType(`${name}Edge`, { description: `A ${labelOf(name)} in a connection.`, simpleResolvers: true })
  class EdgeOfNode {
    @Field(() => String, { description: 'Cursor of this entry, for `after`.' })
    cursor!: string;

    @Field(() => type, { description: `The ${labelOf(name)}.` })
    node!: Node;
  }

  @ObjectType(`${name}Connection`, { description: `A page of ${plural(name)}.`, simpleResolvers: true })
  class ConnectionOfNodes {
    @Field(() => [type], { description: `The ${plural(name)} of this page.` })
    nodes!: readonly Node[];

    @Field(() => [EdgeOfNode], { description: 'The same entries with their cursors.' })
    edges!: readonly EdgeOfNode[];

    @Field(() => PageInfo, { description: 'Where this page begins and ends.' })
    pageInfo!: PageInfo;
  }
  if (counted) {
    Field(() => Int, { description: `How many ${plural(name)} there are on all pages.` })(
      ConnectionOfNodes.prototype,
      'totalCount',
    );
    Extensions({ price: countPrice })(ConnectionOfNodes.prototype, 'totalCount');
  }
  return ConnectionOfNodes;
}

function labelOf(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (capital) => ` ${capital}`).toLowerCase();
}

export type Key = readonly (string | number)[];

export interface PageRequest {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly page?: number | null | undefined;
}

/** The arguments `first` and `after` of a connection, as a `PageRequest`. `size` is the default of `first`. */
export function PageArgs(size: number): ReturnType<typeof Args> {
  @ArgsType()
  class PageArguments {
    @Field(() => Int, {
      nullable: true,
      defaultValue: size,
      description: `Size of a page, ${size} if not given, at most ${greatestPage}.`,
    })
    first!: number | null;

    @Field(() => String, { nullable: true, description: 'Cursor of the entry before the page. Null: the first page.' })
    after!: string | null;
  }
  return Args(() => PageArguments);
}

export interface Page {
  readonly size: number;
  /** Sort key of the row before the page. Null: from the beginning. */
  readonly after: Key | null;
  /** The number of rows to skip, for pages by number. */
  readonly offset: number;
}

/** The names of the two arguments in error messages: `first` and `after`, or `last` and `before` for pages backward. */
export interface PageNames {
  readonly first: string;
  readonly after: string;
}

const forward: PageNames = { first: 'first', after: 'after' };

/**
 * Reads `first`, `after` and `page`; the last two exclude each other. `keyLength` is the number of columns in the sort
 * key.
 */
export function readPage(
  request: PageRequest,
  {
    size,
    keyLength,
    names = forward,
  }: { readonly size: number; readonly keyLength: number; readonly names?: PageNames },
): Page {
  const first = request.first ?? size;
  if (first < 1 || first > greatestPage)
    throw new DomainError('BAD_INPUT', `${names.first} must be between 1 and ${greatestPage}`, names.first);
  const page = request.page ?? null;
  const after = request.after ?? null;
  if (page !== null && after !== null) throw new DomainError('BAD_INPUT', 'page and after exclude each other', 'page');
  return {
    size: first,
    after: after === null ? null : decodeKey(after, keyLength, names.after),
    offset: ((page ?? 1) - 1) * first,
  };
}

// Greater than the number of every row, so that the first page and later pages use the same statement and the same
// plan. With `or $1 is null` the plan would read all rows before the cursor.
const beyondLast = '9223372036854775807';

/** For connections that are sorted by number, newest first: the rows of the page have lower numbers than this. */
export function rowId({ after }: Page, names: PageNames = forward): string {
  return after === null ? beyondLast : idIn(after, 0, names);
}

/** The id at a place of a cursor's sort key. Throws BAD_INPUT if there is no id, because a client made the cursor up. */
export function idIn(key: Key, at: number, names: PageNames = forward): string {
  const id = String(key[at]);
  if (!/^\d{1,18}$/.test(id)) throw wrongCursor(names.after);
  return id;
}

/** The instant at a place of a cursor's sort key. Throws BAD_INPUT if there is no instant. */
export function instantIn(key: Key, at: number): string {
  const instant = new Date(String(key[at]));
  const text = Number.isNaN(instant.getTime()) ? '' : instant.toISOString();
  // JavaScript knows years that PostgreSQL does not, and writes them in another form.
  if (!/^(?!0000)\d{4}-/.test(text)) throw wrongCursor(forward.after);
  return text;
}

/**
 * `rows` has one row more than the page if there is a next page, or, for a page from the end, a previous page.
 * `fromEnd` is given for a page from the end, and says whether rows follow after the page.
 */
export function toConnection<Row, Node>(
  rows: readonly Row[],
  size: number,
  shape: {
    readonly node: (row: Row) => Node;
    readonly key: (row: Row) => Key;
    readonly totalCount?: () => Promise<number>;
    readonly fromEnd?: { readonly hasNextPage: boolean };
  },
): Connection<Node> {
  const { fromEnd } = shape;
  const shown = fromEnd ? rows.slice(-size) : rows.slice(0, size);
  const [first] = shown;
  const last = shown.at(-1);
  const isMore = rows.length > size;
  const nodes = shown.map(shape.node);
  return {
    nodes,
    get edges() {
      return shown.map((row, at) => ({ cursor: cursorOf(shape.key(row)), node: nodes[at] as Node }));
    },
    pageInfo: {
      hasNextPage: fromEnd ? fromEnd.hasNextPage : isMore,
      hasPreviousPage: fromEnd !== undefined && isMore,
      startCursor: first === undefined ? null : cursorOf(shape.key(first)),
      endCursor: last === undefined ? null : cursorOf(shape.key(last)),
    },
    ...(shape.totalCount && { totalCount: shape.totalCount }),
  };
}

/** The form of a cursor in a connection. */
export function cursorOf(key: Key): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

function decodeKey(cursor: string, length: number, name: string): Key {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (
      Array.isArray(key) &&
      key.length === length &&
      key.every((part) => (typeof part === 'string' ? isText(part) : typeof part === 'number'))
    )
      return key;
  } catch {
    // A text that cannot be decoded is a wrong cursor, like a key with wrong parts.
  }
  throw wrongCursor(name);
}

// PostgreSQL accepts no U+0000, and no lone surrogate can be encoded.
function isText(part: string): boolean {
  return part.isWellFormed() && !part.includes('\0');
}

function wrongCursor(name: string): DomainError {
  return new DomainError('BAD_INPUT', `${name} must be a cursor of this connection`, name);
}

function plural(name: string): string {
  return `${labelOf(name)}s`.replace(/([^aeiou])ys$/, '$1ies').replace(/chs$/, 'ches');
}
