// Sign-in with the App. Serves the page on which a person agrees, and the exchange of the code for a token (PKCE S256).
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Core, instant } from '../core.ts';
import { findAccount } from '../http/reach.ts';
import { makeToken, randomWord } from '../model/ids.ts';
import type { AccessToken, App, ExchangeCode } from '../model/types.ts';
import { form, hiddenFields, select, sendPage } from './html.ts';

type Fields = Readonly<Record<string, string | undefined>>;

const codeLifeMs = 600_000;
const tokenLifeSec = 28_800;
const refreshLifeSec = 15_897_600;

export function registerOauth(fastify: FastifyInstance, core: Core): void {
  fastify.get<{ Querystring: Record<string, string> }>('/login/oauth/authorize', async (request, reply) => {
    const asked = request.query;
    const app = findApp(core, asked['client_id']);
    if (app === undefined) return await sendPage(reply, 'Not found', '<p>No App has this client id.</p>', 404);
    const people = core.state.accounts.filter(({ type }) => type === 'User').map(({ login }) => login);
    const inside = `${hiddenFields(asked)}<p>Sign in as ${select('as', people, asked['login'])}</p>`;
    return await sendPage(
      reply,
      `Authorize ${app.name}`,
      form('/login/oauth/authorize', inside, `Authorize ${app.name}`),
    );
  });
  fastify.post<{ Body: Record<string, string> }>('/login/oauth/authorize', async (request, reply) => {
    return await authorize(core, request.body, reply);
  });
  fastify.post<{ Body: Record<string, string>; Querystring: Record<string, string> }>(
    '/login/oauth/access_token',
    async (request, reply) => {
      const answer = exchange(core, {
        ...request.query,
        ...readClient(request.headers.authorization),
        ...request.body,
      });
      core.state.save();
      const wantsJson = request.headers.accept?.includes('json') ?? false;
      if (wantsJson) return await reply.send(answer);
      const text = new URLSearchParams(
        Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, String(value)])),
      );
      return await reply.type('application/x-www-form-urlencoded; charset=utf-8').send(text.toString());
    },
  );
}

function findApp(core: Core, clientId: string | undefined): App | undefined {
  return core.state.apps.find((each) => each.clientId === clientId);
}

async function authorize(core: Core, asked: Fields, reply: FastifyReply): Promise<FastifyReply> {
  const app = findApp(core, asked['client_id']);
  const person = findAccount(core, asked['as'] ?? '');
  if (app === undefined || person === undefined) return await sendPage(reply, 'Not found', '', 404);
  const target = asked['redirect_uri'] ?? app.callbackUrls[0];
  if (target === undefined || !isCallback(app, target))
    return await sendPage(
      reply,
      'Be careful!',
      '<p>The <code>redirect_uri</code> is not associated with this application.</p>',
      400,
    );
  const url = new URL(target);
  if (asked['state'] !== undefined) url.searchParams.set('state', asked['state']);
  if (asked['code_challenge'] !== undefined && asked['code_challenge_method'] !== 'S256') {
    url.searchParams.set('error', 'invalid_request');
    return await reply.redirect(url.href, 302);
  }
  const { code } = core.state.codes.insert({
    code: randomWord(core.random, 20).toLowerCase(),
    kind: 'oauth',
    appId: app.id,
    userId: person.id,
    redirectUri: asked['redirect_uri'] ?? null,
    codeChallenge: asked['code_challenge'] ?? null,
    scopes: [],
    privateKey: null,
    expiresAt: instant(core.clock() + codeLifeMs),
  });
  core.state.save();
  url.searchParams.set('code', code);
  return await reply.redirect(url.href, 302);
}

/** Whether an address is a callback of the App. For an App without callbacks, every loopback address is a callback. */
function isCallback(app: App, target: string): boolean {
  const { hostname, href } = new URL(target);
  if (app.callbackUrls.length === 0) return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return app.callbackUrls.some((each) => href === new URL(each).href || href.startsWith(`${new URL(each).href}/`));
}

/** Exchanges a code for a token. Like at GitHub, an error is an answer with status 200. */
function exchange(core: Core, asked: Fields): Record<string, unknown> {
  const app = findApp(core, asked['client_id']);
  if (app === undefined || app.clientSecret !== asked['client_secret'])
    return refused('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.');
  if (asked['grant_type'] === 'refresh_token')
    return refused('bad_refresh_token', 'The refresh token passed is incorrect or expired.');
  const found = core.state.codes.find((each) => each.kind === 'oauth' && each.code === asked['code']);
  const bad = refused('bad_verification_code', 'The code passed is incorrect or expired.');
  if (found === undefined || found.appId !== app.id) return bad;
  core.state.codes.remove(found.id);
  if (Date.parse(found.expiresAt) <= core.clock()) return bad;
  if (found.redirectUri !== null && asked['redirect_uri'] !== undefined && asked['redirect_uri'] !== found.redirectUri)
    return refused(
      'redirect_uri_mismatch',
      'The redirect_uri MUST match the registered callback URL for this application.',
    );
  if (!isVerified(found, asked['code_verifier'])) return bad;
  return {
    access_token: makeUserToken(core, app, found.userId).token,
    expires_in: tokenLifeSec,
    refresh_token: `ghr_${randomWord(core.random, 76)}`,
    refresh_token_expires_in: refreshLifeSec,
    scope: '',
    token_type: 'bearer',
  };
}

function isVerified({ codeChallenge }: ExchangeCode, verifier: string | undefined): boolean {
  if (codeChallenge === null) return true;
  if (verifier === undefined) return false;
  return createHash('sha256').update(verifier).digest('base64url') === codeChallenge;
}

export function makeUserToken(core: Core, app: App, userId: number): AccessToken {
  return core.state.tokens.insert({
    token: makeToken(core.random, 'user-to-server', app.id),
    kind: 'user-to-server',
    userId,
    appId: app.id,
    installationId: null,
    permissions: null,
    repositoryIds: null,
    scopes: [],
    expiresAt: instant(core.clock() + tokenLifeSec * 1000),
    createdAt: core.now(),
  });
}

function refused(error: string, description: string): Record<string, unknown> {
  return { error, error_description: description, error_uri: 'https://docs.github.com/apps' };
}

function readClient(header: string | undefined): Fields {
  const encoded = /^basic (.+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return {};
  const [id, secret] = Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s);
  return { client_id: decodeURIComponent(id ?? ''), client_secret: decodeURIComponent(secret ?? '') };
}
