// The connection pools of a process, each with its role and time limits.
import pg from 'pg';
import { endSilentConnections, type SilenceLimits } from './silence.ts';
import { prepareStatements, sendInOneRoundTrip } from './statements.ts';

export interface PoolUse {
  readonly pool: 'transactions' | 'reads' | 'system';
  readonly busy: number;
  readonly idle: number;
  /** The number of requests that wait for a free connection. */
  readonly waiting: number;
}

const guards = '-c idle_in_transaction_session_timeout=5000 -c statement_timeout=10000 -c lock_timeout=3000';
const appOptions = `-c role=interlock_app ${guards}`;

/** The options with which MikroORM makes its pool. `onPool` is called once, with the pool. */
export function unitOfWorkPool(
  options: { readonly url: string; readonly size: number; readonly limits: SilenceLimits },
  onPool: (pool: pg.Pool) => unknown,
) {
  return {
    clientUrl: options.url,
    pool: { min: 0, max: options.size },
    driverOptions: {
      options: appOptions,
      application_name: 'interlock',
      // Needed by `sendInOneRoundTrip`.
      pipeline: true,
      onPoolCreated: (pool: pg.Pool) => {
        onPool(pool);
        releaseEnded(pool);
        endSilentConnections(pool, options.limits);
        pool.on('connect', prepareStatements).on('connect', sendInOneRoundTrip);
      },
    },
  };
}

interface PoolOptions {
  readonly limits: SilenceLimits;
  readonly onError: (error: unknown) => void;
}

export function openReadPool(url: string, size: number, options: PoolOptions): pg.Pool {
  return openPool(
    { connectionString: url, max: size, options: appOptions, application_name: 'interlock-read' },
    options,
  );
}

export function openSystemPool(url: string, options: PoolOptions): pg.Pool {
  const sessionOptions = `-c role=interlock_system ${guards}`;
  return openPool(
    { connectionString: url, max: 4, options: sessionOptions, application_name: 'interlock-system' },
    options,
  )
    .on('connect', prepareStatements)
    .on('connect', sendInOneRoundTrip);
}

function openPool(config: pg.PoolConfig, { limits, onError }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({ ...config, pipeline: true });
  endSilentConnections(pool, limits);
  return pool.on('error', onError).on('connect', (client) => void client.on('error', onError));
}

/** `waiting`: how many requests wait that have not asked the pool for a connection yet. */
export function useOf(pool: PoolUse['pool'], { totalCount, idleCount, waitingCount }: pg.Pool, waiting = 0): PoolUse {
  return { pool, busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount + waiting };
}

// Kysely releases a transaction's connection only after a successful ROLLBACK. If PostgreSQL ended the session,
// ROLLBACK fails, and the connection would take a place in the pool for ever. Therefore connections that ended are
// released here.
function releaseEnded(pool: pg.Pool): void {
  const held = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => void held.add(client));
  pool.on('release', (_error, client) => void held.delete(client));
  pool.on('connect', (client) => {
    client.on('end', () => {
      if (held.has(client)) client.release(true);
    });
  });
}
