// The baseline of `github-webhooks`: node:http and pg verify the signature and insert one row.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { serveMeasurements } from './measured-process.ts';

const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL ?? '', max: 10 });
const secret = process.env.BENCH_WEBHOOK_SECRET ?? '';
await pool.query('create table if not exists baseline_delivery (id text primary key, event text, body jsonb)');

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    void receive(Buffer.concat(chunks), request.headers).then((status) => response.writeHead(status).end());
  });
});

async function receive(body: Buffer, headers: NodeJS.Dict<string | string[]>): Promise<number> {
  const given = Buffer.from(String(headers['x-hub-signature-256']));
  const signed = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  if (given.length !== signed.length || !timingSafeEqual(given, signed)) return 401;
  const { ref } = JSON.parse(body.toString()) as { ref?: string };
  await pool.query({
    name: 'insert',
    text: 'insert into baseline_delivery (id, event, body) values ($1, $2, $3) on conflict do nothing',
    values: [headers['x-github-delivery'], headers['x-github-event'], JSON.stringify({ ref })],
  });
  return 202;
}

server.listen(0, '127.0.0.1', () => {
  serveMeasurements(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
