// Makes the first attempts of deliveries, in every process. Events that have a position become deliveries. Deliveries
// of one endpoint are sent in parallel, but deliveries about one pull request are sent one after the other. A look
// every second finds deliveries that are open because a notification was lost or a process was killed. A poll every few
// seconds also finds those whose workflow Temporal has lost.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { systemContext, type Ports } from '../../context.ts';
import { repeat, type Loop } from '../../platform/repeat.ts';
import { promoteDueSigning } from '../accounts/index.ts';
import { eventsChannel, parseNotification } from '../events/index.ts';
import type { DeliveryRef, EndpointRef } from './deliveries.rows.ts';
import { advanceOutbox, hasOutbox } from './outbox.ts';
import { createWebhookSender, type WebhookOptions, type WebhookSender } from './sender.ts';

export interface WebhookRelay {
  readonly sender: WebhookSender;
  start(): void;
  /** Sends what is due now. Must be called every second while `webhooksAreDue`. Does not wait for the attempts. */
  look(): Promise<void>;
  /** Waits a few seconds for running attempts. An attempt that does not end is repeated by the next process. */
  stop(): Promise<void>;
}

const maxPerEndpoint = 8;
/** How often the relay looks without a notification or a call. */
const pollEveryMs = 5_000;
const lostAfterMs = 60_000;
const lookForLostEveryMs = 30_000;
const stopWithinMs = 3_000;

interface EndpointWork {
  readonly inFlight: Set<Promise<void>>;
  wake: () => void;
  hasNews: boolean;
}

export function createWebhookRelay(ports: Ports, options: WebhookOptions): WebhookRelay {
  return new Relay(ports, options);
}

class Relay implements WebhookRelay {
  readonly sender: WebhookSender;
  readonly #ports: Ports;
  readonly #options: WebhookOptions;
  readonly #loop: Loop;
  readonly #endpoints = new Map<string, EndpointWork>();
  readonly #accounts = new Map<string, { hasNews: boolean }>();
  /** The accounts that have had an endpoint. */
  readonly #withOutbox = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  #stopListening: Promise<(() => Promise<void>) | undefined> | undefined;
  #lostLookedForAt = 0;

  constructor(ports: Ports, options: WebhookOptions) {
    this.#ports = ports;
    this.#options = options;
    this.sender = createWebhookSender(ports, options);
    this.#loop = repeat(
      pollEveryMs,
      async () => await this.#poll(),
      (error) => this.#warn(error),
    );
  }

  start(): void {
    const listening = this.#ports.db.system.listen(eventsChannel, (payload) => this.#onNotification(payload));
    this.#stopListening = listening.catch((error: unknown) => {
      this.#ports.log.warn({ err: error }, 'The relay gets no notifications of events. It polls for webhooks instead.');
      return undefined;
    });
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const polled = this.#loop.stop();
    await (await this.#stopListening)?.();
    const ending = Promise.all([polled, ...this.#running]);
    const timeout = setTimeout(() => this.#options.http.close(), stopWithinMs);
    await ending;
    clearTimeout(timeout);
    this.#options.http.close();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #warn(error: unknown): void {
    this.#ports.log.warn({ err: error }, 'Webhooks could not be relayed. Interlock tries again.');
  }

  #track(work: Promise<unknown>): void {
    const tracked = work.catch((error: unknown) => this.#warn(error)).finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  /** Processes the new events of an account. If more events arrive in the meantime, processes the account again. */
  #look(accountId: string): void {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) known.hasNews = true;
    else if (!this.#isStopping) this.#track(this.#lookAt(accountId));
  }

  async #hasOutbox(accountId: string): Promise<boolean> {
    if (!this.#withOutbox.has(accountId) && (await hasOutbox(this.#ports.db, accountId)))
      this.#withOutbox.add(accountId);
    return this.#withOutbox.has(accountId);
  }

  async #lookAt(accountId: string): Promise<void> {
    const account = { hasNews: true };
    this.#accounts.set(accountId, account);
    try {
      while (account.hasNews && !this.#isStopping) {
        account.hasNews = false;
        if (!(await this.#hasOutbox(accountId))) continue;
        await advanceOutbox(this.#ports.db, accountId, this.#ports.clock());
        for (const endpoint of await withPending(this.#ports, accountId)) this.#serve(endpoint);
      }
    } finally {
      this.#accounts.delete(accountId);
    }
  }

  #serve(endpoint: EndpointRef): void {
    const known = this.#endpoints.get(endpoint.endpointId);
    if (known !== undefined) {
      known.hasNews = true;
      known.wake();
    } else if (!this.#isStopping) this.#track(this.#sendAll(endpoint));
  }

  async #sendAll(endpoint: EndpointRef): Promise<void> {
    const work: EndpointWork = { inFlight: new Set(), wake: () => {}, hasNews: true };
    this.#endpoints.set(endpoint.endpointId, work);
    try {
      while (!this.#isStopping && (work.hasNews || work.inFlight.size > 0)) {
        const woken = Promise.withResolvers<void>();
        work.wake = woken.resolve;
        work.hasNews = false;
        const { deliveries, target } = await this.sender.takePendingDeliveries(
          endpoint,
          maxPerEndpoint - work.inFlight.size,
        );
        for (const delivery of deliveries) this.#begin(work, this.sender.send(delivery, target));
        if (work.inFlight.size === 0 || work.hasNews) continue;
        await (work.inFlight.size < maxPerEndpoint
          ? Promise.race([...work.inFlight, woken.promise])
          : Promise.race(work.inFlight));
        // Attempts whose outcomes were written together end in the same turn of the event loop, so the next deliveries
        // are taken together.
        await endOfTurn();
      }
    } finally {
      if (work.inFlight.size > 0) await Promise.all(work.inFlight);
      this.#endpoints.delete(endpoint.endpointId);
    }
  }

  // After an attempt has ended, further deliveries may be taken, because the attempt no longer blocks its lane.
  #begin(work: EndpointWork, sending: Promise<void>): void {
    const ended = sending
      .catch((error: unknown) =>
        this.#ports.log.warn({ err: error }, 'A webhook could not be sent. Interlock sends it again.'),
      )
      .finally(() => {
        work.inFlight.delete(ended);
        work.hasNews = true;
      });
    work.inFlight.add(ended);
  }

  async look(): Promise<void> {
    for (const accountId of await accountsWithWork(this.#ports, this.#ports.clock())) this.#look(accountId);
  }

  async #poll(): Promise<void> {
    await this.look();
    const now = this.#ports.clock();
    if (now.getTime() - this.#lostLookedForAt < lookForLostEveryMs) return;
    this.#lostLookedForAt = now.getTime();
    for (const delivery of await findLostRetries(this.#ports, now)) await this.#options.retry(delivery);
    for (const accountId of await duePromotions(this.#ports, now))
      await promoteDueSigning(systemContext(this.#ports, accountId));
  }

  #onNotification(payload: string): void {
    const heads = parseNotification(payload);
    if (heads === null) this.#track(this.#poll());
    else for (const [accountId] of heads) this.#look(accountId);
  }
}

function hasPending(now: string): string {
  return `exists (select from webhook_delivery d where d.account_id = e.account_id and d.endpoint_id = e.id
                    and d.state = 'pending' and (d.leased_until is null or d.leased_until <= ${now}))`;
}

async function withPending(ports: Ports, accountId: string): Promise<EndpointRef[]> {
  const rows = await ports.db.system.query<{ id: string }>(
    `select e.id from webhook_endpoint e
     where e.account_id = $1 and e.enabled and e.deleted_at is null and ${hasPending('$2')}`,
    [accountId, ports.clock().toISOString()],
  );
  return rows.map(({ id }) => ({ accountId, endpointId: id }));
}

const withNewEvents =
  'from webhook_cursor c join event_head h on h.account_id = c.account_id where h.position > c.position';
const withOpenDeliveries = `from webhook_endpoint e where e.enabled and e.deleted_at is null and ${hasPending('$1')}`;

/** SQL: whether an account has events that are no deliveries yet, or deliveries that wait for their first attempt. */
export const webhooksAreDue = `exists (select ${withNewEvents}) or exists (select ${withOpenDeliveries})`;

async function accountsWithWork(ports: Ports, now: Date): Promise<string[]> {
  const rows = await ports.db.system.query<{ id: string }>(
    `select c.account_id::text as id ${withNewEvents} union select e.account_id::text ${withOpenDeliveries}`,
    [now.toISOString()],
  );
  return rows.map(({ id }) => id);
}

/** Finds deliveries whose workflow was lost or never started. They are overdue, and no process has taken them. */
export async function findLostRetries(ports: Ports, now: Date): Promise<DeliveryRef[]> {
  return await ports.db.system.query<{ accountId: string; deliveryId: string }>(
    `select account_id::text as "accountId", id::text as "deliveryId" from webhook_delivery
     where state = 'retrying' and next_attempt_at <= $1 and (leased_until is null or leased_until <= $2)
     order by next_attempt_at limit 100`,
    [new Date(now.getTime() - lostAfterMs).toISOString(), now.toISOString()],
  );
}

async function duePromotions(ports: Ports, now: Date): Promise<string[]> {
  const rows = await ports.db.system.query<{ id: string }>(
    'select account_id::text as id from webhook_signing where promote_at <= $1',
    [now.toISOString()],
  );
  return rows.map(({ id }) => id);
}
