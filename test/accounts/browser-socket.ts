// A WebSocket with the headers of a browser.
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** Opens a socket. `first` is `connected` or the code that closed the socket. */
export async function openSocket(url: string, headers: Record<string, string>) {
  class WithHeaders extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { headers });
    }
  }
  const connected = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<number>();
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WithHeaders,
    retryAttempts: 0,
    lazy: false,
    onNonLazyError: () => {},
    on: {
      connected: () => connected.resolve('connected'),
      closed: (event) => {
        connected.resolve(`closed ${(event as CloseEvent).code}`);
        closed.resolve((event as CloseEvent).code);
      },
    },
  });
  return { first: await connected.promise, closed: closed.promise, end: async () => await client.dispose() };
}
