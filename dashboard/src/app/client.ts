// The GraphQL client: normalised by `id`, with the session's cookie, corrected by the server's clock.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { correctClock } from '../design/clock.ts';
import { onSignedOut } from './live.ts';

/** To the sign-in page, and back to the same place. */
export function signIn(): void {
  location.assign(`/session?next=${encodeURIComponent(location.pathname + location.search)}`);
}

async function askServer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, credentials: 'same-origin' });
  correctClock(response.headers.get('date'));
  if (response.status === 401) signIn();
  return response;
}

// What has no id of its own is part of the object that holds it.
const keys = new Proxy({}, { get: () => (data: { readonly id?: string | null }) => data.id ?? null });

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  fetch: askServer,
  exchanges: [cacheExchange({ keys }), fetchExchange],
});

onSignedOut(signIn);
