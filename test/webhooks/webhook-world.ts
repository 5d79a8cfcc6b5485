// A server that sends webhooks. Its clock moves on when a test says so.
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { systemContext } from '../../src/context.ts';
import { appendEvents } from '../../src/modules/events/index.ts';
import type { DeliveryRef, WebhookOptions } from '../../src/modules/webhooks/index.ts';
import { seed, type SeededRepository } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { eventually } from './receiver.ts';

export interface WebhookWorld extends AsyncDisposable {
  readonly s: TestServer;
  readonly seeded: SeededRepository;
  /** The deliveries that were handed to a retry workflow, oldest first. */
  readonly retries: readonly DeliveryRef[];
  pass(ms: number): void;
  clock(): Date;
  /** Appends an event about pull request `number`, as the engine does. */
  happen(action: string, number: number, facts?: Readonly<Record<string, unknown>>): Promise<void>;
  endpoint(url: string, more?: Readonly<Record<string, unknown>>): Promise<{ id: string; secret: string | null }>;
  ask<Data = Record<string, never>>(
    field: string,
    input: Readonly<Record<string, unknown>>,
    selection: string,
  ): Promise<Data>;
  deliveries(): Promise<readonly DeliveryRow[]>;
  /** Waits until every delivery is in one of these states, and returns all deliveries. */
  settled(...states: string[]): Promise<readonly DeliveryRow[]>;
}

export interface DeliveryRow {
  readonly id: string;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly message_id: string;
  readonly action: string;
  readonly state: string;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
}

export interface WebhookWorldOptions {
  /** Default true, because the receivers of tests are on this machine. */
  readonly allowPrivateAddresses?: boolean;
  /** Called when a delivery is to be retried. Without it, `retries` records the call. */
  readonly retry?: WebhookOptions['retry'];
}

export async function webhookWorld(options: WebhookWorldOptions = {}): Promise<WebhookWorld> {
  let skippedMs = 0;
  const retries: DeliveryRef[] = [];
  const clock = (): Date => new Date(Date.now() + skippedMs);
  const s = await startServer({
    clock,
    webhooks: () => ({
      http: createHttpOut({ allowPrivateAddresses: options.allowPrivateAddresses ?? true }),
      retry:
        options.retry ??
        (async (delivery) => void retries.push({ accountId: delivery.accountId, deliveryId: delivery.deliveryId })),
    }),
  });
  const seeded = await seed(s);
  const w: WebhookWorld = {
    s,
    seeded,
    retries,
    pass: (ms) => void (skippedMs += ms),
    clock,
    async happen(action, number, facts = {}) {
      const ctx = systemContext(s.ports, s.accountId);
      const [row] = await s.rows<{ id: string }>('select id from pull_request where account_id = $1 and number = $2', [
        s.accountId,
        number,
      ]);
      const payload = { number, author: 'ada', status: 'open', skipLine: false, statusCode: null, statusText: null };
      await ctx.db.transaction(
        s.accountId,
        async (tx) =>
          await appendEvents(ctx, tx, [
            {
              repositoryId: seeded.repositoryId,
              pullRequestId: row?.id ?? null,
              action,
              payload: { ...payload, ...facts },
            },
          ]),
      );
    },
    async endpoint(url, more = {}) {
      const made = await w.ask<{ webhookEndpoint: { id: string }; secret: string | null }>(
        'createWebhookEndpoint',
        { url, actions: ['*'], ...more },
        'webhookEndpoint { id } secret',
      );
      return { id: made.webhookEndpoint.id, secret: made.secret };
    },
    async ask<Data>(field: string, input: Readonly<Record<string, unknown>>, selection: string): Promise<Data> {
      const type = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
      const known = inputTypes[type] ?? type;
      const document = `mutation ($input: ${known}!) { ${field}(input: $input) { ${selection} } }`;
      const answer = await s.graphql<Record<string, Data>>(document, { input });
      if (answer.errors.length > 0) throw new Error(answer.errors[0]?.message);
      return answer.data[field] as Data;
    },
    deliveries: async () => await s.rows<DeliveryRow>('select * from webhook_delivery order by id'),
    async settled(...states) {
      let rows: readonly DeliveryRow[] = [];
      await eventually(
        async () => {
          rows = await w.deliveries();
          return rows.length > 0 && rows.every(({ state }) => states.includes(state));
        },
        `every delivery is ${states.join(' or ')}:`,
        () => rows.map(({ action, state, attempts }) => ({ action, state, attempts })),
      );
      return rows;
    },
    [Symbol.asyncDispose]: async () => await s.close(),
  };
  return w;
}

const inputTypes: Readonly<Record<string, string>> = Object.fromEntries(
  ['enable', 'disable', 'delete', 'ping']
    .map((verb) => [`${verb[0]?.toUpperCase()}${verb.slice(1)}WebhookEndpointInput`, 'WebhookEndpointInput'])
    .concat([
      ['RotateWebhookEndpointSecretInput', 'WebhookEndpointInput'],
      ['RemoveWebhookEndpointSecretInput', 'WebhookEndpointInput'],
    ]),
);
