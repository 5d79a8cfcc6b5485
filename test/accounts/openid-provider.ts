// Runs a real OpenID provider on this machine. A test adds people and chooses who signs in.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider, type Configuration } from 'oidc-provider';

export interface ProviderPerson {
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The people of the provider, by subject. */
  readonly people: Map<string, ProviderPerson>;
  /** The subject of the person who signs in with the next browser. */
  atKeyboard: string;
  idTokenSec: number;
  /** How many grants of the provider the client has revoked. */
  revoked: number;
  /**
   * `run` is called once, after the provider has carried out the next request for tokens (`/token`) or for the claims of
   * a person (`/me`), and before the provider answers.
   */
  beforeAnswer: { readonly path: '/token' | '/me'; readonly run: () => Promise<void> } | null;
  /** The provider signs with a new key from now on, and forgets all sessions. */
  rotateKeys(): Promise<void>;
  /**
   * Follows an address as a browser does. Returns the address of the service to which the provider sends the browser
   * back.
   */
  walk(url: string): Promise<URL>;
}

const client = { clientId: 'interlock', clientSecret: 'a secret of the client' };

export async function openIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  let handle: Provider | null = null;
  const server = createServer((request, response) => {
    void (async () => {
      if (handle === null) throw new Error('The provider is not ready.');
      if (!request.url?.startsWith('/keyboard/')) return await handle.callback()(request, response);
      return await handle.interactionFinished(request, response, { login: { accountId: it.atKeyboard }, consent: {} });
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function begin(): Promise<void> {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: crypto.randomUUID() };
    handle = new Provider(issuer, configurationOf(it, redirectUri, key));
    handle.use(async (context, next) => {
      await next();
      const before = it.beforeAnswer;
      if (context.path !== before?.path) return;
      it.beforeAnswer = null;
      await before.run();
    });
    handle.on('grant.revoked', () => {
      it.revoked += 1;
    });
  }

  const it: OpenIdProvider = {
    issuer,
    ...client,
    people: new Map(),
    atKeyboard: '',
    idTokenSec: 3600,
    revoked: 0,
    beforeAnswer: null,
    rotateKeys: begin,
    async walk(url) {
      const jar = new Map<string, string>();
      let next = new URL(url);
      for (let steps = 0; steps < 10 && next.origin === issuer; steps += 1) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
        for (const set of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          jar.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null) throw new Error(`${next.pathname}: ${response.status} ${await response.text()}`);
        next = new URL(location, next);
      }
      return next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  await begin();
  return it;
}

function configurationOf(it: OpenIdProvider, redirectUri: string, key: object): Configuration {
  return {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [redirectUri.replace(/\/oidc\/callback$/, '')],
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key] },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, _client, code) => Promise.resolve(code.scopes.has('offline_access')),
    ttl: {
      IdToken: () => it.idTokenSec,
      RefreshToken: 86_400,
      AccessToken: 3600,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 600,
      AuthorizationCode: 60,
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
      revocation: { enabled: true },
    },
    interactions: { url: (_ctx, { uid }) => `/keyboard/${uid}` },
    findAccount: (_ctx, subject) => {
      const person = it.people.get(subject);
      return person && { accountId: subject, claims: () => ({ sub: subject, ...person }) };
    },
    async loadExistingGrant(ctx) {
      const { provider, session, client: asking } = ctx.oidc;
      const ids = { accountId: session?.accountId ?? '', clientId: asking?.clientId ?? '' };
      const grant = new provider.Grant(ids);
      grant.addOIDCScope('openid email groups offline_access');
      await grant.save();
      return grant;
    },
  };
}
