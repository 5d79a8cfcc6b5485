// Makes accounts with repositories as subjects of events, in a database of the test, for any number of processes.
import pg from 'pg';
import { pino } from 'pino';
import { type Ports, systemContext } from '../../src/context.ts';
import { appendEvents, type EventStream, type FollowedEvent } from '../../src/modules/events/index.ts';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import { createMetrics } from '../../src/platform/metrics/index.ts';
import { createTestDatabase } from '../support/postgres.ts';

export const log = pino({ level: 'silent' });

/** How long a test waits for a condition. A process may have to start on a busy machine. */
export const pollOptions = { timeout: 60_000 } as const;

export interface World {
  readonly url: string;
  readonly db: Database;
  /** A session of the owner of the database, without the guards of our own sessions. */
  readonly owner: pg.Client;
  /** Opens another database handle, as another process has. */
  connect(): Promise<Database>;
  account(): Promise<string>;
  repository(accountId: string): Promise<string>;
  /**
   * Appends `count` events in one transaction under the lock of the repository, each with the next `serial` of the
   * repository. `meanwhile` runs before the commit; if it throws, the transaction is rolled back.
   */
  write(
    subject: { accountId: string; repositoryId: string },
    count?: number,
    meanwhile?: () => Promise<unknown>,
  ): Promise<void>;
  close(): Promise<void>;
}

export async function openWorld(eventsWritten: () => void = () => {}): Promise<World> {
  const database = await createTestDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const handles: Database[] = [];
  const connect = async (): Promise<Database> => {
    const handle = await connectDatabase({ url: database.url, entities: [] });
    handles.push(handle);
    return handle;
  };
  const db = await connect();
  const { meter } = createMetrics();
  const ports = { db, log, eventsWritten, meter, clock: () => new Date() } as Partial<Ports> as Ports;
  let made = 0;

  return {
    url: database.url,
    db,
    owner,
    connect,
    async account() {
      const { rows } = await owner.query<{ id: string }>('insert into account (name) values ($1) returning id', [
        `account ${++made}`,
      ]);
      return rows[0]?.id ?? '';
    },
    async repository(accountId) {
      const { rows } = await owner.query<{ id: string }>(
        `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
         values ($1, 'acme', $2, 'local', '', '') returning id`,
        [accountId, `repository-${++made}`],
      );
      return rows[0]?.id ?? '';
    },
    async write({ accountId, repositoryId }, count = 1, meanwhile) {
      await db.transaction(accountId, async (tx) => {
        // The test uses another column for the serial, so that the serial is rolled back with the events.
        const [row] = await tx.query<{ before: number }>(
          `update repository set configuration_blob = (coalesce(configuration_blob, '0')::int + $2::int)::text
           where account_id = $1::bigint and id = $3::bigint returning configuration_blob::int - $2::int as before`,
          [accountId, count, repositoryId],
        );
        const before = row?.before ?? 0;
        await appendEvents(
          systemContext(ports, accountId),
          tx,
          Array.from({ length: count }, (_, index) => ({
            repositoryId,
            action: 'queued',
            payload: { serial: before + index + 1 },
          })),
        );
        // Sends the events, so that they have their ids before `meanwhile` runs.
        await tx.query('select 1 as one');
        await meanwhile?.();
      });
    },
    async close() {
      await Promise.all(handles.map((handle) => handle.close()));
      await owner.end();
      await database.drop();
    },
  };
}

/** Ends all sessions with this application name, whatever they do at the moment. */
export async function terminate(world: World, applicationName: string): Promise<number> {
  const { rows } = await world.owner.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = $1',
    [applicationName],
  );
  return rows.length;
}

/** Every event of an account that has a position, in the order of positions. */
export async function positionedLog(
  world: World,
  accountId: string,
): Promise<{ position: number; repositoryId: string; serial: number }[]> {
  const { rows } = await world.owner.query(
    `select position::int, repository_id as "repositoryId", (payload ->> 'serial')::int as serial
     from event where account_id = $1 and position is not null order by position`,
    [accountId],
  );
  return rows;
}

export async function countUnpositioned(world: World): Promise<number> {
  const { rows } = await world.owner.query<{ count: number }>(
    'select count(*)::int as count from event where position is null',
  );
  return rows[0]?.count ?? 0;
}

export async function takeEvents(stream: EventStream, count: number): Promise<FollowedEvent[]> {
  const events: FollowedEvent[] = [];
  while (events.length < count) {
    const next = await stream.next();
    if (next.done === true) throw new Error(`The stream ended after ${events.length} of ${count} events.`);
    events.push(next.value);
  }
  return events;
}

export function serialsOf(events: readonly FollowedEvent[]): unknown[] {
  return events.map((event) => event.payload.serial);
}

export function numbersUpTo(count: number, from = 1): number[] {
  return Array.from({ length: count - from + 1 }, (_, index) => from + index);
}
