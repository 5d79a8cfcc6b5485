// Gives events their positions: 1, 2, 3 … for each account, without a gap. Events of one subject keep the order in
// which they were written. Every process runs a sequencer. Only the process that holds the lock on the installation's
// row numbers events. There is no leader. See docs/adr/0005-event-log.md.
import type { Logger } from 'pino';
import type { Database, SystemQueries, SystemSend } from '../../platform/database.ts';

export const eventsChannel = 'interlock_events';

const batchSize = 1_000;
// PostgreSQL refuses a payload of 8000 bytes or more.
const payloadLimit = 7_900;

/** SQL: true if there are events without a position, otherwise null. It reads one row of the index of such events. */
export const unpositionedEvents = '(select true from event where position is null order by id limit 1)';

export interface Sequencer {
  /** Must be called after events were committed. All calls within `coalesceMs` cause one read of new events. */
  nudge(): void;
  start(): void;
  /** Resolves when the sequencer has stopped completely. */
  stop(): Promise<void>;
}

export interface SequencerOptions {
  readonly db: Database;
  readonly log: Logger;
  /**
   * How often the sequencer reads without a call, in milliseconds. This is the greatest delay of an event if the call
   * was lost or the process died.
   */
  readonly intervalMs?: number;
  readonly coalesceMs?: number;
}

export function createSequencer({ db, log, intervalMs = 1_000, coalesceMs = 10 }: SequencerOptions): Sequencer {
  let started = false;
  let nudged = false;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;
  let running: Promise<void> | undefined;

  function lookIn(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (!started || running !== undefined || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => {
      dueAt = Infinity;
      nudged = false;
      running = look().then((nextInMs) => {
        running = undefined;
        lookIn(nudged ? coalesceMs : nextInMs);
      });
    }, delayMs);
  }

  async function look(): Promise<number> {
    try {
      // Another process that holds the lock may have read before these events were committed, so the sequencer reads
      // again soon.
      return (await sequenceEvents(db)) === 'busy' ? Math.min(intervalMs, coalesceMs * 5) : intervalMs;
    } catch (error) {
      log.warn({ err: error }, 'Events could not be numbered. Interlock tries again.');
      return intervalMs;
    }
  }

  return {
    nudge() {
      nudged = true;
      lookIn(coalesceMs);
    },
    start() {
      started = true;
      lookIn(0);
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      dueAt = Infinity;
      await running;
    },
  };
}

/**
 * Gives all committed events a position. Returns the number of these events, or `busy` if another process holds the
 * lock.
 */
export async function sequenceEvents(db: Database): Promise<number | 'busy'> {
  // A lock on a row is a write, and an idle installation must only read. So this statement looks for new events first.
  if ((await db.system.query('select 1 from event where position is null limit 1')).length === 0) return 0;
  let total = 0;
  for (;;) {
    const taken = await db.system.transaction(async (query, send) =>
      (await isAtWork(query)) ? await positionBatch(query, send) : null,
    );
    if (taken === null) return total === 0 ? 'busy' : total;
    total += taken;
    if (taken < batchSize) return total;
  }
}

// The lock is a separate statement, so that the snapshot of the next statement is newer than the lock and contains the
// positions that the last holder wrote. The snapshot of a single statement would be older than the lock.
async function isAtWork(query: SystemQueries['query']): Promise<boolean> {
  return (await query('select 1 from installation for no key update skip locked')).length > 0;
}

// The statement reads unpositioned events from the partial index by id, and not from a high-water mark, because a lower
// id may be committed later. Within one subject the order of ids is the order of commits, because ids are assigned
// under the subject's lock, which is held until the commit.
const positionStatement = `
with batch as materialized (
  select id, account_id from event where position is null order by id limit ${batchSize}
), numbered as (
  select id, account_id, row_number() over (partition by account_id order by id) as ordinal,
         count(*) over (partition by account_id) as count
  from batch
), head as (
  insert into event_head as h (account_id, position)
  select account_id, count(*) from batch group by account_id order by account_id
  on conflict (account_id) do update set position = h.position + excluded.position
  returning account_id, position
), positioned as (
  update event e set position = head.position - numbered.count + numbered.ordinal
  from numbered join head using (account_id)
  where e.id = numbered.id and e.position is null
  returning e.id
)
select head.account_id::text as "accountId", head.position::float8 as position,
       (select count(*) from batch)::int as taken, (select count(*) from positioned)::int as positioned
from head`;

async function positionBatch(query: SystemQueries['query'], send: SystemSend): Promise<number> {
  const heads = await query<{ accountId: string; position: number; taken: number; positioned: number }>(
    positionStatement,
  );
  const [first] = heads;
  if (first === undefined) return 0;
  // Fails the transaction instead of leaving a gap, if anything else ever changes an unpositioned event.
  if (first.positioned !== first.taken)
    throw new Error(`Of ${first.taken} events, only ${first.positioned} got a position.`);
  await send('select pg_notify($1, $2)', [eventsChannel, notificationOf(heads)]);
  return first.taken;
}

/** `{"<account>": <position of its newest event>}`, or `''` if that is too long: then listeners read all accounts. */
function notificationOf(heads: readonly { readonly accountId: string; readonly position: number }[]): string {
  const text = JSON.stringify(Object.fromEntries(heads.map((head) => [head.accountId, head.position])));
  return text.length <= payloadLimit ? text : '';
}

/**
 * The accounts and positions in a notification. Null if the notification names no account: then every account may have
 * new events. Any session of PostgreSQL may send such a notification.
 */
export function parseNotification(payload: string): readonly (readonly [accountId: string, head: number])[] | null {
  try {
    return Object.entries(JSON.parse(payload) as Record<string, number>);
  } catch {
    return null;
  }
}
