// Serves the built dashboard. The dashboard is a single page for all addresses. Browsers that are signed in get it.
// Other browsers are redirected to the sign-in page, and back afterwards.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../domain/errors.ts';
import { noSessionCookie, type Callers } from './callers.ts';
import { html, sendPage } from './page.ts';
import { serveFolder } from './static-files.ts';

export interface Dashboard {
  /**
   * Answers a browser with the dashboard or a redirect to the sign-in page. False: it sent nothing, and the route must
   * answer with its own page.
   */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
  /** Like `answer`, for a path without a route. False: it sent nothing, and the answer is 404. */
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

/** First segments of paths for programs. The dashboard has no pages below them. */
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

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    if (!isBuilt || !isBrowser(request)) return false;
    if (await isSignedIn(callers, request)) {
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

async function isSignedIn(callers: Callers, request: FastifyRequest): Promise<boolean> {
  try {
    if (callers.sessionOf(request.headers) === null) return false;
    await callers.authenticate(request, request.id);
    return true;
  } catch (error) {
    // FORBIDDEN: the person has no access at GitHub any more.
    if (error instanceof DomainError && ['UNAUTHENTICATED', 'FORBIDDEN'].includes(error.code)) return false;
    throw error;
  }
}

/** Whether the client is a browser: it accepts HTML and sends no token. */
function isBrowser({ method, headers: { accept, authorization } }: FastifyRequest): boolean {
  return ['GET', 'HEAD'].includes(method) && authorization === undefined && /\btext\/html\b/i.test(accept ?? '');
}

async function serveFiles(fastify: FastifyInstance, folder: string): Promise<void> {
  // Registered only for `sendFile`. It adds no routes.
  await fastify.register(fastifyStatic, { root: folder, serve: false, preCompressed: true });
  if (existsSync(join(folder, 'assets')))
    await serveFolder(fastify, { prefix: '/assets', folder: join(folder, 'assets'), immutable: '' });
  // Other files of the build that are in the same folder as the page, such as the icon.
  const otherFiles = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.|\.br$|^(?:index|embed)\.html$/.test(entry.name))
    .map(({ name }) => name);
  for (const name of otherFiles)
    fastify.get(
      `/${name}`,
      async (_request, reply) =>
        await reply.header('cache-control', 'no-cache').sendFile(name, folder, { cacheControl: false }),
    );
}

const unbuilt = html`<p>Run <code>npm run build</code> and start Interlock again. Until then there are <a href="/graphiql">GraphiQL</a> and the plain pages of pull requests and runbooks.</p>`;
