// Executes subscriptions. Subscriptions of one caller share the result for a payload if they have the same payload
// object, document, operation name and variables.
import { createSourceEventStream, type DocumentNode, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { CompiledQueries, Execution } from './compiled.ts';
import type { GraphQLContext } from './context.ts';
import { createSharedAnswers } from './shared-answers.ts';

type Results = AsyncGenerator<ExecutionResult, undefined, undefined>;

export type Subscribe = (args: ExecutionArgs) => Promise<Results | ExecutionResult>;

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
    return mapStream(source as AsyncIterable<object>, async (payload) => {
      const make = async (): Promise<ExecutionResult> => await compiled.execute({ ...execution, rootValue: payload });
      return await share({ subject: payload, caller: contextValue.loaders, question, make });
    });
  };
}

/**
 * Makes a stream of results from a stream of payloads. This is no async generator function, because `return` of a
 * generator waits for the next payload.
 */
function mapStream(source: AsyncIterable<object>, toResult: (payload: object) => Promise<ExecutionResult>): Results {
  const payloads = source[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    await payloads.return?.();
    return { value: undefined, done: true };
  };
  return {
    next: async () => {
      const payload = await payloads.next();
      return payload.done === true
        ? { value: undefined, done: true }
        : { value: await toResult(payload.value), done: false };
    },
    return: end,
    throw: async (error: unknown) => {
      await end();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => void (await end()),
  };
}
