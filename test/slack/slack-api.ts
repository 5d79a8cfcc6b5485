// The part of Slack's Web API that messages need. It accepts what Slack accepts, within the limits that Slack
// publishes, and refuses everything else with Slack's error codes.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SlackPost {
  readonly channel: string;
  readonly ts: string;
  text: string;
  blocks: readonly Block[];
  /** How often the message was edited. */
  edits: number;
  readonly metadata: { readonly event_type: string; readonly event_payload: object };
}

interface Block {
  readonly type: string;
  readonly text?: { readonly type: string; readonly text: string };
  readonly elements?: readonly { readonly type: string; readonly text: string }[];
}

export interface SlackApi extends AsyncDisposable {
  readonly url: string;
  readonly posts: SlackPost[];
  /** The method and the error of every call. */
  readonly calls: { readonly method: string; readonly error: string | null }[];
  /** Channels by id, and whether the bot is in them. */
  readonly channels: Map<string, { hasBot: boolean; isArchived: boolean }>;
  /** Ids of channels by their names. */
  readonly names: Map<string, string>;
  /** What happens to the next calls. `lost`: the call is carried out, but gets no answer. */
  readonly next: ('lost' | 'ratelimited' | 'down')[];
  /** Runs after each call was carried out, and before it is answered. */
  beforeAnswer: ((method: string) => Promise<void>) | null;
  /** Whether the bot may read channels. */
  mayRead: boolean;
  /** Bots by their tokens, with their scopes besides posting and reading. */
  readonly bots: Map<string, ReadonlySet<'users:read.email' | 'im:write'>>;
  /** For the email address of each person, the channel of direct messages. */
  readonly people: Map<string, string>;
  /** The messages of incoming webhooks, by path. */
  readonly webhooks: Map<string, { isArchived: boolean; readonly posts: Pick<SlackPost, 'text' | 'blocks'>[] }>;
}

export const botToken = 'xoxb-1234-5678';

class Refused extends Error {}

/** `clock`: the clock of Slack, which gives messages their ids. */
export async function slackApi(clock = (): Date => new Date()): Promise<SlackApi> {
  let count = 0;
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api: SlackApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    posts: [],
    calls: [],
    channels: new Map([['C0123456789', { hasBot: true, isArchived: false }]]),
    names: new Map(),
    next: [],
    beforeAnswer: null,
    mayRead: true,
    bots: new Map([[botToken, new Set<never>()]]),
    people: new Map(),
    webhooks: new Map(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.url?.startsWith('/services/')) return takeWebhook(request, response, body);
    const given = new URLSearchParams(body);
    const method = request.url?.slice('/api/'.length) ?? '';
    const fault = api.next.shift();
    if (fault === 'down') return void response.writeHead(503).end();
    if (fault === 'ratelimited')
      return void response
        .writeHead(429, { 'retry-after': '30', 'content-type': 'application/json' })
        .end('{"ok":false,"error":"ratelimited"}');
    const result = carryOut(method, given, request.headers.authorization);
    api.calls.push({ method, error: 'error' in result ? result.error : null });
    await api.beforeAnswer?.(method);
    if (fault === 'lost') return void request.socket.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  }

  function takeWebhook({ url = '', method, headers }: IncomingMessage, response: ServerResponse, body: string): void {
    const say = (status: number, word: string): void => void response.writeHead(status).end(word);
    const hook = api.webhooks.get(url);
    const fault = api.next.shift();
    if (fault === 'down') return say(503, '');
    if (hook === undefined) return say(404, 'no_service');
    if (hook.isArchived) return say(410, 'channel_is_archived');
    if (method !== 'POST' || headers['content-type'] !== 'application/json') return say(400, 'invalid_payload');
    try {
      hook.posts.push(contentOf(JSON.parse(body) as Content));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return say(400, error.message);
    }
    return say(200, 'ok');
  }

  function carryOut(
    method: string,
    given: URLSearchParams,
    authorization = '',
  ): { ok: true } | { ok: false; error: string } {
    try {
      const scopes = api.bots.get(authorization.replace(/^Bearer /, ''));
      if (scopes === undefined) throw new Refused(authorization === '' ? 'not_authed' : 'invalid_auth');
      const work = methods[method];
      if (work === undefined) throw new Refused('unknown_method');
      const needed = scopeOf[method];
      if (needed !== undefined && !scopes.has(needed)) throw new Refused('missing_scope');
      return { ok: true, ...work(given) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { ok: false, error: error.message };
    }
  }

  const methods: Readonly<Record<string, (given: URLSearchParams) => object>> = {
    'users.lookupByEmail': (given) => {
      const email = given.get('email') ?? '';
      if (!api.people.has(email)) throw new Refused('users_not_found');
      return { user: { id: `U${email}` } };
    },
    'conversations.open': (given) => {
      const channel = api.people.get((given.get('users') ?? '').slice(1));
      if (channel === undefined) throw new Refused('user_not_found');
      return { channel: { id: channel } };
    },
    'chat.postMessage': (given) => {
      const channel = channelOf(given);
      const content = formContentOf(given);
      const metadata = JSON.parse(given.get('metadata') ?? 'null') as SlackPost['metadata'];
      if (!/^[a-z_]+$/.test(metadata.event_type)) throw new Refused('invalid_metadata_format');
      count += 1;
      const ts = `${Math.floor(clock().getTime() / 1000)}.${String(count).padStart(6, '0')}`;
      api.posts.push({ channel, ts, ...content, edits: 0, metadata });
      return { channel, ts };
    },
    'chat.update': (given) => {
      const channel = channelOf(given);
      const found = api.posts.find(({ ts }) => ts === given.get('ts'));
      if (found === undefined || found.channel !== channel) throw new Refused('message_not_found');
      Object.assign(found, formContentOf(given), { edits: found.edits + 1 });
      return { channel, ts: found.ts };
    },
    'conversations.history': (given) => {
      if (!api.mayRead) throw new Refused('missing_scope');
      const channel = channelOf(given);
      const since = Number(given.get('oldest') ?? 0);
      const found = api.posts.filter((post) => post.channel === channel && Number(post.ts) >= since);
      const newestFirst = found.toReversed();
      const from = Number(given.get('cursor') ?? 0);
      const to = from + Number(given.get('limit') ?? 100);
      const hasMetadata = given.get('include_all_metadata') === 'true';
      return {
        messages: newestFirst
          .slice(from, to)
          .map(({ ts, text: said, metadata }) => ({ ts, text: said, ...(hasMetadata && { metadata }) })),
        has_more: to < newestFirst.length,
        response_metadata: { next_cursor: to < newestFirst.length ? String(to) : '' },
      };
    },
  };

  function channelOf(given: URLSearchParams): string {
    const called = given.get('channel') ?? '';
    const id = api.names.get(called) ?? called;
    if ([...api.people.values()].includes(id)) return id;
    const channel = api.channels.get(id);
    if (channel === undefined) throw new Refused('channel_not_found');
    if (channel.isArchived) throw new Refused('is_archived');
    if (!channel.hasBot) throw new Refused('not_in_channel');
    return id;
  }
  return api;
}

const scopeOf: Readonly<Record<string, 'users:read.email' | 'im:write'>> = {
  'users.lookupByEmail': 'users:read.email',
  'conversations.open': 'im:write',
};

type Content = Partial<Pick<SlackPost, 'text' | 'blocks'>>;

function formContentOf(given: URLSearchParams): Required<Content> {
  return contentOf({ text: given.get('text') ?? '', blocks: JSON.parse(given.get('blocks') ?? '[]') as Block[] });
}

function contentOf({ text: said = '', blocks = [] }: Content): Required<Content> {
  if (said === '' && blocks.length === 0) throw new Refused('no_text');
  if (said.length > 40_000) throw new Refused('msg_too_long');
  if (blocks.length > 50 || !blocks.every(isBlock)) throw new Refused('invalid_blocks');
  return { text: said, blocks };
}

function isBlock({ type, text: given, elements }: Block): boolean {
  const isText = (each: { readonly type: string; readonly text: string } | undefined, most: number): boolean =>
    each !== undefined &&
    ['mrkdwn', 'plain_text'].includes(each.type) &&
    each.text.length > 0 &&
    each.text.length <= most;
  if (type === 'section') return isText(given, 3_000);
  if (type === 'header') return given?.type === 'plain_text' && isText(given, 150);
  if (type === 'context')
    return elements !== undefined && elements.length <= 10 && elements.every((each) => isText(each, 3_000));
  return type === 'divider';
}
