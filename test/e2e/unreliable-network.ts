// A TCP proxy in front of a server that behaves like a network between two machines. It can break connections in the
// middle of a message, reset them, or hold everything up for a while.
import { createServer, Socket, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface UnreliableNetwork extends AsyncDisposable {
  readonly port: number;
  /** Sets the port or the socket file of the server for new connections. */
  leadTo(server: number | string): void;
  /** Leads to the PostgreSQL of this URL. Returns the URL of the same database over this network. */
  leadToDatabase(url: string): string;
  /**
   * Each connection passes half of its next message on, and then ends. A connection without a message ends after a
   * second.
   */
  breakOff(): Promise<void>;
  /** Each connection ends at once by a reset, and all bytes on their way are lost. */
  reset(): Promise<void>;
  /**
   * The next connection that sends this text to PostgreSQL ends when the answer to its next commit arrives, and the
   * answer is lost.
   */
  loseCommitOf(text: string): void;
  /** Nothing passes for this time, and new connections wait too. Then everything passes in its order. */
  holdUp(forMs: number): Promise<void>;
  /**
   * From now on nothing passes, and no connection ends, as if the machine of the server had lost its power. New
   * connections wait until the returned function is called. The present ones stay silent for ever.
   */
  vanish(): () => void;
}

interface Connection {
  readonly ends: readonly [Socket, Socket];
  isBreaking: boolean;
  losesCommit: boolean;
}

export async function startUnreliableNetwork(): Promise<UnreliableNetwork> {
  const connections = new Set<Connection>();
  let target: number | string = 0;
  let held: Promise<unknown> = Promise.resolve();
  let lostCommitOf: string | null = null;
  const server = createServer({ pauseOnConnect: true }, (near) => {
    const far = new Socket();
    const connection: Connection = { ends: [near, far], isBreaking: false, losesCommit: false };
    connections.add(connection);
    forward(connection, [near, far]);
    forward(connection, [far, near]);
    void held.then(() => {
      if (near.destroyed) return void far.destroy();
      if (typeof target === 'string') far.connect(target);
      else far.connect(target, '127.0.0.1');
      near.resume();
    });
  });
  const forward = (connection: Connection, [from, to]: readonly [Socket, Socket]): void => {
    from.setNoDelay(true);
    from.on('data', (chunk: Buffer) => {
      if (lostCommitOf !== null && from === connection.ends[0] && chunk.includes(lostCommitOf)) {
        lostCommitOf = null;
        connection.losesCommit = true;
      }
      if (connection.losesCommit && from === connection.ends[1] && chunk.includes('COMMIT\0')) destroy(connection);
      else if (connection.isBreaking) {
        to.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => destroy(connection));
        from.pause();
      } else if (!to.write(chunk)) {
        from.pause();
        to.once('drain', () => void held.then(() => from.resume()));
      }
    });
    from.on('end', () => to.end());
    from.on('error', () => {});
    from.on('close', () => {
      connections.delete(connection);
      to.destroySoon();
    });
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    leadTo: (to) => void (target = to),
    leadToDatabase(given) {
      const url = new URL(given);
      const folder = decodeURIComponent(url.hostname);
      target = folder.startsWith('/') ? `${folder}/.s.PGSQL.${url.port}` : Number(url.port);
      url.hostname = '127.0.0.1';
      url.port = String(port);
      return url.href;
    },
    async breakOff() {
      const present = [...connections];
      for (const connection of present) connection.isBreaking = true;
      await delay(1_000);
      for (const connection of present) destroy(connection);
    },
    async reset() {
      for (const { ends } of connections) for (const end of ends) end.resetAndDestroy();
    },
    loseCommitOf: (text) => void (lostCommitOf = text),
    async holdUp(forMs) {
      held = delay(forMs);
      for (const { ends } of connections) for (const end of ends) end.pause();
      await held;
      for (const { ends } of connections) for (const end of ends) end.resume();
    },
    vanish() {
      const back = Promise.withResolvers<void>();
      held = back.promise;
      for (const { ends } of connections) for (const end of ends) end.pause();
      return back.resolve;
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) destroy(connection);
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function destroy({ ends }: Connection): void {
  for (const end of ends) end.destroy();
}
