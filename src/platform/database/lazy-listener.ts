import type { Listen } from './listener.ts';

export interface LazyListener {
  /** Listens from the first call on. If that fails, the next call tries again. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Listens on a NOTIFY channel as soon as somebody needs its messages. */
export function listenLazily(
  system: { readonly listen: Listen },
  channel: string,
  onMessage: (payload: string) => void,
): LazyListener {
  let listening: Promise<() => Promise<void>> | undefined;
  return {
    start: async () => {
      listening ??= system.listen(channel, onMessage).catch((error: unknown) => {
        listening = undefined;
        throw error;
      });
      await listening;
    },
    stop: async () => {
      const stop = await listening?.catch(() => undefined);
      await stop?.();
    },
  };
}
