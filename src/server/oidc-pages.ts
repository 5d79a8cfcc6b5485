// Routes for signing in and out at the installation's OpenID provider (docs/sign-in.md).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  beginOidcSignIn,
  completeOidcSignIn,
  hasOidcSignOut,
  oidcSignOutUrl,
  type Oidc,
} from '../modules/oidc/index.ts';
import { readSignInCookie, signInCookie } from './callers.ts';
import { html, type Markup } from './page.ts';
import {
  answerWithSession,
  countRefusals,
  withRefusalForm,
  signInRequestOf,
  type SessionPages,
  type SignInRoute,
} from './sign-in-request.ts';
import { createWrongTokens, refuseGuesses } from './wrong-tokens.ts';

export function serveOidc(fastify: FastifyInstance, pages: SessionPages): void {
  const { oidc } = pages;
  if (oidc === null) return;
  serveSignIn(fastify, pages, oidc);
  serveSignOut(fastify, pages, oidc);
}

function serveSignIn(fastify: FastifyInstance, pages: SessionPages, oidc: Oidc): void {
  const { ports, secrets } = pages;
  const { publicUrl } = ports;
  // Wrong codes are limited, because each code causes a request to the provider. They are counted separately from wrong
  // tokens, which must not stop people of the provider.
  const wrongCodes = createWrongTokens(ports.clock);
  fastify.get<SignInRoute>('/session/oidc', async (request, reply) => {
    const signIn = signInRequestOf(pages, request, reply);
    return await withRefusalForm(signIn, async () => {
      const wanted = request.query['account'];
      const account = typeof wanted === 'string' ? wanted : null;
      const { provider } = oidc;
      const started = await beginOidcSignIn(ports, secrets, { provider, next: signIn.next, account });
      return await reply
        .header('set-cookie', signInCookie(publicUrl, 'oidc', started.cookie))
        .header('cache-control', 'no-store')
        .redirect(started.url, 303);
    });
  });
  // The provider redirects browsers here. The sealed cookie and the state prove that this browser began the sign-in.
  fastify.get<SignInRoute>('/session/oidc/callback', async (request, reply) => {
    return await answerWithSession(signInRequestOf(pages, request, reply), async () => {
      refuseGuesses(wrongCodes, request.ip, '');
      reply.header('set-cookie', signInCookie(publicUrl, 'oidc', null));
      const cookie = readSignInCookie(publicUrl, 'oidc', request.headers.cookie);
      const answer = new URL(request.url, publicUrl).searchParams;
      const completed = completeOidcSignIn(ports, secrets, { oidc, cookie, answer });
      return await completed.catch(countRefusals(wrongCodes, request, 'FORBIDDEN'));
    });
  });
}

function serveSignOut(fastify: FastifyInstance, pages: SessionPages, oidc: Oidc): void {
  const { ports, secrets } = pages;
  fastify.get<SignInRoute>('/session/oidc/end', async (request, reply) => {
    return await withRefusalForm(signInRequestOf(pages, request, reply), async () => {
      const cookie = readSignInCookie(ports.publicUrl, 'oidc', request.headers.cookie);
      const url = await oidcSignOutUrl(ports, secrets, { oidc, cookie });
      return await reply
        .header('set-cookie', signInCookie(ports.publicUrl, 'oidc', null))
        .header('cache-control', 'no-store')
        .redirect(url ?? '/session', 303);
    });
  });
}

/** A link to sign out at the provider, for a browser that has just signed out of Interlock. */
export function providerSignOutLink({ oidc, ports, secrets }: SessionPages, { headers }: FastifyRequest): Markup[] {
  const cookie = readSignInCookie(ports.publicUrl, 'oidc', headers.cookie);
  if (oidc === null || !hasOidcSignOut(ports, secrets, cookie)) return [];
  const { label } = oidc.settings;
  return [
    html`<p>You are signed out of Interlock, and still signed in at ${label}. <a href="/session/oidc/end">Sign out there too</a></p>`,
  ];
}
