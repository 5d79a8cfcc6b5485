// Executes subscriptions. The result of an event is made once for all subscriptions of a caller with the same document
// and the same variables.
import { createSourceEventStream, type DocumentNode, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { CompiledQueries, Execution } from './compiled.ts';
import type { GraphQLContext } from './context.ts';
import { createSharedAnswers } from './shared-answers.ts';

type Results = AsyncGenerator<ExecutionResult, undefined, undefined>;

export type Subscribe = (args: ExecutionArgs) => Promise<Results | ExecutionResult>;

/**
 * Returns a function like `subscribe` of graphql-js. It expects that the same text of a document is always the same
 * object.
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

/** This is no async generator function, because its `return` would wait for the next payload. */
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
