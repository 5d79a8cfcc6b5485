// A subscription as users have one: over WebSockets, with what came of it so far.
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import { expect } from 'vitest';
import { streamsStarted } from './event-streams.ts';

export interface Followed<Payload> extends AsyncDisposable {
  readonly payloads: Payload[];
  readonly errors: unknown[];
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Resolves when the server has ended it by itself. */
  readonly completed: Promise<void>;
  /** Resolves when `count` payloads have come. */
  until(count: number): Promise<Payload[]>;
  /** Resolves when the server has answered on this socket. */
  connected(): Promise<void>;
  readonly url: string;
  /** Streams of that server's events that had started when this was asked. */
  readonly startedBefore: number;
}

/** Resolves when these subscriptions of events, which were made together, have started: they get all that follows. */
export async function started(...asked: readonly Pick<Followed<unknown>, 'url' | 'startedBefore'>[]): Promise<void> {
  for (const [url, there] of Map.groupBy(asked, ({ url }) => url))
    await expect
      .poll(() => streamsStarted(url), { timeout: 60_000, interval: 5 })
      .toBeGreaterThanOrEqual(Math.min(...there.map(({ startedBefore }) => startedBefore)) + there.length);
}

export function client(
  url: string,
  token: string,
  onClosed: (event: { code: number; reason: string }) => void = () => {},
): Client {
  return createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
    connectionParams: { Authorization: `Bearer ${token}` },
    on: { closed: (event) => onClosed(event as { code: number; reason: string }) },
  });
}

export function follow<Payload>(
  { url, token }: { readonly url: string; readonly token: string },
  query: string,
  variables: Record<string, unknown> = {},
): Followed<Payload> {
  const closing = Promise.withResolvers<{ code: number; reason: string }>();
  const connection = client(url, token, closing.resolve);
  const completing = Promise.withResolvers<void>();
  const payloads: Payload[] = [];
  const errors: unknown[] = [];
  const startedBefore = streamsStarted(url);
  connection.subscribe<Record<string, Payload>>(
    { query, variables },
    {
      next: ({ data, errors: found }) => {
        if (found) errors.push(...found);
        else if (data) payloads.push(Object.values(data)[0] as Payload);
      },
      error: (error) => void errors.push(...(Array.isArray(error) ? error : [error])),
      complete: () => completing.resolve(),
    },
  );
  return {
    url,
    startedBefore,
    payloads,
    errors,
    closed: closing.promise,
    completed: completing.promise,
    until: async (count) => {
      await expect
        .poll(() => payloads.length + errors.length, { timeout: 60_000, interval: 5 })
        .toBeGreaterThanOrEqual(count);
      return payloads.slice(0, count);
    },
    connected: async () => {
      for await (const _ of connection.iterate({ query: '{ viewer { email } }' })) break;
    },
    [Symbol.asyncDispose]: async () => await connection.dispose(),
  };
}
