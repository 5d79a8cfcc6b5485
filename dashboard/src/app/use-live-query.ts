// A page that stays true: the newest cursor first, then the rows, then everything that came behind the cursor. In one
// request the rows could be older than their cursor, and a change between them would be lost.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient, useQuery, type AnyVariables, type TypedDocumentNode } from 'urql';
import { CursorDocument } from '../generated/app.ts';
import { problemOf, type Problem } from './errors.ts';
import { follow } from './live.ts';

/** At most one read in this time, however many changes come: the rate limit is shared with everybody of the account. */
const readEveryMs = 1_000;
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
  const subject = JSON.stringify([query.variables, query.follows?.variables]);
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
  const isRateLimited = error !== undefined && problemOf(error).code === 'RATE_LIMITED';
  useEffect(() => {
    if (!isRateLimited || fetching) return undefined;
    const timer = setTimeout(refresh, rateLimitedMs);
    return () => clearTimeout(timer);
  }, [isRateLimited, fetching, refresh]);

  useEffect(() => {
    let isCurrent = true;
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
  }, [client, subject]);

  useEffect(() => {
    const { follows } = latest.current;
    if (followed?.subject !== subject || follows === null) return undefined;
    const reader = createReader(refresh);
    const stop = follow({ ...follows, after: followed.cursor, onChange: reader.ask, onExpired: reader.ask });
    return () => {
      stop();
      reader.stop();
    };
  }, [followed, subject, refresh]);

  return {
    data,
    problem: error && data === undefined && !isRateLimited ? problemOf(error) : null,
    partial: error && data !== undefined && !isRateLimited ? problemOf(error) : null,
    isWaiting: data === undefined && (isRateLimited || (error === undefined && (fetching || !isReady))),
    refresh,
  };
}

/** Reads at once and then at intervals; a hidden tab reads when it is looked at again. */
function createReader(read: () => void): { readonly ask: () => void; readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  let lastAt = -readEveryMs;
  const run = (): void => {
    timer = undefined;
    if (!isAsked || document.hidden) return;
    isAsked = false;
    lastAt = performance.now();
    read();
  };
  const ask = (): void => {
    isAsked = true;
    timer ??= setTimeout(run, Math.max(gatherMs, lastAt + readEveryMs - performance.now()));
  };
  const onVisible = (): void => {
    if (isAsked) ask();
  };
  document.addEventListener('visibilitychange', onVisible);
  return {
    ask,
    stop: () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}
