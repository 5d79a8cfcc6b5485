// An OpenID provider as a client asks it: discovery, the code flow with PKCE and a nonce, ID tokens checked by the
// provider's keys, UserInfo, refresh tokens and the sign-out there.
import * as oauth from 'oauth4webapi';
import { failureOf, OidcFailure } from './failure.ts';

export interface ProviderClient {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
  readonly scopes: string;
  /** Null: what the provider wants. */
  readonly prompt: string | null;
  /** The address to which the provider sends browsers back. */
  readonly redirectUri: string;
  readonly clock: () => Date;
}

/** What a browser keeps while it is at the provider. */
export interface AuthorizationKept {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What the provider says of a person. */
export interface ProviderIdentity {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** As the provider signed it. Null: it came with a refreshed answer that had none. */
  readonly idToken: string | null;
  /** Null: the provider gave none. */
  readonly refreshToken: string | null;
}

/** Whether the claims of the ID token say too little, so that UserInfo is asked as well. */
export type LacksClaims = (claims: ProviderIdentity['claims']) => boolean;

/** Every method throws OidcFailure. */
export interface OidcProvider {
  readonly redirectUri: string;
  /** Returns the address to which a browser goes to sign in, and what the browser keeps until it comes back. */
  begin(): Promise<{ readonly url: string; readonly kept: AuthorizationKept }>;
  /** What the provider says of the person who came back with this answer. */
  complete(answer: URLSearchParams, kept: AuthorizationKept): Promise<ProviderIdentity>;
  /** What the provider says now of a person who signed in before. */
  refresh(refreshToken: string, subject: string): Promise<ProviderIdentity>;
  /** Ends a refresh token, and what the provider gave with it. Done twice is done once. */
  revoke(refreshToken: string): Promise<void>;
  /** Where a browser ends its session at the provider. Null: the provider has no such page. */
  signOutUrl(back: string, idToken: string | null): Promise<string | null>;
  /** The provider's own description. */
  describe(): Promise<oauth.AuthorizationServer>;
}

const timeoutMs = 10_000;
const describedMs = 10 * 60_000;
const skewSec = 60;

export function openOidcProvider(client: ProviderClient, lacksClaims: LacksClaims): OidcProvider {
  const issuer = new URL(client.issuer);
  const request = (): { readonly signal: AbortSignal; readonly [oauth.allowInsecureRequests]: boolean } => ({
    signal: AbortSignal.timeout(timeoutMs),
    // Settings allow plain http only on this machine.
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
  });
  const failed = (error: unknown): OidcFailure => failureOf(error, client);
  let described: { readonly server: oauth.AuthorizationServer; readonly until: number } | null = null;

  async function describe(): Promise<oauth.AuthorizationServer> {
    if (described !== null && described.until > Date.now()) return described.server;
    const response = await oauth.discoveryRequest(issuer, request());
    const server = await oauth.processDiscoveryResponse(issuer, response);
    described = { server, until: Date.now() + describedMs };
    return server;
  }

  const asClient = (): oauth.Client => identify(client);
  const proofOf = (server: oauth.AuthorizationServer): oauth.ClientAuth => authenticationOf(client, server);

  /**
   * A provider may sign with a newer key than the stored ones. Then its description and its keys are read once more.
   */
  async function checkSignature(server: oauth.AuthorizationServer, response: Response): Promise<void> {
    try {
      await oauth.validateApplicationLevelSignature(server, response, request());
    } catch (error) {
      if (!(error instanceof oauth.OperationProcessingError) || error.code !== oauth.KEY_SELECTION) throw error;
      described = null;
      await oauth.validateApplicationLevelSignature(await describe(), response, request());
    }
  }

  async function vouched(
    server: oauth.AuthorizationServer,
    response: Response,
    { tokens, subject }: { readonly tokens: oauth.TokenEndpointResponse; readonly subject: string | null },
  ): Promise<ProviderIdentity> {
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (claims !== undefined) await checkSignature(server, response);
    const known = claims?.sub ?? subject;
    if (known === null || (subject !== null && known !== subject))
      throw new OidcFailure('refused', 'The OpenID provider answered for another person. Sign in again.');
    const more = await askUserInfo(server, { tokens, subject: known, claims: claims ?? {} });
    return {
      subject: known,
      claims: { ...claims, ...more },
      idToken: tokens.id_token ?? null,
      refreshToken: tokens.refresh_token ?? null,
    };
  }

  async function askUserInfo(
    server: oauth.AuthorizationServer,
    {
      tokens,
      subject,
      claims,
    }: {
      readonly tokens: oauth.TokenEndpointResponse;
      readonly subject: string;
      readonly claims: ProviderIdentity['claims'];
    },
  ): Promise<ProviderIdentity['claims']> {
    if (server.userinfo_endpoint === undefined || !lacksClaims(claims)) return {};
    const response = await oauth.userInfoRequest(server, asClient(), tokens.access_token, request());
    return await oauth.processUserInfoResponse(server, asClient(), subject, response);
  }

  async function begin(): Promise<{ readonly url: string; readonly kept: AuthorizationKept }> {
    const server = await describe();
    const kept = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
    };
    return { url: await authorizationUrl(client, server, kept), kept };
  }

  async function complete(answer: URLSearchParams, kept: AuthorizationKept): Promise<ProviderIdentity> {
    const server = await describe();
    const checked = oauth.validateAuthResponse(server, asClient(), answer, kept.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      asClient(),
      proofOf(server),
      checked,
      client.redirectUri,
      kept.verifier,
      request(),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, asClient(), response, {
      expectedNonce: kept.nonce,
      requireIdToken: true,
    });
    return await vouched(server, response, { tokens, subject: null });
  }

  async function refresh(refreshToken: string, subject: string): Promise<ProviderIdentity> {
    const server = await describe();
    const response = await oauth.refreshTokenGrantRequest(server, asClient(), proofOf(server), refreshToken, request());
    const tokens = await oauth.processRefreshTokenResponse(server, asClient(), response);
    return await vouched(server, response, { tokens, subject });
  }

  async function revoke(refreshToken: string): Promise<void> {
    const server = await describe();
    // A provider that ends none: it is forgotten here.
    if (server.revocation_endpoint === undefined) return;
    const hint = { additionalParameters: { token_type_hint: 'refresh_token' } };
    const response = await oauth.revocationRequest(server, asClient(), proofOf(server), refreshToken, {
      ...request(),
      ...hint,
    });
    await oauth.processRevocationResponse(response);
  }

  async function signOutUrl(back: string, idToken: string | null): Promise<string | null> {
    const { end_session_endpoint: endpoint } = await describe();
    if (endpoint === undefined) return null;
    const url = new URL(endpoint);
    url.searchParams.set('client_id', client.clientId);
    url.searchParams.set('post_logout_redirect_uri', back);
    if (idToken !== null) url.searchParams.set('id_token_hint', idToken);
    return url.href;
  }

  const failing =
    <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> =>
      await work(...args).catch((error: unknown) => {
        throw failed(error);
      });
  return {
    redirectUri: client.redirectUri,
    begin: failing(begin),
    complete: failing(complete),
    refresh: failing(refresh),
    revoke: failing(revoke),
    signOutUrl: failing(signOutUrl),
    describe: failing(describe),
  };
}

/** The installation's clock decides, as it does for sessions. */
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
  kept: AuthorizationKept,
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
