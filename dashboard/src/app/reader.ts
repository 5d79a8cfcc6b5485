// When something that changes is read again.

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
  /** Called when a read has ended. */
  readonly onRead: () => void;
  readonly stop: () => void;
}

/**
 * Reads after the first change and then at intervals. A hidden tab reads when it becomes visible again. A read begins
 * only after the read before has ended, because it would abort that read, and under constant changes no read would end.
 */
export function createReader({ read, isBusy }: { readonly read: () => void; readonly isBusy: () => boolean }): Reader {
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
