// The pages for signing in and out: plain HTML without scripts (docs/sign-in.md). A sign-in link only shows a form with
// a button, so that programs which open links in messages do not use the link up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { signInLinkMinutes } from '../domain/accounts/sign-in.ts';
import { DomainError } from '../domain/errors.ts';
import { endSession, findSignInLink, startSession, useSignInLink, type Session } from '../modules/accounts/index.ts';
import { beginGitHubSignIn, completeGitHubSignIn } from '../modules/github/index.ts';
import { beginOidcSignOut } from '../modules/oidc/index.ts';
import { noSessionCookie, readSignInCookie, signInCookie } from './callers.ts';
import { serveOidc, providerSignOutLink } from './oidc-pages.ts';
import { html, sendPage, type Markup } from './page.ts';
import {
  currentSession,
  answerWithSession,
  formsTo,
  hiddenNext,
  countRefusals,
  withRefusalForm,
  sendForm,
  signInRequestOf,
  wayProblem,
  type SessionPages,
  type SignInRoute,
} from './sign-in-request.ts';
import { serveTerminals } from './terminal-pages.ts';
import { createWrongTokens, refuseGuesses } from './wrong-tokens.ts';

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
    serveOidc(scope, pages);
    serveTerminals(scope, pages);
    serveEnd(scope, pages);
    await Promise.resolve();
  });
}

function serveForm(fastify: FastifyInstance, pages: SessionPages): void {
  const { secrets, authenticator, callers, wrongTokens } = pages;
  fastify.get<SignInRoute>('/session', async (request, reply) => {
    const signIn = signInRequestOf(pages, request, reply);
    const session = await currentSession(pages, request);
    if (session !== null) return await sendSignedIn(reply, session, signIn.next);
    const notes = [...sessionEnded(pages, request), ...providerSignOutLink(pages, request)];
    return await sendForm(signIn, { why: wayProblem(pages, request), notes });
  });
  fastify.post<SignInRoute>('/session', async (request, reply) => {
    return await answerWithSession(signInRequestOf(pages, request, reply), async () => {
      callers.refuseForeign(request);
      const token = request.body?.get('token')?.trim() ?? '';
      refuseGuesses(wrongTokens, request.ip, token);
      const session = await authenticator.authenticateToken(token, request.id).catch((error: unknown) => {
        if (!(error instanceof DomainError) || error.code !== 'UNAUTHENTICATED') throw error;
        wrongTokens.recordWrong(request.ip);
        throw new DomainError(
          'UNAUTHENTICATED',
          'This token is not accepted. It was revoked, it has expired, or a part of it is missing.',
        );
      });
      wrongTokens.recordGood(token);
      return { secret: await startSession(session.ctx, secrets) };
    });
  });
}

/** Says that the session has ended, to a browser that had one. The dashboard adds `ended` when it learns this first. */
function sessionEnded({ callers }: SessionPages, request: FastifyRequest<SignInRoute>): readonly Markup[] {
  if (callers.sessionOf(request.headers) === null && request.query['ended'] === undefined) return [];
  return [html`<p role="status">Your session has ended. Sign in again, and the page that you left opens.</p>`];
}

function serveLink(fastify: FastifyInstance, pages: SessionPages): void {
  const { ports, secrets, callers, wrongTokens } = pages;
  fastify.get<SignInRoute>('/session/:secret', async (request, reply) => {
    const signIn = signInRequestOf(pages, request, reply);
    return await withRefusalForm(signIn, async () => {
      refuseGuesses(wrongTokens, request.ip, '');
      const link = await findSignInLink(ports, secrets, request.params.secret);
      if (link !== null) return await sendLink(reply, link, signIn.next);
      wrongTokens.recordWrong(request.ip);
      throw new DomainError('NOT_FOUND', overLink);
    });
  });
  fastify.post<SignInRoute>('/session/:secret', async (request, reply) => {
    return await answerWithSession(signInRequestOf(pages, request, reply), async () => {
      callers.refuseForeign(request);
      refuseGuesses(wrongTokens, request.ip, '');
      const used = useSignInLink(ports, secrets, request.params.secret);
      return { secret: await used.catch(countRefusals(wrongTokens, request, 'NOT_FOUND')) };
    });
  });
}

function serveGitHub(fastify: FastifyInstance, pages: SessionPages): void {
  const { ports, secrets } = pages;
  // Wrong codes are limited, because each code causes a request to GitHub. They are counted separately from wrong
  // tokens, which must not stop people of GitHub.
  const wrongCodes = createWrongTokens(ports.clock);
  fastify.get<SignInRoute>('/session/github/:app', async (request, reply) => {
    const signIn = signInRequestOf(pages, request, reply);
    return await withRefusalForm(signIn, async () => {
      const started = await beginGitHubSignIn(ports, secrets, { appId: request.params.app, next: signIn.next });
      return await reply
        .header('set-cookie', signInCookie(ports.publicUrl, 'github', started.cookie))
        .header('cache-control', 'no-store')
        .redirect(started.url, 303);
    });
  });
  // GitHub redirects browsers here. The sealed cookie and the state prove that this browser began the sign-in.
  fastify.get<SignInRoute>('/session/github/callback', async (request, reply) => {
    return await answerWithSession(signInRequestOf(pages, request, reply), async () => {
      refuseGuesses(wrongCodes, request.ip, '');
      reply.header('set-cookie', signInCookie(ports.publicUrl, 'github', null));
      const cookie = readSignInCookie(ports.publicUrl, 'github', request.headers.cookie);
      const answer = new URL(request.url, ports.publicUrl).searchParams;
      const completed = completeGitHubSignIn(ports, secrets, { cookie, answer });
      return await completed.catch(countRefusals(wrongCodes, request, 'FORBIDDEN'));
    });
  });
}

/** Signs out. A browser's form is redirected to the sign-in page, and a script gets 204. Idempotent. */
function serveEnd(fastify: FastifyInstance, pages: SessionPages): void {
  const { ports, secrets, callers } = pages;
  const end = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    callers.refuseForeign(request);
    const session = await currentSession(pages, request);
    if (session !== null) {
      await endSession({ ...session.ctx, source: 'graphql_api' }, { everywhere: false });
      const kept = await beginOidcSignOut(session.ctx, secrets);
      if (kept !== null) reply.header('set-cookie', signInCookie(ports.publicUrl, 'oidc', kept));
    }
    reply.header('set-cookie', noSessionCookie(ports.publicUrl)).header('cache-control', 'no-store');
    const isForm = /\btext\/html\b/i.test(request.headers.accept ?? '');
    return isForm ? await reply.redirect('/session', 303) : await reply.code(204).send();
  };
  fastify.post('/session/end', end);
  fastify.delete('/session', end);
}

const overLink = `This link was used already, is older than ${signInLinkMinutes} minutes, or was made with a token that has ended. Ask for a new link, or sign in with a token.`;

async function sendLink(
  reply: FastifyReply,
  { email, account }: { readonly email: string; readonly account: string },
  next: string,
): Promise<FastifyReply> {
  // The page names the user, because an attacker may send a link of their own account, so that others act in that
  // account unknowingly.
  const body = html`<p>This link signs this browser in as <strong>${email}</strong> of the account <strong>${account}</strong>. It works once.</p><form method="post">${hiddenNext(next)}<button autofocus>Sign in</button></form>`;
  return await sendPage(reply, 200, { title: 'Sign in to Interlock', body, formsTo, isNarrow: true });
}

async function sendSignedIn(reply: FastifyReply, { ctx }: Session, next: string): Promise<FastifyReply> {
  const body = html`<p>You are signed in as <strong>${ctx.actor.personAtGitHub?.login ?? ctx.actor.email ?? 'a user of this account'}</strong>.</p><p><a class="button" href="${next}">Go on</a></p><form method="post" action="/session/end"><button class="quiet">Sign out</button></form>`;
  return await sendPage(reply, 200, { title: 'Interlock', body, formsTo, isNarrow: true });
}
