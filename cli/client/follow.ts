// Follows changes over a socket. After a lost connection, the next socket continues after the cursor of the last
// received change, so that no change is missed.
import { setTimeout as delay } from 'node:timers/promises';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { createClient, type Client } from 'graphql-ws';
import { Failure } from '../output/failure.ts';
import { refusalOf, type Api } from './api.ts';

export interface Following<Data, Variables> {
  readonly document: TypedDocumentNode<Data, Variables & { after?: string | null | undefined }>;
  readonly variables: Variables;
  /**
   * The cursor of the change before the first one. Null: changes begin with the next one, and a log begins at its
   * start.
   */
  readonly after: string | null;
  readonly cursorOf: (data: Data) => string;
  /** Handles a change. The next change is passed after the promise has resolved. The result true ends `follow`. */
  readonly onChange: (data: Data) => Promise<boolean | void> | boolean | void;
  /**
   * Called if the cursor has expired, so that changes were missed. Reads a new cursor and then the state, and returns
   * the cursor. Null: the state shows that there is nothing more to wait for. Absent: `follow` continues as if `after`
   * were null.
   */
  readonly startAgain?: () => Promise<string | null>;
  /** Called with false when the connection is lost, and with true when it is restored. */
  readonly onConnection?: (isThere: boolean) => void;
}

const slowestRetryMs = 15_000;
const rateLimitedMs = 2_000;
const pingEveryMs = 10_000;
const pongWithinMs = 5_000;
/** How long the service may take to accept a socket. */
const connectedWithinMs = 10_000;
const refusedCodes: readonly number[] = [4400, 4401, 4403];

/** Resolves when `onChange` returns true, when the log has ended, or at Ctrl-C. */
export async function follow<Data, Variables extends object>(
  api: Api,
  { document, variables, after, cursorOf, onChange, startAgain, onConnection }: Following<Data, Variables>,
): Promise<void> {
  let cursor = after;
  let attempts = 0;
  let hasExpired = false;
  while (!api.signal.aborted) {
    const client = connect(api, () => {
      if (attempts > 0) onConnection?.(true);
      attempts = 0;
    });
    // `dispose` waits for a connection that is not there yet, and so may wait without end.
    const stop = (): void => client.terminate();
    api.signal.addEventListener('abort', stop);
    try {
      if (hasExpired) {
        cursor = (await startAgain?.()) ?? null;
        if (cursor === null && startAgain !== undefined) return;
        hasExpired = false;
      }
      for await (const { data, errors } of client.iterate<Data>({
        query: print(document),
        variables: { ...variables, after: cursor },
      })) {
        if (errors?.[0] !== undefined) throw refusalOf(errors[0], api);
        if (!data) continue;
        if ((await onChange(data)) === true) return;
        cursor = cursorOf(data);
      }
      return;
    } catch (error) {
      const refused = refusalIn(error, api);
      const waitMs = refused === null ? waitAfter(error, attempts, api) : waitAfterRefusal(refused, attempts);
      hasExpired ||= refused?.code === 'CURSOR_EXPIRED';
      if (attempts === 0 && !api.signal.aborted) onConnection?.(false);
      attempts += 1;
      await delay(waitMs, undefined, { signal: api.signal }).catch(() => undefined);
    } finally {
      api.signal.removeEventListener('abort', stop);
      await client.dispose();
    }
  }
}

/**
 * Reads until the service answers. Throws a refusal that another attempt cannot change. Null: Ctrl-C. `onConnection` is
 * called with false when a read fails, and with true when a later one succeeds.
 */
export async function readUntilAnswered<T>(
  { signal }: Pick<Api, 'signal'>,
  read: () => Promise<T>,
  onConnection: (isThere: boolean) => void = () => {},
): Promise<T | null> {
  for (let attempts = 0; !signal.aborted; attempts += 1) {
    try {
      const answer = await read();
      if (attempts > 0) onConnection(true);
      return answer;
    } catch (error) {
      if (signal.aborted) break;
      if (!(error instanceof Failure)) throw error;
      const waitMs = waitAfterRefusal(error, attempts);
      if (attempts === 0) onConnection(false);
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

function connect({ url, token }: Api, onConnected: () => void): Client {
  let pongTimer: NodeJS.Timeout | undefined;
  let connectionTimer: NodeJS.Timeout | undefined;
  const ended = (): void => {
    clearTimeout(pongTimer);
    clearTimeout(connectionTimer);
  };
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { authorization: `Bearer ${token}` },
    // The library's own retries would start again at the first cursor.
    retryAttempts: 0,
    keepAlive: pingEveryMs,
    on: {
      connecting: () => {
        connectionTimer = setTimeout(() => client.terminate(), connectedWithinMs);
      },
      connected: () => {
        clearTimeout(connectionTimer);
        onConnected();
      },
      ping: (isReceived) => {
        if (!isReceived) pongTimer = setTimeout(() => client.terminate(), pongWithinMs);
      },
      pong: () => clearTimeout(pongTimer),
      error: ended,
      closed: ended,
    },
  });
  return client;
}

/**
 * The refusal of the service. A subscription is refused by a message of the socket or by a result with errors, and a
 * request of `onChange` may be refused too. Null: the connection was lost.
 */
function refusalIn(error: unknown, api: Api): Failure | null {
  if (error instanceof Failure) return error;
  return Array.isArray(error) ? refusalOf(error[0] as Parameters<typeof refusalOf>[0], api) : null;
}

/** How long to wait before the next attempt, in milliseconds. Throws the refusal if another attempt cannot help. */
function waitAfterRefusal(refused: Failure, attempts: number): number {
  if (refused.code === 'RATE_LIMITED') return rateLimitedMs;
  if (refused.code === 'CURSOR_EXPIRED') return 0;
  // A change whose request failed is passed again, because the cursor is still the one before the change.
  if (refused.outcome !== 'unreachable') throw refused;
  return backOffMs(attempts);
}

/** How long to wait after a lost connection. Throws a failure if another attempt cannot help. */
function waitAfter(error: unknown, attempts: number, { tokenRefused }: Api): number {
  const { code } = error as { readonly code?: number };
  if (code !== undefined && refusedCodes.includes(code)) throw new Failure('unauthorised', tokenRefused);
  return backOffMs(attempts);
}

function backOffMs(attempts: number): number {
  return Math.min(slowestRetryMs, 500 * 2 ** attempts) * (0.75 + Math.random() / 2);
}
