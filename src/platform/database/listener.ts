// Listens on NOTIFY channels. All listeners of a process share one connection, because each session costs PostgreSQL
// some megabytes.
import pg from 'pg';
import { stayConnected, type LastingOptions } from './lasting-connections.ts';

/** The application name of the connection on which a process listens. PostgreSQL shows it in `pg_stat_activity`. */
export const listenerName = 'interlock-listen';

type OnMessage = (payload: string) => void;

/** Resolves to a function that stops the listener. */
export type Listen = (channel: string, onMessage: OnMessage) => Promise<() => Promise<void>>;

/** The connection is opened for the first listener, and closed after the last one has stopped. */
export function createListen(url: string, options: LastingOptions): Listen {
  const listener = new Listener(url, options);
  return async (channel, onMessage) => await listener.listen(channel, onMessage);
}

class Listener {
  readonly #url: string;
  readonly #options: LastingOptions;
  /** By channel. Two listeners may have the same function, so each has an entry of its own. */
  readonly #listeners = new Map<string, Set<{ readonly onMessage: OnMessage }>>();
  /** Resolves to a function that closes the connection. */
  #connection: Promise<() => Promise<void>> | undefined;
  /** Undefined: the connection is down. */
  #client: pg.Client | undefined;

  constructor(url: string, options: LastingOptions) {
    this.#url = url;
    this.#options = options;
  }

  async listen(channel: string, onMessage: OnMessage): Promise<() => Promise<void>> {
    const entry = { onMessage };
    this.#listeners.set(channel, (this.#listeners.get(channel) ?? new Set()).add(entry));
    try {
      await this.#connect();
      // If the connection is down, the next one listens on all channels.
      if (this.#client !== undefined) await listenOn(this.#client, channel);
    } catch (error) {
      await this.#remove(channel, entry);
      throw error;
    }
    onMessage('');
    return async () => await this.#remove(channel, entry);
  }

  async #connect(): Promise<void> {
    const connection = (this.#connection ??= this.#open());
    try {
      await connection;
    } catch (error) {
      if (this.#connection === connection) this.#connection = undefined;
      throw error;
    }
  }

  async #open(): Promise<() => Promise<void>> {
    let isFirst = true;
    return await stayConnected(this.#url, listenerName, {
      ...this.#options,
      begin: async (client) => {
        client.on('notification', ({ channel, payload }) => this.#tell(channel, payload ?? ''));
        client.on('end', () => {
          if (this.#client === client) this.#client = undefined;
        });
        this.#client = client;
        // `listen` itself does this for the first connection.
        if (isFirst) return void (isFirst = false);
        for (const channel of this.#listeners.keys()) await listenOn(client, channel);
        // Notifications that were sent while the connection was down are lost. Therefore each new connection counts as
        // a message, so that the listeners read the database.
        for (const channel of this.#listeners.keys()) this.#tell(channel, '');
      },
    });
  }

  #tell(channel: string, payload: string): void {
    for (const { onMessage } of this.#listeners.get(channel) ?? []) onMessage(payload);
  }

  async #remove(channel: string, entry: { readonly onMessage: OnMessage }): Promise<void> {
    const ofChannel = this.#listeners.get(channel);
    if (ofChannel?.delete(entry) !== true || ofChannel.size > 0) return;
    this.#listeners.delete(channel);
    if (this.#listeners.size > 0) return await this.#unlisten(channel);
    const connection = this.#connection;
    this.#connection = undefined;
    this.#client = undefined;
    await (await connection?.catch(() => undefined))?.();
  }

  async #unlisten(channel: string): Promise<void> {
    // If this fails, the connection drops, or messages arrive that nobody is told.
    await this.#client?.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(this.#options.onError);
  }
}

async function listenOn(client: pg.Client, channel: string): Promise<void> {
  await client.query(`listen ${pg.escapeIdentifier(channel)}`);
}

export interface LazyListener {
  /** Listens from the first call on. If that fails, the next call tries again. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Listens on a NOTIFY channel as soon as somebody needs its messages. */
export function listenLazily(
  system: { readonly listen: Listen },
  channel: string,
  onMessage: (payload: string) => void,
): LazyListener {
  let listening: Promise<() => Promise<void>> | undefined;
  return {
    start: async () => {
      listening ??= system.listen(channel, onMessage).catch((error: unknown) => {
        listening = undefined;
        throw error;
      });
      await listening;
    },
    stop: async () => {
      const stop = await listening?.catch(() => undefined);
      await stop?.();
    },
  };
}
