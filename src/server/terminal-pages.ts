// The pages of `interlock login`: a terminal requests a token, and the user approves it in a browser with a session
// (docs/sign-in.md).
import type { FastifyInstance } from 'fastify';
import { readTerminalAddress, terminalUrl, type TerminalAddress } from '../domain/accounts/terminal.ts';
import { terminalCodeMinutes } from '../domain/accounts/sign-in.ts';
import { DomainError, errorCodes } from '../domain/errors.ts';
import { approveTerminal, createTerminalToken, takeTerminalSession, type Session } from '../modules/accounts/index.ts';
import { html, sendPage, type Markup } from './page.ts';
import {
  currentSession,
  countRefusals,
  withRefusalForm,
  signInRequestOf,
  type SessionPages,
  type SignInRoute,
  type SignInRequest,
} from './sign-in-request.ts';
import { refuseGuesses } from './wrong-tokens.ts';

export function serveTerminals(fastify: FastifyInstance, pages: SessionPages): void {
  fastify.get<SignInRoute>('/session/terminal', async (request, reply) => {
    const signIn = signInRequestOf(pages, request, reply);
    return await withRefusalForm(signIn, async () => {
      const terminal = addressOf(request.query);
      const session = await currentSession(pages, request);
      if (session === null)
        return await reply
          .header('cache-control', 'no-store')
          .redirect(`/session?next=${encodeURIComponent(request.url)}`, 303);
      return await sendQuestion(signIn, session, terminal);
    });
  });
  fastify.post<SignInRoute>('/session/terminal', async (request, reply) => {
    const signIn = signInRequestOf(pages, request, reply);
    return await withRefusalForm(signIn, async () => {
      pages.callers.refuseForeign(request);
      const terminal = addressOf(Object.fromEntries(request.body ?? []));
      const session = await currentSession(pages, request);
      const sessionSecret = pages.callers.sessionOf(request.headers);
      if (session === null || sessionSecret === null)
        throw new DomainError('UNAUTHENTICATED', 'This browser is not signed in any more. Sign in, and log in again.');
      const code = await approveTerminal(session.ctx, pages.secrets, { ...terminal, sessionSecret });
      if (terminal.port === null) return await sendCode(signIn, code);
      const url = terminalUrl(terminal.port, { code, challenge: terminal.challenge });
      return await reply.header('cache-control', 'no-store').redirect(url, 303);
    });
  });
  serveExchange(fastify, pages);
}

/**
 * The terminal exchanges its code for a token here. It has no session, and proves its right by the code and the
 * verifier.
 */
function serveExchange(fastify: FastifyInstance, pages: SessionPages): void {
  const { ports, secrets, authenticator, wrongTokens } = pages;
  fastify.post<SignInRoute>('/session/terminal/token', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      refuseGuesses(wrongTokens, request.ip, '');
      const given = { code: request.body?.get('code') ?? '', verifier: request.body?.get('code_verifier') ?? '' };
      const taken = await takeTerminalSession(ports, secrets, given).catch(
        countRefusals(wrongTokens, request, 'NOT_FOUND'),
      );
      const { ctx } = await authenticator.authenticateSession(taken.sessionSecret, request.id);
      const token = await createTerminalToken({ ...ctx, source: 'graphql_api' }, secrets, taken.name);
      return await reply.send({ token });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'INTERNAL') throw error;
      return await reply.code(errorCodes[error.code]).send({ error: error.message });
    }
  });
}

function addressOf(given: Readonly<Record<string, string | string[] | undefined>>): TerminalAddress {
  const parameters = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const terminal = readTerminalAddress(new URLSearchParams(parameters));
  if (terminal === null)
    throw new DomainError('BAD_INPUT', 'This address is not complete. Begin again in the terminal: interlock login');
  return terminal;
}

// The page names the user and the terminal, because an attacker may send a link for their own terminal, to get a token
// of another user.
async function sendQuestion(
  signIn: SignInRequest,
  { ctx }: Session,
  terminal: TerminalAddress,
): Promise<SignInRequest['reply']> {
  const { challenge, name, port } = terminal;
  const shown = { challenge, name, ...(port !== null && { port: String(port) }) };
  const fields = Object.entries(shown).map(
    ([key, value]): Markup => html`<input type="hidden" name="${key}" value="${value}">`,
  );
  const who = ctx.actor.personAtGitHub?.login ?? ctx.actor.email ?? 'a user of this account';
  const body = html`<p>The terminal on <strong>${name}</strong> wants to act as <strong>${who}</strong>, with everything that you may do. Go on only if you have just typed <code>interlock login</code> there.</p><form method="post" action="/session/terminal">${fields}<button autofocus>Log the terminal in</button></form>`;
  // Browsers apply the form-action policy to redirects after a form too.
  const formsTo = port === null ? "'self'" : `'self' http://127.0.0.1:${port}`;
  return await sendPage(signIn.reply, 200, { title: 'Log a terminal in', body, formsTo, isNarrow: true });
}

async function sendCode(signIn: SignInRequest, code: string): Promise<SignInRequest['reply']> {
  const body = html`<p>Type this code into the terminal where you typed <code>interlock login</code>, and nowhere else. It works once, within ${terminalCodeMinutes} minutes.</p><p><strong id="code">${code}</strong></p>`;
  return await sendPage(signIn.reply, 200, { title: 'Log a terminal in', body, isNarrow: true });
}
