// Counts the streams of events that have started and those that are open, by the address of the server. Tests wait for
// the count, because the answer to a query does not show that an earlier subscription on the same socket has started.
import type { EventHub, EventStream } from '../../src/modules/events/index.ts';

const started = new Map<string, number>();
const open = new Map<string, Set<EventStream>>();

export function countStartedStreams(url: string): number {
  return started.get(url) ?? 0;
}

/** Counts the streams that have begun and that their reader has not left. */
export function countOpenStreams(url: string): number {
  return open.get(url)?.size ?? 0;
}

/** Returns the hub, with its streams counted. */
export function withStreamCount(hub: EventHub, url: () => string): EventHub {
  return {
    ...hub,
    follow(options) {
      const stream = hub.follow(options);
      const streams = open.get(url()) ?? new Set();
      open.set(url(), streams.add(stream));
      const leave = stream.return?.bind(stream);
      stream.return = async () => {
        streams.delete(stream);
        return (await leave?.()) ?? { value: undefined, done: true };
      };
      stream.started.then(
        () => started.set(url(), countStartedStreams(url()) + 1),
        () => streams.delete(stream),
      );
      return stream;
    },
  };
}
