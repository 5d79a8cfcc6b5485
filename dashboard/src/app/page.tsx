// A page that reads once: what it shows while it waits, and when it is refused.
import { useCallback, useEffect, type ReactNode } from 'react';
import { useQuery, type AnyVariables, type TypedDocumentNode } from 'urql';
import { Failure, Waiting } from '../design/parts.tsx';
import { codeOf, problemOf } from './errors.ts';
import type { Answered } from './use-live-query.ts';

export function useAnswer<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Answered<Data> {
  const [{ data, error, fetching }, read] = useQuery({ query, variables, requestPolicy: 'cache-and-network' });
  const refresh = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);
  return {
    data,
    problem: error && data === undefined ? problemOf(error) : null,
    isWaiting: data === undefined && fetching,
    refresh,
  };
}

/** The title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Interlock`;
  }, [title]);
}

/** What is shown of an answer: itself, or why it is not there. */
export function Shown<Data>({
  answer,
  what,
  children,
}: {
  readonly answer: Answered<Data>;
  /** What could not be read, such as `The releases`. */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  if (answer.problem)
    return (
      <Failure title={`${what} could not be read.`} code={codeOf(answer.problem)} retry={answer.refresh}>
        {answer.problem.sentence}
      </Failure>
    );
  if (answer.data === undefined) return <Waiting />;
  return children(answer.data);
}
