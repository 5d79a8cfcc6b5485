// Opens PostgreSQL and Temporal: the servers that the user names, or embedded ones.
import pg from 'pg';
import { migrate, UnknownMigrations } from '../platform/migrate.ts';
import { type EmbeddedPostgres, type PostgresOptions, startPostgres } from './postgres.ts';
import { type EmbeddedTemporal, type TemporalOptions, prepareNamespace, startTemporal } from './temporal.ts';
import type { Say } from './progress.ts';
import { StartError } from './start-error.ts';
import type { TemporalSecurity } from './temporal-security.ts';

export interface Postgres extends Pick<EmbeddedPostgres, 'url' | 'stop'> {
  /** Settles when the embedded server has ended. Null: the server is not embedded, and may stop and start again. */
  readonly exited: Promise<unknown> | null;
}

export interface Temporal extends Omit<EmbeddedTemporal, 'uiUrl' | 'exited'> {
  /** Settles when the embedded server has ended. Null: the server is not embedded, and may stop and start again. */
  readonly exited: Promise<unknown> | null;
  /** The address of the UI. Null: the server is not embedded, so the address is unknown. */
  readonly uiUrl: string | null;
  /** Absent: connections are plain. */
  readonly security?: TemporalSecurity;
}

/** `databaseUrl` is the value of --database-url or DATABASE_URL. The server that it names is never stopped. */
export async function openPostgres(databaseUrl: string | undefined, options: PostgresOptions): Promise<Postgres> {
  if (!databaseUrl) return startPostgres(options);
  await checkDatabase(databaseUrl, { hasEmbedded: true });
  return { url: databaseUrl, exited: null, stop: async () => undefined };
}

/**
 * Migrates the database to the newest schema, and says what a migration waits for. Throws StartError if another version
 * has migrated the database.
 */
export async function prepareSchema(databaseUrl: string, say: Say): Promise<void> {
  try {
    await migrate(databaseUrl, {
      onLockWait: (name) =>
        say(
          `The migration ${name} waits for sessions that use the same tables, such as a backup. It is tried again until they end.`,
        ),
    });
  } catch (error) {
    if (!(error instanceof UnknownMigrations)) throw error;
    throw new StartError(
      `The database was made by another version of Interlock: this version does not know its ${listed(error.names)}. Run that version or a newer one. If you do not need the data, delete all data by \`npm start -- --reset\`, or name another database by --database-url (DATABASE_URL).`,
    );
  }
}

function listed([first, ...others]: readonly string[]): string {
  return others.length === 0 ? `migration ${first}` : `migration ${first} and ${others.length} more`;
}

/**
 * `address` is the value of --temporal-address or TEMPORAL_ADDRESS. The server that it names is never stopped.
 * `security` applies only to this server.
 */
export async function openTemporal(
  address: string | undefined,
  options: TemporalOptions & { readonly security?: TemporalSecurity; readonly hasEmbedded?: boolean },
): Promise<Temporal> {
  if (!address) return startTemporal(options);
  const { namespace, searchAttributes, security = {}, hasEmbedded = false } = options;
  options.log(`Temporal: ${address}, as you said.`);
  await prepareNamespace({ address, namespace, searchAttributes, withinSec: 10, security, hasEmbedded });
  return { address, namespace, security, uiUrl: null, exited: null, stop: async () => undefined };
}

/** Throws StartError if the database does not answer. `hasEmbedded`: without the setting, an embedded one is used. */
export async function checkDatabase(databaseUrl: string, { hasEmbedded = false } = {}): Promise<void> {
  const cure = hasEmbedded
    ? 'Start the database, correct --database-url (DATABASE_URL), or leave this setting out to use the embedded database.'
    : 'Start the database, or correct --database-url (DATABASE_URL).';
  if (!URL.canParse(databaseUrl)) throw new StartError(`The database URL is no URL. ${cure}`);
  // The message has the URL without the password, because it may be logged.
  const { host, pathname } = new URL(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    throw new StartError(
      `The database at ${host}${pathname} cannot be reached (${message || code}). ${cure}`,
      'unreachable',
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
