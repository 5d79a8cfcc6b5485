// Measures first attempts of webhooks, from the event with a position to the recorded answer. The comparison is
// node:http alone, which sends a small JSON body. The receiver is another process.
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { generateSecrets } from '../src/modules/accounts/index.ts';
import { eventsChannel } from '../src/modules/events/index.ts';
import { createWebhookEndpoint } from '../src/modules/webhooks/endpoints.service.ts';
import { createWebhookRelay } from '../src/modules/webhooks/index.ts';
import { createHttpOut } from '../src/platform/http-out/index.ts';
import { figure, type Figure } from './figures.ts';
import { withInstallation, type BenchInstallation } from './installation.ts';
import { startMeasuredServer } from './measured-process.ts';

const atOnce = 8;

export async function measureWebhooks(count: number): Promise<Figure[]> {
  const receiver = await startMeasuredServer('webhook-receiver', {});
  const figures: Figure[] = [];
  try {
    await withInstallation(async (installation) => {
      await sendPlainly(receiver.url, Math.ceil(count / 10));
      const plain = await cost(count, async () => await sendPlainly(receiver.url, count));
      const relayed = await relayCost(installation, receiver.url, count);
      figures.push(
        figure({
          what: 'CPU of the sender for a first attempt, compared with node:http alone',
          today: relayed.cpuMs,
          rival: plain.cpuMs,
          unit: 'ms',
          over: 'rival',
          atLeast: 0.4,
        }),
        figure({ what: 'first attempts', today: relayed.perSecond, rival: plain.perSecond, unit: 'a second' }),
      );
    });
  } finally {
    await receiver.stop();
  }
  return figures;
}

interface Cost {
  readonly cpuMs: number;
  readonly perSecond: number;
}

async function cost(count: number, work: () => Promise<void>): Promise<Cost> {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000 / count, perSecond: (count * 1000) / (performance.now() - began) };
}

async function relayCost(installation: BenchInstallation, url: string, count: number): Promise<Cost> {
  const { owner } = installation;
  const ctx = await installation.account('hooks');
  const secrets = generateSecrets();
  const repositoryId = await installation.repository(ctx, 'hooks');
  await createWebhookEndpoint(ctx, secrets, { url, actions: ['*'], ownSecret: true });
  // A tenth more events is sent before the measurement, so that statements are planned and sockets are open.
  const warm = Math.ceil(count / 10);
  const fill = async (from: number, to: number): Promise<void> => {
    await owner.query(
      `insert into event (account_id, repository_id, pull_request_id, action, payload, at, position)
       select $1::bigint, $2::bigint, 1 + n % 100, 'queued',
         jsonb_build_object('number', 1 + n % 100, 'author', 'ada', 'status', 'queued', 'skipLine', false, 'statusCode', null, 'statusText', null), now(), n
       from generate_series($3::int, $4::int) n`,
      [ctx.accountId, repositoryId, from, to],
    );
    await owner.query(
      `insert into event_head (account_id, position) values ($1, $2) on conflict (account_id) do update set position = excluded.position`,
      [ctx.accountId, to],
    );
    await owner.query('select pg_notify($1, $2)', [eventsChannel, JSON.stringify({ [ctx.accountId]: to })]);
  };
  const arrived = async (wanted: number): Promise<void> => {
    for (;;) {
      const { rows } = await owner.query<{ n: number }>(
        "select count(*)::int as n from webhook_delivery where state = 'succeeded'",
      );
      if ((rows[0]?.n ?? 0) >= wanted) return;
      await delay(100);
    }
  };
  const http = createHttpOut({ allowPrivateAddresses: true });
  const relay = createWebhookRelay(ctx, { secrets, http, retry: async () => {} });
  const { rows } = await owner.query<{ position: number }>(
    'select coalesce(max(position), 0)::int as position from webhook_cursor',
  );
  const base = rows[0]?.position ?? 0;
  relay.start();
  await fill(base + 1, base + warm);
  await arrived(warm);
  const measured = await cost(count, async () => {
    await fill(base + warm + 1, base + warm + count);
    await arrived(warm + count);
  });
  await relay.stop();
  return measured;
}

async function sendPlainly(url: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const body = Buffer.from(
    JSON.stringify({ action: 'queued', repository: 'hooks', organization: 'acme', pr_number: 1 }),
  );
  let left = count;
  const post = async (): Promise<void> => {
    const sent = Promise.withResolvers<void>();
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const posting = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => sent.resolve());
    });
    posting.on('error', (error) => sent.reject(error));
    posting.end(body);
    await sent.promise;
  };
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await post();
    }),
  );
  agent.destroy();
}
