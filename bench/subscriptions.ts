// Compares subscriptions over graphql-ws with a minimal server (the library ws, and LISTEN of PostgreSQL) that sends the same events. Each account
// has ten sockets, which follow one pull request of the account.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { WebSocket } from 'ws';
import { openBenchDatabase } from './database.ts';
import { fillDataSet, target } from './dataset.ts';
import { figure, percentile, type Figure } from './figures.ts';
import { startMeasuredServer, type MeasuredProcess } from './measured-process.ts';
import { createTenants, type Tenant } from './tenants.ts';

const socketsOfAccount = 10;
/** Few, because there are many accounts. The tables are as large as those of `reads`. */
const mergedOfAccount = 50;
const rounds = 10;
const single = 200;
/** How many accounts the bench lists in one NOTIFY. The sequencer lists as many as fit into 7,900 bytes. */
const accountsOfNotification = 100;
const opensAtOnce = 100;

const document = `subscription ($owner: String!, $name: String!, $number: PullRequestNumber!) {
  pullRequestChanged(repository: {owner: $owner, name: $name}, number: $number) { cursor action pullRequest { number status } } }`;

export async function measureSubscriptions(sockets: number): Promise<Figure[]> {
  const database = await openBenchDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  try {
    const { tenants, secret } = await createTenants(database.url, sockets / socketsOfAccount);
    await fillDataSet(database.url, mergedOfAccount);
    const environment = { BENCH_DATABASE_URL: database.url, BENCH_SECRET: secret };
    const measure = async (name: 'contender' | 'subscriptions-baseline'): Promise<Measured> => {
      const server = await startMeasuredServer(name, environment);
      try {
        return await measureServer(server, owner, tenants);
      } finally {
        await server.stop();
      }
    };
    const bare = await measure('subscriptions-baseline');
    const ours = await measure('contender');
    return [
      figure({
        what: `${sockets} sockets, from the commit to the message, p99`,
        today: ours.p99,
        rival: bare.p99,
        unit: 'ms',
        atMost: 2,
      }),
      figure({
        what: 'messages to all sockets',
        today: ours.perSecond,
        rival: bare.perSecond,
        unit: 'a second',
        atLeast: 0.8,
      }),
      figure({ what: 'CPU of the server for a message', today: ours.cpuMicros, rival: bare.cpuMicros, unit: 'µs' }),
      figure({ what: 'messages lost or doubled', today: ours.wrong, unit: '', atMost: 0 }),
      figure({ what: 'memory of a socket', today: ours.kilobytes, unit: 'KB', atMost: 25 }),
      figure({ what: 'memory of a socket of the minimal server', today: bare.kilobytes, unit: 'KB' }),
      figure({
        what: `CPU of an event that 10 of ${sockets} open sockets receive, compared with 10 of 10 open sockets`,
        today: ours.singleMicros.among,
        rival: ours.singleMicros.alone,
        unit: 'µs',
        atMost: 1.2,
      }),
    ];
  } finally {
    await owner.end();
    await database.drop();
  }
}

interface Measured {
  readonly p99: number;
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly wrong: number;
  readonly kilobytes: number;
  readonly singleMicros: { readonly alone: number; readonly among: number };
}

interface Follower {
  readonly socket: WebSocket;
  received: number;
}

async function measureServer(server: MeasuredProcess, owner: pg.Client, tenants: readonly Tenant[]): Promise<Measured> {
  const followers: Follower[] = [];
  const arrivals: number[] = [];
  const open = async (tenant: Tenant): Promise<void> => {
    for (let n = 0; n < socketsOfAccount; n += 1)
      followers.push(await follow(server.url, tenant, () => void arrivals.push(performance.now())));
  };
  const [first, ...others] = tenants;
  if (first === undefined) throw new Error('The bench of subscriptions has no account.');
  await open(first);
  await untilAllHear(owner, followers, [first]);
  const alone = await costOfSingle(server, owner, { tenant: first, followers });
  const emptyBytes = await server.residentBytes();
  for (let at = 0; at < others.length; at += opensAtOnce)
    await Promise.all(others.slice(at, at + opensAtOnce).map(open));
  await untilAllHear(owner, followers, tenants);
  const kilobytes = ((await server.residentBytes()) - emptyBytes) / (followers.length - socketsOfAccount) / 1_000;
  const among = await costOfSingle(server, owner, { tenant: first, followers });
  for (const follower of followers) follower.received = 0;
  const latencies: number[] = [];
  let busyMs = 0;
  const cpuBefore = await server.cpuMicros();
  for (let round = 1; round <= rounds; round += 1) {
    arrivals.length = 0;
    const committedAt = await write(owner, tenants);
    await untilReceived(followers, round);
    latencies.push(...arrivals.map((at) => at - committedAt));
    busyMs += Math.max(...arrivals.slice(-1)) - committedAt;
  }
  const messages = rounds * followers.length;
  const cpuMicros = ((await server.cpuMicros()) - cpuBefore) / messages;
  await delay(200);
  const wrong = followers.reduce((sum, { received }) => sum + Math.abs(received - rounds), 0);
  const ended = followers.map(async ({ socket }) => {
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  });
  await Promise.all(ended);
  return {
    p99: percentile(latencies, 99),
    perSecond: messages / (busyMs / 1_000),
    cpuMicros,
    wrong,
    kilobytes,
    singleMicros: { alone, among },
  };
}

/** The CPU of the server for an event that is sent to ten sockets, in microseconds. */
async function costOfSingle(
  server: MeasuredProcess,
  owner: pg.Client,
  { tenant, followers }: { readonly tenant: Tenant; readonly followers: readonly Follower[] },
): Promise<number> {
  const own = followers.slice(0, socketsOfAccount);
  const once = async (): Promise<void> => {
    const wanted = (own[0]?.received ?? 0) + 1;
    await write(owner, [tenant]);
    await untilReceived(own, wanted);
  };
  for (let n = 0; n < single; n += 1) await once();
  const before = await server.cpuMicros();
  for (let n = 0; n < single; n += 1) await once();
  return ((await server.cpuMicros()) - before) / single;
}

/** A subscription sends nothing when it begins. All subscriptions have begun as soon as each has received an event. */
async function untilAllHear(
  owner: pg.Client,
  followers: readonly Follower[],
  tenants: readonly Tenant[],
): Promise<void> {
  for (const follower of followers) follower.received = 0;
  while (followers.some(({ received }) => received === 0)) {
    await write(owner, tenants);
    await delay(1_000);
  }
  const max = Math.max(...followers.map(({ received }) => received));
  for (const follower of followers) follower.received = max;
}

async function untilReceived(followers: readonly Follower[], wanted: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (followers.some(({ received }) => received < wanted)) {
    if (performance.now() > deadline) throw new Error('Messages were lost: not every socket received the event.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Writes an event with a position in each account, and announces the positions, as the sequencer does. Returns the
 * time of the commit, by `performance.now()`.
 */
async function write(owner: pg.Client, tenants: readonly Tenant[]): Promise<number> {
  const ids = tenants.map(({ accountId }) => accountId);
  const { rows } = await owner.query<{ account: string; position: number }>(
    `with head as (
       insert into event_head as h (account_id, position) select id, 1 from unnest($1::bigint[]) id
       on conflict (account_id) do update set position = h.position + 1 returning account_id, position),
     made as (
       insert into event (account_id, repository_id, pull_request_id, action, at, position)
       select head.account_id, p.repository_id, p.id, 'queued', now(), head.position
       from head join pull_request p on p.account_id = head.account_id and p.number = $2)
     select account_id::text as account, position::float8 as position from head`,
    [ids, target.number],
  );
  const committedAt = performance.now();
  for (let at = 0; at < rows.length; at += accountsOfNotification) {
    const named = rows
      .slice(at, at + accountsOfNotification)
      .map(({ account, position }) => [account, position] as const);
    await owner.query("select pg_notify('interlock_events', $1)", [JSON.stringify(Object.fromEntries(named))]);
  }
  return committedAt;
}

async function follow(url: string, { accountId, token }: Tenant, onNext: () => void): Promise<Follower> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws', {
    perMessageDeflate: false,
  });
  const follower: Follower = { socket, received: 0 };
  const subscribed = Promise.withResolvers<void>();
  socket.on('error', (error) => subscribed.reject(error));
  socket.on('close', (code) => subscribed.reject(new Error(`A socket was closed: ${code}`)));
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
  });
  socket.on('message', (bytes: Buffer) => {
    const text = bytes.toString('utf8');
    if (text.includes('"connection_ack"')) {
      const variables = { owner: target.owner, name: target.name, number: target.number };
      const payload = { query: document, variables };
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload, account: accountId }));
      return subscribed.resolve();
    }
    if (text.includes('"ping"')) return socket.send('{"type":"pong"}');
    if (!text.includes('"pullRequestChanged"')) throw new Error(`A subscription was refused: ${text}`);
    follower.received += 1;
    onNext();
  });
  await subscribed.promise;
  return follower;
}
