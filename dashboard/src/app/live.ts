// One socket for the tab. Each subscriber remembers the cursor of the last change that it received, and a new socket
// continues after this cursor. So no change is missed. A change may be received twice, which is harmless.
import { useSyncExternalStore } from 'react';
import { stringifyDocument, type TypedDocumentNode } from '@urql/core';
import { createClient } from 'graphql-ws';
import { now } from '../design/clock.ts';
import { backOffMs } from './errors.ts';

export interface Connection {
  readonly state: 'idle' | 'live' | 'off';
  /** Whether a subscription or a read waits for its next attempt, so that the page may lack a change. */
  readonly isBehind: boolean;
  /** When the socket was lost, by the server's clock. Null: the socket is not off. */
  readonly offSince: number | null;
  /** When the next attempt to connect begins. Null: the socket is not off. */
  readonly retryAt: number | null;
  /** How many changes arrived together after a reconnect. Null: there was no reconnect just now. */
  readonly caughtUp: number | null;
  /** The number of changes received so far. */
  readonly changes: number;
}

export interface Following<Data, Variables> {
  readonly document: TypedDocumentNode<Data, Variables & { after?: string | null | undefined }>;
  readonly variables: Variables;
  /** The cursor after which to begin. Null: begin with the next change, or at the beginning of a log. */
  readonly after: string | null;
  readonly cursorOf: (data: Data) => string | null;
  readonly onChange: (data: Data) => void;
  /**
   * Called when the event log has deleted the changes after the cursor, and when the viewer has got the permission that
   * was missing. The subscriber then begins again with a new cursor. If left out, it continues.
   */
  readonly onExpired?: () => void;
  /** True: the messages are lines of a log, which do not change what an action would do. */
  readonly isLog?: boolean;
}

/** An error of GraphQL. */
interface Refusal {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

const pingEveryMs = 10_000;
const pongWithinMs = 5_000;
/** How long the server may take to accept a socket. */
const connectedWithinMs = 10_000;
const catchUpMs = 1_200;
const shownForMs = 3_000;
/** The server accepts a subscription without an answer, and refuses it within this time once the socket is connected. */
const acceptedAfterMs = 1_000;
/** How long a subscription waits that was refused because the viewer lacks a permission. */
const askAgainMs = 60_000;
const signedOutCodes = new Set([4401, 4403]);
/** The page itself closes a socket on which no subscription runs. */
const unusedCode = 1000;

let connection: Connection = {
  state: 'idle',
  isBehind: false,
  offSince: null,
  retryAt: null,
  caughtUp: null,
  changes: 0,
};
/** The subscriptions and reads that wait for their next attempts. */
const behind = new Set<object>();
const listeners = new Set<() => void>();
const starts = new Set<() => void>();
let attempts = 0;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let pongTimer: ReturnType<typeof setTimeout> | undefined;
let connectionTimer: ReturnType<typeof setTimeout> | undefined;
let missed: number | null = null;
let signedOut: () => void = () => undefined;

function publish(change: Partial<Connection>): void {
  connection = { ...connection, ...change };
  for (const listener of listeners) listener();
}

/** Records whether a subscription or a read waits for its next attempt. */
export function setBehind(who: object, isBehind: boolean): void {
  if (isBehind) behind.add(who);
  else behind.delete(who);
  if (connection.isBehind !== behind.size > 0) publish({ isBehind: behind.size > 0 });
}

const socket = createClient({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
  lazyCloseTimeout: 2_000,
  // Every subscriber continues after its own cursor. The retries of the library would not use this cursor.
  retryAttempts: 0,
  keepAlive: pingEveryMs,
  on: {
    connecting: () => {
      clearTimeout(connectionTimer);
      connectionTimer = setTimeout(() => socket.terminate(), connectedWithinMs);
    },
    ping: (received) => {
      if (!received) pongTimer = setTimeout(() => socket.terminate(), pongWithinMs);
    },
    pong: (received) => {
      if (received) clearTimeout(pongTimer);
    },
    connected: onConnected,
    closed: (event) => onClosed(event as CloseEvent),
  },
});

function onConnected(): void {
  clearTimeout(connectionTimer);
  const wasOff = connection.state === 'off';
  attempts = 0;
  publish({ state: 'live', offSince: null, retryAt: null });
  if (!wasOff) return;
  missed = 0;
  setTimeout(() => {
    publish({ caughtUp: missed });
    missed = null;
    setTimeout(() => publish({ caughtUp: null }), shownForMs);
  }, catchUpMs);
}

function onClosed({ code }: CloseEvent): void {
  clearTimeout(pongTimer);
  clearTimeout(connectionTimer);
  if (signedOutCodes.has(code)) return signedOut();
  // Subscriptions that wait have timers of their own, and a subscription that is refused for good does not ask again.
  if (starts.size === 0 || code === unusedCode) return publish({ state: 'idle', offSince: null, retryAt: null });
  attempts += 1;
  const waitMs = backOffMs(attempts);
  clearTimeout(retryTimer);
  retryTimer = setTimeout(startAll, waitMs);
  publish({ state: 'off', offSince: connection.offSince ?? now(), retryAt: now() + waitMs });
}

function startAll(): void {
  for (const start of starts) start();
}

/** Connects now, instead of at the time of the next attempt, and gives up an attempt that has no answer yet. */
export function retryNow(): void {
  if (connection.state === 'off') socket.terminate();
  clearTimeout(retryTimer);
  startAll();
}

/** Sets the function that is called when the server no longer accepts the session. */
export function onSignedOut(handler: () => void): void {
  signedOut = handler;
}

/** Subscribes until the returned function is called. */
export function follow<Data, Variables extends object>(source: Following<Data, Variables>): () => void {
  let cursor = source.after;
  let failures = 0;
  let isForbidden = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: () => void = () => undefined;
  const self = {};
  const onAccepted = (): void => {
    setBehind(self, false);
    if (!isForbidden) return;
    isForbidden = false;
    source.onExpired?.();
  };
  const start = (): void => {
    stop();
    let isCurrent = true;
    let accepted: ReturnType<typeof setTimeout> | undefined;
    const beginTrial = (): void => void (accepted = setTimeout(onAccepted, acceptedAfterMs));
    const unlisten = failures > 0 && connection.state !== 'live' ? socket.on('connected', beginTrial) : undefined;
    if (failures > 0 && connection.state === 'live') beginTrial();
    const endTrial = (): void => {
      unlisten?.();
      clearTimeout(accepted);
    };
    const startLater = (): void => {
      if (!isCurrent) return;
      failures += 1;
      setBehind(self, true);
      endTrial();
      clearTimeout(timer);
      timer = setTimeout(start, backOffMs(failures));
    };
    // The server refuses a document or an operation too many with `error`. It refuses what the viewer may not follow,
    // a cursor, and a change that cannot be read with `next`. After a refused change, later changes still arrive.
    const onRefused = (refusal: Refusal | undefined): void => {
      if (!isCurrent) return;
      const code = refusal?.extensions?.['code'];
      const onExpired = code === 'CURSOR_EXPIRED' ? source.onExpired : undefined;
      if (code === 'CURSOR_EXPIRED') cursor = null;
      if (code !== 'FORBIDDEN' && onExpired === undefined) return startLater();
      // The end of this subscription arrives as `complete`, which must not start it again.
      isCurrent = false;
      endTrial();
      setBehind(self, true);
      if (onExpired) return onExpired();
      failures += 1;
      isForbidden = true;
      clearTimeout(timer);
      timer = setTimeout(start, askAgainMs);
    };
    const end = socket.subscribe<Data>(
      { query: stringifyDocument(source.document), variables: { ...source.variables, after: cursor } },
      {
        next: ({ data, errors }) => {
          if (!data) return onRefused(errors?.[0]);
          endTrial();
          failures = 0;
          onAccepted();
          cursor = source.cursorOf(data) ?? cursor;
          if (missed !== null) missed += 1;
          source.onChange(data);
          if (source.isLog !== true) publish({ changes: connection.changes + 1 });
        },
        // If the socket was lost, `closed` above has scheduled the next attempt.
        error: (error) => {
          endTrial();
          if (Array.isArray(error)) onRefused(error[0] as Refusal);
          else if ((error as CloseEvent | null)?.code === unusedCode) startLater();
        },
        // A log ends with its work. Changes have no end, but the end of a subscription that was stopped arrives here too.
        complete: () => {
          if (source.isLog !== true) startLater();
        },
      },
    );
    stop = () => {
      isCurrent = false;
      endTrial();
      clearTimeout(timer);
      end();
    };
  };
  starts.add(start);
  start();
  return () => {
    starts.delete(start);
    stop();
    setBehind(self, false);
  };
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
}
