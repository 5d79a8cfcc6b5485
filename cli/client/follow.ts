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
  /** Called with false when the connection is lost, and with true when it is restored. */
  readonly onConnection?: (isThere: boolean) => void;
}

const slowestRetryMs = 15_000;
const rateLimitedMs = 2_000;
const pingEveryMs = 10_000;
const pongWithinMs = 5_000;
const refusedCodes: readonly number[] = [4400, 4401, 4403];

/** Resolves when `onChange` returns true, when the log has ended, or at Ctrl-C. */
export async function follow<Data, Variables extends object>(
  api: Api,
  { document, variables, after, cursorOf, onChange, onConnection }: Following<Data, Variables>,
): Promise<void> {
  let cursor = after;
  let attempts = 0;
  while (!api.signal.aborted) {
    const client = connect(api, () => {
      if (attempts > 0) onConnection?.(true);
      attempts = 0;
    });
    const stop = (): void => void client.dispose();
    api.signal.addEventListener('abort', stop);
    try {
      for await (const { data, errors } of client.iterate<Data>({
        query: print(document),
        variables: { ...variables, after: cursor },
      })) {
        if (errors?.[0] !== undefined) throw refusalOf(errors[0], api.tokenRefused);
        if (!data) continue;
        if ((await onChange(data)) === true) return;
        cursor = cursorOf(data);
      }
      return;
    } catch (error) {
      const waitMs = waitAfter(error, attempts, api);
      if (isExpired(error)) cursor = null;
      if (attempts === 0 && !api.signal.aborted) onConnection?.(false);
      attempts += 1;
      await delay(waitMs, undefined, { signal: api.signal }).catch(() => undefined);
    } finally {
      api.signal.removeEventListener('abort', stop);
      await client.dispose();
    }
  }
}

function connect({ url, token }: Api, onConnected: () => void): Client {
  let pongTimer: NodeJS.Timeout | undefined;
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { authorization: `Bearer ${token}` },
    // The library's own retries would start again at the first cursor.
    retryAttempts: 0,
    keepAlive: pingEveryMs,
    on: {
      connected: onConnected,
      ping: (isReceived) => {
        if (!isReceived) pongTimer = setTimeout(() => client.terminate(), pongWithinMs);
      },
      pong: () => clearTimeout(pongTimer),
      closed: () => clearTimeout(pongTimer),
    },
  });
  return client;
}

/** How long to wait before the next attempt, in milliseconds. Throws a failure if another attempt cannot help. */
function waitAfter(error: unknown, attempts: number, { tokenRefused }: Api): number {
  if (error instanceof Failure) throw error;
  if (Array.isArray(error)) {
    const refused = refusalOf(error[0] as Parameters<typeof refusalOf>[0], tokenRefused);
    if (refused.code === 'RATE_LIMITED') return rateLimitedMs;
    if (refused.code === 'CURSOR_EXPIRED') return 0;
    if (refused.outcome !== 'unreachable') throw refused;
  }
  const { code } = error as { readonly code?: number };
  if (code !== undefined && refusedCodes.includes(code)) throw new Failure('unauthorised', tokenRefused);
  return Math.min(slowestRetryMs, 500 * 2 ** attempts) * (0.75 + Math.random() / 2);
}

function isExpired(error: unknown): boolean {
  const [first] = Array.isArray(error) ? (error as readonly Parameters<typeof refusalOf>[0][]) : [];
  return first?.extensions?.code === 'CURSOR_EXPIRED';
}
