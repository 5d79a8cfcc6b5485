// The built dashboard: its files, and which page a browser gets. It is one page that reads its own address, served to
// browsers that are signed in; the others are sent to the sign-in page and come back.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../domain/errors.ts';
import { noSessionCookie, type Callers } from './callers.ts';
import { html, sendPage } from './page.ts';
import { serveFolder } from './static-files.ts';

export interface Dashboard {
  /** Answers a browser, with the dashboard or the way to sign in. False: the request is for the page of the route. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
  /** The same for a path without a route. False: the path is nothing. */
  answerUnknown(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
}

export interface DashboardOptions {
  readonly folder: string;
  readonly callers: Callers;
  readonly publicUrl: string;
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** First segments of paths that machines ask for. They have no pages. */
const machines: ReadonlySet<string> = new Set([
  'api',
  'assets',
  'git',
  'github',
  'graphiql',
  'graphql',
  'healthz',
  'metrics',
  'readyz',
  'schema',
  'session',
]);

export async function serveDashboard(
  fastify: FastifyInstance,
  { folder, callers, publicUrl }: DashboardOptions,
): Promise<Dashboard> {
  const isBuilt = existsSync(join(folder, 'index.html'));
  if (isBuilt) await serveFiles(fastify, folder);

  async function isSignedIn(request: FastifyRequest): Promise<boolean> {
    try {
      if (callers.sessionOf(request.headers) === null) return false;
      await callers.authenticate(request, request.id);
      return true;
    } catch (error) {
      // FORBIDDEN: GitHub took all access from the person.
      if (error instanceof DomainError && ['UNAUTHENTICATED', 'FORBIDDEN'].includes(error.code)) return false;
      throw error;
    }
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    if (!isBuilt || !isBrowser(request)) return false;
    if (await isSignedIn(request)) {
      await reply
        .header('content-security-policy', policy)
        .header('referrer-policy', 'same-origin')
        .header('cross-origin-opener-policy', 'same-origin')
        .header('cache-control', 'no-cache')
        .sendFile('index.html', folder, { cacheControl: false });
      return true;
    }
    if (callers.sessionOf(request.headers) !== null) reply.header('set-cookie', noSessionCookie(publicUrl));
    const next = request.url === '/' ? '' : `?next=${encodeURIComponent(request.url)}`;
    await reply.header('cache-control', 'no-store').redirect(`/session${next}`, 303);
    return true;
  }

  return {
    answer,
    async answerUnknown(request, reply) {
      const [path = ''] = request.url.split('?');
      const [, first = ''] = path.split('/');
      if (!isBrowser(request) || machines.has(first)) return false;
      if (await answer(request, reply)) return true;
      if (isBuilt || path !== '/') return false;
      await sendPage(reply, 200, { title: 'The dashboard is not built', body: unbuilt });
      return true;
    },
  };
}

/** A client that shows pages and has no token of its own. */
function isBrowser({ method, headers: { accept, authorization } }: FastifyRequest): boolean {
  return ['GET', 'HEAD'].includes(method) && authorization === undefined && /\btext\/html\b/i.test(accept ?? '');
}

async function serveFiles(fastify: FastifyInstance, folder: string): Promise<void> {
  // For `sendFile`; it serves nothing by itself.
  await fastify.register(fastifyStatic, { root: folder, serve: false, preCompressed: true });
  if (existsSync(join(folder, 'assets')))
    await serveFolder(fastify, { prefix: '/assets', folder: join(folder, 'assets'), immutable: '' });
  // What its build puts beside the page, such as its icon.
  const beside = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.|\.br$|^(?:index|embed)\.html$/.test(entry.name))
    .map(({ name }) => name);
  for (const name of beside)
    fastify.get(
      `/${name}`,
      async (_request, reply) =>
        await reply.header('cache-control', 'no-cache').sendFile(name, folder, { cacheControl: false }),
    );
}

const unbuilt = html`<p>Run <code>npm run build</code> and start Interlock again. Until then there are <a href="/graphiql">GraphiQL</a> and the plain pages of pull requests and runbooks.</p>`;
