import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { TestServer } from '../support/server.ts';
import type { Operation } from './operations.ts';

/** The text of the answer. For a subscription, the first result or the refusal. */
export async function askOperation(
  s: Pick<TestServer, 'graphql' | 'url'>,
  { field, document }: Operation,
  variables: Readonly<Record<string, unknown>>,
  token: string | null,
): Promise<string> {
  if (!field.startsWith('Subscription.')) return (await s.graphql(document, variables, token)).text;
  const client = createClient({
    url: `${s.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    lazy: true,
    connectionParams: token === null ? {} : { Authorization: `Bearer ${token}` },
  });
  try {
    for await (const result of client.iterate({ query: document, variables })) return JSON.stringify(result);
    return 'complete';
  } catch (error) {
    return JSON.stringify(Array.isArray(error) ? { errors: error } : { code: (error as { code?: number }).code });
  } finally {
    await client.dispose();
  }
}
