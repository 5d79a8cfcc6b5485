// The GraphQL client. Its cache is keyed by `id`, it sends the session's cookie, and it corrects the page's clock by
// the server's.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { correctClock } from '../design/clock.ts';
import { cacheOptions } from './cache.ts';
import { fetchAgain, keyedExchange } from './keyed.ts';
import { onSignedOut } from './live.ts';
import { shownExchange } from './shown-query.ts';

/** To the sign-in page, and back to the same place. */
export function signIn(): void {
  location.assign(`/session?next=${encodeURIComponent(location.pathname + location.search)}`);
}

async function askServer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchAgain(input, { ...init, credentials: 'same-origin' });
  correctClock(response.headers.get('date'));
  if (response.status === 401) signIn();
  return response;
}

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  fetch: askServer,
  exchanges: [shownExchange, cacheExchange(cacheOptions), keyedExchange, fetchExchange],
});

onSignedOut(signIn);
