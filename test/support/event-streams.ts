// How many streams of a server's events have started, by its address: a query answered on the same socket may overtake
// a subscription that was asked before it.
import type { EventHub } from '../../src/modules/events/index.ts';

const started = new Map<string, number>();

export function streamsStarted(url: string): number {
  return started.get(url) ?? 0;
}

/** The same hub, its streams counted. */
export function counting(hub: EventHub, url: () => string): EventHub {
  return {
    ...hub,
    follow(options) {
      const stream = hub.follow(options);
      stream.started.then(
        () => started.set(url(), streamsStarted(url()) + 1),
        () => {},
      );
      return stream;
    },
  };
}
