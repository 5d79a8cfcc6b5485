// How the demo waits. A state that lasts is polled. A state that may pass quickly is read from the event log, after a
// cursor, so that it is never missed.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Client } from './client.ts';

const longestMs = 2 * 60_000;
const pauseMs = 200;

/** Calls `look` until it returns something. The state that `look` waits for must last. */
export async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + longestMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`Two minutes were not enough for ${what}.`);
    await delay(pauseMs);
  }
}

/** Returns the cursor of the newest event of a repository. The events of all later requests come after this cursor. */
export async function cursorOfNow(
  client: Client,
  { owner, name }: { readonly owner: string; readonly name: string },
): Promise<string> {
  return await until(`the first event of ${name}`, async () => {
    const { repository } = await client.graphql<{ repository: { events: { nodes: { cursor: string }[] } } }>(
      'query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { events(first: 1) { nodes { cursor } } } }',
      { owner, name },
    );
    return repository.events.nodes[0]?.cursor ?? null;
  });
}

export interface Followed {
  /** Describes the awaited state, for the error message. */
  readonly what: string;
  /** A subscription with one field. It has the variable `$after`, and its changes have a cursor. */
  readonly subscription: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly after: string;
  readonly withinMs?: number;
}

/**
 * Passes each change to `isLast`, and returns the first change that `isLast` accepts. If the connection breaks, it
 * reconnects and continues after the last change.
 */
export async function followUntil<Change extends { readonly cursor: string }>(
  access: { readonly url: string; readonly token: string },
  { what, subscription, variables, after, withinMs = longestMs }: Followed,
  isLast: (change: Change) => boolean,
): Promise<Change> {
  const deadline = AbortSignal.timeout(withinMs);
  let cursor = after;
  while (!deadline.aborted) {
    const socket = createSocketClient({
      url: `${access.url.replace(/^http/, 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${access.token}` },
      retryAttempts: 0,
    });
    const stop = (): void => socket.terminate();
    deadline.addEventListener('abort', stop, { once: true });
    try {
      const changes = socket.iterate<Record<string, Change>>({
        query: subscription,
        variables: { ...variables, after: cursor },
      });
      for await (const { data, errors } of changes) {
        if (errors !== undefined) throw new Refused(errors.map(({ message }) => message).join('; '));
        const change = Object.values(data ?? {})[0];
        if (change === undefined) continue;
        cursor = change.cursor;
        if (isLast(change)) return change;
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      await delay(pauseMs);
    } finally {
      deadline.removeEventListener('abort', stop);
      await socket.dispose();
    }
  }
  throw new Error(`${Math.round(withinMs / 1_000)} seconds were not enough for ${what}.`);
}

class Refused extends Error {}
