// Parts for pages that follow no subscription: the read, and what the page shows until the answer comes or if the read
// fails.
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useClient, useQuery, type AnyVariables, type TypedDocumentNode, type UseQueryArgs } from 'urql';
import { Banner, Empty, Failure, Waiting } from '../design/parts.tsx';
import { backOffMs, isPassing, problemReference, problemOf, type Problem } from './errors.ts';
import { useReadFromTimeToTime } from './reader.ts';
import { useServerAnswer } from './server-answers.ts';
import { useBehind, useFormerData, useRepeats, type QueryAnswer } from './use-live-query.ts';

interface ReadAnswer<Data> extends QueryAnswer<Data> {
  /** Whether the page waits for the server. */
  readonly fetching: boolean;
}

interface ReadOptions extends Pick<UseQueryArgs, 'pause' | 'requestPolicy'> {
  /** Whether the answer is read once, because it cannot change, or because the caller reads it again. */
  readonly isOnce?: boolean;
  /** The time after which it is read again, in milliseconds. Default: 5 minutes. */
  readonly againMs?: number;
}

/**
 * Reads, and reads again what other users and programs change: from time to time, and when the user comes back to the
 * window. A read that fails for a reason that may pass is repeated until it succeeds.
 */
export function useAnswer<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { pause = false, requestPolicy = 'cache-and-network', isOnce = false, againMs }: ReadOptions = {},
): ReadAnswer<Data> {
  const [{ data: newest, error, fetching }, read] = useQuery({ query, variables, pause, requestPolicy });
  const data = useFormerData({ variables, data: newest, error, fetching });
  const refresh = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);
  const answer = useServerAnswer(query, variables);
  useRepeats({ answer, repeat: refresh });
  useReadFromTimeToTime({ read: refresh, fetching, againMs, isOver: pause || isOnce });
  useBehind(answer.problem !== null && isPassing(answer.problem));
  return {
    data,
    problem: error && data === undefined ? problemOf(error) : null,
    partial: error && data !== undefined ? missingPart(problemOf(error)) : null,
    isWaiting: data === undefined && fetching,
    fetching,
    refresh,
  };
}

/**
 * Why a part of the page is missing. Null if the rate limit is used up: the page still has what it read before, and the
 * read is repeated.
 */
function missingPart(problem: Problem | null): Problem | null {
  return problem?.code === 'RATE_LIMITED' ? null : problem;
}

interface ListPage<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly endCursor?: string | null; readonly hasNextPage: boolean };
}

interface ReadList<Node> extends Pick<QueryAnswer<readonly Node[]>, 'data' | 'problem'> {
  /** The variables with which the list was read. */
  readonly subject: string;
}

interface After {
  readonly after?: string | null | undefined;
}

/**
 * Reads a list to its end, page by page. There is no answer until the last page has been read. Reads again what other
 * users and programs change, as `useAnswer` does.
 */
export function useWholeList<Data, Node, Variables extends object>(
  query: TypedDocumentNode<Data, Variables & After>,
  variables: Variables,
  pageOf: (data: Data) => ListPage<Node>,
  { isOnce = false }: Pick<ReadOptions, 'isOnce'> = {},
): QueryAnswer<readonly Node[]> {
  const client = useClient();
  const [{ data, problem }, setAnswer] = useState<ReadList<Node>>({ subject: '', data: undefined, problem: null });
  const [reads, setReads] = useState(0);
  const [fetching, setFetching] = useState(true);
  const latest = useRef({ variables, pageOf });
  latest.current = { variables, pageOf };
  const subject = JSON.stringify(variables);
  useEffect(() => {
    let isCurrent = true;
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readFrom = async (after: string | null, before: readonly Node[]): Promise<void> => {
      const { data: answer, error } = await client
        .query(query, { ...latest.current.variables, after }, { requestPolicy: 'network-only' })
        .toPromise();
      if (!isCurrent) return;
      if (error || !answer) {
        const failure = error ? problemOf(error) : null;
        const isRepeated = failure !== null && isPassing(failure);
        // While a read is repeated, the list that was read before stays on the page.
        const isKept = (former: ReadList<Node>): boolean => isRepeated && former.subject === subject;
        setAnswer((former) => ({ subject, data: isKept(former) ? former.data : undefined, problem: failure }));
        failures += 1;
        if (isRepeated) timer = setTimeout(() => void readFrom(null, []), backOffMs(failures));
        else setFetching(false);
        return;
      }
      const { nodes, pageInfo } = latest.current.pageOf(answer);
      if (pageInfo.hasNextPage) return await readFrom(pageInfo.endCursor ?? null, [...before, ...nodes]);
      setFetching(false);
      return setAnswer({ subject, data: [...before, ...nodes], problem: null });
    };
    setFetching(true);
    void readFrom(null, []);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, query, subject, reads]);
  const refresh = useCallback(() => setReads((before) => before + 1), []);
  useReadFromTimeToTime({ read: refresh, fetching, isOver: isOnce });
  useBehind(problem !== null && isPassing(problem));
  return {
    data,
    problem: data === undefined ? problem : null,
    partial: data === undefined ? null : missingPart(problem),
    isWaiting: data === undefined && problem === null,
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

interface RepositoryAnswerProps<Repository> {
  readonly answer: QueryAnswer<{ readonly repository?: Repository | null }>;
  readonly what: string;
  readonly owner: string;
  readonly name: string;
  readonly children: (repository: Repository) => ReactNode;
}

/** Shows an answer about a repository, or says that it could not be read or that the repository does not exist. */
export function RepositoryAnswerView<Repository>(props: RepositoryAnswerProps<Repository>): ReactNode {
  const { answer, what, owner, name, children } = props;
  // If a part could not be read and there is no repository, it is not known whether the repository exists.
  const isMissing = answer.partial !== null && !answer.data?.repository;
  return (
    <AnswerView answer={isMissing ? { ...answer, problem: answer.partial } : answer} what={what}>
      {({ repository }) => (repository ? children(repository) : <NoRepository owner={owner} name={name} />)}
    </AnswerView>
  );
}

export function NoRepository({ owner, name }: { readonly owner: string; readonly name: string }): ReactNode {
  return (
    <Empty title={`There is no repository ${owner}/${name} here.`}>
      It may have been deleted, or your role does not let you see it.
    </Empty>
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
