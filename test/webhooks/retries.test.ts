// Retries by a workflow, on a server whose clock jumps ahead while every workflow waits.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection.js';
import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer } from '../../src/launcher/temporal.ts';
import { connectTemporal } from '../../src/temporal.ts';
import { createDeliveryActivities, type DeliveryActivities } from '../../workflows/webhook-delivery/activities.ts';
import { deliveryWorkflowId } from '../../workflows/webhook-delivery/messages.ts';
import { workflowBundle } from '../support/temporal.ts';
import { eventually, receiver, type Receiver } from './receiver.ts';
import { webhookWorld, type WebhookWorld } from './webhook-world.ts';

const hour = 3_600_000;
const stops: (() => Promise<unknown>)[] = [];
let w: WebhookWorld;
let r: Receiver;
let connection: Connection;

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-retries-'));
  const server = await startTestServer({ dataDir, log: () => undefined });
  stops.push(
    async () => await rm(dataDir, { recursive: true, force: true }),
    async () => await server.stop(),
  );
  const taskQueue = `webhooks-${randomUUID()}`;
  const temporal = connectTemporal({
    address: server.address,
    namespace: 'default',
    taskQueue,
    log: pino({ level: 'fatal' }),
  });
  stops.push(async () => await temporal.close());
  w = await webhookWorld({ retry: temporal.retryDelivery });
  stops.push(async () => await w[Symbol.asyncDispose]());
  // The SDK exports this symbol only for its testing package, which is not one of our dependencies.
  const testing = { [InternalConnectionOptionsSymbol]: { supportsTestService: true } };
  connection = await Connection.connect(Object.assign({ address: server.address }, testing));
  stops.push(async () => await connection.close());
  const native = await NativeConnection.connect({ address: server.address });
  stops.push(async () => await native.close());
  const sender = w.s.service.webhooks;
  if (sender === null) throw new Error('The world sends no webhooks.');
  const real = createDeliveryActivities(sender);
  const activities: DeliveryActivities = {
    attemptDelivery: async (input) => {
      await followServer();
      return await real.attemptDelivery(input);
    },
  };
  const worker = await Worker.create({ connection: native, taskQueue, activities, workflowBundle: workflowBundle() });
  const ended = worker.run();
  stops.push(async () => {
    worker.shutdown();
    await ended;
  });
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});
beforeEach(async () => {
  r = await receiver();
  return async () => await r[Symbol.asyncDispose]();
});

/** Sets the clock of the tests to that of the server, which jumps. */
async function followServer(): Promise<void> {
  const { time } = await service().getCurrentTime({});
  const ms = Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
  w.pass(ms - w.clock().getTime());
}

function service(): NonNullable<Connection['testService']> {
  if (connection.testService === undefined) throw new Error('The server does not skip time.');
  return connection.testService;
}

async function skippingTime(work: () => Promise<void>): Promise<void> {
  await service().unlockTimeSkipping({});
  try {
    await work();
  } finally {
    await service().lockTimeSkipping({});
  }
}

describe('a receiver that is down for an hour', () => {
  it('gets everything afterwards, each with the same id as before, on the documented schedule', async () => {
    await w.endpoint(r.url);
    await followServer();
    const upAt = w.clock().getTime() + hour;
    const taken: string[] = [];
    r.answer(({ headers, json }) => {
      if (w.clock().getTime() < upAt) return { status: 503 };
      taken.push(`${String(json['pr_number'])} ${String(json['action'])} ${String(headers['x-service-attempt'])}`);
      return { status: 200 };
    });
    for (const number of [1, 2, 3])
      for (const action of ['opened', 'queued']) await w.happen(action, number, { status: 'queued' });
    await r.until(6);
    await skippingTime(async () => {
      await eventually(
        async () => taken.length === 6,
        'all are taken',
        () => taken,
        60_000,
      );
      await w.settled('succeeded');
    });
    expect(taken.toSorted()).toEqual([
      '1 opened 5',
      '1 queued 5',
      '2 opened 5',
      '2 queued 5',
      '3 opened 5',
      '3 queued 5',
    ]);
    const ids = Map.groupBy(r.received, ({ headers }) => headers['x-service-delivery']);
    expect([...ids.values()].map((attempts) => attempts.length)).toEqual(Array(6).fill(5));
    const attempts = await w.s.rows<{ wait: number }>(
      `select extract(epoch from started_at - lag(started_at) over (partition by delivery_id order by number))::float8 as wait
       from webhook_attempt order by delivery_id, number`,
    );
    const waits = attempts.slice(1, 5).map(({ wait }) => wait);
    for (const [index, least] of [5, 300, 1_800, 7_200].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(least);
      expect(waits[index]).toBeLessThan(least + 60);
    }
  });
});

describe('a delivery that is retried', () => {
  it('is sent immediately on request, and its waiting workflow does not send it again', async () => {
    await w.s.rows('delete from webhook_endpoint');
    await w.endpoint(r.url);
    r.answer(() => ({ status: 500 }));
    await w.happen('merged', 5, { status: 'merged' });
    const [waiting] = await w.settled('retrying');
    r.answer(() => ({ status: 200 }));
    const { data } = await w.s.graphql<{ webhookEndpoints: { nodes: { deliveries: { nodes: { id: string }[] } }[] } }>(
      '{ webhookEndpoints { nodes { deliveries { nodes { id } } } } }',
    );
    const id = data.webhookEndpoints.nodes[0]?.deliveries.nodes[0]?.id;
    await w.ask('redeliverWebhook', { id }, 'webhookDelivery { state }');
    await w.settled('succeeded');
    const count = r.received.length;
    await skippingTime(async () => {
      const workflowId = deliveryWorkflowId({ accountId: w.s.accountId, deliveryId: waiting?.id ?? '' });
      await new Client({ connection }).workflow.getHandle(workflowId).result();
    });
    expect(r.received).toHaveLength(count);
    expect((await w.deliveries()).map(({ state }) => state)).toEqual(['succeeded']);
  });
});
