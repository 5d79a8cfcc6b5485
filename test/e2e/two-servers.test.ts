// Two whole processes on one PostgreSQL and one Temporal: what is asked of one is heard by those who follow the other.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient as createApi, type Client } from '../../src/demo/client.ts';
import { readRuntime } from '../../src/launcher/runtime.ts';
import {
  dataDirectory,
  removeDirectory,
  startInterlock,
  stopInterlock,
  until,
  type RunningInterlock,
} from './interlock.ts';

const shared = { INTERLOCK_SECRET: 'a-secret-that-both-processes-are-given' };
let folders: string[] = [];
let first: RunningInterlock;
let second: RunningInterlock;

beforeAll(async () => {
  folders = [await dataDirectory(), await dataDirectory()];
  const [own = '', other = ''] = folders;
  first = await startInterlock(own, ['--no-demo'], shared);
  const runtime = await readRuntime(own);
  const { port } = JSON.parse(await readFile(join(own, 'temporal-ports.json'), 'utf8')) as { port: number };
  second = await startInterlock(
    other,
    ['--no-demo', '--database-url', runtime?.databaseUrl ?? '', '--temporal-address', `127.0.0.1:${port}`],
    { ...shared, TEMPORAL_NAMESPACE: 'interlock' },
  );
});
afterAll(async () => {
  await stopInterlock(second);
  await stopInterlock(first);
  for (const folder of folders) await removeDirectory(folder);
});

interface Told {
  readonly cursor: string;
  readonly action: string;
}

function follow(
  url: string,
  token: string,
  after: string | null = null,
): { told: Told[]; closed: Promise<number>; stop(): Promise<void> } {
  const closing = Promise.withResolvers<number>();
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
    connectionParams: { Authorization: `Bearer ${token}` },
    on: { closed: (event) => closing.resolve((event as { code: number }).code) },
  });
  const told: Told[] = [];
  client.subscribe<{ events: Told }>(
    { query: 'subscription ($after: String) { events(after: $after) { cursor action } }', variables: { after } },
    { next: ({ data }) => data && told.push(data.events), error: () => {}, complete: () => {} },
  );
  return { told, closed: closing.promise, stop: async () => await client.dispose() };
}

const create = async (client: Client, name: string): Promise<void> => {
  await client.graphql(
    'mutation ($name: String!) { createRepository(input: {owner: "acme", name: $name, host: LOCAL}) { repository { id } } }',
    { name },
  );
};

it('a subscription on one process hears what the other one does, and resumes on the other after its cursor', async () => {
  const { token } = first.access;
  const here = follow(first.access.url, token);
  // Until the subscription stands nothing has to be told: it says so by its first event.
  let made = 0;
  await until(
    async () => {
      await create(first.client, `warm-up-${(made += 1)}`);
      return here.told.length > 0;
    },
    { everyMs: 300 },
  );
  await create(createApi({ url: second.access.url, token }), 'from-the-other');
  await until(
    async () => here.told.filter(({ action }) => action === 'repository_created').length >= 2 && here.told.length > 0,
  );
  const cursor = here.told[0]?.cursor ?? '';
  const there = follow(second.access.url, token, cursor);
  await until(async () => there.told.length >= here.told.length - 1);
  expect(there.told.map((event) => event.cursor)).toEqual(here.told.slice(1).map((event) => event.cursor));
  await here.stop();
  await there.stop();
});

it('a token revoked at one process closes the sockets of the other', async () => {
  const made = await first.client.graphql<{ createApiToken: { token: string; apiToken: { id: string } } }>(
    'mutation { createApiToken(input: {name: "short", kind: ACCOUNT, scopes: [QUEUE_READ]}) { token apiToken { id } } }',
  );
  const socket = follow(second.access.url, made.createApiToken.token);
  await until(async () => {
    const answer = await fetch(`${second.access.url}/api/v1/repo`, {
      headers: { authorization: `Bearer ${made.createApiToken.token}` },
    });
    return answer.status === 200;
  });
  await first.client.graphql('mutation ($id: ID!) { revokeApiToken(input: {id: $id}) { apiToken { id } } }', {
    id: made.createApiToken.apiToken.id,
  });
  expect(await socket.closed).toBeGreaterThanOrEqual(4400);
});
