// Executes subscriptions. Subscriptions of one caller share the result for a payload if they have the same payload
// object, document, operation name and variables.
import { createSourceEventStream, type DocumentNode, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Taker } from '../modules/events/index.ts';
import type { CompiledQueries, Execution } from './compiled.ts';
import type { GraphQLContext } from './context.ts';
import { createSharedAnswers } from './shared-answers.ts';
import { takenFrom, type TakenStream } from './subscription-payloads.ts';

export type Subscribe = (args: ExecutionArgs) => Promise<SubscriptionResults | ExecutionResult>;

/**
 * Returns a function like `subscribe` of graphql-js. Subscriptions share results only if their document is the same
 * object, so the caller should pass the same object for the same text.
 */
export function createSubscribe(compiled: CompiledQueries): Subscribe {
  const share = createSharedAnswers();
  const numbers = new WeakMap<DocumentNode, number>();
  let lastNumber = 0;

  function numberOf(document: DocumentNode): number {
    const known = numbers.get(document);
    if (known !== undefined) return known;
    lastNumber += 1;
    numbers.set(document, lastNumber);
    return lastNumber;
  }

  return async (args) => {
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) return source;
    const execution: Execution = {
      document: args.document,
      variables: args.variableValues ?? {},
      operationName: args.operationName ?? null,
      contextValue: args.contextValue as GraphQLContext,
    };
    const { document, variables, operationName, contextValue } = execution;
    const question = JSON.stringify([numberOf(document), operationName, variables]);
    return new SubscriptionResults(
      source[Symbol.asyncIterator]() as AsyncIterator<object, undefined>,
      (payload, taker) => {
        const make = async (): Promise<MadeResult> =>
          withText(await compiled.execute({ ...execution, rootValue: payload }));
        share({ subject: payload, caller: contextValue.loaders, question, make }, taker);
      },
    );
  };
}

interface MadeResult {
  readonly result: ExecutionResult;
  /** The result as JSON, which is made once for all subscriptions that share it. Null: the result has errors. */
  readonly text: string | null;
}

function withText(result: ExecutionResult): MadeResult {
  return { result, text: result.errors === undefined ? JSON.stringify(result) : null };
}

/** Sends the JSON of a result. Null: it was sent at once. Otherwise the next result waits for the promise. */
export type SendResult = (json: string) => Promise<void> | null;

/**
 * The results of a subscription. Results without errors are sent to the function of `sendBy`, if it was called, while
 * somebody waits for `next`. So `next` then returns only results with errors and the end, and a result costs no promise
 * and no JSON of its own. This is no async generator, because `return` of a generator waits for the next payload.
 */
export class SubscriptionResults implements AsyncIterableIterator<ExecutionResult, undefined> {
  private readonly source: AsyncIterator<object, undefined>;
  private readonly payloads: Pick<TakenStream<object>, 'takeNext'>;
  private readonly execute: (payload: object, taker: Taker<MadeResult>) => void;
  private send: SendResult | undefined;
  private waiting: Taker<IteratorResult<ExecutionResult, undefined>> | undefined;

  private readonly onPayload: Taker<IteratorResult<object, undefined>> = {
    resolve: (payload) => {
      if (this.waiting === undefined) return;
      if (payload.done === true) this.settle({ value: undefined, done: true });
      else this.execute(payload.value, this.onResult);
    },
    reject: (error) => this.fail(error),
  };

  private readonly onResult: Taker<MadeResult> = {
    resolve: ({ result, text }) => {
      if (this.waiting === undefined) return;
      if (this.send === undefined || text === null) return this.settle({ value: result, done: false });
      const sent = this.send(text);
      if (sent === null) this.goOn();
      else sent.then(() => this.goOn(), this.onResult.reject);
    },
    reject: (error) => this.fail(error),
  };

  /** `execute` returns before it calls the taker. */
  constructor(source: AsyncIterator<object, undefined>, execute: (payload: object, taker: Taker<MadeResult>) => void) {
    this.source = source;
    this.payloads = takenFrom(source);
    this.execute = execute;
  }

  sendBy(send: SendResult): void {
    this.send = send;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    return await new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.payloads.takeNext(this.onPayload);
    });
  }

  /** A result that is being made is not sent any more. */
  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.settle({ value: undefined, done: true });
    await this.source.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private goOn(): void {
    if (this.waiting !== undefined) this.payloads.takeNext(this.onPayload);
  }

  private settle(result: IteratorResult<ExecutionResult, undefined>): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve(result);
  }

  private fail(error: unknown): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.reject(error);
  }
}
