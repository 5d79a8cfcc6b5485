// Turns the events of a subscription into payloads, and an error into the last payload.
import type { Taker } from '../modules/events/index.ts';

/** The last value of a failed subscription. The resolver throws its error. */
export class SubscriptionFailure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** The argument of a subscription's resolver. */
export type SubscriptionValue<Payload extends object> = Payload | SubscriptionFailure;

/** Returns the payload, or throws the error that ended the subscription. */
export function payloadOf<Payload extends object>(payload: SubscriptionValue<Payload>): Payload {
  if (payload instanceof SubscriptionFailure) throw payload.error;
  return payload;
}

/** A stream whose values can be taken without a promise for each value. */
export interface TakenStream<Value> extends AsyncIterableIterator<Value, undefined> {
  /** Like `next`. Only one value is taken at a time. The taker may be called before `takeNext` returns. */
  takeNext(taker: Taker<IteratorResult<Value, undefined>>): void;
}

/** Gives any stream the function `takeNext`. */
export function takenFrom<Value>(stream: AsyncIterator<Value, undefined>): Pick<TakenStream<Value>, 'takeNext'> {
  return 'takeNext' in stream
    ? (stream as TakenStream<Value>)
    : { takeNext: (taker) => void stream.next().then(taker.resolve, taker.reject) };
}

export interface PayloadMaking<Event, Payload extends object> {
  /** Makes the payload of an event. Null: the event is skipped. The taker is not called before `make` returns. */
  readonly make: (event: Event, taker: Taker<Payload | null>) => void;
  /** Whether a payload is sent. Absent: every payload is sent. */
  readonly isNews?: (payload: Payload) => boolean;
}

/** Turns events or other values into payloads. If `toPayload` returns null, the event is skipped. */
export function mapEvents<Event, Payload extends object>(
  stream: AsyncIterableIterator<Event, undefined>,
  toPayload: (event: Event) => Promise<Payload | null>,
): TakenStream<SubscriptionValue<Payload>> {
  return new Payloads(stream, {
    make: (event, taker) => void toPayload(event).then(taker.resolve, taker.reject),
  });
}

/**
 * The payloads of a subscription. This is no async generator, because `return` of a generator waits for the next event,
 * so an abandoned subscription would never end.
 */
export class Payloads<Event, Payload extends object> implements TakenStream<SubscriptionValue<Payload>> {
  private readonly stream: AsyncIterableIterator<Event, undefined>;
  private readonly events: Pick<TakenStream<Event>, 'takeNext'>;
  private readonly making: PayloadMaking<Event, Payload>;
  private taker: Taker<IteratorResult<SubscriptionValue<Payload>, undefined>> | undefined;
  private hasFailed = false;

  private readonly onEvent: Taker<IteratorResult<Event, undefined>> = {
    resolve: (event) => {
      if (event.done === true) this.settle({ value: undefined, done: true });
      else this.making.make(event.value, this.onPayload);
    },
    reject: (error) => this.fail(error),
  };

  private readonly onPayload: Taker<Payload | null> = {
    resolve: (payload) => {
      if (payload === null || this.making.isNews?.(payload) === false) this.events.takeNext(this.onEvent);
      else this.settle({ value: payload, done: false });
    },
    reject: (error) => this.fail(error),
  };

  constructor(stream: AsyncIterableIterator<Event, undefined>, making: PayloadMaking<Event, Payload>) {
    this.stream = stream;
    this.events = takenFrom(stream);
    this.making = making;
  }

  takeNext(taker: Taker<IteratorResult<SubscriptionValue<Payload>, undefined>>): void {
    if (this.hasFailed) return taker.resolve({ value: undefined, done: true });
    this.taker = taker;
    this.events.takeNext(this.onEvent);
  }

  async next(): Promise<IteratorResult<SubscriptionValue<Payload>, undefined>> {
    return await new Promise((resolve, reject) => this.takeNext({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<SubscriptionValue<Payload>, undefined>> {
    await this.stream.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private fail(error: unknown): void {
    this.hasFailed = true;
    void this.stream.return?.();
    this.settle({ value: new SubscriptionFailure(error), done: false });
  }

  private settle(result: IteratorResult<SubscriptionValue<Payload>, undefined>): void {
    const { taker } = this;
    this.taker = undefined;
    taker?.resolve(result);
  }
}
