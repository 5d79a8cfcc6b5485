// Shows changes on a page as they happen. The hook reads the newest cursor first, then the rows, and then follows the
// changes after the cursor. If one request read both, the rows could be older than the cursor, and a change in between
// would be lost.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient, useQuery, type AnyVariables, type TypedDocumentNode } from 'urql';
import { CursorDocument } from '../generated/app.ts';
import { problemOf, type Problem } from './errors.ts';
import { follow } from './live.ts';

/** The page reads at most once in this time, because all users of the account share one rate limit. */
const readEveryMs = 700;
/** The pause after a read, as a multiple of the read's duration, so that a slow server gets fewer requests. */
const restShare = 2;
const longestRestMs = 5_000;
/** The first of several changes is read after this time, so that a transaction's changes are read together. */
const gatherMs = 50;
const rateLimitedMs = 1_500;

export interface LiveQuery<Data, Variables, Change, ChangeVariables> {
  readonly document: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  /** The subscription whose changes may change the answer. Null: the query is not live. */
  readonly follows: {
    readonly document: TypedDocumentNode<Change, ChangeVariables & { after?: string | null | undefined }>;
    readonly variables: ChangeVariables;
    readonly cursorOf: (change: Change) => string | null;
  } | null;
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
  const client = useClient();
  // If only the part of the rows that is read changes, the cursor stays the same and no new subscription begins.
  const subject = JSON.stringify(query.follows?.variables ?? query.variables);
  const [followed, setFollowed] = useState<{ readonly subject: string; readonly cursor: string | null } | null>(null);
  const isReady = followed?.subject === subject || query.follows === null;
  const [{ data, error, fetching }, read] = useQuery({
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
  const isRateLimited = error !== undefined && problemOf(error).code === 'RATE_LIMITED';
  useEffect(() => {
    if (!isRateLimited || fetching) return undefined;
    const timer = setTimeout(refresh, rateLimitedMs);
    return () => clearTimeout(timer);
  }, [isRateLimited, fetching, refresh]);

  // How many times the event log had already deleted the changes after the cursor.
  const [expiries, setExpiries] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    // A new cursor is read first. Rows that were read before this cursor are then read again.
    setFollowed(null);
    if (latest.current.follows === null) return undefined;
    void client
      .query(CursorDocument, {}, { requestPolicy: 'network-only' })
      .toPromise()
      .then(({ data: newest }) => {
        if (isCurrent) setFollowed({ subject, cursor: newest?.cursor ?? null });
      });
    return () => {
      isCurrent = false;
    };
  }, [client, subject, expiries]);

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
    const stop = follow({
      ...follows,
      after: followed.cursor,
      onChange: newReader.request,
      onExpired: () => setExpiries((before) => before + 1),
    });
    return () => {
      stop();
      newReader.stop();
    };
  }, [followed, subject]);

  return {
    data,
    problem: error && data === undefined && !isRateLimited ? problemOf(error) : null,
    partial: error && data !== undefined && !isRateLimited ? problemOf(error) : null,
    isWaiting: data === undefined && (isRateLimited || (error === undefined && (fetching || !isReady))),
    refresh,
  };
}

interface Reader {
  /** Requests a read. */
  readonly request: () => void;
  /** Called when a read has ended. */
  readonly onRead: () => void;
  readonly stop: () => void;
}

/**
 * Reads after the first change and then at intervals. A hidden tab reads when it becomes visible again. A read begins
 * only after the read before has ended, because it would abort that read, and under constant changes no read would end.
 */
function createReader({ read, isBusy }: { readonly read: () => void; readonly isBusy: () => boolean }): Reader {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRequested = false;
  let lastAt = -readEveryMs;
  let restMs = readEveryMs;
  let isReading = false;
  const run = (): void => {
    timer = undefined;
    if (!isRequested || document.hidden || isBusy()) return;
    isRequested = false;
    isReading = true;
    lastAt = performance.now();
    read();
  };
  const request = (): void => {
    isRequested = true;
    timer ??= setTimeout(run, Math.max(gatherMs, lastAt + restMs - performance.now()));
  };
  const onVisible = (): void => {
    if (isRequested) request();
  };
  document.addEventListener('visibilitychange', onVisible);
  return {
    request,
    onRead: () => {
      if (isReading) restMs = Math.min(longestRestMs, Math.max(readEveryMs, restShare * (performance.now() - lastAt)));
      isReading = false;
      if (isRequested) request();
    },
    stop: () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}
