// When something that changes is read again.
import { useEffect, useRef, type RefObject } from 'react';
import { useConnection } from './live.ts';

/** The page reads at most once in this time, because all users of the account share one rate limit. */
const readEveryMs = 700;
/** The pause after a read, as a multiple of the read's duration, so that a slow server gets fewer requests. */
const restShare = 2;
const longestRestMs = 5_000;
/** The first of several changes is read after this time, so that a transaction's changes are read together. */
const gatherMs = 50;

export interface Reader {
  /** Requests a read. */
  readonly request: () => void;
  /** Requests a read if the last read is old enough that something may have changed. */
  readonly requestIfOld: () => void;
  /** Called when a read has ended. */
  readonly onRead: () => void;
  readonly stop: () => void;
}

interface ReaderOptions {
  readonly read: () => void;
  readonly isBusy: () => boolean;
  /** The shortest time between two reads. Default: 0.7 s. */
  readonly everyMs?: number;
}

/**
 * Reads after the first change and then at intervals. A hidden tab reads when it becomes visible again. A read begins
 * only after the read before has ended, because it would abort that read, and under constant changes no read would end.
 */
export function createReader({ read, isBusy, everyMs = readEveryMs }: ReaderOptions): Reader {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRequested = false;
  let lastAt = -everyMs;
  let restMs = everyMs;
  let isReading = false;
  // The page itself reads when it makes the reader.
  let readAt = performance.now();
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
    requestIfOld: () => {
      if (performance.now() - readAt >= oldAfterMs) request();
    },
    onRead: () => {
      readAt = performance.now();
      if (isReading) restMs = Math.min(longestRestMs, Math.max(everyMs, restShare * (performance.now() - lastAt)));
      isReading = false;
      if (isRequested) request();
    },
    stop: () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}

/**
 * Some changes have no event, for example a new person, or the wording of a pull request's own checks. A page that
 * nobody touches sees them after this time. All tabs of the account share one rate limit, so this time is long.
 */
const withoutEventMs = 5 * 60_000;
/** When the user comes back to the window, what was read in this time is not read again. */
const oldAfterMs = 10_000;

/**
 * Requests reads from time to time, and when the user comes back to the window. Returns a function that ends this. A
 * hidden tab reads when it becomes visible.
 */
export function readFromTimeToTime({ request, requestIfOld }: Reader, againMs = withoutEventMs): () => void {
  const timer = setInterval(request, againMs);
  window.addEventListener('focus', requestIfOld);
  return () => {
    clearInterval(timer);
    window.removeEventListener('focus', requestIfOld);
  };
}

interface ChangingRead {
  readonly read: () => void;
  readonly fetching: boolean;
  /** The shortest time between two reads. */
  readonly everyMs?: number;
  /** The time after which it is read again if nobody comes back to the window. Default: 5 minutes. */
  readonly againMs?: number | undefined;
  /** Whether what was read cannot change, or another part of the page reads it again. */
  readonly isOver: boolean;
}

/** Reads again what other users and programs change. Returns the reader, or null if nothing can change. */
export function useReadFromTimeToTime(changing: ChangingRead): RefObject<Reader | null> {
  const { read, fetching, everyMs, againMs, isOver } = changing;
  const latest = useRef({ read, fetching });
  latest.current = { read, fetching };
  const reader = useRef<Reader>(null);
  useEffect(() => {
    if (isOver) return undefined;
    const newReader = createReader({
      read: () => latest.current.read(),
      isBusy: () => latest.current.fetching,
      ...(everyMs !== undefined && { everyMs }),
    });
    reader.current = newReader;
    const end = readFromTimeToTime(newReader, againMs);
    return () => {
      end();
      newReader.stop();
      reader.current = null;
    };
  }, [isOver, everyMs, againMs]);
  useEffect(() => {
    if (!fetching) reader.current?.onRead();
  }, [fetching]);
  return reader;
}

/** Reads a part of a page again after each change that the page receives, and from time to time. */
export function useReadAfterChanges(changing: ChangingRead): void {
  const { changes } = useConnection();
  const reader = useReadFromTimeToTime(changing);
  const seen = useRef(changes);
  useEffect(() => {
    if (seen.current !== changes) reader.current?.request();
    seen.current = changes;
  }, [changes, reader]);
}
