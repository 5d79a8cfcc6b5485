// What the server last answered to a query. The cache answers a query again when another query has changed its objects,
// and such an answer hides that the server has refused the query.
import { useEffect, useMemo, useState } from 'react';
import { createRequest, mapExchange, type AnyVariables, type Exchange, type TypedDocumentNode } from '@urql/core';
import { problemOf, type Problem } from './errors.ts';

export interface ServerAnswer {
  /** Why the last read failed, or why a part of its answer is missing. Null: no read failed. */
  readonly problem: Problem | null;
  /** How often the server has answered, or a read was lost. */
  readonly count: number;
}

type Listener = (problem: Problem | null) => void;

const listeners = new Map<number, Set<Listener>>();

/** Sees the answers of the server, and not those of the cache, if it stands after the cache. */
export const serverAnswersExchange: Exchange = mapExchange({
  onResult: ({ operation, error }) => {
    for (const listener of listeners.get(operation.key) ?? []) listener(error ? problemOf(error) : null);
  },
});

function listen(key: number, listener: Listener): () => void {
  const all = listeners.get(key) ?? new Set();
  listeners.set(key, all.add(listener));
  return () => {
    all.delete(listener);
    if (all.size === 0) listeners.delete(key);
  };
}

const none: ServerAnswer = { problem: null, count: 0 };

export function useServerAnswer<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): ServerAnswer {
  const subject = JSON.stringify(variables);
  const key = useMemo(() => createRequest(query, variables).key, [query, subject]);
  const [answer, setAnswer] = useState({ key, ...none });
  useEffect(
    () =>
      listen(key, (problem) =>
        setAnswer((before) => ({ key, problem, count: (before.key === key ? before.count : 0) + 1 })),
      ),
    [key],
  );
  return answer.key === key ? answer : none;
}
