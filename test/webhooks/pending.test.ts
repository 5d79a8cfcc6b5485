// Many pending deliveries, as after an hour with a slow receiver. Taking the next ones must be as cheap as with few,
// also when the statistics of PostgreSQL are from a time without pending ones.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { keyOfSecret } from '../../src/domain/events/signature.ts';
import { generateSecrets } from '../../src/modules/accounts/index.ts';
import { takePendingDeliveries } from '../../src/modules/webhooks/deliveries.rows.ts';
import { createWebhookSender } from '../../src/modules/webhooks/sender.ts';
import type { HttpAnswer, HttpOut } from '../../src/platform/http-out/index.ts';
import { retryDuringOutage } from '../../src/platform/outage.ts';
import { explainAll, watchPlans, type Plans } from '../support/plans.ts';
import { analyse } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';

const many = 5_000;
const lanes = 100;
const max = 8;
const now = new Date();

let s: TestServer;
let endpointId = '';
let plans: Plans;
beforeAll(async () => {
  s = await startServer();
  const [endpoint] = await s.rows<{ id: string }>(
    `insert into webhook_endpoint (account_id, url, actions, from_position, created_at, updated_at)
     values ($1, 'https://hooks.example.test/', '{*}', 0, now(), now()) returning id`,
    [s.accountId],
  );
  endpointId = endpoint?.id ?? '';
  await analyse(s.databaseUrl, 'webhook_delivery');
  await s.rows(
    `insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, body, created_at)
     select $1, $2, 'msg_' || n, 'queued', 'pull_request:' || n % ${lanes}, '{}', now() from generate_series(0, ${many - 1}) n`,
    [s.accountId, endpointId],
  );
  await explainAll(s.databaseUrl);
  // `explainAll` has ended the sessions of the service.
  await retryDuringOutage(async () => await s.rows('select 1'), s.ports.log);
  plans = watchPlans();
});
afterAll(async () => {
  plans[Symbol.dispose]();
  await s.close();
});

async function take(): Promise<{ readonly messages: readonly string[]; readonly blocks: number }> {
  const taken = await takePendingDeliveries(s.ports.db, { accountId: s.accountId, endpointId }, { max, now });
  const blocks = plans.take().find(({ text }) => text.includes('for update of d skip locked'))?.blocks;
  return { messages: taken.map(({ messageId }) => messageId), blocks: blocks ?? Number.NaN };
}

const messages = (from: number): string[] => Array.from({ length: max }, (_, at) => `msg_${from + at}`);

describe('the next of many pending deliveries', () => {
  it('are the first of each lane, and cheap to find with statistics from a time without pending deliveries', async () => {
    const first = await take();
    expect(first.messages).toEqual(messages(0));
    expect(first.blocks).toBeLessThan(500);
    expect((await take()).messages).toEqual(messages(max));
  });

  it('are cheap to find with up-to-date statistics', async () => {
    await analyse(s.databaseUrl, 'webhook_delivery');
    const next = await take();
    expect(next.messages).toEqual(messages(2 * max));
    expect(next.blocks).toBeLessThan(500);
  });

  it('wait for the lanes that they name, and for a delivery of their lane that is being sent', async () => {
    await s.rows("delete from webhook_delivery where lane <> 'pull_request:1' and lane <> 'pull_request:99'");
    await s.rows(
      `insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, waits_for, body, created_at)
       values ($1, $2, 'msg_batch', 'batch_landed', 'batch:1', '{pull_request:99}', '{}', now())`,
      [s.accountId, endpointId],
    );
    // The first delivery of lane 1 was taken above.
    expect((await take()).messages).toEqual(['msg_99']);
    await s.rows("update webhook_delivery set state = 'succeeded' where lane = 'pull_request:99'");
    expect((await take()).messages).toEqual(['msg_batch']);
  });
});

describe('outcomes of one endpoint', () => {
  const succeeded: HttpAnswer = { status: 204, headers: {}, body: '', error: null, durationMs: 1 };

  /** Takes `answers.length` deliveries of lanes of their own, and sends them to a receiver that answers so. */
  async function send(answers: readonly Promise<HttpAnswer>[]) {
    await s.rows('delete from webhook_delivery');
    await s.rows(
      `insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, body, created_at)
       select $1, $2, 'msg_' || n, 'queued', 'pull_request:' || n, '{}', now() from generate_series(1, $3::int) n`,
      [s.accountId, endpointId, answers.length],
    );
    const waiting = [...answers];
    const http: HttpOut = {
      post: async () => await (waiting.shift() ?? Promise.reject(new Error('More was sent than was taken.'))),
      send: () => Promise.reject(new Error('Webhooks are posted.')),
      close: () => {},
    };
    const sender = createWebhookSender(s.ports, { secrets: generateSecrets(), http, retry: async () => {} });
    const deliveries = await takePendingDeliveries(s.ports.db, { accountId: s.accountId, endpointId }, { max, now });
    const key = keyOfSecret('a secret');
    const target = { url: 'https://hooks.example.test/', keys: { current: key, next: null, previous: null } };
    plans.take();
    return deliveries.map(async (delivery) => await sender.send(delivery, target));
  }

  const writes = (): number => plans.take().filter(({ text }) => text.includes('jsonb_to_recordset')).length;

  it('are written by one statement, although the answers come at different moments', async () => {
    const answers = [1, 2, 3, 4].map(() => Promise.withResolvers<HttpAnswer>());
    const sending = await send(answers.map(({ promise }) => promise));
    // Time stands still, so that the first outcome waits for the others on a slow machine too.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (const { resolve } of answers) {
      resolve(succeeded);
      await endOfTurn();
      await endOfTurn();
    }
    vi.useRealTimers();
    await Promise.all(sending);
    expect(writes()).toBe(1);
    expect(await s.rows("select 1 from webhook_delivery where state = 'succeeded'")).toHaveLength(4);
  });

  it('do not wait for an answer that takes long', async () => {
    const late = Promise.withResolvers<HttpAnswer>();
    const [first, second] = await send([Promise.resolve(succeeded), late.promise]);
    await first;
    expect(writes()).toBe(1);
    late.resolve(succeeded);
    await second;
    expect(writes()).toBe(1);
  });
});
