// The client of an OpenID provider: discovery, the authorization code flow with PKCE and a nonce, ID tokens verified
// with the provider's keys, UserInfo, refresh tokens, and sign-out at the provider.
import * as oauth from 'oauth4webapi';
import { failureOf, OidcFailure } from './failure.ts';

export interface ProviderClient {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
  readonly scopes: string;
  /** The parameter `prompt` of the authorization request. Null: it is not sent. */
  readonly prompt: string | null;
  /** The address to which the provider redirects browsers after the sign-in. */
  readonly redirectUri: string;
  readonly clock: () => Date;
}

/** Values that the browser stores while the person signs in at the provider. */
export interface PendingAuthorization {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person's identity, as the provider reports it. */
export interface ProviderIdentity {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The signed ID token. Null: the answer to a refresh had none. */
  readonly idToken: string | null;
  /** Null: the provider sent no refresh token. */
  readonly refreshToken: string | null;
}

/** Whether the ID token lacks claims, so that UserInfo must be queried as well. */
export type LacksClaims = (claims: ProviderIdentity['claims']) => boolean;

/** Every method throws OidcFailure. */
export interface OidcProvider {
  readonly redirectUri: string;
  /**
   * Returns the address at the provider that the browser opens, and the values that the browser stores until it
   * returns.
   */
  begin(): Promise<{ readonly url: string; readonly kept: PendingAuthorization }>;
  /** Returns the identity of the person whose browser came back with this answer. */
  complete(answer: URLSearchParams, kept: PendingAuthorization): Promise<ProviderIdentity>;
  /** Returns the current identity of a person who signed in earlier. */
  refresh(refreshToken: string, subject: string): Promise<ProviderIdentity>;
  /** Revokes a refresh token and the tokens that the provider issued with it. Idempotent. */
  revoke(refreshToken: string): Promise<void>;
  /** Returns the address at which a browser ends its session at the provider. Null: the provider has no such page. */
  signOutUrl(back: string, idToken: string | null): Promise<string | null>;
  /** Returns the provider's discovery document. */
  describe(): Promise<oauth.AuthorizationServer>;
}

const timeoutMs = 10_000;
const describedMs = 10 * 60_000;
const skewSec = 60;

/** What every call of the provider needs. */
interface Calls {
  readonly client: ProviderClient;
  readonly lacksClaims: LacksClaims;
  /** Returns the options of a request. */
  readonly request: () => { readonly signal: AbortSignal; readonly [oauth.allowInsecureRequests]: boolean };
  /** Reads the description of the provider, at most once in `describedMs`. */
  readonly describe: () => Promise<oauth.AuthorizationServer>;
  readonly describeAgain: () => Promise<oauth.AuthorizationServer>;
}

export function openOidcProvider(client: ProviderClient, lacksClaims: LacksClaims): OidcProvider {
  const calls = prepareCalls(client, lacksClaims);
  const failing =
    <Args extends unknown[], T>(work: (calls: Calls, ...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> =>
      await work(calls, ...args).catch((error: unknown) => {
        throw failureOf(error, client);
      });
  return {
    redirectUri: client.redirectUri,
    begin: failing(begin),
    complete: failing(complete),
    refresh: failing(refresh),
    revoke: failing(revoke),
    signOutUrl: failing(signOutUrl),
    describe: failing(calls.describe),
  };
}

function prepareCalls(client: ProviderClient, lacksClaims: LacksClaims): Calls {
  const issuer = new URL(client.issuer);
  const request: Calls['request'] = () => ({
    signal: AbortSignal.timeout(timeoutMs),
    // The settings accept plain http only for a provider on this machine.
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
  });
  let described: { readonly server: oauth.AuthorizationServer; readonly until: number } | null = null;
  const describeAgain = async (): Promise<oauth.AuthorizationServer> => {
    described = null;
    const response = await oauth.discoveryRequest(issuer, request());
    const server = await oauth.processDiscoveryResponse(issuer, response);
    described = { server, until: Date.now() + describedMs };
    return server;
  };
  const describe = async (): Promise<oauth.AuthorizationServer> =>
    described !== null && described.until > Date.now() ? described.server : await describeAgain();
  return { client, lacksClaims, request, describe, describeAgain };
}

async function begin({
  client,
  describe,
}: Calls): Promise<{ readonly url: string; readonly kept: PendingAuthorization }> {
  const server = await describe();
  const kept = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  return { url: await authorizationUrl(client, server, kept), kept };
}

async function complete(calls: Calls, answer: URLSearchParams, kept: PendingAuthorization): Promise<ProviderIdentity> {
  const { client, request } = calls;
  const server = await calls.describe();
  const checked = oauth.validateAuthResponse(server, identify(client), answer, kept.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    identify(client),
    authenticationOf(client, server),
    checked,
    client.redirectUri,
    kept.verifier,
    request(),
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, identify(client), response, {
    expectedNonce: kept.nonce,
    requireIdToken: true,
  });
  return await identityOf(calls, { server, response, tokens, subject: null });
}

async function refresh(calls: Calls, refreshToken: string, subject: string): Promise<ProviderIdentity> {
  const { client, request } = calls;
  const server = await calls.describe();
  const response = await oauth.refreshTokenGrantRequest(
    server,
    identify(client),
    authenticationOf(client, server),
    refreshToken,
    request(),
  );
  const tokens = await oauth.processRefreshTokenResponse(server, identify(client), response);
  return await identityOf(calls, { server, response, tokens, subject });
}

async function revoke({ client, request, describe }: Calls, refreshToken: string): Promise<void> {
  const server = await describe();
  // The provider cannot revoke tokens. Interlock only deletes its copy.
  if (server.revocation_endpoint === undefined) return;
  const hint = { additionalParameters: { token_type_hint: 'refresh_token' } };
  const response = await oauth.revocationRequest(
    server,
    identify(client),
    authenticationOf(client, server),
    refreshToken,
    {
      ...request(),
      ...hint,
    },
  );
  await oauth.processRevocationResponse(response);
}

async function signOutUrl({ client, describe }: Calls, back: string, idToken: string | null): Promise<string | null> {
  const { end_session_endpoint: endpoint } = await describe();
  if (endpoint === undefined) return null;
  const url = new URL(endpoint);
  url.searchParams.set('client_id', client.clientId);
  url.searchParams.set('post_logout_redirect_uri', back);
  if (idToken !== null) url.searchParams.set('id_token_hint', idToken);
  return url.href;
}

interface TokenAnswer {
  readonly server: oauth.AuthorizationServer;
  readonly response: Response;
  readonly tokens: oauth.TokenEndpointResponse;
  /** The person who signed in earlier. Null: a person signs in now. */
  readonly subject: string | null;
}

async function identityOf(calls: Calls, { server, response, tokens, subject }: TokenAnswer): Promise<ProviderIdentity> {
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (claims !== undefined) await checkSignature(calls, server, response);
  const known = claims?.sub ?? subject;
  if (known === null || (subject !== null && known !== subject))
    throw new OidcFailure('refused', 'The OpenID provider answered for another person. Sign in again.');
  const more = await askUserInfo(calls, { server, tokens, subject: known, claims: claims ?? {} });
  return {
    subject: known,
    claims: { ...claims, ...more },
    idToken: tokens.id_token ?? null,
    refreshToken: tokens.refresh_token ?? null,
  };
}

async function askUserInfo(
  { client, request, lacksClaims }: Calls,
  {
    server,
    tokens,
    subject,
    claims,
  }: Omit<TokenAnswer, 'response'> & {
    readonly subject: string;
    readonly claims: ProviderIdentity['claims'];
  },
): Promise<ProviderIdentity['claims']> {
  if (server.userinfo_endpoint === undefined || !lacksClaims(claims)) return {};
  const response = await oauth.userInfoRequest(server, identify(client), tokens.access_token, request());
  return await oauth.processUserInfoResponse(server, identify(client), subject, response);
}

/**
 * Verifies the signature of the ID token. If the key of the signature is unknown, the provider's description and keys
 * are read again, because the provider may have a newer key.
 */
async function checkSignature(calls: Calls, server: oauth.AuthorizationServer, response: Response): Promise<void> {
  try {
    await oauth.validateApplicationLevelSignature(server, response, calls.request());
  } catch (error) {
    if (!(error instanceof oauth.OperationProcessingError) || error.code !== oauth.KEY_SELECTION) throw error;
    await oauth.validateApplicationLevelSignature(await calls.describeAgain(), response, calls.request());
  }
}

/** Times in tokens are compared with the installation's clock, like the times of sessions. */
function identify({ clientId, clock }: ProviderClient): oauth.Client {
  return {
    client_id: clientId,
    [oauth.clockSkew]: Math.round((clock().getTime() - Date.now()) / 1000),
    [oauth.clockTolerance]: skewSec,
  };
}

function authenticationOf({ clientSecret }: ProviderClient, server: oauth.AuthorizationServer): oauth.ClientAuth {
  if (clientSecret === null) return oauth.None();
  const methods = server.token_endpoint_auth_methods_supported;
  const isBasic = methods === undefined || methods.includes('client_secret_basic');
  return isBasic ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
}

async function authorizationUrl(
  client: ProviderClient,
  server: oauth.AuthorizationServer,
  kept: PendingAuthorization,
): Promise<string> {
  const url = new URL(authorizationEndpoint(server));
  const parameters = {
    client_id: client.clientId,
    response_type: 'code',
    redirect_uri: client.redirectUri,
    scope: client.scopes,
    state: kept.state,
    nonce: kept.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(kept.verifier),
    code_challenge_method: 'S256',
    ...(client.prompt !== null && { prompt: client.prompt }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function authorizationEndpoint({ issuer, authorization_endpoint: endpoint }: oauth.AuthorizationServer): string {
  if (endpoint !== undefined) return endpoint;
  throw new OidcFailure('misconfigured', `The OpenID provider ${issuer} describes no authorization_endpoint.`);
}
