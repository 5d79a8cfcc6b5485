// Distributes an account's events to all streams in this process. A notification is only a hint: events are always
// read from the log. One statement reads the events of all accounts of a notification, for any number of streams.
import type { Logger } from 'pino';
import type { Database } from '../../platform/database.ts';
import { cursorExpired, formatCursor, parseCursor, requireFollowable, type Cursor } from './cursor.ts';
import {
  type FollowedEvent,
  pageSize,
  type PositionedEvent,
  readEventsAfter,
  readEventsOfAccounts,
  readLogBounds,
} from './events.reads.ts';
import { type EventStream, BufferedEventStream } from './event-stream.ts';
import { eventsChannel, parseNotification } from './sequencer.ts';

export interface FollowOptions {
  readonly accountId: string;
  /** Cursor of the last applied event. Null or absent: the stream begins with the next event. */
  readonly after?: string | null | undefined;
  /** Called once for each event. An event that does not match is never buffered. */
  readonly matches?: (event: FollowedEvent) => boolean;
  readonly signal?: AbortSignal;
}

export interface EventHub {
  /**
   * Returns a stream of the matching events after `after`, in order, each once. The stream ends if `signal` aborts or
   * the hub closes. The stream fails with BAD_INPUT or CURSOR_EXPIRED for a wrong cursor, and with RATE_LIMITED
   * (SlowReaderError) if its reader is too slow.
   */
  follow(options: FollowOptions): EventStream;
  /**
   * Cursor of the newest event. A client misses no change if it reads this cursor before the rows, and then follows
   * events after this cursor.
   */
  head(accountId: string): Promise<string>;
  close(): Promise<void>;
}

export interface EventHubOptions {
  readonly db: Database;
  readonly log: Logger;
  /**
   * How often the log is read without a notification, in milliseconds. A half-open connection to PostgreSQL delivers no
   * notifications.
   */
  readonly recheckMs?: number;
}

/** The position of the live streams of one account. A tail exists only while the account has live streams. */
interface Tail {
  readonly accountId: string;
  readonly epoch: number;
  position: number;
  isReading: boolean;
  hasNews: boolean;
  readonly streams: Set<BufferedEventStream>;
}

export function createEventHub({ db, log, recheckMs = 5_000 }: EventHubOptions): EventHub {
  const streams = new Set<BufferedEventStream>();
  const tails = new Map<string, Tail>();
  let listening: Promise<() => Promise<void>> | undefined;
  const recheck = setInterval(() => void compareHeads().catch(warn), recheckMs);
  recheck.unref();

  function warn(error: unknown): void {
    log.warn({ err: error }, 'Events for subscriptions could not be read. Interlock tries again.');
  }

  async function listen(): Promise<void> {
    listening ??= db.system.listen(eventsChannel, onNotification).catch((error: unknown) => {
      listening = undefined;
      throw error;
    });
    await listening;
  }

  function onNotification(payload: string): void {
    const heads = parseNotification(payload);
    if (heads === null) void readNews([...tails.values()]).catch(warn);
    else readChanged(heads);
  }

  function readChanged(heads: readonly (readonly [accountId: string, head: number])[]): void {
    const behind = heads.flatMap(([accountId, head]) => {
      const tail = tails.get(accountId);
      return tail !== undefined && head > tail.position ? [tail] : [];
    });
    void readNews(behind).catch(warn);
  }

  async function compareHeads(): Promise<void> {
    if (tails.size === 0) return;
    const rows = await db.system.query<{ id: string; head: number }>(
      'select account_id::text as id, position::float8 as head from event_head where account_id = any($1::bigint[])',
      [[...tails.keys()]],
    );
    readChanged(rows.map((row) => [row.id, row.head]));
  }

  async function readNews(behind: readonly Tail[]): Promise<void> {
    for (const tail of behind) tail.hasNews = true;
    const reading = behind.filter((tail) => !tail.isReading);
    for (const tail of reading) tail.isReading = true;
    try {
      for (;;) {
        const wanted = reading.filter((tail) => tail.hasNews && tail.streams.size > 0);
        if (wanted.length === 0) return;
        for (const tail of wanted) tail.hasNews = false;
        const pages = await readPages(wanted);
        for (const [index, tail] of wanted.entries()) await handOut(tail, pages[index] ?? []);
      }
    } finally {
      for (const tail of reading) tail.isReading = false;
    }
  }

  /** The read of one account is a prepared statement, which costs less than a read of several. */
  async function readPages(wanted: readonly Tail[]): Promise<PositionedEvent[][]> {
    const [first] = wanted;
    if (first === undefined || wanted.length > 1) return await readEventsOfAccounts(db, wanted);
    return [await readEventsAfter(db, first.accountId, first.position)];
  }

  async function handOut(tail: Tail, page: readonly PositionedEvent[]): Promise<void> {
    if (!continues(page, tail)) return await expire(tail);
    for (const positioned of page) {
      tail.position = positioned.position;
      for (const stream of tail.streams) stream.offer(positioned);
    }
    if (page.length === pageSize) tail.hasNews = true;
  }

  async function expire(tail: Tail): Promise<void> {
    const error = cursorExpired(await readLogBounds(db, tail.accountId));
    for (const stream of tail.streams) stream.end({ error });
  }

  async function catchUp(accountId: string, stream: BufferedEventStream): Promise<void> {
    const tail = tails.get(accountId);
    if (tail !== undefined && join(tail, stream)) return;
    const page = await readEventsAfter(db, accountId, stream.position);
    if (!continues(page, stream)) throw cursorExpired(await readLogBounds(db, accountId));
    for (const positioned of page) stream.offer(positioned);
    if (page.length === pageSize || stream.isEnded) return;
    join(tails.get(accountId) ?? openTail(accountId, stream), stream);
  }

  // A stream that is behind the tail reads pages itself. A stream that is ahead of the tail skips events that it
  // already has.
  function join(tail: Tail, stream: BufferedEventStream): boolean {
    if (tail.epoch !== stream.epoch || tail.position > stream.position) return false;
    stream.isLive = true;
    tail.streams.add(stream);
    // The tail had no stream before, and so has read no events for earlier notifications.
    if (tail.streams.size === 1) void readNews([tail]).catch(warn);
    return true;
  }

  function openTail(accountId: string, at: Cursor): Tail {
    const tail = {
      accountId,
      epoch: at.epoch,
      position: at.position,
      isReading: false,
      hasNews: false,
      streams: new Set<BufferedEventStream>(),
    };
    tails.set(accountId, tail);
    return tail;
  }

  function leave(accountId: string, stream: BufferedEventStream): void {
    streams.delete(stream);
    const tail = tails.get(accountId);
    if (tail?.streams.delete(stream) && tail.streams.size === 0) tails.delete(accountId);
  }

  return {
    follow({ accountId, after, matches = () => true, signal }) {
      const abort = (): void => stream.end({});
      const stream = new BufferedEventStream({
        matches,
        begin: async () => {
          const cursor = after === undefined || after === null ? undefined : parseCursor(after);
          await listen();
          const bounds = await readLogBounds(db, accountId);
          if (cursor !== undefined) requireFollowable(cursor, bounds);
          return cursor ?? { epoch: bounds.epoch, position: bounds.head };
        },
        catchUp: async (behind) => await catchUp(accountId, behind),
        onEnd: (ended) => {
          signal?.removeEventListener('abort', abort);
          leave(accountId, ended);
        },
      });
      streams.add(stream);
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
      return stream;
    },
    async head(accountId) {
      const bounds = await readLogBounds(db, accountId);
      return formatCursor({ epoch: bounds.epoch, position: bounds.head });
    },
    async close() {
      clearInterval(recheck);
      for (const stream of streams) stream.end({});
      const stop = await listening?.catch(() => undefined);
      await stop?.();
    },
  };
}

// Positions have no gaps. If a page does not begin directly after the last position, rows in between were deleted. If
// its epoch differs, the database was restored.
function continues(page: readonly PositionedEvent[], after: Cursor): boolean {
  return page.every(
    (positioned, index) => positioned.epoch === after.epoch && positioned.position === after.position + 1 + index,
  );
}
