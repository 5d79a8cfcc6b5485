// The streams of embed links over HTTP, with boards that the test holds back: what a page leaves behind that closes early
// or does not read.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EmbedSession } from '../../src/modules/accounts/index.ts';
import type { Board, Boards } from '../../src/server/embed/boards.ts';
import { createStreams, type Streams } from '../../src/server/embed/streams.ts';

const session = { link: { linkId: '1' } } as EmbedSession;
const board = (version: string): Board => ({ version }) as Board;

let server: Server;
let streams: Streams;
let shown: Board;
let subscribed: Promise<void>;
let following: Set<AsyncIterableIterator<unknown>>;
let looks: number;
let serve: (response: ServerResponse) => unknown;
let pages: IncomingMessage[];

/** Changes that never come. They end when the stream returns them. */
function quietChanges(): AsyncIterableIterator<unknown> {
  const end = Promise.withResolvers<IteratorResult<unknown>>();
  const changes: AsyncIterableIterator<unknown> = {
    next: async () => {
      looks += 1;
      return await end.promise;
    },
    return: async () => {
      following.delete(changes);
      end.resolve({ done: true, value: undefined });
      return await end.promise;
    },
    [Symbol.asyncIterator]: () => changes,
  };
  following.add(changes);
  return changes;
}

beforeEach(async () => {
  shown = board('1');
  subscribed = Promise.resolve();
  following = new Set();
  looks = 0;
  pages = [];
  const boards: Boards = {
    read: async () => await Promise.resolve(shown),
    changes: async () => {
      await subscribed;
      return quietChanges();
    },
  };
  streams = createStreams(boards, pino({ level: 'silent' }));
  serve = open;
  server = createServer((_request, response) => void serve(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  streams.close();
  for (const page of pages) page.destroy();
  server.closeAllConnections();
  server.close();
});

const open = (response: ServerResponse): boolean =>
  streams.open({ response, session, signInAgain: async () => await Promise.resolve(session) });

/** Requests a stream. Returns a function that closes the connection. */
function visit(): () => void {
  const request = get({ port: (server.address() as AddressInfo).port, agent: false }, (page) => void pages.push(page));
  request.on('error', () => {});
  return () => void request.destroy();
}

it('a page that closes while its link is checked takes no place of the link', async () => {
  const arrived: ServerResponse[] = [];
  serve = (response) => arrived.push(response);
  const leave = Array.from({ length: 50 }, visit);
  await expect.poll(() => arrived.length).toBe(50);
  const closed = arrived.map(async (response) => {
    await once(response, 'close');
    open(response);
  });
  for (const close of leave) close();
  await Promise.all(closed);
  const opened = Promise.withResolvers<boolean>();
  serve = (response) => opened.resolve(open(response));
  visit();
  expect(await opened.promise).toBe(true);
});

it('a page that closes while its changes are being followed leaves nothing behind', async () => {
  const begin = Promise.withResolvers<void>();
  subscribed = begin.promise;
  const gone = Promise.withResolvers<void>();
  serve = (response) => {
    open(response);
    response.on('close', gone.resolve);
    leave();
  };
  const leave = visit();
  await gone.promise;
  begin.resolve();
  await nextTurn();
  expect([...following]).toEqual([]);
});

it('a page that does not read gets its next board after it has read the one before', async () => {
  shown = board('x'.repeat(32 * 1024 ** 2));
  const written = Promise.withResolvers<ServerResponse>();
  serve = (response) => {
    open(response);
    written.resolve(response);
  };
  visit();
  const response = await written.promise;
  await expect.poll(() => [response.writableNeedDrain, pages.length]).toEqual([true, 1]);
  await nextTurn();
  expect(looks).toBe(0);
  pages[0]?.resume();
  await expect.poll(() => looks).toBe(1);
});
