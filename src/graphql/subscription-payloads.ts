// Payloads of a subscription: what followed events become, and the failure that ends them.
/** The last thing a subscription says when it cannot go on: its resolver throws the error. */
export class SubscriptionFailure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** What the resolver of a subscription is handed. */
export type Told<Payload extends object> = Payload | SubscriptionFailure;

/** The payload. Throws the error that ended the subscription. */
export function told<Payload extends object>(payload: Told<Payload>): Payload {
  if (payload instanceof SubscriptionFailure) throw payload.error;
  return payload;
}

/**
 * Events, or what else comes one by one, as payloads; null passes one over. Not an async generator: those answer
 * `return` only after the next event, and a subscription that nobody reads any more would wait for one.
 */
export function mapEvents<Event, Payload extends object>(
  follower: AsyncIterableIterator<Event>,
  toPayload: (event: Event) => Promise<Payload | null>,
): AsyncIterableIterator<Told<Payload>> {
  let hasFailed = false;
  const next = async (): Promise<IteratorResult<Told<Payload>>> => {
    if (hasFailed) return { value: undefined, done: true };
    try {
      for (;;) {
        const result = await follower.next();
        if (result.done) return { value: undefined, done: true };
        const payload = await toPayload(result.value);
        if (payload !== null) return { value: payload, done: false };
      }
    } catch (error) {
      hasFailed = true;
      void follower.return?.();
      return { value: new SubscriptionFailure(error), done: false };
    }
  };
  return {
    next,
    return: async () => {
      await follower.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
