// Notices that PostgreSQL is gone although no connection was closed. A machine that loses its power or its network
// closes none, and then the limits of PostgreSQL for statements and idle sessions do not help either.
import type { Socket } from 'node:net';
import type pg from 'pg';

export interface SilenceLimits {
  /** How long it may take to open a connection. */
  readonly connectMs: number;
  /** How long nothing may arrive over a connection of a pool. Longer than the limits of the sessions (`guards`). */
  readonly answerMs: number;
  /** How often a lasting connection asks for an answer, and how long the answer may take. */
  readonly heartbeatMs: number;
}

export const defaultLimits: SilenceLimits = { connectMs: 10_000, answerMs: 15_000, heartbeatMs: 10_000 };

/** Options of a connection. Where the other machine does not answer, the kernel ends the connection after 20 seconds. */
export function reachable({ connectMs }: SilenceLimits = defaultLimits): pg.ClientConfig {
  return { connectionTimeoutMillis: connectMs, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
}

/**
 * Ends the connections of a pool on which PostgreSQL is silent. A pool ends its idle connections earlier, and PostgreSQL
 * ends idle transactions earlier. Few statements are sent before an answer arrives, so sending does not hide a silence
 * for long.
 */
export function endSilentConnections(pool: pg.Pool, { connectMs, answerMs }: SilenceLimits): void {
  // Rejected: the option of the pool, which also limits how long a request waits for a free connection.
  const clients = pool as unknown as { Client: typeof pg.Client };
  clients.Client = class extends clients.Client {
    constructor(config: pg.ClientConfig) {
      // The pool hides the password of its options, so that a spread leaves it out.
      super({ ...config, password: config.password, connectionTimeoutMillis: connectMs });
    }
  };
  pool.on('connect', (client) => endWhenSilent(client, answerMs));
}

/** Ends the connection if nothing is sent or arrives for this time. The error counts as an outage. */
export function endWhenSilent(client: pg.Client | pg.PoolClient, forMs: number): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  stream.setTimeout(forMs, () => {
    const error = new Error(`PostgreSQL was silent for ${forMs / 1_000} s.`);
    stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
}
