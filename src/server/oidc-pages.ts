// Signing in at the OpenID provider of the installation, and out of it (docs/sign-in.md).
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
  serveWayIn(fastify, pages, oidc);
  serveWayOut(fastify, pages, oidc);
}

function serveWayIn(fastify: FastifyInstance, pages: SessionPages, oidc: Oidc): void {
  const { ports, secrets } = pages;
  const { publicUrl } = ports;
  // The provider is asked about each code. They are counted apart, because wrong tokens must not stop its people.
  const wrongCodes = createWrongTokens(ports.clock);
  fastify.get<SignInRoute>('/session/oidc', async (request, reply) => {
    const signIn = signInRequestOf(pages, request, reply);
    return await withRefusalForm(signIn, async () => {
      const wanted = request.query['account'];
      const account = typeof wanted === 'string' ? wanted : null;
      const { provider } = oidc;
      const started = await beginOidcSignIn(ports, secrets, { provider, next: signIn.next, account });
      return await reply
        .header('set-cookie', signInCookie(publicUrl, 'oidc', started.kept))
        .header('cache-control', 'no-store')
        .redirect(started.url, 303);
    });
  });
  // Comes from the provider. The sealed cookie and the state say that this browser began here.
  fastify.get<SignInRoute>('/session/oidc/callback', async (request, reply) => {
    return await answerWithSession(signInRequestOf(pages, request, reply), async () => {
      refuseGuesses(wrongCodes, request.ip, '');
      reply.header('set-cookie', signInCookie(publicUrl, 'oidc', null));
      const kept = readSignInCookie(publicUrl, 'oidc', request.headers.cookie);
      const answer = new URL(request.url, publicUrl).searchParams;
      const completed = completeOidcSignIn(ports, secrets, { oidc, kept, answer });
      return await completed.catch(countRefusals(wrongCodes, request, 'FORBIDDEN'));
    });
  });
}

function serveWayOut(fastify: FastifyInstance, pages: SessionPages, oidc: Oidc): void {
  const { ports, secrets } = pages;
  fastify.get<SignInRoute>('/session/oidc/end', async (request, reply) => {
    return await withRefusalForm(signInRequestOf(pages, request, reply), async () => {
      const kept = readSignInCookie(ports.publicUrl, 'oidc', request.headers.cookie);
      const url = await oidcSignOutUrl(ports, secrets, { oidc, kept });
      return await reply
        .header('set-cookie', signInCookie(ports.publicUrl, 'oidc', null))
        .header('cache-control', 'no-store')
        .redirect(url ?? '/session', 303);
    });
  });
}

/** A link for a browser that has just signed out here, and is still signed in at the provider. */
export function signOutThere({ oidc, ports, secrets }: SessionPages, { headers }: FastifyRequest): Markup[] {
  const kept = readSignInCookie(ports.publicUrl, 'oidc', headers.cookie);
  if (oidc === null || !hasOidcSignOut(ports, secrets, kept)) return [];
  const { label } = oidc.settings;
  return [
    html`<p>You are signed out of Interlock, and still signed in at ${label}. <a href="/session/oidc/end">Sign out there too</a></p>`,
  ];
}
