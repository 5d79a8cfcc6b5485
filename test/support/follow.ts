// A subscription over WebSockets, as users have it, and what it has received so far.
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import { expect } from 'vitest';
import { countStartedStreams } from './event-streams.ts';

export interface Followed<Payload> extends AsyncDisposable {
  readonly payloads: Payload[];
  readonly errors: unknown[];
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Resolves when the server has ended the subscription. */
  readonly completed: Promise<void>;
  /** Resolves when `count` payloads or errors have been received. */
  until(count: number): Promise<Payload[]>;
  /** Resolves when the server has answered on this socket. */
  connected(): Promise<void>;
  readonly url: string;
  /** How many streams of the server's events had started when this subscription was sent. */
  readonly startedBefore: number;
}

/** Resolves when these subscriptions have started. From then on they receive all events. They must be made together. */
export async function started(
  ...subscriptions: readonly Pick<Followed<unknown>, 'url' | 'startedBefore'>[]
): Promise<void> {
  for (const [url, sameServer] of Map.groupBy(subscriptions, ({ url }) => url))
    await expect
      .poll(() => countStartedStreams(url), { timeout: 60_000, interval: 5 })
      .toBeGreaterThanOrEqual(Math.min(...sameServer.map(({ startedBefore }) => startedBefore)) + sameServer.length);
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
  const startedBefore = countStartedStreams(url);
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
