// Logs in GraphQL, of any source: connections of pieces, and subscriptions to new pieces.
import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { DomainError, notFound } from '../domain/errors.ts';
import type { EarlierLogPage, LogPage, LogPieceRead, LogRead } from '../platform/log-pieces.ts';
import { connectionType, cursorOf, readPage, rowId, toConnection, type Connection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { lookEveryMs, type ReadLogAfter } from './log-ends.ts';
import { DateTime } from './scalars.ts';
import { mapEvents } from './subscription-payloads.ts';

@ObjectType({
  simpleResolvers: true,
  description:
    'A piece of the log of a deployment, a build, an agent or a preview. All pieces in their order are the log.',
})
export class LogPiece {
  @Field(() => String, { description: 'Cursor of the piece, for `after`.' })
  cursor!: string;

  @Field(() => String, {
    description: 'Text as it was written. `***` replaces secrets, and lines of the service begin with `[interlock]`.',
  })
  text!: string;

  @Field(() => DateTime, { description: 'When the piece was stored.' })
  at!: Date;
}

export const LogPieceConnection = connectionType(LogPiece, 'LogPiece');

@ArgsType()
export class LogArgs {
  @Field(() => Int, {
    nullable: true,
    defaultValue: 50,
    description: 'Size of a page, 50 pieces if not given, at most 100.',
  })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the piece before the page. Null: the page starts at the beginning of the log.',
  })
  after?: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'How many pieces to return from the end of the log instead of its beginning, at most 100, oldest first. With `last`, `first` is ignored and `after` is refused.',
  })
  last?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'With `last`: cursor of the first piece that the client has. The page ends before this piece.',
  })
  before?: string | null;
}

@ArgsType()
export class FollowLogArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'Cursor of the last piece the client read, from the connection. Default: from the beginning of the log.',
  })
  after?: string | null;
}

/** Reads a page of pieces, oldest first. Null: the account has no such log. */
export type ReadLog = (page: LogPage | EarlierLogPage) => Promise<LogRead | null>;

const pageSize = 50;
const followedAtOnce = 100;

/** Reads a page of a log. Throws BAD_INPUT, with the name of the argument that contradicts another. */
export async function readLogPage(read: ReadLog, request: LogArgs): Promise<Connection<LogPiece>> {
  const { last = null, before = null } = request;
  const shape = { node: toPiece, key: ({ id }: LogPieceRead) => [id] };
  if (last === null) {
    if (before !== null) throw new DomainError('BAD_INPUT', 'before needs last, the number of pieces.', 'before');
    const page = readPage(request, { size: pageSize, keyLength: 1 });
    const found = await read({ after: page.after === null ? '0' : rowId(page), size: page.size + 1 });
    return toConnection(found?.pieces ?? [], page.size, shape);
  }
  if ((request.after ?? null) !== null)
    throw new DomainError('BAD_INPUT', 'last and after exclude each other. Use before to go back.', 'after');
  const page = readPage({ first: last, after: before }, { size: pageSize, keyLength: 1, names: backward });
  const found = await read({ before: rowId(page, backward), size: page.size + 1 });
  return toConnection(found?.pieces ?? [], page.size, { ...shape, fromEnd: { hasNextPage: before !== null } });
}

const backward = { first: 'last', after: 'before' };

export interface FollowedLog {
  /** Names the log among the logs of the account. */
  readonly name: string;
  readonly read: ReadLogAfter;
  /** Wraps a read, which then throws if the caller no longer sees the log. */
  readonly whileSeen: (read: ReadLogAfter) => ReadLogAfter;
  readonly after: string | null | undefined;
  /** The source, as an error names it. */
  readonly missing: string;
}

/**
 * Subscribes to the pieces after the cursor and to new pieces, until the log ends. Throws NOT_FOUND with the name
 * `missing` if the source does not exist.
 */
export async function subscribeToLog(
  { accountId, logEnds }: Pick<GraphQLContext, 'accountId' | 'logEnds'>,
  { name, read, whileSeen, after, missing }: FollowedLog,
): Promise<AsyncIterable<unknown>> {
  const page = readPage({ after }, { size: pageSize, keyLength: 1 });
  const pieces = await followLog(whileSeen(read), {
    readEnd: whileSeen(logEnds.share(`${accountId}/${name}`, read)),
    after: page.after === null ? '0' : rowId(page),
    missing,
  });
  return mapEvents(pieces, async (piece) => toPiece(piece));
}

/**
 * Throws NOT_FOUND if the source does not exist. This is no async generator, because `return` of a generator waits for
 * the next piece, which may never come. `readEnd` reads new pieces for a reader that has read all earlier ones.
 */
export async function followLog(
  read: ReadLogAfter,
  {
    after,
    missing,
    readEnd = read,
  }: { readonly after: string; readonly missing: string; readonly readEnd?: ReadLogAfter },
): Promise<AsyncIterableIterator<LogPieceRead>> {
  const left = new AbortController();
  const untaken: LogPieceRead[] = [];
  let last = after;
  let isAtEnd = false;

  async function look(): Promise<{ readonly isOver: boolean }> {
    const found = await (isAtEnd ? readEnd : read)({ after: last, size: followedAtOnce });
    if (found === null) throw notFound(missing);
    untaken.push(...found.pieces);
    last = found.pieces.at(-1)?.id ?? last;
    isAtEnd = found.pieces.length < followedAtOnce;
    return { isOver: found.isOver && isAtEnd };
  }

  let { isOver } = await look();
  const pieces: AsyncIterableIterator<LogPieceRead> = {
    async next() {
      while (!left.signal.aborted) {
        const piece = untaken.shift();
        if (piece !== undefined) return { value: piece, done: false };
        if (isOver) break;
        ({ isOver } = await look());
        if (untaken.length === 0 && !isOver) await delay(lookEveryMs, null, { signal: left.signal }).catch(() => {});
      }
      return { value: undefined, done: true };
    },
    async return() {
      left.abort();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return pieces;
    },
  };
  return pieces;
}

function toPiece({ id, text, at }: LogPieceRead): LogPiece {
  return { cursor: cursorOf([id]), text, at };
}
