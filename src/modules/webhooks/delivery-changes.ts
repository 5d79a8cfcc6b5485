// Distributes changes of an account's webhook deliveries to the streams in this process. A change of a delivery makes
// no event, because this event would be delivered by a webhook too. PostgreSQL notifies each change while the account's
// row in `webhook_watch` is valid.
import type { Logger } from 'pino';
import { type Database, type LazyListener, listenLazily } from '../../platform/database.ts';
import { repeat, type Loop } from '../../platform/repeat.ts';

/** The id of a delivery that changed. Null: any delivery may have changed, so the reader reads all deliveries again. */
type DeliveryChange = string | null;

export interface DeliveryChanges {
  /** Follows the changes of an account's deliveries. The first value is null. No change after this value is missed. */
  follow(accountId: string): AsyncIterableIterator<DeliveryChange>;
  close(): Promise<void>;
}

const channel = 'webhook_delivery_changed';
const watchSec = 60;
const prolongEveryMs = 20_000;
/** If more deliveries than this have changed since the reader's last read, the reader reads all deliveries again. */
const maxUntaken = 200;

export function createDeliveryChanges(options: { readonly db: Database; readonly log: Logger }): DeliveryChanges {
  return new Changes(options);
}

class Changes implements DeliveryChanges {
  readonly #db: Database;
  readonly #listener: LazyListener;
  readonly #streams = new Map<string, Set<DeliveryChangeStream>>();
  readonly #prolonging: Loop;
  #prolongedAt = 0;

  constructor({ db, log }: { readonly db: Database; readonly log: Logger }) {
    this.#db = db;
    this.#listener = listenLazily(db.system, channel, (payload) => this.#onNotification(payload));
    this.#prolonging = repeat(
      prolongEveryMs,
      async () => await this.#prolong(),
      (error) =>
        log.warn({ err: error }, 'The watch on webhook deliveries could not be prolonged. Interlock tries again.'),
    );
    this.#prolonging.start();
  }

  follow(accountId: string): DeliveryChangeStream {
    const stream = new DeliveryChangeStream(
      async () => {
        const ofAccount = this.#streams.get(accountId) ?? new Set();
        this.#streams.set(accountId, ofAccount.add(stream));
        await this.#listener.start();
        await this.#watch([accountId]);
      },
      () => {
        const ofAccount = this.#streams.get(accountId);
        if (ofAccount?.delete(stream) === true && ofAccount.size === 0) this.#streams.delete(accountId);
      },
    );
    return stream;
  }

  async close(): Promise<void> {
    await this.#prolonging.stop();
    for (const each of this.#streams.values()) for (const stream of each) void stream.return();
    await this.#listener.stop();
  }

  // After a reconnect the message is empty, because notifications may have been lost.
  #onNotification(payload: string): void {
    const [accountId = '', deliveryId] = payload.split(':');
    if (deliveryId === undefined) return this.#readAllAgain();
    for (const stream of this.#streams.get(accountId) ?? []) stream.offer(deliveryId);
  }

  #readAllAgain(): void {
    for (const each of this.#streams.values()) for (const stream of each) stream.offer(null);
  }

  async #watch(accountIds: readonly string[]): Promise<void> {
    await this.#db.system.query(
      `insert into webhook_watch (account_id, until_at)
         select a.id, clock_timestamp() + interval '${watchSec} seconds' from account a where a.id = any($1::bigint[])
       on conflict (account_id) do update set until_at = excluded.until_at`,
      [accountIds],
    );
  }

  async #prolong(): Promise<void> {
    if (this.#streams.size === 0) return;
    await this.#watch([...this.#streams.keys()]);
    const hasLapsed = performance.now() - this.#prolongedAt > watchSec * 1_000;
    this.#prolongedAt = performance.now();
    if (hasLapsed) this.#readAllAgain();
  }
}

type Taken = IteratorResult<DeliveryChange, undefined>;

/** The changes that one reader has not taken yet, each delivery once. */
class DeliveryChangeStream implements AsyncIterableIterator<DeliveryChange, undefined> {
  private readonly begin: () => Promise<void>;
  private readonly onEnd: () => void;
  private readonly untaken = new Set<DeliveryChange>();
  private begun: Promise<void> | undefined;
  private waiting: ((taken: Taken) => void) | undefined;
  private isEnded = false;

  constructor(begin: () => Promise<void>, onEnd: () => void) {
    this.begin = begin;
    this.onEnd = onEnd;
  }

  offer(change: DeliveryChange): void {
    if (this.untaken.has(null)) return;
    if (change === null || this.untaken.size >= maxUntaken) {
      this.untaken.clear();
      this.untaken.add(null);
    } else this.untaken.add(change);
    this.settle();
  }

  async next(): Promise<Taken> {
    if (this.begun === undefined) {
      this.begun = this.begin();
      await this.begun;
      this.offer(null);
    }
    return await new Promise((resolve) => {
      this.waiting = resolve;
      this.settle();
    });
  }

  async return(): Promise<Taken> {
    this.isEnded = true;
    this.untaken.clear();
    this.onEnd();
    this.settle();
    return await Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private settle(): void {
    const { waiting } = this;
    if (waiting === undefined) return;
    const [next] = this.untaken;
    if (next === undefined && !this.isEnded) return;
    this.waiting = undefined;
    if (next === undefined) return waiting({ value: undefined, done: true });
    this.untaken.delete(next);
    waiting({ value: next, done: false });
  }
}
