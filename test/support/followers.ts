// How many followers of a server's events have begun, by its address: a query answered on the same socket may overtake
// a subscription that was asked before it.
import type { EventHub } from '../../src/modules/events/index.ts';

const begun = new Map<string, number>();

export function followersBegun(url: string): number {
  return begun.get(url) ?? 0;
}

/** The same hub, its followers counted. */
export function counting(hub: EventHub, url: () => string): EventHub {
  return {
    ...hub,
    follow(options) {
      const follower = hub.follow(options);
      follower.started.then(
        () => begun.set(url(), followersBegun(url()) + 1),
        () => {},
      );
      return follower;
    },
  };
}
