// Parts for pages that read their content once: the read, and what the page shows until the answer comes or if the read
// fails.
import { useCallback, useEffect, type ReactNode } from 'react';
import { useQuery, type AnyVariables, type TypedDocumentNode } from 'urql';
import { Banner, Failure, Waiting } from '../design/parts.tsx';
import { problemReference, problemOf, type Problem } from './errors.ts';
import type { QueryAnswer } from './use-live-query.ts';

export function useAnswer<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { pause = false }: { readonly pause?: boolean } = {},
): QueryAnswer<Data> {
  const [{ data, error, fetching }, read] = useQuery({ query, variables, pause, requestPolicy: 'cache-and-network' });
  const refresh = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);
  return {
    data,
    problem: error && data === undefined ? problemOf(error) : null,
    partial: error && data !== undefined ? problemOf(error) : null,
    isWaiting: data === undefined && fetching,
    refresh,
  };
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Interlock`;
  }, [title]);
}

/** Shows an answer, or why there is no answer. */
export function AnswerView<Data>({
  answer,
  what,
  children,
}: {
  readonly answer: QueryAnswer<Data>;
  /** The subject of the sentence "… could not be read.", such as `The releases`. */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  if (answer.problem)
    return (
      <Failure title={`${what} could not be read.`} code={problemReference(answer.problem)} retry={answer.refresh}>
        {answer.problem.sentence}
      </Failure>
    );
  if (answer.data === undefined) return <Waiting />;
  return (
    <>
      {answer.partial && <MissingPart problem={answer.partial} />}
      {children(answer.data)}
    </>
  );
}

/** Says that a part of the page could not be read. The page shows the other parts. */
export function MissingPart({ problem }: { readonly problem: Problem }): ReactNode {
  return (
    <Banner tone="red">
      A part of this page could not be read: {problem.sentence} <span className="xs">{problemReference(problem)}</span>
    </Banner>
  );
}
