// Mutations are sent with an Idempotency-Key. A mutation whose answer was lost is sent again with the same key, and the
// server carries it out only once.
import { getOperationName, makeOperation, mapExchange, type Exchange, type Operation } from '@urql/core';
import { problemOf } from './errors.ts';

const header = 'idempotency-key';
const askAgainAfterMs = 1_000;
/** Statuses by which a proxy says that the server behind it did not answer. */
const unanswered = new Set([502, 504]);
/**
 * The mutations whose answers contain a secret. They are sent without a key, because the server stores the answer of a
 * key for a day.
 */
const showSecrets = new Set(['CreateApiToken', 'CreateWebhookEndpoint', 'CreateEmbedLink']);
/** Codes of errors after which it is not known whether the request was carried out. */
const openCodes = new Set(['NETWORK', 'CONFLICT']);

/** The keys of requests that have no answer yet. */
const keys = new Map<number, string>();

/** Forgets all keys, so that an equal request gets a new key. */
export function forgetKeys(): void {
  keys.clear();
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
    return makeOperation(operation.kind, operation, {
      ...operation.context,
      fetchOptions: { headers: { [header]: key } },
    });
  },
  onResult: ({ operation, error }) => {
    if (!isKeyed(operation) || (error && openCodes.has(problemOf(error).code))) return;
    // After this answer, an equal mutation is a new request and gets a new key.
    forgetKeys();
  },
});

/** Sends a request to the server. If no answer comes, a request with a key is sent once more after a second. */
export async function fetchAgain(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  if (!new Headers(init.headers).has(header)) return await fetch(input, init);
  try {
    const response = await fetch(input, init);
    if (!unanswered.has(response.status)) return response;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  await new Promise((resolve) => {
    setTimeout(resolve, askAgainAfterMs);
  });
  return await fetch(input, init);
}
