import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { appendEvents, type NewEvent } from '../../src/modules/events/index.ts';
import { started, client, follow as followAt, type Followed } from '../support/follow.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seed, type SeededRepository } from './seed.ts';

let s: TestServer;
let other: { url: string; close(): Promise<void> };
let seeded: SeededRepository;
beforeAll(async () => {
  s = await startServer();
  other = await s.another();
  seeded = await seed(s);
});
afterAll(async () => await s.close());

function follow<Payload>(
  query: string,
  variables: Record<string, unknown> = {},
  { url = s.url, token = s.token } = {},
): Followed<Payload> {
  return followAt<Payload>({ url, token }, query, variables);
}

/** The cursor of now. A subscription after it gets every later event, however long it takes to begin. */
async function head(accountId = s.accountId): Promise<string> {
  await expect
    .poll(async () => await s.rows('select 1 from event where position is null'), { interval: 5 })
    .toEqual([]);
  const [row] = await s.rows<{ cursor: string }>(
    `select epoch || '.' || coalesce((select position from event_head where account_id = $1), 0) as cursor from installation`,
    [accountId],
  );
  return row?.cursor ?? '';
}

async function write(...events: NewEvent[]): Promise<void> {
  const ctx = systemContext(s.ports, s.accountId);
  await s.ports.db.transaction(s.accountId, async (tx) => await appendEvents(ctx, tx, events));
}

const repository = { owner: 'acme', name: 'shop' };
const eventsAfter =
  'subscription ($after: String) { events(after: $after) { cursor action payload pullRequest { number } } }';

interface EventPayload {
  cursor: string;
  action: string;
  payload: { n: number };
}

describe('events', () => {
  it.each([
    ['queue:read', [{}, { n: 2 }]],
    ['config:read', [{ diff: '+secret' }, { n: 2 }]],
  ] as const)('have facts about a configuration only for tokens that may read it: %s', async (scope, facts) => {
    const after = await head();
    const { repositoryId } = seeded;
    await write({ repositoryId, action: 'config_change', payload: { diff: '+secret' } });
    await write({ repositoryId, action: 'test', payload: { n: 2 } });
    const token = await s.tokenWith(['queue:read', scope]);
    await using followed = follow<EventPayload>(eventsAfter, { after }, { token });
    expect((await followed.until(2)).map(({ payload }) => payload)).toEqual(facts);
    const { data } = await s.graphql<{ repository: { events: { nodes: readonly EventPayload[] } } }>(
      '{ repository(owner: "acme", name: "shop") { events(first: 2) { nodes { payload } } } }',
      {},
      token,
    );
    expect(data.repository.events.nodes.map(({ payload }) => payload)).toEqual(facts.toReversed());
  });

  it('come in order from every server, whichever process wrote them', async () => {
    const after = await head();
    await using here = follow<EventPayload>(eventsAfter, { after });
    await using there = follow<EventPayload>(eventsAfter, { after }, { url: other.url });
    for (let n = 1; n <= 20; n += 1) await write({ repositoryId: seeded.repositoryId, action: 'test', payload: { n } });
    for (const followed of [here, there])
      expect((await followed.until(20)).map(({ payload }) => payload.n)).toEqual(
        Array.from({ length: 20 }, (_, at) => at + 1),
      );
    expect(new Set(here.payloads.map(({ cursor }) => cursor)).size).toBe(20);
  });

  it('continue after a cursor, also on another server, without a gap or a repetition', async () => {
    await using first = follow<EventPayload>(eventsAfter, { after: await head() });
    await write(
      ...[1, 2, 3, 4, 5].map(
        (n): NewEvent => ({ repositoryId: seeded.repositoryId, action: 'resume', payload: { n } }),
      ),
    );
    const seen = await first.until(5);
    await first[Symbol.asyncDispose]();
    await write({ repositoryId: seeded.repositoryId, action: 'resume', payload: { n: 6 } });
    await using second = follow<EventPayload>(eventsAfter, { after: seen[1]?.cursor }, { url: other.url });
    expect((await second.until(4)).map(({ payload }) => payload.n)).toEqual([3, 4, 5, 6]);
  });

  it('of another account are not sent', async () => {
    const stranger = await s.otherAccount('stranger');
    await using theirs = follow<EventPayload>(
      eventsAfter,
      { after: await head(stranger.accountId) },
      { token: stranger.token },
    );
    await using mine = follow<EventPayload>(eventsAfter, { after: await head() });
    await write({ repositoryId: seeded.repositoryId, action: 'secret', payload: { n: 1 } });
    await mine.until(1);
    await s.graphql(
      'mutation { createApiToken(input: {name: "Mark", scopes: [QUEUE_READ]}) { token } }',
      {},
      stranger.token,
    );
    expect((await theirs.until(1)).map(({ action }) => action)).toEqual(['token_created']);
  });

  it.each([
    ['nonsense', 'BAD_INPUT'],
    ['1.999999', 'CURSOR_EXPIRED'],
    ['9.1', 'CURSOR_EXPIRED'],
  ])('cannot be followed after %s', async (after, code) => {
    await using followed = follow(eventsAfter, { after });
    await followed.until(1);
    expect(followed.errors).toMatchObject([{ extensions: { code } }]);
  });
});

describe('changes', () => {
  it('of a pull request have the pull request as it is now', async () => {
    await using followed = follow<unknown>(
      'subscription ($repository: RepositoryInput!, $after: String) { pullRequestChanged(repository: $repository, number: 1, after: $after) { action cursor pullRequest { number title } } }',
      { repository, after: await head() },
    );
    const [row] = await s.rows<{ id: string }>('select id from pull_request where number = 1 and account_id = $1', [
      s.accountId,
    ]);
    await s.rows(`update pull_request set title = 'New title' where id = $1`, [row?.id]);
    await write(
      { repositoryId: seeded.repositoryId, action: 'other' },
      { repositoryId: seeded.repositoryId, pullRequestId: row?.id ?? null, action: 'retitled' },
    );
    expect(await followed.until(1)).toEqual([
      {
        action: 'retitled',
        cursor: expect.stringMatching(/^\d+\.\d+$/),
        pullRequest: { number: 1, title: 'New title' },
      },
    ]);
  });

  it('of all pull requests of a repository are sent to followers that name none, and no event of another subject', async () => {
    await using followed = follow<unknown>(
      'subscription ($repository: RepositoryInput!, $after: String) { pullRequestChanged(repository: $repository, after: $after) { action pullRequest { number } } }',
      { repository, after: await head() },
    );
    const rows = await s.rows<{ id: string }>(
      'select id from pull_request where number in (1, 2) and account_id = $1 order by number',
      [s.accountId],
    );
    const of = { repositoryId: seeded.repositoryId };
    await write(
      { ...of, action: 'other' },
      ...rows.map(({ id }) => ({ ...of, pullRequestId: id, action: 'retitled' })),
    );
    expect(await followed.until(2)).toEqual([
      { action: 'retitled', pullRequest: { number: 1 } },
      { action: 'retitled', pullRequest: { number: 2 } },
    ]);
  });

  it('of a repository of another account, or without queue:read, are refused', async () => {
    const document =
      'subscription ($repository: RepositoryInput!) { pullRequestChanged(repository: $repository) { action } }';
    const stranger = await s.otherAccount('elsewhere');
    for (const [token, code] of [
      [stranger.token, 'NOT_FOUND'],
      [await s.tokenWith(['analytics:read']), 'FORBIDDEN'],
    ] as const) {
      await using followed = follow(document, { repository }, { token });
      await followed.until(1);
      expect(followed.errors).toMatchObject([{ extensions: { code } }]);
    }
  });

  it('of the depth are sent when the depth changed, and not for other events', async () => {
    await using followed = follow<{ depth: { queued: number; waiting: number } }>(
      'subscription ($repository: RepositoryInput!, $after: String) { queueDepthChanged(repository: $repository, after: $after) { depth { queued waiting } repository { name } } }',
      { repository, after: await head() },
    );
    const nothing = { repositoryId: seeded.repositoryId, queueId: seeded.queueId, action: 'nothing' };
    // The server does not know the depth at the cursor. So it sends the depth with the first event in any case.
    await write(nothing);
    expect(await followed.until(1)).toEqual([{ depth: { queued: 3, waiting: 0 }, repository: { name: 'shop' } }]);
    await write(nothing, nothing);
    await s.rows('update queue set waiting = waiting + 1 where id = $1', [seeded.queueId]);
    await write({ ...nothing, action: 'queued' });
    await followed.until(2);
    await write(nothing);
    await s.rows('update queue set waiting = waiting - 1 where id = $1', [seeded.queueId]);
    await write({ ...nothing, action: 'dequeued' });
    expect((await followed.until(3)).map(({ depth }) => depth.queued)).toEqual([3, 4, 3]);
  });

  it('of a queue are sent for events of the queue and for those of its repository', async () => {
    await using followed = follow<{ action: string; queue: { paused: boolean } }>(
      'subscription ($repository: RepositoryInput!, $after: String) { queueChanged(repository: $repository, baseBranch: "main", after: $after) { action queue { baseBranch paused } } }',
      { repository, after: await head() },
      { url: other.url },
    );
    // This event belongs to the repository, but to none of its queues.
    await write({ repositoryId: seeded.repositoryId, action: 'runbook_step_changed' });
    await s.graphql(
      'mutation ($repository: RepositoryInput!) { pauseRepository(input: {repository: $repository, paused: true}) { repository { id } } }',
      { repository },
    );
    expect(await followed.until(1)).toEqual([
      { action: 'repository_paused', queue: { baseBranch: 'main', paused: true } },
    ]);
    await s.graphql(
      'mutation ($repository: RepositoryInput!) { pauseRepository(input: {repository: $repository, paused: false}) { repository { id } } }',
      { repository },
    );
  });
});

describe('a socket', () => {
  it('is closed on every server when its token is revoked', async () => {
    const token = await s.tokenWith(['queue:read']);
    await using here = follow(eventsAfter, {}, { token });
    await using there = follow(eventsAfter, {}, { token, url: other.url });
    await started(here, there);
    const { data } = await s.graphql<{ apiTokens: { id: string }[] }>('{ apiTokens { id } }');
    await s.graphql('mutation ($id: ID!) { revokeApiToken(input: {id: $id}) { apiToken { id } } }', {
      id: data.apiTokens[0]?.id,
    });
    expect(await Promise.all([here.closed, there.closed])).toMatchObject([
      { code: 4403, reason: 'The token was revoked' },
      { code: 4403 },
    ]);
  });

  it('is closed when its token expires', async () => {
    // The clock stands still, so the token is valid however long the socket takes to open.
    const now = new Date();
    const still = await startServer({ clock: () => now });
    try {
      const token = await still.tokenWith(['queue:read'], { expiresAt: new Date(now.getTime() + 300) });
      const closing = Promise.withResolvers<{ code: number }>();
      const opening = Promise.withResolvers<void>();
      const connection = client(still.url, token, closing.resolve);
      connection.on('connected', () => opening.resolve());
      await opening.promise;
      expect((await closing.promise).code).toBe(4401);
      await connection.dispose();
    } finally {
      await still.close();
    }
  });

  it('has the same limits for queries', async () => {
    const connection = client(s.url, s.token);
    try {
      for await (const result of connection.iterate({ query: '{ viewer { account { name } } }' }))
        expect(result.data).toEqual({ viewer: { account: { name: 'acme' } } });
      const wide = `{ ${Array.from({ length: 101 }, (_, at) => `a${at}: viewer { email }`).join(' ')} }`;
      const refused = await connection
        .iterate({ query: wide })
        .next()
        .catch((error: unknown) => error);
      expect(refused).toMatchObject([
        { extensions: { code: 'BAD_INPUT' }, message: expect.stringContaining('101 aliases') },
      ]);
    } finally {
      await connection.dispose();
    }
  });

  it('is closed by a server that stops', async () => {
    const third = await s.another();
    const closing = Promise.withResolvers<{ code: number }>();
    const connection = client(third.url, s.token, closing.resolve);
    for await (const _ of connection.iterate({ query: '{ viewer { email } }' })) break;
    await third.close();
    expect((await closing.promise).code).toBe(1001);
    await connection.dispose();
  });
});

describe('a reader that is too slow', () => {
  it('gets the cursor after which it can continue, and its socket is closed', async () => {
    const after = await head();
    const socket = new WebSocket(`${s.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const closed = Promise.withResolvers<{ code: number; reason: string }>();
    socket.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }));
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${s.token}` } })),
    );
    const messages: {
      type: string;
      payload?: {
        data?: { events: { payload: { n: number } } };
        errors?: { message: string; extensions: { code: string } }[];
      };
    }[] = [];
    const first = Promise.withResolvers<void>();
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString());
      messages.push(message);
      if (message.type === 'connection_ack')
        socket.send(
          JSON.stringify({ id: '1', type: 'subscribe', payload: { query: eventsAfter, variables: { after } } }),
        );
      if (message.type === 'next') first.resolve();
    });
    const padding = 'x'.repeat(20_000);
    await write({ repositoryId: seeded.repositoryId, action: 'flood', payload: { n: 0, padding } });
    await first.promise;
    // Stops reading. What the kernel does not buffer waits in the server.
    socket.pause();
    for (let batch = 0; batch < 15; batch += 1) {
      await write(
        ...Array.from(
          { length: 100 },
          (_, n): NewEvent => ({
            repositoryId: seeded.repositoryId,
            action: 'flood',
            payload: { n: batch * 100 + n + 1, padding },
          }),
        ),
      );
    }
    const last = await head();
    await using stream = follow<EventPayload>(eventsAfter, { after: `1.${Number(last.split('.')[1]) - 1}` });
    await stream.until(1);
    socket.resume();
    const { code, reason } = await closed.promise;
    const error = messages.flatMap((message) => message.payload?.errors ?? []).at(-1);
    expect(error).toMatchObject({ extensions: { code: 'RATE_LIMITED' } });
    expect([code, reason]).toEqual([4429, error?.message]);
    const cursor = /after (\d+\.\d+)\.$/.exec(reason)?.[1];
    const seen = messages.flatMap((message) => message.payload?.data?.events.payload.n ?? []);
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, n) => n));
    await using resumed = follow<EventPayload>(eventsAfter, { after: cursor });
    expect((await resumed.until(1))[0]?.payload.n).toBe(seen.length);
  });
});
