// Changes of an endpoint while a process makes the deliveries of its account.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { appendEvents } from '../../src/modules/events/index.ts';
import { advanceOutbox } from '../../src/modules/webhooks/outbox.ts';
import type { Database } from '../../src/platform/database.ts';
import { seed, type SeededRepository } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';

// The server sends no webhooks, so only the test makes deliveries.
let s: TestServer;
let seeded: SeededRepository;
beforeAll(async () => {
  s = await startServer();
  seeded = await seed(s);
});
afterAll(async () => await s.close());
afterEach(async () => {
  await s.rows('delete from webhook_delivery');
  await s.rows('delete from webhook_endpoint');
});

async function ask(field: string, inputType: string, input: Readonly<Record<string, unknown>>): Promise<string> {
  const { data, errors } = await s.graphql<Record<string, { webhookEndpoint: { id: string } }>>(
    `mutation ($input: ${inputType}!) { ${field}(input: $input) { webhookEndpoint { id } } }`,
    { input },
  );
  expect(errors).toEqual([]);
  return data[field]?.webhookEndpoint.id ?? '';
}

/** Writes an event, and waits until it is in the log. */
async function happen(action: string): Promise<void> {
  const ctx = systemContext(s.ports, s.accountId);
  const [row] = await s.rows<{ id: string }>('select id from pull_request where account_id = $1 and number = 1', [
    s.accountId,
  ]);
  const payload = { number: 1, author: 'ada', status: 'open', skipLine: false, statusCode: null, statusText: null };
  await ctx.db.transaction(
    s.accountId,
    async (tx) =>
      await appendEvents(ctx, tx, [
        { repositoryId: seeded.repositoryId, pullRequestId: row?.id ?? null, action, payload },
      ]),
  );
  await expect
    .poll(async () => await s.rows('select 1 from event where position is null'), { interval: 5 })
    .toEqual([]);
}

/**
 * A database that calls `meanwhile` once, before the second round trip of a transaction. It runs one statement after the
 * other, in the order in which they are given.
 */
function interrupted(db: Database, meanwhile: () => Promise<void>): Database {
  let isInterrupted = false;
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = async <T>(text: string, run: () => Promise<T>): Promise<T> => {
    const running = last.then(async () => {
      if (!isInterrupted && /from event e|update webhook_cursor/.test(text)) {
        isInterrupted = true;
        await meanwhile();
      }
      return await run();
    });
    last = running;
    return await running;
  };
  const transaction: Database['system']['transaction'] = async (work) =>
    await db.system.transaction(
      async (query, send) =>
        await work(
          async (text, values) => await inOrder(text, async () => await query(text, values)),
          async (text, values) => await inOrder(text, async () => await send(text, values)),
        ),
    );
  return { ...db, system: { ...db.system, transaction } };
}

const url = 'https://hooks.example.test/';

it.each([
  ['is enabled, while others are', true],
  ['is enabled, while no other is', false],
  ['gets another action', true],
])('an endpoint that %s gets what happens from then on, also while deliveries are made', async (how, hasOther) => {
  const id = await ask('createWebhookEndpoint', 'CreateWebhookEndpointInput', { url, actions: ['merged'] });
  if (hasOther) await ask('createWebhookEndpoint', 'CreateWebhookEndpointInput', { url, actions: ['merged'] });
  const isUpdated = how === 'gets another action';
  if (!isUpdated) {
    await ask('updateWebhookEndpoint', 'UpdateWebhookEndpointInput', { id, actions: ['queued'] });
    await ask('disableWebhookEndpoint', 'WebhookEndpointInput', { id });
  }
  await happen('opened');
  const now = s.ports.clock();
  await advanceOutbox(
    interrupted(s.ports.db, async () => {
      if (isUpdated) await ask('updateWebhookEndpoint', 'UpdateWebhookEndpointInput', { id, actions: ['queued'] });
      else await ask('enableWebhookEndpoint', 'WebhookEndpointInput', { id });
      await happen('queued');
    }),
    s.accountId,
    now,
  );
  await advanceOutbox(s.ports.db, s.accountId, now);
  expect(await s.rows('select action from webhook_delivery')).toEqual([{ action: 'queued' }]);
});
