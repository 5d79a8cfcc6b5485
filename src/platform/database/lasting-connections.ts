// Connections that last as long as the process, and reconnect when they drop.
import pg from 'pg';
import { endWhenSilent, reachable, type SilenceLimits } from './silence.ts';

export interface LastingOptions {
  readonly limits: SilenceLimits;
  readonly onError: (error: unknown) => void;
}

/** Holds the advisory lock of two numbers, and takes it again when the connection drops. Returns a release function. */
export async function holdLock(
  url: string,
  [group, number]: readonly [group: number, number: number],
  options: LastingOptions,
): Promise<() => Promise<void>> {
  return await stayConnected(url, 'interlock-lock', {
    ...options,
    begin: async (client) => {
      await client.query('select pg_advisory_lock($1, $2)', [group, number]);
    },
  });
}

// With these settings, PostgreSQL ends a session within 30 seconds if the session's machine is gone.
const soonMissed = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4';

/** For how long `begin` may wait, such as for a lock whose last holder is gone. Later the heartbeat is quicker. */
const longestSilenceMs = 60_000;

/** Calls `begin` with each new connection. Returns a stop function. */
export async function stayConnected(
  url: string,
  name: string,
  { limits, onError, begin }: LastingOptions & { readonly begin: (client: pg.Client) => Promise<void> },
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: url,
      application_name: name,
      ...reachable(limits),
      // Several listeners may send their statement at the same time.
      pipeline: true,
      options: soonMissed,
    });
    next.on('error', onError);
    next.on('end', () => {
      if (!stopped) retry = setTimeout(() => void connect().catch(onError), 500);
    });
    client = next;
    await next.connect();
    endWhenSilent(next, longestSilenceMs);
    await begin(next).catch(async (error: unknown) => {
      // The end of a connection begins the next attempt.
      await next.end();
      throw error;
    });
    keepAsking(next, limits.heartbeatMs);
  };
  const stop = async (): Promise<void> => {
    stopped = true;
    clearTimeout(retry);
    await client?.end();
  };
  try {
    await connect();
  } catch (error) {
    // The caller gets no stop function if this fails, so the connection must not retry in the background.
    await stop();
    throw error;
  }
  return stop;
}

// A connection that only listens would never notice that PostgreSQL is gone. pg ends the connection if the answer is
// late, and then the connection reports its error itself.
function keepAsking(client: pg.Client, everyMs: number): void {
  const question = { text: 'select 1', query_timeout: everyMs };
  const stop = (): void => clearInterval(timer);
  const timer = setInterval(() => {
    client.query(question).catch(stop);
  }, everyMs);
  client.once('end', stop);
}
