// What is written while something runs, kept in pieces that readers see come. Small writes are one piece, and of what
// is written without end both ends are kept.
import type { Logger } from 'pino';
import { logTail, shownPieces, shownCharacters } from '../domain/markdown.ts';
import type { Database, Transaction } from './database.ts';
import { keepBothEnds } from './long-output.ts';

/**
 * The owner of pieces: a table of them, and the columns that name the writer. The names are the code's, never a user's.
 */
export interface PieceOwner {
  readonly table: string;
  /** Ids by column. Null: written by none, and read of any. */
  readonly columns: Readonly<Record<string, string | null>>;
}

export interface LogPieceRead {
  readonly id: string;
  readonly text: string;
  readonly at: Date;
}

export interface LogRead {
  /** Nothing more comes, as far as the service knows. Of the same moment as the pieces. */
  readonly isOver: boolean;
  readonly pieces: readonly LogPieceRead[];
}

export interface LogPage {
  /** Id of the piece before; 0: from the beginning. */
  readonly after: string;
  readonly size: number;
}

/** The last pieces before one. */
export interface EarlierLogPage {
  /** Id of the piece behind the page. */
  readonly before: string;
  readonly size: number;
}

/** The row that says whether more is written: `isOver` is a condition on it, by the name `run`. */
export interface LoggedRow {
  readonly table: string;
  readonly id: string;
  readonly isOver: string;
}

export interface PieceLog {
  /** Never fails: what cannot be kept costs the log, not the run. */
  readonly write: (text: string) => void;
  /**
   * Everything written is stored once it resolves. Call it before the end of the run is published: readers then have
   * all.
   */
  close(): Promise<void>;
}

export interface PieceLogContext {
  readonly accountId: string;
  readonly db: Database;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** At most a mebibyte of a run: three quarters of its beginning, and what it wrote last. */
export const keptOutput = { beginningBytes: 768 * 1024, endBytes: 256 * 1024 };
const mostPieceCharacters = 64 * 1024;
const flushAfterMs = 250;
const flushAtCharacters = 16 * 1024;

export function openPieceLog(ctx: PieceLogContext, owner: PieceOwner): PieceLog {
  const output = keepBothEnds(keptOutput);
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  let flushed: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const text = waiting;
    waiting = '';
    if (text === '') return;
    try {
      await keepPieces(ctx, owner, piecesOf(text));
    } catch (error) {
      ctx.log.warn({ err: error }, 'What a run wrote could not be kept; trying again.');
      waiting = text + waiting;
    }
  }
  // One after the other, so that pieces keep their order.
  function flushNow(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushed = flushed.then(flush);
    return flushed;
  }

  return {
    write(text) {
      const kept = output.take(Buffer.from(text)).toString();
      if (kept === '') return;
      waiting += kept;
      if (waiting.length >= flushAtCharacters) void flushNow();
      else timer ??= setTimeout(() => void flushNow(), flushAfterMs);
    },
    async close() {
      waiting += output.takeEnd().toString();
      await flushNow();
      if (waiting !== '') await flushNow();
    },
  };
}

/** Writes the pieces in their order. */
async function keepPieces(
  ctx: PieceLogContext,
  { table, columns }: PieceOwner,
  pieces: readonly string[],
): Promise<void> {
  const names = Object.keys(columns);
  const ids = names.map((_, at) => `$${at + 4}`);
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query(
        `insert into ${table} (${['account_id', 'at', ...names, 'text'].join(', ')})
         select ${['$1', '$2', ...ids, 'piece'].join(', ')} from unnest($3::text[]) with ordinality as list (piece, n) order by n`,
        [ctx.accountId, ctx.clock().toISOString(), pieces, ...Object.values(columns)],
      ),
  );
}

/** Pieces after or before one, oldest first. Null: the account has no such run. */
export async function readPieces(
  ctx: Pick<PieceLogContext, 'accountId' | 'db'>,
  { row, owner }: { readonly row: LoggedRow; readonly owner: PieceOwner },
  page: LogPage | EarlierLogPage,
): Promise<LogRead | null> {
  const named = Object.entries(owner.columns).filter(([, id]) => id !== null);
  const wrote = named.map(([column], at) => `${column} = $${at + 5}`);
  const { from, isOnPage, order } =
    'after' in page
      ? { from: page.after, isOnPage: 'id > $3::bigint', order: 'id' }
      : { from: page.before, isOnPage: 'id < $3::bigint', order: 'id desc' };
  const rows = await ctx.db.read<{ isOver: boolean; id: string | null; text: string; at: Date }>(ctx.accountId, {
    name: `${owner.table}_${'after' in page ? 'after' : 'before'}_by_${named.map(([column]) => column).join('_')}`,
    text: `select ${row.isOver} as "isOver", l.id::text as id, l.text, l.at from ${row.table} run
           left join lateral (
             select id, text, at from ${owner.table}
             where account_id = $1 and ${wrote.join(' and ')} and ${isOnPage} order by ${order} limit $4::bigint
           ) l on true
           where run.account_id = $1 and run.id = $2 order by l.id`,
    values: [ctx.accountId, row.id, from, page.size, ...named.map(([, id]) => id)],
  });
  const [first] = rows;
  if (first === undefined) return null;
  return {
    isOver: first.isOver,
    pieces: rows.flatMap(({ id, text, at }) => (id === null ? [] : [{ id, text, at }])),
  };
}

/** The end of what was written, for people who read a run; also of what still runs. */
export async function readLogTail(
  tx: Pick<Transaction, 'query'>,
  accountId: string,
  { table, columns }: PieceOwner,
): Promise<string[]> {
  const named = Object.entries(columns).filter(([, id]) => id !== null);
  const wrote = named.map(([column], at) => `${column} = $${at + 2}`);
  const pieces = await tx.query<{ text: string }>(
    `select right(text, ${shownCharacters}) as text from ${table} where account_id = $1 and ${wrote.join(' and ')}
     order by id desc limit ${shownPieces}`,
    [accountId, ...named.map(([, id]) => id)],
  );
  return logTail(pieces.map(({ text }) => text).toReversed());
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  const clean = storable(text);
  for (let at = 0; at < clean.length; at += mostPieceCharacters) pieces.push(clean.slice(at, at + mostPieceCharacters));
  return pieces;
}

/** PostgreSQL's text holds no NUL. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}
