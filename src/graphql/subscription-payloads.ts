// Turns the events of a subscription into payloads, and an error into the last payload.
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

/**
 * Turns events or other values into payloads. If `toPayload` returns null, the event is skipped. This is no async
 * generator, because `return` of a generator waits for the next event, so an abandoned subscription would never end.
 */
export function mapEvents<Event, Payload extends object>(
  stream: AsyncIterableIterator<Event>,
  toPayload: (event: Event) => Promise<Payload | null>,
): AsyncIterableIterator<SubscriptionValue<Payload>> {
  let hasFailed = false;
  const next = async (): Promise<IteratorResult<SubscriptionValue<Payload>>> => {
    if (hasFailed) return { value: undefined, done: true };
    try {
      for (;;) {
        const result = await stream.next();
        if (result.done) return { value: undefined, done: true };
        const payload = await toPayload(result.value);
        if (payload !== null) return { value: payload, done: false };
      }
    } catch (error) {
      hasFailed = true;
      void stream.return?.();
      return { value: new SubscriptionFailure(error), done: false };
    }
  };
  return {
    next,
    return: async () => {
      await stream.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
