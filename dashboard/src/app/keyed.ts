// Mutations are sent with an Idempotency-Key. A mutation whose answer was lost is sent again with the same key, and the
// server carries it out only once.
import { getOperationName, makeOperation, mapExchange, type Exchange, type Operation } from '@urql/core';
import { problemOf } from './errors.ts';

const header = 'idempotency-key';
/** How long to wait before each repetition. Together longer than a restart of Interlock takes. */
const askAgainAfterMs = [1_000, 2_000, 4_000, 8_000];
/** If an answer names a longer time, the user is told instead. */
const longestWaitMs = 15_000;
/** Statuses by which a proxy says that the server behind it did not answer. */
const unanswered = new Set([502, 503, 504]);
/** Statuses after which a request may be repeated at the time that the header `Retry-After` names. */
const askedToWait = new Set([409, 429, 503]);
/**
 * The mutations whose answers contain a secret. They are sent without a key, because the server stores the answer of a
 * key for a day.
 */
const showSecrets = new Set(['CreateApiToken', 'CreateWebhookEndpoint', 'CreateEmbedLink']);
/** Codes of errors after which it is not known whether the request was carried out. */
const openCodes = new Set(['NETWORK', 'CONFLICT']);

/** The keys of requests that have no answer yet. */
const keys = new Map<number, string>();
/** The requests that are being sent, or wait to be sent again. */
const sending = new Set<number>();

/**
 * Forgets the keys, so that an equal request gets a new key. A request that is still being sent keeps its key: if its
 * dialog is closed and confirmed again meanwhile, the action is carried out once.
 */
export function forgetKeys(): void {
  for (const request of keys.keys()) if (!sending.has(request)) keys.delete(request);
}

/** Pages that are served by plain HTTP have no `crypto.randomUUID`. */
function makeKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isPreview({ variables }: Operation): boolean {
  return (variables as { readonly input?: { readonly preview?: boolean } }).input?.preview === true;
}

function isKeyed(operation: Operation): boolean {
  return (
    operation.kind === 'mutation' && !isPreview(operation) && !showSecrets.has(getOperationName(operation.query) ?? '')
  );
}

/**
 * Gives each mutation a key, except previews and mutations whose answers contain a secret. Equal mutations have the
 * same key until the server has answered one.
 */
export const keyedExchange: Exchange = mapExchange({
  onOperation: (operation) => {
    if (!isKeyed(operation)) return operation;
    const key = keys.get(operation.key) ?? makeKey();
    keys.set(operation.key, key);
    sending.add(operation.key);
    return makeOperation(operation.kind, operation, {
      ...operation.context,
      fetchOptions: { headers: { [header]: key } },
    });
  },
  onResult: ({ operation, error }) => {
    if (!isKeyed(operation)) return;
    sending.delete(operation.key);
    if (error && openCodes.has(problemOf(error).code)) return;
    // After this answer, an equal mutation is a new request and gets a new key.
    forgetKeys();
  },
});

/**
 * Sends a request to the server. A request with a key is sent again, up to four times, if no answer comes, and if the
 * answer names a time after which to ask again: while the database does not answer, while the first request is still in
 * progress, and while the rate limit is reached.
 */
export async function fetchAgain(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  const waits = new Headers(init.headers).has(header) ? askAgainAfterMs : [];
  for (const leastMs of waits) {
    const answer = await fetch(input, init).catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
      return null;
    });
    const waitMs = answer === null ? leastMs : waitOf(answer, leastMs);
    if (answer !== null && waitMs === null) return answer;
    await new Promise((resolve) => {
      setTimeout(resolve, waitMs ?? 0);
    });
  }
  return await fetch(input, init);
}

/** How long to wait before the request is sent again, in milliseconds. Null: the answer is final. */
function waitOf({ status, headers }: Response, leastMs: number): number | null {
  const namedMs = Number(headers.get('retry-after') ?? Number.NaN) * 1000;
  if (!Number.isNaN(namedMs) && askedToWait.has(status))
    return namedMs > longestWaitMs ? null : Math.max(namedMs, leastMs);
  return unanswered.has(status) ? leastMs : null;
}
