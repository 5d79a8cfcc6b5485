// The baseline of `subscriptions`: ws and one LISTEN. A socket names its account, and gets the events of all pull
// requests of the account. Each notification takes one query for all accounts in the notification. A message is
// serialised once for all sockets of an account.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { WebSocketServer, type WebSocket } from 'ws';
import { serveMeasurements } from './measured-process.ts';

const pool = new pg.Pool({ connectionString: process.env['BENCH_DATABASE_URL'], max: 8 });
const sockets = new Map<string, Set<WebSocket>>();
const positions = new Map<string, number>();

const news = {
  name: 'news',
  text: `select e.account_id::text as account, e.position::float8 as position, e.action, p.number, p.status
         from unnest($1::bigint[], $2::bigint[]) as seen (account_id, position)
         join event e on e.account_id = seen.account_id and e.position > seen.position
         join pull_request p on p.account_id = e.account_id and p.id = e.pull_request_id
         order by e.account_id, e.position`,
};

interface News {
  readonly account: string;
  readonly position: number;
  readonly action: string;
  readonly number: number;
  readonly status: string;
}

async function tell(accounts: readonly string[]): Promise<void> {
  const followed = accounts.filter((account) => sockets.has(account));
  const { rows } = await pool.query<News>({
    ...news,
    values: [followed, followed.map((account) => positions.get(account) ?? 0)],
  });
  for (const { account, position, action, number, status } of rows) {
    if (position <= (positions.get(account) ?? 0)) continue;
    positions.set(account, position);
    const payload = {
      data: { pullRequestChanged: { cursor: String(position), action, pullRequest: { number, status } } },
    };
    const text = JSON.stringify({ id: '1', type: 'next', payload });
    for (const socket of sockets.get(account) ?? []) socket.send(text);
  }
}

const listener = new pg.Client({ connectionString: process.env['BENCH_DATABASE_URL'] });
await listener.connect();
listener.on('notification', ({ payload = '{}' }) => void tell(Object.keys(JSON.parse(payload) as object)));
await listener.query('listen interlock_events');

const server = createServer();
const wss = new WebSocketServer({ server });
wss.on('connection', (socket) => {
  socket.on('message', (bytes: Buffer) => {
    const message = JSON.parse(bytes.toString('utf8')) as { type: string; account?: string };
    if (message.type === 'connection_init') return socket.send('{"type":"connection_ack"}');
    const account = message.account ?? '';
    const following = sockets.get(account) ?? new Set();
    sockets.set(account, following.add(socket));
  });
});
server.listen(0, '127.0.0.1', () => serveMeasurements(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
