// The GraphQL client. Its cache is keyed by `id`. It sends the cookie of the session, and corrects the clock of the page
// by the clock of the server.
import { useSyncExternalStore } from 'react';
import { Client, fetchExchange, mapExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { correctClock } from '../design/clock.ts';
import { cacheOptions } from './cache.ts';
import { fetchAgain, keyedExchange } from './keyed.ts';
import { onSignedOut } from './live.ts';
import { serverAnswersExchange } from './server-answers.ts';
import { shownExchange } from './shown-query.ts';

/** Opens the sign-in page, which says that the session has ended, and leads back to this page. */
export function signIn(): void {
  location.assign(`/session?ended&next=${encodeURIComponent(location.pathname + location.search)}`);
}

async function askServer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchAgain(input, { ...init, credentials: 'same-origin' });
  correctClock(response.headers.get('date'));
  if (response.status === 401) signIn();
  return response;
}

/** A cache is replaced after this many answers, or after this time. */
const maxAnswers = 500;
const longestMs = 30 * 60_000;

/** A refused answer has the data `null`, although the types of the client permit only `undefined`. */
const noNullExchange = mapExchange({
  onResult: (result) => ((result.data as unknown) === null ? { ...result, data: undefined } : result),
});

function createClient(): Client {
  const begunAt = performance.now();
  let answers = 0;
  const count = mapExchange({
    onResult: () => {
      answers += 1;
      if (answers >= maxAnswers || performance.now() - begunAt >= longestMs) renewLater(client);
    },
  });
  const client = new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetch: askServer,
    exchanges: [
      noNullExchange,
      shownExchange,
      cacheExchange(cacheOptions),
      serverAnswersExchange,
      count,
      keyedExchange,
      fetchExchange,
    ],
  });
  return client;
}

let current = createClient();
const listeners = new Set<() => void>();

/** Replaces the client a moment later, so that the page first gets the present answer. */
function renewLater(of: Client): void {
  setTimeout(() => {
    if (of !== current) return;
    current = createClient();
    for (const listener of listeners) listener();
  });
}

/**
 * Returns the client, which is replaced from time to time. The cache frees objects that it no longer needs, but never
 * their names, so the memory of a page that stays open would grow. After a replacement, the page shows its data until
 * the new client has read the same data.
 */
export function useFreshClient(): Client {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

onSignedOut(signIn);
