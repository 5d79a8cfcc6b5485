// The database fails for one call, at each call in turn. Every webhook is sent once, by the first attempt that reached
// its receiver.
import { expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { entities } from '../../src/modules/entities.ts';
import { appendEvents } from '../../src/modules/events/index.ts';
import { advanceOutbox } from '../../src/modules/webhooks/outbox.ts';
import { createWebhookSender } from '../../src/modules/webhooks/sender.ts';
import { connectDatabase } from '../../src/platform/database.ts';
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { seed } from '../graphql/seed.ts';
import { expectAtEachOutage, outagesOf } from '../support/outages.ts';
import { startServer } from '../support/server.ts';
import { eventually, receiver } from './receiver.ts';

it.each([200, 410])('a webhook with the answer %i is sent once, whichever database call fails', async (status) => {
  let aheadMs = 0;
  const clock = (): Date => new Date(Date.now() + aheadMs);
  const s = await startServer({ clock });
  const db = await connectDatabase({ url: s.databaseUrl, entities });
  const http = createHttpOut({ allowPrivateAddresses: true });
  await using r = await receiver();
  r.answer(() => ({ status }));
  const { repositoryId } = await seed(s);
  await using outages = outagesOf(db);
  const sender = createWebhookSender({ ...s.ports, db }, { secrets: s.secrets, http, retry: async () => {} });
  const { accountId } = s;
  let events = 0;
  let endpointId = '';
  await expectAtEachOutage({
    outages,
    async begin() {
      const made = await s.graphql<{ createWebhookEndpoint: { webhookEndpoint: { id: string } } }>(
        'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { id } } }',
        { input: { url: r.url, actions: ['*'] } },
      );
      expect(made.errors).toEqual([]);
      const [newest] = await s.rows<{ id: string }>('select max(id)::text as id from webhook_endpoint');
      endpointId = newest?.id ?? '';
      const ctx = systemContext(s.ports, accountId);
      const payload = { number: 1, author: 'ada', status: 'open', skipLine: false, statusCode: null, statusText: null };
      const event = { repositoryId, pullRequestId: null, action: 'opened', payload };
      await ctx.db.transaction(accountId, async (tx) => await appendEvents(ctx, tx, [event]));
      events += 1;
      await eventually(
        async () => (await s.rows('select 1 from event where position is null')).length === 0,
        'it has its position',
      );
    },
    async turn() {
      try {
        await advanceOutbox(db, accountId, clock());
        const { deliveries, target } = await sender.takePendingDeliveries({ accountId, endpointId }, 8);
        for (const delivery of deliveries) await sender.send(delivery, target);
      } finally {
        aheadMs += 31_000;
      }
    },
    isOver: async () =>
      (
        await s.rows("select 1 from webhook_delivery where endpoint_id = $1 and state in ('succeeded', 'failed')", [
          endpointId,
        ])
      ).length > 0,
    async check(when) {
      expect(r.received.length, when).toBe(events);
      await s.rows('update webhook_endpoint set enabled = false');
    },
  });
  await db.close();
  http.close();
  await s.close();
});
