// Stores the output of a run in pieces while it runs, so that readers can follow it. Small writes are combined into one
// piece. Of a very long output only the beginning and the end are stored.
import type { Logger } from 'pino';
import { logTail, shownPieces, shownCharacters } from '../domain/markdown.ts';
import type { Database, Transaction } from './database.ts';
import { keepBothEnds } from './long-output.ts';
import { toStorableText } from './storable-text.ts';

/**
 * The run that owns pieces: the table of the pieces, and the columns that refer to the run. The names must be constants
 * of the code, and never input of a user.
 */
export interface PieceOwner {
  readonly table: string;
  /** The id for each column. Null: the column is null in written pieces, and is no condition when pieces are read. */
  readonly columns: Readonly<Record<string, string | null>>;
}

export interface LogPieceRead {
  readonly id: string;
  readonly text: string;
  readonly at: Date;
}

export interface LogRead {
  /** Whether the run has ended, so that no more pieces follow. It was read in the same statement as the pieces. */
  readonly isOver: boolean;
  readonly pieces: readonly LogPieceRead[];
}

export interface LogPage {
  /** The id of the piece before the page. 0: the page starts at the beginning. */
  readonly after: string;
  readonly size: number;
}

/** The page of the last pieces before a given piece. */
export interface EarlierLogPage {
  /** The id of the piece after the page. */
  readonly before: string;
  readonly size: number;
}

/** The row of the run. `isOver` is an SQL condition on this row, named `run`: the run has ended. */
export interface LoggedRow {
  readonly table: string;
  readonly id: string;
  readonly isOver: string;
}

export interface PieceLog {
  /** Never throws: if a text cannot be stored, the log is incomplete, but the run continues. */
  readonly write: (text: string) => void;
  /**
   * Resolves when everything that was written is stored. Call it before the end of the run is published, so that
   * readers get the whole output.
   */
  close(): Promise<void>;
}

export interface PieceLogContext {
  readonly accountId: string;
  readonly db: Database;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** At most 1 MiB of a run's output is stored: the first 768 KiB and the last 256 KiB. */
export const keptOutput = { beginningBytes: 768 * 1024, endBytes: 256 * 1024 };
const maxPieceCharacters = 64 * 1024;
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
      ctx.log.warn({ err: error }, 'Output of a run could not be stored. Interlock tries again.');
      waiting = text + waiting;
    }
  }
  // Flushes run one after the other, so that pieces keep their order.
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
      await tx.send(
        `insert into ${table} (${['account_id', 'at', ...names, 'text'].join(', ')})
         select ${['$1', '$2', ...ids, 'piece'].join(', ')} from unnest($3::text[]) with ordinality as list (piece, n) order by n`,
        [ctx.accountId, ctx.clock().toISOString(), pieces, ...Object.values(columns)],
      ),
  );
}

/** Reads a page of pieces, oldest first. Null: the account has no such run. */
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

/** Reads the end of a run's output, also while the run continues. */
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
  const clean = toStorableText(text);
  for (let at = 0; at < clean.length; ) {
    const piece = clean.slice(at, at + maxPieceCharacters);
    // The last code unit of a piece may be the first half of an emoji, which then begins the next piece.
    const whole = piece.isWellFormed() ? piece : piece.slice(0, -1);
    pieces.push(whole);
    at += whole.length;
  }
  return pieces;
}
