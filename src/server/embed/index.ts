// Shows one queue to visitors without a session, who have a link with a key (ADR 0089). The key gives access to three
// addresses only: a page for screens, the stream of its changes, and a badge.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { DomainError } from '../../domain/errors.ts';
import type { RequestServices } from '../../graphql/context.ts';
import type { Authenticator, EmbedSession } from '../../modules/accounts/index.ts';
import { html, sendPage } from '../page.ts';
import { refuseGuesses, type WrongTokens } from '../wrong-tokens.ts';
import { badgeOf } from './badge.ts';
import { createBoards } from './boards.ts';
import { createStreams, type Streams, type Visitor } from './streams.ts';

export interface EmbedOptions {
  readonly schema: GraphQLSchema;
  readonly services: RequestServices;
  readonly authenticator: Authenticator;
  readonly wrongTokens: WrongTokens;
  readonly log: Logger;
  /** The built dashboard, whose `embed.html` is the page. */
  readonly folder: string;
  /** Sites that may show the page in a frame, as in the Content-Security-Policy. */
  readonly frameAncestors: string;
}

interface EmbedRequest {
  Params: { owner: string; name: string; '*': string };
  Querystring: Readonly<Record<string, string | string[] | undefined>>;
}

type Shown = 'page' | 'badge' | 'changes';

const endings = { badge: '/badge.svg', changes: '/changes' } as const;

/** What an address shows. Null: it is not an address of the link's queue. */
export function decideShown(
  link: { readonly owner: string; readonly name: string; readonly baseBranch: string },
  path: { readonly owner: string; readonly name: string; readonly rest: string },
): Shown | null {
  if (path.owner !== link.owner || path.name !== link.name) return null;
  if (path.rest === link.baseBranch) return 'page';
  if (path.rest === link.baseBranch + endings.badge) return 'badge';
  return path.rest === link.baseBranch + endings.changes ? 'changes' : null;
}

export function serveEmbeds(fastify: FastifyInstance, options: EmbedOptions): void {
  const { schema, services, authenticator, log, folder, frameAncestors } = options;
  const boards = createBoards(schema, services);
  const streams = createStreams(boards, log);
  const stopListening = authenticator.onRevoked(
    () =>
      void streams
        .recheckAll()
        .catch((error: unknown) => log.warn({ err: error }, 'embed links could not be checked after an end')),
  );
  fastify.addHook('preClose', async () => {
    stopListening();
    streams.close();
    await Promise.resolve();
  });

  fastify.get<EmbedRequest>('/embed/:owner/:name/*', { exposeHeadRoute: false }, async (request, reply) => {
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    let session: EmbedSession;
    try {
      session = await authenticate(options, request);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return await sendOver(reply, error.code === 'RATE_LIMITED' ? 429 : 404);
    }
    const { owner, name, '*': rest } = request.params;
    switch (decideShown(session.link, { owner, name, rest })) {
      case 'page':
        return await sendEmbed(reply, folder, frameAncestors);
      case 'badge':
        return await sendBadge(request, reply, badgeOf(session.link.baseBranch, (await boards.read(session)).summary));
      case 'changes': {
        const signInAgain = async () => await authenticator.authenticateEmbed(keyOf(request), request.id);
        return sendChanges(reply, streams, { session, signInAgain });
      }
      case null:
        return await sendOver(reply, 404);
    }
  });
}

async function authenticate(
  { authenticator, wrongTokens }: EmbedOptions,
  request: FastifyRequest<EmbedRequest>,
): Promise<EmbedSession> {
  const key = keyOf(request);
  refuseGuesses(wrongTokens, request.ip, key);
  try {
    return await authenticator.authenticateEmbed(key, request.id);
  } catch (error) {
    if (error instanceof DomainError) wrongTokens.recordWrong(request.ip);
    throw error;
  }
}

function keyOf({ query }: FastifyRequest<EmbedRequest>): string {
  const { key } = query;
  return typeof key === 'string' ? key : '';
}

async function sendEmbed(reply: FastifyReply, folder: string, frameAncestors: string): Promise<FastifyReply> {
  if (!existsSync(join(folder, 'embed.html')))
    return await sendPage(reply, 503, {
      title: 'The dashboard is not built',
      body: html`<p>Run <code>npm run build</code> and start Interlock again.</p>`,
    });
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');
  return await reply.header('content-security-policy', policy).sendFile('embed.html', folder, { cacheControl: false });
}

function sendChanges(reply: FastifyReply, streams: Streams, visitor: Omit<Visitor, 'response'>): FastifyReply {
  reply.hijack();
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    // Without this header, some proxies would buffer events.
    'x-accel-buffering': 'no',
  });
  if (!streams.open({ response: reply.raw, ...visitor })) reply.raw.end('event: full\ndata: {}\n\n');
  return reply;
}

async function sendBadge(request: FastifyRequest, reply: FastifyReply, badge: string): Promise<FastifyReply> {
  const tag = `"${createHash('sha256').update(badge).digest('base64url').slice(0, 22)}"`;
  // Caches must revalidate the badge at each request. An unchanged badge is answered with 304.
  reply.header('cache-control', 'no-cache').header('etag', tag);
  const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known.includes(tag) || known.includes('*')) return await reply.code(304).send();
  return await reply
    .type('image/svg+xml; charset=utf-8')
    .header('content-security-policy', "default-src 'none'")
    .send(badge);
}

async function sendOver(reply: FastifyReply, status: 404 | 429): Promise<FastifyReply> {
  const body =
    status === 404
      ? html`<p>The link has expired, was revoked, or a part of it is missing. An admin can make a new link under Screens and badges.</p>`
      : html`<p>Too many wrong links came from your address. Try again in a minute.</p>`;
  return await sendPage(reply, status, { title: 'This link does not work', body, isNarrow: true });
}
