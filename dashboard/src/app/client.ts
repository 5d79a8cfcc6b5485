// The GraphQL client: normalised by `id`, with the session's cookie, corrected by the server's clock.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { correctClock } from '../design/clock.ts';
import { fetchAgain, keyedExchange } from './keyed.ts';
import { onSignedOut } from './live.ts';

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

interface Keyed {
  readonly id?: string | null;
  readonly asOf?: string | null;
}

// What has no id of its own is part of the object that holds it. A queue of the past is another object than that of now.
const keys = new Proxy(
  {},
  {
    get:
      () =>
      ({ id, asOf }: Keyed) =>
        id === undefined || id === null ? null : asOf ? `${id} ${asOf}` : id,
  },
);

export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  fetch: askServer,
  exchanges: [cacheExchange({ keys }), keyedExchange, fetchExchange],
});

onSignedOut(signIn);
