// Distributes an account's events to all streams in this process. A notification is only a hint: events are always
// read from the log. One statement reads the events of all accounts of a notification, for any number of streams.
import type { Logger } from 'pino';
import { type Database, type LazyListener, listenLazily } from '../../platform/database.ts';
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

export function createEventHub(options: EventHubOptions): EventHub {
  const hub = new Hub(options);
  return {
    follow: (followed) => hub.follow(followed),
    head: async (accountId) => await hub.head(accountId),
    close: async () => await hub.close(),
  };
}

class Hub {
  readonly #db: Database;
  readonly #listener: LazyListener;
  readonly #log: Logger;
  readonly #streams = new Set<BufferedEventStream>();
  readonly #tails = new Map<string, Tail>();
  readonly #recheck: NodeJS.Timeout;

  constructor({ db, log, recheckMs = 5_000 }: EventHubOptions) {
    this.#db = db;
    this.#listener = listenLazily(db.system, eventsChannel, (payload) => this.#onNotification(payload));
    this.#log = log;
    this.#recheck = setInterval(() => this.#quietly(this.#compareHeads()), recheckMs);
    this.#recheck.unref();
  }

  follow({ accountId, after, matches = () => true, signal }: FollowOptions): EventStream {
    const abort = (): void => stream.end({});
    const stream = new BufferedEventStream({
      matches,
      begin: async () => await this.#begin(accountId, after),
      catchUp: async (behind) => await this.#catchUp(accountId, behind),
      onEnd: (ended) => {
        signal?.removeEventListener('abort', abort);
        this.#leave(accountId, ended);
      },
    });
    this.#streams.add(stream);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    return stream;
  }

  async head(accountId: string): Promise<string> {
    const bounds = await readLogBounds(this.#db, accountId);
    return formatCursor({ epoch: bounds.epoch, position: bounds.head });
  }

  async close(): Promise<void> {
    clearInterval(this.#recheck);
    for (const stream of this.#streams) stream.end({});
    await this.#listener.stop();
  }

  /** Finds the position after which a stream begins. */
  async #begin(accountId: string, after: string | null | undefined): Promise<Cursor> {
    const cursor = after === undefined || after === null ? undefined : parseCursor(after);
    await this.#listener.start();
    const bounds = await readLogBounds(this.#db, accountId);
    if (cursor !== undefined) requireFollowable(cursor, bounds);
    return cursor ?? { epoch: bounds.epoch, position: bounds.head };
  }

  #quietly(reading: Promise<void>): void {
    reading.catch((error: unknown) =>
      this.#log.warn({ err: error }, 'Events for subscriptions could not be read. Interlock tries again.'),
    );
  }

  #onNotification(payload: string): void {
    const heads = parseNotification(payload);
    if (heads === null) this.#quietly(this.#readNews([...this.#tails.values()]));
    else this.#readChanged(heads);
  }

  #readChanged(heads: readonly (readonly [accountId: string, head: number])[]): void {
    const behind = heads.flatMap(([accountId, head]) => {
      const tail = this.#tails.get(accountId);
      return tail !== undefined && head > tail.position ? [tail] : [];
    });
    this.#quietly(this.#readNews(behind));
  }

  async #compareHeads(): Promise<void> {
    if (this.#tails.size === 0) return;
    const rows = await this.#db.system.query<{ id: string; head: number }>(
      'select account_id::text as id, position::float8 as head from event_head where account_id = any($1::bigint[])',
      [[...this.#tails.keys()]],
    );
    this.#readChanged(rows.map((row) => [row.id, row.head]));
  }

  async #readNews(behind: readonly Tail[]): Promise<void> {
    for (const tail of behind) tail.hasNews = true;
    const reading = behind.filter((tail) => !tail.isReading);
    for (const tail of reading) tail.isReading = true;
    try {
      for (;;) {
        const wanted = reading.filter((tail) => tail.hasNews && tail.streams.size > 0);
        if (wanted.length === 0) return;
        for (const tail of wanted) tail.hasNews = false;
        const pages = await this.#readPages(wanted);
        for (const [index, tail] of wanted.entries()) await this.#handOut(tail, pages[index] ?? []);
      }
    } finally {
      for (const tail of reading) tail.isReading = false;
    }
  }

  /** The read of one account is a prepared statement, which costs less than a read of several. */
  async #readPages(wanted: readonly Tail[]): Promise<PositionedEvent[][]> {
    const [first] = wanted;
    if (first === undefined || wanted.length > 1) return await readEventsOfAccounts(this.#db, wanted);
    return [await readEventsAfter(this.#db, first.accountId, first.position)];
  }

  async #handOut(tail: Tail, page: readonly PositionedEvent[]): Promise<void> {
    if (!continues(page, tail)) return await this.#expire(tail);
    for (const positioned of page) {
      tail.position = positioned.position;
      for (const stream of tail.streams) stream.offer(positioned);
    }
    if (page.length === pageSize) tail.hasNews = true;
  }

  async #expire(tail: Tail): Promise<void> {
    const error = cursorExpired(await readLogBounds(this.#db, tail.accountId));
    for (const stream of tail.streams) stream.end({ error });
  }

  async #catchUp(accountId: string, stream: BufferedEventStream): Promise<void> {
    const tail = this.#tails.get(accountId);
    if (tail !== undefined && this.#join(tail, stream)) return;
    const page = await readEventsAfter(this.#db, accountId, stream.position);
    if (!continues(page, stream)) throw cursorExpired(await readLogBounds(this.#db, accountId));
    for (const positioned of page) stream.offer(positioned);
    if (page.length === pageSize || stream.isEnded) return;
    this.#join(this.#tails.get(accountId) ?? this.#openTail(accountId, stream), stream);
  }

  // A stream that is behind the tail reads pages itself. A stream that is ahead of the tail skips events that it
  // already has.
  #join(tail: Tail, stream: BufferedEventStream): boolean {
    if (tail.epoch !== stream.epoch || tail.position > stream.position) return false;
    stream.isLive = true;
    tail.streams.add(stream);
    // The tail had no stream before, and so has read no events for earlier notifications.
    if (tail.streams.size === 1) this.#quietly(this.#readNews([tail]));
    return true;
  }

  #openTail(accountId: string, at: Cursor): Tail {
    const tail = {
      accountId,
      epoch: at.epoch,
      position: at.position,
      isReading: false,
      hasNews: false,
      streams: new Set<BufferedEventStream>(),
    };
    this.#tails.set(accountId, tail);
    return tail;
  }

  #leave(accountId: string, stream: BufferedEventStream): void {
    this.#streams.delete(stream);
    const tail = this.#tails.get(accountId);
    if (tail?.streams.delete(stream) && tail.streams.size === 0) this.#tails.delete(accountId);
  }
}

// Positions have no gaps. If a page does not begin directly after the last position, rows in between were deleted. If
// its epoch differs, the database was restored.
function continues(page: readonly PositionedEvent[], after: Cursor): boolean {
  return page.every(
    (positioned, index) => positioned.epoch === after.epoch && positioned.position === after.position + 1 + index,
  );
}
