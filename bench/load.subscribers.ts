// The subscriptions of the bench `load`. Each is a socket of graphql-ws that follows all events of its account, or one
// pull request. At the end each subscription must have received every event that concerns it, once and in order.
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { LoadAccount } from './load.requests.ts';
import { shop } from './load.requests.ts';
import type { Program } from './program.ts';

const opensAtOnce = 25;
/**
 * One of this many subscriptions of an account follows all its events, the others follow a pull request each. In the
 * account `landing`, every subscription follows all events.
 */
const eventsEach = 10;
const settlesWithinMs = 60_000;

export interface Subscription {
  readonly account: LoadAccount;
  /** Null: all events of the account. */
  readonly number: number | null;
  /** The position of the newest event before the subscription. */
  readonly after: number;
  /** The position of the last message. */
  last: number;
  received: number;
  /** Messages that came twice or out of order. */
  disordered: number;
}

export interface Subscribers {
  readonly subscriptions: readonly Subscription[];
  /** Milliseconds from each event to its message, for subscriptions that follow their account. */
  readonly delays: readonly number[];
  /** Errors and closed sockets. */
  readonly failures: readonly string[];
  /** Waits for the last messages, closes the sockets, and returns how many messages came and how many are wrong. */
  settle(program: Program): Promise<{ readonly messages: number; readonly wrong: number }>;
}

export interface Followed {
  readonly account: LoadAccount;
  /** How many pull requests the account has. 0: all subscriptions of the account follow all events. */
  readonly pullRequests: number;
}

export async function subscribeAll(
  url: string,
  followed: readonly Followed[],
  { count, cursorOf }: { readonly count: number; readonly cursorOf: (account: LoadAccount) => Promise<string> },
): Promise<Subscribers> {
  const subscriptions: Subscription[] = [];
  const sockets: WebSocket[] = [];
  const delays: number[] = [];
  const failures: string[] = [];
  let isClosing = false;
  const fail = (reason: string): void => void (isClosing || failures.push(reason));
  const cursors = await Promise.all(followed.map(async ({ account }) => await cursorOf(account)));

  async function open(n: number): Promise<void> {
    const { account, pullRequests } = followed[n % followed.length] ?? { account: null, pullRequests: 0 };
    const cursor = cursors[n % followed.length];
    if (account === null || cursor === undefined) return;
    const turn = Math.floor(n / followed.length);
    const number = pullRequests === 0 || turn % eventsEach === 0 ? null : 1 + (turn % pullRequests);
    const after = Number(cursor.split('.')[1]);
    const subscription: Subscription = { account, number, after, last: after, received: 0, disordered: 0 };
    subscriptions.push(subscription);
    sockets.push(await follow(url, { subscription, cursor, delays, fail }));
  }

  for (let at = 0; at < count; at += opensAtOnce)
    await Promise.all(Array.from({ length: Math.min(opensAtOnce, count - at) }, async (_, n) => await open(at + n)));

  return {
    subscriptions,
    delays,
    failures,
    async settle(program) {
      const deadline = performance.now() + settlesWithinMs;
      let wrong = await countWrong(program, subscriptions);
      while (wrong > 0 && performance.now() < deadline) {
        await delay(1_000);
        wrong = await countWrong(program, subscriptions);
      }
      isClosing = true;
      for (const socket of sockets) socket.terminate();
      return { messages: subscriptions.reduce((sum, { received }) => sum + received, 0), wrong };
    },
  };
}

interface Following {
  readonly subscription: Subscription;
  readonly cursor: string;
  readonly delays: number[];
  readonly fail: (reason: string) => void;
}

async function follow(url: string, { subscription, cursor, delays, fail }: Following): Promise<WebSocket> {
  const { account, number } = subscription;
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws', {
    perMessageDeflate: false,
  });
  const subscribed = Promise.withResolvers<void>();
  socket.on('error', (error) => {
    fail(`a socket failed: ${error.message}`);
    subscribed.reject(error);
  });
  socket.on('close', (code, reason) => {
    fail(`a socket was closed: ${code} ${reason.toString()}`);
    subscribed.reject(new Error(`A socket was closed: ${code}`));
  });
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${account.token}` } })),
  );
  socket.on('message', (bytes: Buffer) => {
    const message = bytes.toString('utf8');
    if (message.includes('"connection_ack"')) {
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: payloadOf(number, cursor) }));
      return subscribed.resolve();
    }
    if (message.includes('"ping"')) return socket.send('{"type":"pong"}');
    const position = Number(/"cursor":"\d+\.(\d+)"/.exec(message)?.[1] ?? Number.NaN);
    if (!message.includes('"next"') || Number.isNaN(position)) return fail(`a message was ${message.slice(0, 200)}`);
    if (position <= subscription.last) subscription.disordered += 1;
    subscription.last = position;
    subscription.received += 1;
    const at = /"at":"([^"]+)"/.exec(message)?.[1];
    if (at !== undefined) delays.push(Date.now() - Date.parse(at));
  });
  await subscribed.promise;
  return socket;
}

function payloadOf(number: number | null, after: string): object {
  if (number === null)
    return {
      query: 'subscription ($after: String) { events(after: $after) { cursor action at } }',
      variables: { after },
    };
  return {
    query: `subscription ($after: String, $owner: String!, $name: String!, $number: PullRequestNumber!) {
      pullRequestChanged(repository: {owner: $owner, name: $name}, number: $number, after: $after) { cursor action pullRequest { number status title } } }`,
    variables: { ...shop, number, after },
  };
}

/** How many messages are missing, too many, or out of order. An event without a position counts as a missing message. */
async function countWrong(program: Program, subscriptions: readonly Subscription[]): Promise<number> {
  const events = await program.rows<{ account: string; number: number | null; positions: (number | null)[] }>(
    `select e.account_id::text as account, p.number, array_agg(e.position::float8) as positions
     from event e left join pull_request p on p.account_id = e.account_id and p.id = e.pull_request_id
     where e.account_id = any($1::bigint[]) group by 1, 2`,
    [[...new Set(subscriptions.map(({ account }) => account.accountId))]],
  );
  return subscriptions.reduce((wrong, { account, number, after, received, disordered }) => {
    const concern = events.filter(
      (of) => of.account === account.accountId && (number === null || of.number === number),
    );
    const expected = concern.reduce(
      (sum, { positions }) => sum + positions.filter((position) => position === null || position > after).length,
      0,
    );
    return wrong + Math.abs(expected - received) + disordered;
  }, 0);
}
