// One stream of an account's events, with its position and the events that its reader has not taken yet. While the
// stream is behind, it reads pages. After it has caught up, the hub pushes events to it.
import { DomainError } from '../../domain/errors.ts';
import { formatCursor } from './cursor.ts';
import type { FollowedEvent, PositionedEvent } from './events.reads.ts';

/** A stream with more untaken events than this ends. */
export const bufferLimit = 1_000;

/**
 * The reader takes events more slowly than they arrive. The code is RATE_LIMITED and not CURSOR_EXPIRED, because no
 * event is lost: the client can follow again after `cursor`.
 */
export class SlowReaderError extends DomainError {
  readonly cursor: string;
  constructor(cursor: string) {
    super(
      'RATE_LIMITED',
      `The client is too slow: more than ${bufferLimit} events wait for it. Follow again after ${cursor}.`,
    );
    this.name = 'SlowReaderError';
    this.cursor = cursor;
  }
}

/** Takes one value, or the error in its place. Neither function throws. */
export interface Taker<Value> {
  resolve(this: void, value: Value): void;
  reject(this: void, error: unknown): void;
}

export interface EventStream extends AsyncIterableIterator<FollowedEvent, undefined> {
  /**
   * Like `next`, without a promise. The taker is called as soon as there is an event or the stream has ended, maybe
   * before `takeNext` returns.
   */
  takeNext(taker: Taker<IteratorResult<FollowedEvent, undefined>>): void;
  /**
   * The cursor after which the stream begins. Rejects with BAD_INPUT or CURSOR_EXPIRED, and the first `next()` then
   * rejects too.
   */
  readonly started: Promise<string>;
}

export interface EventStreamOptions {
  readonly matches: (event: FollowedEvent) => boolean;
  /** Finds the position where the stream begins. The stream accepts no event before this. */
  readonly begin: () => Promise<{ readonly epoch: number; readonly position: number }>;
  /**
   * Called while the stream is behind and has no untaken event. Offers at least one event to the stream, or makes it
   * live.
   */
  readonly catchUp: (stream: BufferedEventStream) => Promise<void>;
  readonly onEnd: (stream: BufferedEventStream) => void;
}

export class BufferedEventStream implements EventStream {
  readonly started: Promise<string>;
  epoch = 0;
  /** The position of the last offered event, whether it matched or not. */
  position = 0;
  isLive = false;
  private readonly options: EventStreamOptions;
  private readonly untaken: PositionedEvent[] = [];
  private readonly waiting: Taker<IteratorResult<FollowedEvent, undefined>>[] = [];
  private ended: { readonly error?: unknown } | undefined;
  private isPulling = true;

  constructor(options: EventStreamOptions) {
    this.options = options;
    this.started = options.begin().then((cursor) => {
      this.epoch = cursor.epoch;
      this.position = cursor.position;
      this.isPulling = false;
      return formatCursor(cursor);
    });
    this.started.then(
      () => this.pull(),
      (error: unknown) => this.end({ error }),
    );
  }

  /** Accepts the next event. An event that the stream already has is skipped. */
  offer(positioned: PositionedEvent): void {
    if (this.ended !== undefined || positioned.position <= this.position) return;
    this.position = positioned.position;
    if (!this.options.matches(positioned.event)) return;
    const waiting = this.waiting.shift();
    if (waiting !== undefined) return waiting.resolve({ value: positioned.event, done: false });
    this.untaken.push(positioned);
    const oldest = this.untaken[0];
    if (this.untaken.length > bufferLimit && oldest !== undefined) {
      this.untaken.length = 0;
      this.end({ error: new SlowReaderError(formatCursor({ epoch: oldest.epoch, position: oldest.position - 1 })) });
    }
  }

  get isEnded(): boolean {
    return this.ended !== undefined;
  }

  /** Ends the stream. Without an error, events that were not taken yet may still be taken. */
  end(how: { readonly error?: unknown }): void {
    if (this.ended !== undefined) return;
    this.ended = how;
    for (const waiting of this.waiting.splice(0)) this.takeNext(waiting);
    this.options.onEnd(this);
  }

  async next(): Promise<IteratorResult<FollowedEvent, undefined>> {
    return await new Promise((resolve, reject) => {
      this.takeNext({ resolve, reject });
    });
  }

  takeNext(taker: Taker<IteratorResult<FollowedEvent, undefined>>): void {
    const next = this.untaken.shift();
    if (next !== undefined) return taker.resolve({ value: next.event, done: false });
    if (this.ended === undefined) {
      this.waiting.push(taker);
      return this.pull();
    }
    if (!('error' in this.ended)) return taker.resolve({ value: undefined, done: true });
    const { error } = this.ended;
    // The error is thrown once. After that the iterator is done.
    this.ended = {};
    taker.reject(error);
  }

  async return(): Promise<IteratorResult<FollowedEvent, undefined>> {
    this.untaken.length = 0;
    this.end({});
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<FollowedEvent, undefined>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  private pull(): void {
    if (this.isPulling || this.isLive || this.ended !== undefined || this.waiting.length === 0) return;
    this.isPulling = true;
    this.options.catchUp(this).then(
      () => {
        this.isPulling = false;
        this.pull();
      },
      (error: unknown) => this.end({ error }),
    );
  }
}
