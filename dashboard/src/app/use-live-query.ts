// Shows changes on a page as they happen. The hook reads the newest cursor first, then the rows, and then follows the
// changes after the cursor. If one request read both, the rows could be older than the cursor, and a change in between
// would be lost.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient, useQuery, type AnyVariables, type CombinedError, type TypedDocumentNode } from 'urql';
import { CursorDocument } from '../generated/app.ts';
import { backOffMs, isPassing, problemOf, type Problem } from './errors.ts';
import { follow, setBehind } from './live.ts';
import { createReader, readFromTimeToTime, type Reader } from './reader.ts';
import { useServerAnswer, type ServerAnswer } from './server-answers.ts';

export interface LiveQuery<Data, Variables, Change, ChangeVariables> {
  readonly document: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  /** The subscription whose changes may change the answer. Null: the query is not live. */
  readonly follows: {
    readonly document: TypedDocumentNode<Change, ChangeVariables & { after?: string | null | undefined }>;
    readonly variables: ChangeVariables;
    readonly cursorOf: (change: Change) => string | null;
  } | null;
  /** Whether the answer also changes without a change that the subscription tells. It is then read from time to time. */
  readonly changesWithoutEvents?: boolean;
  /** Whether a variable is not known yet. The query then waits. */
  readonly isPaused?: boolean;
}

export interface QueryAnswer<Data> {
  readonly data: Data | undefined;
  /** Why there is no data. Null: there is data, or the page still waits for it. */
  readonly problem: Problem | null;
  /** Why a part of the data is missing. Null: no part is missing. */
  readonly partial: Problem | null;
  readonly isWaiting: boolean;
  readonly refresh: () => void;
}

export function useLiveQuery<Data, Variables extends AnyVariables, Change, ChangeVariables extends object>(
  query: LiveQuery<Data, Variables, Change, ChangeVariables>,
): QueryAnswer<Data> {
  // If only the part of the rows that is read changes, the cursor stays the same and no new subscription begins.
  const subject = query.follows === null ? null : JSON.stringify(query.follows.variables);
  const { followed, problem: cursorProblem, renew } = useNewestCursor(subject);
  const { changesWithoutEvents = false, isPaused = false } = query;
  const isReady = !isPaused && (followed?.subject === subject || subject === null);
  const [{ data: newest, error, fetching }, read] = useQuery({
    query: query.document,
    variables: query.variables as never,
    pause: !isReady,
    requestPolicy: 'cache-and-network',
  });
  const latest = useRef(query);
  latest.current = query;

  const refresh = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);
  const refreshing = useRef(refresh);
  refreshing.current = refresh;

  const reader = useRef<Reader>(null);
  const isBusy = useRef(fetching);
  useEffect(() => {
    isBusy.current = fetching;
    if (!fetching) reader.current?.onRead();
  }, [fetching]);
  useEffect(() => {
    const { follows } = latest.current;
    if (followed?.subject !== subject || follows === null) return undefined;
    const newReader = createReader({ read: () => refreshing.current(), isBusy: () => isBusy.current });
    reader.current = newReader;
    const stop = follow({ ...follows, after: followed.cursor, onChange: newReader.request, onExpired: renew });
    const end = changesWithoutEvents ? readFromTimeToTime(newReader) : undefined;
    return () => {
      stop();
      end?.();
      newReader.stop();
      reader.current = null;
    };
  }, [followed, subject, renew, changesWithoutEvents]);

  const data = useFormerData({ variables: query.variables, data: newest, error, fetching });
  const answer = useServerAnswer(query.document, query.variables);
  const failure = answer.problem ?? (error ? problemOf(error) : cursorProblem);
  const isRateLimited = failure?.code === 'RATE_LIMITED';
  const shown = isRateLimited ? null : failure;
  useBehind(failure !== null && isPassing(failure));
  useRepeats({
    answer,
    // A hidden tab reads again when it becomes visible.
    repeat: useCallback(() => (reader.current ? reader.current.request() : refreshing.current()), []),
  });
  return {
    data,
    problem: data === undefined ? shown : null,
    partial: data === undefined ? null : shown,
    isWaiting: data === undefined && (isRateLimited || (failure === null && (fetching || !isReady))),
    refresh,
  };
}

interface ReadState<Data> {
  readonly variables: unknown;
  readonly data: Data | undefined;
  readonly error: CombinedError | undefined;
  readonly fetching: boolean;
}

/**
 * Returns the data, or the data that was read before with the same variables, while a new read is repeated or fails for
 * a reason that may pass. So a restart of the server takes nothing from the page, and no text that a user types there.
 */
export function useFormerData<Data>({ variables, data, error, fetching }: ReadState<Data>): Data | undefined {
  const former = useRef<{ readonly subject: string; readonly data: Data }>(null);
  const subject = JSON.stringify(variables);
  // While other variables are read, `data` is still that of the variables before.
  if (data !== undefined && !fetching) former.current = { subject, data };
  const isKept = data === undefined && (error === undefined ? fetching : isPassing(problemOf(error)));
  return isKept && former.current?.subject === subject ? former.current.data : data;
}

interface NewestCursor {
  /** Null: the cursor for the subject has not been read yet. `cursor` is null if the viewer may not read it. */
  readonly followed: { readonly subject: string | null; readonly cursor: string | null } | null;
  readonly problem: Problem | null;
  /** Reads a new cursor, because the event log has deleted the changes after the present one. */
  readonly renew: () => void;
}

/** Reads the newest cursor for each subject, until a read succeeds. Rows that were read before are then read again. */
function useNewestCursor(subject: string | null): NewestCursor {
  const client = useClient();
  const [followed, setFollowed] = useState<NewestCursor['followed']>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [expiries, setExpiries] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setFollowed(null);
    setProblem(null);
    const readCursor = async (failures: number): Promise<void> => {
      const { data, error } = await client.query(CursorDocument, {}, { requestPolicy: 'network-only' }).toPromise();
      if (!isCurrent) return;
      const failure = error ? problemOf(error) : null;
      const isRepeated = failure !== null && isPassing(failure);
      setProblem(isRepeated ? failure : null);
      if (isRepeated) timer = setTimeout(() => void readCursor(failures + 1), backOffMs(failures + 1));
      else setFollowed({ subject, cursor: data?.cursor ?? null });
    };
    if (subject !== null) void readCursor(0);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, subject, expiries]);
  return { followed, problem, renew: useCallback(() => setExpiries((before) => before + 1), []) };
}

/** Lets the page say that it is not live while what it shows could not be read. */
export function useBehind(isBehind: boolean): void {
  const self = useRef({});
  useEffect(() => {
    const who = self.current;
    setBehind(who, isBehind);
    return () => setBehind(who, false);
  }, [isBehind]);
}

/** Repeats a read that failed for a reason that may pass, until the read succeeds. */
export function useRepeats({
  answer: { problem, count },
  repeat,
}: {
  readonly answer: ServerAnswer;
  readonly repeat: () => void;
}): void {
  const isFailed = problem !== null && isPassing(problem);
  const failures = useRef(0);
  useEffect(() => {
    failures.current = isFailed ? failures.current + 1 : 0;
    if (!isFailed) return undefined;
    const timer = setTimeout(repeat, backOffMs(failures.current));
    return () => clearTimeout(timer);
  }, [isFailed, count, repeat]);
}
