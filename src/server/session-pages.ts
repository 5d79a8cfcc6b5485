// The pages of signing in and out: plain HTML without scripts (ADR 0077). A link shows a button that sends a form, so that
// programs that open links in messages do not use it up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Ports } from '../context.ts';
import { isPrivateWay, linkMinutes, safePath } from '../domain/accounts/sign-in.ts';
import { DomainError, errorCodes } from '../domain/errors.ts';
import {
  endSession,
  findSignInLink,
  startSession,
  useSignInLink,
  type Authenticator,
  type Secrets,
  type Session,
} from '../modules/accounts/index.ts';
import { beginGitHubSignIn, completeGitHubSignIn, listGitHubWays } from '../modules/github/index.ts';
import { noSessionCookie, sessionCookie, signInCookie, readSignInCookie, type Callers } from './callers.ts';
import { html, sendPage, type Markup } from './page.ts';
import { createWrongTokens, type WrongTokens } from './wrong-tokens.ts';

export interface SessionPages {
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly wrongTokens: WrongTokens;
}

interface SignInRequest {
  Params: { secret: string; app: string };
  Querystring: Readonly<Record<string, string | string[] | undefined>>;
  Body: URLSearchParams | undefined;
}

/** A browser at one of these pages. */
interface Visit {
  readonly pages: SessionPages;
  readonly request: FastifyRequest<SignInRequest>;
  readonly reply: FastifyReply;
  /** Where it wants to go. */
  readonly next: string;
}

const longestForm = 16 * 1024;

export async function serveSessionPages(fastify: FastifyInstance, pages: SessionPages): Promise<void> {
  await fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: longestForm },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    serveForm(scope, pages);
    serveLink(scope, pages);
    serveGitHub(scope, pages);
    serveEnd(scope, pages);
    await Promise.resolve();
  });
}

function serveForm(fastify: FastifyInstance, pages: SessionPages): void {
  const { secrets, authenticator, callers, wrongTokens } = pages;
  fastify.get<SignInRequest>('/session', async (request, reply) => {
    const visit = visitOf(pages, request, reply);
    const session = await currentSession(pages, request);
    if (session !== null) return await sendSignedIn(reply, session, visit.next);
    return await sendForm(visit, { why: wayProblem(pages, request) });
  });
  fastify.post<SignInRequest>('/session', async (request, reply) => {
    return await entering(visitOf(pages, request, reply), async () => {
      callers.refuseForeign(request);
      const token = request.body?.get('token')?.trim() ?? '';
      refuseGuesses(wrongTokens, request, token);
      const session = await authenticator.authenticateToken(token, request.id).catch((error: unknown) => {
        if (!(error instanceof DomainError) || error.code !== 'UNAUTHENTICATED') throw error;
        wrongTokens.noteWrong(request.ip);
        throw new DomainError(
          'UNAUTHENTICATED',
          'This token is not accepted. It was revoked, it has expired, or a part of it is missing.',
        );
      });
      wrongTokens.noteGood(token);
      return { secret: await startSession(session.ctx, secrets) };
    });
  });
}

function serveLink(fastify: FastifyInstance, pages: SessionPages): void {
  const { ports, secrets, callers, wrongTokens } = pages;
  fastify.get<SignInRequest>('/session/:secret', async (request, reply) => {
    const visit = visitOf(pages, request, reply);
    return await refusing(visit, async () => {
      refuseGuesses(wrongTokens, request, '');
      const link = await findSignInLink(ports, secrets, request.params.secret);
      if (link !== null) return await sendLink(reply, link, visit.next);
      wrongTokens.noteWrong(request.ip);
      throw new DomainError('NOT_FOUND', overLink);
    });
  });
  fastify.post<SignInRequest>('/session/:secret', async (request, reply) => {
    return await entering(visitOf(pages, request, reply), async () => {
      callers.refuseForeign(request);
      refuseGuesses(wrongTokens, request, '');
      const used = useSignInLink(ports, secrets, request.params.secret);
      return { secret: await used.catch(noting(wrongTokens, request, 'NOT_FOUND')) };
    });
  });
}

function serveGitHub(fastify: FastifyInstance, pages: SessionPages): void {
  const { ports, secrets } = pages;
  // GitHub is asked about each code. They are counted apart, because wrong tokens must not stop people of GitHub.
  const wrongCodes = createWrongTokens(ports.clock);
  fastify.get<SignInRequest>('/session/github/:app', async (request, reply) => {
    const visit = visitOf(pages, request, reply);
    return await refusing(visit, async () => {
      const begun = await beginGitHubSignIn(ports, secrets, { appId: request.params.app, next: visit.next });
      return await reply
        .header('set-cookie', signInCookie(ports.publicUrl, begun.kept))
        .header('cache-control', 'no-store')
        .redirect(begun.url, 303);
    });
  });
  // Comes from GitHub. The sealed cookie and the state say that this browser began here.
  fastify.get<SignInRequest>('/session/github/callback', async (request, reply) => {
    return await entering(visitOf(pages, request, reply), async () => {
      refuseGuesses(wrongCodes, request, '');
      reply.header('set-cookie', signInCookie(ports.publicUrl, null));
      const kept = readSignInCookie(ports.publicUrl, request.headers.cookie);
      const answer = new URL(request.url, ports.publicUrl).searchParams;
      const completed = completeGitHubSignIn(ports, secrets, { kept, answer });
      return await completed.catch(noting(wrongCodes, request, 'FORBIDDEN'));
    });
  });
}

/** A browser that signs out by its form gets the sign-in page, a script gets 204. A second time is as good as the first. */
function serveEnd(fastify: FastifyInstance, pages: SessionPages): void {
  const { ports, callers } = pages;
  const end = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    callers.refuseForeign(request);
    const session = await currentSession(pages, request);
    if (session !== null) await endSession({ ...session.ctx, source: 'graphql_api' }, { everywhere: false });
    reply.header('set-cookie', noSessionCookie(ports.publicUrl)).header('cache-control', 'no-store');
    const isForm = /\btext\/html\b/i.test(request.headers.accept ?? '');
    return isForm ? await reply.redirect('/session', 303) : await reply.code(204).send();
  };
  fastify.post('/session/end', end);
  fastify.delete('/session', end);
}

async function currentSession(
  { authenticator, callers, wrongTokens }: SessionPages,
  request: FastifyRequest,
): Promise<Session | null> {
  const secret = callers.sessionOf(request.headers);
  if (secret === null) return null;
  try {
    return await authenticator.authenticateSession(secret, request.id);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    wrongTokens.noteWrong(request.ip);
    return null;
  }
}

function wayProblem({ ports }: SessionPages, { headers }: FastifyRequest): string | null {
  if (isPrivateWay({ publicUrl: ports.publicUrl, host: headers.host })) return null;
  return 'Browsers sign in over https, or on the machine that Interlock runs on. Put a proxy that ends TLS before Interlock, and set INTERLOCK_PUBLIC_URL to its address.';
}

function refuseGuesses(wrongTokens: WrongTokens, { ip }: FastifyRequest, token: string): void {
  const seconds = wrongTokens.refusedForSec(ip, token);
  if (seconds !== null)
    throw new DomainError(
      'RATE_LIMITED',
      `Too many wrong tokens, links or codes came from ${ip}: try again in ${seconds} s.`,
    );
}

/** For `catch`: counts a refusal with this code. */
function noting(
  wrongTokens: WrongTokens,
  { ip }: FastifyRequest,
  code: DomainError['code'],
): (error: unknown) => never {
  return (error) => {
    if (error instanceof DomainError && error.code === code) wrongTokens.noteWrong(ip);
    throw error;
  };
}

function visitOf(pages: SessionPages, request: FastifyRequest<SignInRequest>, reply: FastifyReply): Visit {
  const asked = request.body?.get('next') ?? request.query['next'];
  return { pages, request, reply, next: safePath(typeof asked === 'string' ? asked : null) };
}

/** Where others could read the cookie nobody signs in. A refusal becomes the form with its reason. */
async function refusing(visit: Visit, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  const problem = wayProblem(visit.pages, visit.request);
  if (problem !== null) return await sendForm(visit, { why: problem, status: 403 });
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'INTERNAL') throw error;
    return await sendForm(visit, { why: error.message, status: errorCodes[error.code] });
  }
}

/** The browser goes on with the session that `begin` answers. */
async function entering(
  visit: Visit,
  begin: () => Promise<{ readonly secret: string; readonly next?: string }>,
): Promise<FastifyReply> {
  return await refusing(visit, async () => {
    const { secret, next = visit.next } = await begin();
    visit.pages.wrongTokens.noteGood(secret);
    return await visit.reply
      .header('set-cookie', sessionCookie(visit.pages.ports.publicUrl, secret))
      .header('cache-control', 'no-store')
      .redirect(next, 303);
  });
}

const overLink = `This link was used already, is older than ${linkMinutes} minutes, or its token was revoked. Ask for a new one, or sign in with a token.`;
const formsTo = "'self'";

async function sendForm(
  { pages, request, reply, next }: Visit,
  { why, status = 200 }: { readonly why: string | null; readonly status?: number },
): Promise<FastifyReply> {
  const isWrong = status === 401;
  const title = 'Sign in to Interlock';
  const alert = why === null ? html`` : html`<p role="alert" id="why">${why}</p>`;
  // Where others could read a token there is nothing to put it in.
  if (wayProblem(pages, request) !== null) return await sendPage(reply, status, { title, body: alert, isNarrow: true });
  const account = request.query['account'];
  const ways = await listGitHubWays(pages.ports, typeof account === 'string' ? account : null);
  const asked = next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
  const links = ways.map(
    ({ id, host }) =>
      html`<p><a class="button" href="${`/session/github/${id}${asked}`}">Sign in with GitHub${host === 'github.com' ? '' : ` (${host})`}</a></p>`,
  );
  const body = html`${[alert, ...links]}<form method="post" action="/session"><label for="token">API token</label><input id="token" name="token" type="password" autocomplete="current-password" spellcheck="false" required${invalid(isWrong)}>${hidden(next)}<button class="${ways.length === 0 ? '' : 'quiet'}">Sign in${ways.length === 0 ? '' : ' with the token'}</button></form>
<p class="dim"><code>npm start</code> prints a link that signs you in and keeps the first token in <code>access.json</code> in its data directory. Any token makes such a link by the mutation <code>createSignInLink</code>.</p>`;
  return await sendPage(reply, status, { title, body, formsTo, isNarrow: true });
}

function invalid(isWrong: boolean): Markup {
  return isWrong ? html` aria-invalid="true" aria-describedby="why"` : html``;
}

async function sendLink(
  reply: FastifyReply,
  { email, account }: { readonly email: string; readonly account: string },
  next: string,
): Promise<FastifyReply> {
  // Named, because somebody may send a link of their own and wait for what others do under their name.
  const body = html`<p>This link signs this browser in as <strong>${email}</strong> of the account <strong>${account}</strong>. It works once.</p><form method="post">${hidden(next)}<button autofocus>Sign in</button></form>`;
  return await sendPage(reply, 200, { title: 'Sign in to Interlock', body, formsTo, isNarrow: true });
}

async function sendSignedIn(reply: FastifyReply, { ctx }: Session, next: string): Promise<FastifyReply> {
  const body = html`<p>You are signed in as <strong>${ctx.actor.atGitHub?.login ?? ctx.actor.email ?? 'a user of this account'}</strong>.</p><p><a class="button" href="${next}">Go on</a></p><form method="post" action="/session/end"><button class="quiet">Sign out</button></form>`;
  return await sendPage(reply, 200, { title: 'Interlock', body, formsTo, isNarrow: true });
}

function hidden(next: string): Markup {
  return next === '/' ? html`` : html`<input type="hidden" name="next" value="${next}">`;
}
