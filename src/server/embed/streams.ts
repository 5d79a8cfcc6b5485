// Sends boards to the pages of embed links by Server-Sent Events: the first at once, then one after each change, at
// most one a second, and none while the page has not read the one before.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DomainError } from '../../domain/errors.ts';
import type { EmbedSession } from '../../modules/accounts/index.ts';
import type { Boards } from './boards.ts';

const pushEveryMs = 1_000;
const heartbeatEveryMs = 15_000;
const maxStreamsOfLink = 50;

export interface Streams {
  /** False: the link has the greatest number of open pages already. */
  readonly open: (visitor: Visitor) => boolean;
  /** Checks for each stream whether its link is still valid, and ends the stream if not. */
  readonly recheckAll: () => Promise<void>;
  readonly close: () => void;
}

export interface Visitor {
  readonly response: ServerResponse;
  readonly session: EmbedSession;
  /** Throws DomainError if the link is no longer valid. */
  readonly signInAgain: () => Promise<EmbedSession>;
}

interface Stream extends Visitor {
  readonly ended: AbortController;
}

export function createStreams(boards: Boards, log: Logger): Streams {
  return new OpenStreams(boards, log);
}

class OpenStreams implements Streams {
  readonly #boards: Boards;
  readonly #log: Logger;
  readonly #streams = new Set<Stream>();
  readonly #beating: NodeJS.Timeout;

  constructor(boards: Boards, log: Logger) {
    this.#boards = boards;
    this.#log = log;
    this.#beating = setInterval(() => this.#beat(), heartbeatEveryMs);
    this.#beating.unref();
  }

  open(visitor: Visitor): boolean {
    const { link } = visitor.session;
    // The page closed while its link was checked. Its response emits no second `close`.
    if (visitor.response.destroyed) return true;
    if ([...this.#streams].filter(({ session }) => session.link.linkId === link.linkId).length >= maxStreamsOfLink)
      return false;
    const stream: Stream = { ...visitor, ended: new AbortController() };
    this.#streams.add(stream);
    visitor.response.on('close', () => this.#end(stream));
    this.#follow(stream)
      .catch((error: unknown) => {
        if (!stream.ended.signal.aborted) this.#log.warn({ err: error }, 'the changes of a queue could not be shown');
      })
      // The page reconnects, and then gets an error if its link is no longer valid.
      .finally(() => this.#end(stream));
    return true;
  }

  async recheckAll(): Promise<void> {
    for (const stream of [...this.#streams]) await this.#recheck(stream);
  }

  close(): void {
    clearInterval(this.#beating);
    for (const stream of [...this.#streams]) this.#end(stream);
  }

  #beat(): void {
    for (const { response } of this.#streams) if (!response.writableNeedDrain) response.write(': \n\n');
    void this.recheckAll().catch((error: unknown) =>
      this.#log.warn({ err: error }, 'embed links could not be checked'),
    );
  }

  #end(stream: Stream, lastEvent?: string): void {
    if (!this.#streams.delete(stream)) return;
    stream.ended.abort();
    stream.response.end(lastEvent);
  }

  async #follow(stream: Stream): Promise<void> {
    const { response, session, ended } = stream;
    const changes = await this.#boards.changes(session);
    const stop = (): void => void changes.return?.();
    if (ended.signal.aborted) return stop();
    ended.signal.addEventListener('abort', stop);
    const send = async (): Promise<void> => {
      const board = await this.#boards.read(session);
      if (ended.signal.aborted || response.write(`data: ${JSON.stringify(board)}\n\n`)) return;
      // At most one board waits in memory for a page that does not read.
      await once(response, 'drain', { signal: ended.signal });
    };
    await send();
    for (;;) {
      const { done } = await changes.next();
      if (done === true || ended.signal.aborted) return;
      // The next board contains all changes of the pause.
      await delay(pushEveryMs, undefined, { signal: ended.signal });
      await send();
    }
  }

  async #recheck(stream: Stream): Promise<void> {
    try {
      await stream.signInAgain();
    } catch (error) {
      if (error instanceof DomainError) return this.#end(stream, 'event: ended\ndata: {}\n\n');
      throw error;
    }
  }
}
