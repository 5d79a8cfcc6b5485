// A page that stays true: the newest cursor first, then the rows, then everything that came behind the cursor. In one
// request the rows could be older than their cursor, and a change between them would be lost.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient, useQuery, type AnyVariables, type TypedDocumentNode } from 'urql';
import { CursorDocument } from '../generated/app.ts';
import { problemOf, type Problem } from './errors.ts';
import { follow } from './live.ts';

/** At most one read in this time, however many changes come: the rate limit is shared with everybody of the account. */
const readEveryMs = 700;
/** The next read begins after this many times what the last one took: a slow server is asked less often. */
const restShare = 2;
const longestRestMs = 5_000;
/** The first of several changes is read after this time, so that a transaction's changes are read together. */
const gatherMs = 50;
const rateLimitedMs = 1_500;

export interface LiveQuery<Data, Variables, Change, ChangeVariables> {
  readonly document: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  /** What says that the answer may have changed. Null: nothing does. */
  readonly follows: {
    readonly document: TypedDocumentNode<Change, ChangeVariables & { after?: string | null | undefined }>;
    readonly variables: ChangeVariables;
    readonly cursorOf: (change: Change) => string | null;
  } | null;
}

export interface Answered<Data> {
  readonly data: Data | undefined;
  /** Why there is no data. */
  readonly problem: Problem | null;
  /** Why a part of the data is missing. */
  readonly partial: Problem | null;
  readonly isWaiting: boolean;
  readonly refresh: () => void;
}

export function useLiveQuery<Data, Variables extends AnyVariables, Change, ChangeVariables extends object>(
  query: LiveQuery<Data, Variables, Change, ChangeVariables>,
): Answered<Data> {
  const client = useClient();
  // Another part of the same rows is read behind the same cursor.
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

  // Counts the times that the log no longer had what came behind the cursor.
  const [expiries, setExpiries] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    // Rows that were read before the cursor are read again behind it.
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
    const pacing = createReader({ read: () => refreshing.current(), isBusy: () => isBusy.current });
    reader.current = pacing;
    const stop = follow({
      ...follows,
      after: followed.cursor,
      onChange: pacing.ask,
      onExpired: () => setExpiries((before) => before + 1),
    });
    return () => {
      stop();
      pacing.stop();
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
  readonly ask: () => void;
  /** The answer is there. */
  readonly onRead: () => void;
  readonly stop: () => void;
}

/**
 * Reads at once and then at intervals; a hidden tab reads when it is looked at again. A read that is under way is
 * waited for: another one would abort it, and under constant changes none would end.
 */
function createReader({ read, isBusy }: { readonly read: () => void; readonly isBusy: () => boolean }): Reader {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  let lastAt = -readEveryMs;
  let restMs = readEveryMs;
  let isReading = false;
  const run = (): void => {
    timer = undefined;
    if (!isAsked || document.hidden || isBusy()) return;
    isAsked = false;
    isReading = true;
    lastAt = performance.now();
    read();
  };
  const ask = (): void => {
    isAsked = true;
    timer ??= setTimeout(run, Math.max(gatherMs, lastAt + restMs - performance.now()));
  };
  const onVisible = (): void => {
    if (isAsked) ask();
  };
  document.addEventListener('visibilitychange', onVisible);
  return {
    ask,
    onRead: () => {
      if (isReading) restMs = Math.min(longestRestMs, Math.max(readEveryMs, restShare * (performance.now() - lastAt)));
      isReading = false;
      if (isAsked) ask();
    },
    stop: () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}
