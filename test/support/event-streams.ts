// Counts the streams of events that have started, by the address of the server. Tests wait for the count, because the
// answer to a query does not show that an earlier subscription on the same socket has started.
import type { EventHub } from '../../src/modules/events/index.ts';

const started = new Map<string, number>();

export function countStartedStreams(url: string): number {
  return started.get(url) ?? 0;
}

/** Returns the hub, with its streams counted. */
export function withStreamCount(hub: EventHub, url: () => string): EventHub {
  return {
    ...hub,
    follow(options) {
      const stream = hub.follow(options);
      stream.started.then(
        () => started.set(url(), countStartedStreams(url()) + 1),
        () => {},
      );
      return stream;
    },
  };
}
