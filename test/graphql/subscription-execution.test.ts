// What a subscription sends by itself, and what it leaves to the library of the protocol.
import { GraphQLError, GraphQLInt, GraphQLObjectType, GraphQLSchema, parse, type ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import type { CompiledQueries } from '../../src/graphql/compiled.ts';
import { createSubscribe, SubscriptionResults } from '../../src/graphql/subscription-execution.ts';
import type { TakenStream } from '../../src/graphql/subscription-payloads.ts';

interface Payload {
  readonly n: number;
}
type Taken = Parameters<TakenStream<Payload>['takeNext']>[0];

/** Payloads that a test hands out one by one. */
class Feed {
  readonly untaken: Payload[] = [];
  hasEnded = false;
  private taker: Taken | undefined;

  push(payload: Payload): void {
    this.untaken.push(payload);
    this.settle();
  }

  takeNext(taker: Taken): void {
    this.taker = taker;
    this.settle();
  }

  async next(): Promise<IteratorResult<Payload, undefined>> {
    return await new Promise((resolve, reject) => this.takeNext({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<Payload, undefined>> {
    this.hasEnded = true;
    this.settle();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private settle(): void {
    const { taker } = this;
    if (taker === undefined || (this.untaken.length === 0 && !this.hasEnded)) return;
    this.taker = undefined;
    const payload = this.hasEnded ? undefined : this.untaken.shift();
    taker.resolve(payload === undefined ? { value: undefined, done: true } : { value: payload, done: false });
  }
}

const ticks = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
const jsonOf = (...numbers: number[]): string[] => numbers.map((n) => JSON.stringify({ data: { n } }));

/** Subscribes to a feed. A payload with a negative number has a result with an error. */
async function subscribing(
  execute: (n: number) => Promise<ExecutionResult> = async (n) =>
    n < 0 ? { data: { n: null }, errors: [new GraphQLError(`no ${n}`)] } : { data: { n } },
) {
  const feeds: Feed[] = [];
  let executed = 0;
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: { n: { type: GraphQLInt } } }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: {
        n: {
          type: GraphQLInt,
          subscribe: () => {
            const feed = new Feed();
            feeds.push(feed);
            return feed;
          },
        },
      },
    }),
  });
  const compiled: CompiledQueries = {
    run: async () => null,
    execute: async ({ rootValue }) => {
      executed += 1;
      return await execute((rootValue as Payload).n);
    },
  };
  const subscribe = createSubscribe(compiled);
  const document = parse('subscription { n }');
  const contextValue = { loaders: new Map() };
  const results: SubscriptionResults[] = [];
  return {
    executed: () => executed,
    /** Hands the same payload to all subscriptions. */
    push: (...numbers: number[]) => {
      for (const n of numbers) {
        const payload = { n };
        for (const feed of feeds) feed.push(payload);
      }
    },
    feeds,
    results,
    async open(): Promise<SubscriptionResults> {
      const made = await subscribe({ schema, document, contextValue });
      if (!(made instanceof SubscriptionResults)) throw new Error('The subscription was refused.');
      results.push(made);
      return made;
    },
  };
}

it('gives its results to `next` until it has a function that sends them', async () => {
  const world = await subscribing();
  const results = await world.open();
  world.push(1, 2);
  expect(await results.next()).toEqual({ value: { data: { n: 1 } }, done: false });
  expect(await results.next()).toEqual({ value: { data: { n: 2 } }, done: false });
});

it('sends results in their order, and gives errors and the end to `next`', async () => {
  const world = await subscribing();
  const results = await world.open();
  const sent: string[] = [];
  results.sendBy((json) => (sent.push(json), null));
  const failed = results.next();
  world.push(1, 2, -1, 3, 4);
  expect((await failed).value?.errors?.[0]?.message).toBe('no -1');
  await ticks();
  // The library has not sent the error yet.
  expect(sent).toEqual(jsonOf(1, 2));
  const ended = results.next();
  await ticks();
  expect(sent).toEqual(jsonOf(1, 2, 3, 4));
  await world.feeds[0]?.return();
  expect(await ended).toEqual({ value: undefined, done: true });
});

it('takes the next payload only after a message has left', async () => {
  const world = await subscribing();
  const results = await world.open();
  const sent: string[] = [];
  const left = Promise.withResolvers<void>();
  results.sendBy((json) => {
    sent.push(json);
    return sent.length === 1 ? left.promise : null;
  });
  void results.next();
  world.push(1, 2, 3);
  await ticks();
  expect([sent, world.feeds[0]?.untaken]).toEqual([jsonOf(1), [{ n: 2 }, { n: 3 }]]);
  left.resolve();
  await ticks();
  expect(sent).toEqual(jsonOf(1, 2, 3));
});

it('ends with the error of a message that could not be sent', async () => {
  const world = await subscribing();
  const results = await world.open();
  results.sendBy(async () => await Promise.reject(new Error('the socket is gone')));
  const next = results.next();
  world.push(1);
  await expect(next).rejects.toThrow('the socket is gone');
});

it('sends nothing more after it was ended while a result was being made', async () => {
  const made = Promise.withResolvers<ExecutionResult>();
  const world = await subscribing(async () => await made.promise);
  const results = await world.open();
  const sent: string[] = [];
  results.sendBy((json) => (sent.push(json), null));
  const next = results.next();
  world.push(1);
  await ticks();
  await results.return();
  expect(await next).toEqual({ value: undefined, done: true });
  made.resolve({ data: { n: 1 } });
  await ticks();
  expect([sent, world.feeds[0]?.hasEnded]).toEqual([[], true]);
});

it('is made once for all that share it, and one that ends in the middle of sending keeps it from no other', async () => {
  const world = await subscribing();
  const [first, second, third] = [await world.open(), await world.open(), await world.open()];
  const sent: string[] = [];
  const sendTo = (name: string, results: SubscriptionResults, then = (): void => {}): void => {
    results.sendBy((json) => {
      sent.push(`${name} ${json}`);
      then();
      return null;
    });
    void results.next();
  };
  sendTo('first', first, () => void second.return());
  sendTo('second', second);
  sendTo('third', third);
  world.push(1, 2);
  await ticks();
  expect(sent).toEqual(jsonOf(1, 2).flatMap((json) => [`first ${json}`, `third ${json}`]));
  expect(world.executed()).toBe(2);
});
