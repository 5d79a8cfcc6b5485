// The common parts of the sign-in pages: the request, the form with the reason of a refusal, and the start of a
// session.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ports } from '../context.ts';
import { isSecureConnection, safePath } from '../domain/accounts/sign-in.ts';
import { DomainError, errorCodes } from '../domain/errors.ts';
import type { Authenticator, Secrets, Session } from '../modules/accounts/index.ts';
import { listSignInApps } from '../modules/github/index.ts';
import type { Oidc } from '../modules/oidc/index.ts';
import { sessionCookie, type Callers } from './callers.ts';
import { html, sendPage, type Markup } from './page.ts';
import type { WrongTokens } from './wrong-tokens.ts';

export interface SessionPages {
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly wrongTokens: WrongTokens;
  /** Null: the installation has no OpenID provider. */
  readonly oidc: Oidc | null;
}

export interface SignInRoute {
  Params: { secret: string; app: string };
  Querystring: Readonly<Record<string, string | string[] | undefined>>;
  Body: URLSearchParams | undefined;
}

/** A browser's request for one of the sign-in pages. */
export interface SignInRequest {
  readonly pages: SessionPages;
  readonly request: FastifyRequest<SignInRoute>;
  readonly reply: FastifyReply;
  /** The path to which the browser is redirected after signing in. */
  readonly next: string;
}

export async function currentSession(
  { authenticator, callers, wrongTokens }: SessionPages,
  request: FastifyRequest,
): Promise<Session | null> {
  const secret = callers.sessionOf(request.headers);
  if (secret === null) return null;
  try {
    return await authenticator.authenticateSession(secret, request.id);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    wrongTokens.recordWrong(request.ip);
    return null;
  }
}

export function wayProblem({ ports }: SessionPages, { headers }: FastifyRequest): string | null {
  if (isSecureConnection({ publicUrl: ports.publicUrl, host: headers.host })) return null;
  return 'Browsers sign in over https, or on the machine that Interlock runs on. Put a proxy that ends TLS before Interlock, and set INTERLOCK_PUBLIC_URL to its address.';
}

/** Returns a handler for `catch` that counts errors with this code as wrong tokens. */
export function countRefusals(
  wrongTokens: WrongTokens,
  { ip }: FastifyRequest,
  code: DomainError['code'],
): (error: unknown) => never {
  return (error) => {
    if (error instanceof DomainError && error.code === code) wrongTokens.recordWrong(ip);
    throw error;
  };
}

export function signInRequestOf(
  pages: SessionPages,
  request: FastifyRequest<SignInRoute>,
  reply: FastifyReply,
): SignInRequest {
  const given = request.body?.get('next') ?? request.query['next'];
  return { pages, request, reply, next: safePath(typeof given === 'string' ? given : null) };
}

/** Does `work` if the connection protects the cookie. A refusal is answered with the sign-in form and the reason. */
export async function withRefusalForm(signIn: SignInRequest, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  const problem = wayProblem(signIn.pages, signIn.request);
  if (problem !== null) return await sendForm(signIn, { why: problem, status: 403 });
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'INTERNAL') throw error;
    return await sendForm(signIn, { why: error.message, status: errorCodes[error.code] });
  }
}

/** Sets the cookie of the session that `begin` returns, and redirects the browser to the next page. */
export async function answerWithSession(
  signIn: SignInRequest,
  begin: () => Promise<{ readonly secret: string; readonly next?: string }>,
): Promise<FastifyReply> {
  return await withRefusalForm(signIn, async () => {
    const { secret, next = signIn.next } = await begin();
    signIn.pages.wrongTokens.recordGood(secret);
    return await signIn.reply
      .header('set-cookie', sessionCookie(signIn.pages.ports.publicUrl, secret))
      .header('cache-control', 'no-store')
      .redirect(next, 303);
  });
}

export const formsTo = "'self'";

export async function sendForm(
  { pages, request, reply, next }: SignInRequest,
  {
    why,
    status = 200,
    notes = [],
  }: { readonly why: string | null; readonly status?: number; readonly notes?: readonly Markup[] },
): Promise<FastifyReply> {
  const isWrong = status === 401;
  const title = 'Sign in to Interlock';
  const alert = why === null ? html`` : html`<p role="alert" id="why">${why}</p>`;
  // If the connection is not private, the page has no field for a token.
  if (wayProblem(pages, request) !== null) return await sendPage(reply, status, { title, body: alert, isNarrow: true });
  const account = request.query['account'];
  const ways = await listSignInApps(pages.ports, typeof account === 'string' ? account : null);
  const nextQuery = next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
  const links = ways.map(
    ({ id, host }) =>
      html`<p><a class="button" href="${`/session/github/${id}${nextQuery}`}">Sign in with GitHub${host === 'github.com' ? '' : ` (${host})`}</a></p>`,
  );
  if (pages.oidc !== null) {
    const { label } = pages.oidc.settings;
    const wanted = new URLSearchParams({
      ...(next !== '/' && { next }),
      ...(typeof account === 'string' && { account }),
    });
    const query = wanted.size === 0 ? '' : `?${wanted.toString()}`;
    links.unshift(html`<p><a class="button" href="${`/session/oidc${query}`}">Sign in with ${label}</a></p>`);
  }
  const body = html`${[alert, ...notes, ...links]}<form method="post" action="/session"><label for="token">API token</label><input id="token" name="token" type="password" autocomplete="current-password" spellcheck="false" required${invalid(isWrong)}>${hiddenNext(next)}<button class="${links.length === 0 ? '' : 'quiet'}">Sign in${links.length === 0 ? '' : ' with the token'}</button></form>
<p class="dim"><code>npm start</code> prints a link that signs you in, and stores the first token in <code>access.json</code> in its data directory. With any token, the mutation <code>createSignInLink</code> makes such a link.</p>`;
  return await sendPage(reply, status, { title, body, formsTo, isNarrow: true });
}

function invalid(isWrong: boolean): Markup {
  return isWrong ? html` aria-invalid="true" aria-describedby="why"` : html``;
}

export function hiddenNext(next: string): Markup {
  return next === '/' ? html`` : html`<input type="hidden" name="next" value="${next}">`;
}
