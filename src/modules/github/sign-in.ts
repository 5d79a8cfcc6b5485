// The sign-in at GitHub by the App of an account: the authorization code flow with PKCE. The person's token is used
// only to read who the person is and which installations and repositories the person sees, and is not stored.
import { RequestError } from '@octokit/request-error';
import * as oauth from 'oauth4webapi';
import type { Ports } from '../../context.ts';
import { roleAtGitHub, type GitHubPermission } from '../../domain/accounts/github-people.ts';
import { providerVisitMinutes } from '../../domain/accounts/sign-in.ts';
import { DomainError } from '../../domain/errors.ts';
import { createOctokit, type Octokit } from '../../hosts/github/octokit.ts';
import { decrypt, encrypt, startPersonSession, type Secrets } from '../accounts/index.ts';
import { findApps, type AppRow } from './apps.rows.ts';

export interface GitHubSignIn {
  /** The address to which the browser goes. */
  readonly url: string;
  /** The encrypted state that the browser keeps in a cookie during the sign-in. */
  readonly cookie: string;
}

/** An App of an account by which people can sign in. */
export interface SignInApp {
  /** The row of the App. */
  readonly id: string;
  /** Host of the server, such as `github.com`. */
  readonly host: string;
}

interface SignInState {
  readonly app: string;
  readonly state: string;
  readonly verifier: string;
  readonly next: string;
  readonly until: number;
}

const purpose = 'github-sign-in';

/**
 * Lists the Apps by which a browser may sign in: the Apps of the account with this name, or of the only account that
 * has Apps. If several accounts have Apps, none is returned, because strangers must not see which accounts exist.
 */
export async function listSignInApps({ db }: Ports, accountName: string | null): Promise<SignInApp[]> {
  // PostgreSQL refuses text with this character.
  if (accountName?.includes('\0')) return [];
  const rows = await db.system.query<{ id: string; web_url: string; account_id: string }>(
    `select a.id, a.web_url, a.account_id from github_app a join account c on c.id = a.account_id
     where $1::text is null or c.name = $1 order by a.id`,
    [accountName],
  );
  if (new Set(rows.map(({ account_id }) => account_id)).size > 1) return [];
  return rows.map(({ id, web_url }) => ({ id, host: new URL(web_url).host }));
}

/** Begins a sign-in. Throws NOT_FOUND for an unknown App. */
export async function beginGitHubSignIn(
  ports: Ports,
  secrets: Secrets,
  { appId, next }: { readonly appId: string; readonly next: string },
): Promise<GitHubSignIn> {
  const { app } = await loadApp(ports, secrets, appId);
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(`${app.webUrl}/login/oauth/authorize`);
  url.search = new URLSearchParams({
    client_id: app.clientId,
    redirect_uri: callbackOf(ports),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const until = ports.clock().getTime() + providerVisitMinutes * 60_000;
  const signIn: SignInState = { app: appId, state, verifier, next, until };
  const sealed = encrypt(secrets, purpose, Buffer.from(JSON.stringify(signIn))).toString('base64url');
  return { url: url.href, cookie: sealed };
}

/** Completes a sign-in. Returns the secret of the session, and the path that the browser opens next. */
export async function completeGitHubSignIn(
  ports: Ports,
  secrets: Secrets,
  { cookie, answer }: { readonly cookie: string | null; readonly answer: URLSearchParams },
): Promise<{ readonly secret: string; readonly next: string }> {
  const signIn = openSignIn(secrets, cookie);
  if (signIn === null || signIn.until <= ports.clock().getTime())
    throw new DomainError(
      'BAD_INPUT',
      `This browser did not begin to sign in here in the last ${providerVisitMinutes} minutes. Begin again.`,
    );
  const row = await loadApp(ports, secrets, signIn.app);
  const token = await exchange(ports, row, { signIn, answer });
  const octokit = createOctokit({ apiUrl: row.app.apiUrl, as: { token } });
  const person = await readPerson(ports, row, octokit).catch((error: unknown) => {
    if (!(error instanceof RequestError)) throw error;
    throw unavailable();
  });
  const secret = await startPersonSession(ports, secrets, { accountId: row.accountId, person });
  return { secret, next: signIn.next };
}

function callbackOf({ publicUrl }: Ports): string {
  return `${publicUrl}/session/github/callback`;
}

async function loadApp({ db }: Ports, secrets: Secrets, id: string): Promise<AppRow> {
  const found = (await findApps(db.system.query, secrets)).find(({ rowId }) => rowId === id);
  if (found === undefined) throw new DomainError('NOT_FOUND', 'There is no such App of GitHub.');
  return found;
}

/**
 * Decrypts the state of the sign-in from the cookie. Null: there is no cookie, or this installation of Interlock did
 * not encrypt it.
 */
function openSignIn(secrets: Secrets, cookie: string | null): SignInState | null {
  try {
    return JSON.parse(decrypt(secrets, purpose, Buffer.from(cookie ?? '', 'base64url')).toString()) as SignInState;
  } catch {
    return null;
  }
}

/** Exchanges the code for the person's token. Throws FORBIDDEN if the person or GitHub refused. */
async function exchange(
  ports: Ports,
  { app, secrets: { clientSecret } }: AppRow,
  { signIn, answer }: { readonly signIn: SignInState; readonly answer: URLSearchParams },
): Promise<string> {
  const issuer = `${app.webUrl}/login/oauth`;
  const server = { issuer, token_endpoint: `${issuer}/access_token` };
  const client = { client_id: app.clientId };
  const given = new URLSearchParams(answer);
  // Not all servers send `iss`, and some send another value. It is not needed, because the encrypted state says which
  // server was used.
  given.delete('iss');
  try {
    const checked = oauth.validateAuthResponse(server, client, given, signIn.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.ClientSecretPost(clientSecret),
      checked,
      callbackOf(ports),
      signIn.verifier,
      { [oauth.allowInsecureRequests]: app.webUrl.startsWith('http:'), signal: AbortSignal.timeout(10_000) },
    );
    if (response.status >= 500) throw unavailable();
    return (await oauth.processAuthorizationCodeResponse(server, client, response)).access_token;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (error instanceof oauth.AuthorizationResponseError)
      throw new DomainError('FORBIDDEN', `GitHub did not sign you in: ${error.error_description ?? error.error}`);
    if (error instanceof TypeError || (error as Error).name === 'TimeoutError') throw unavailable();
    throw new DomainError('FORBIDDEN', 'GitHub did not accept this sign-in. Begin again.');
  }
}

function unavailable(): DomainError {
  return new DomainError('HOST_UNAVAILABLE', 'GitHub did not answer. Begin again.');
}

async function readPerson({ db }: Ports, row: AppRow, octokit: Octokit) {
  const { data: user } = await octokit.request('GET /user');
  const seen = new Map((await listSeenInstallations(octokit)).map(({ id, owner }) => [id, owner]));
  const all = await db.system.query<{ id: string; github_app_id: string }>(
    `select id, github_app_id from github_installation
     where account_id = $1 and removed_at is null and suspended_at is null`,
    [row.accountId],
  );
  const ours = all.filter(({ id, github_app_id }) => github_app_id === row.rowId && seen.has(id));
  if (ours.length === 0)
    throw new DomainError(
      'FORBIDDEN',
      `${user.login} sees no repository at GitHub that Interlock works on for this account.`,
    );
  // The role is valid for the whole account, and this App says nothing about repositories of another App of the
  // account.
  const owners = new Set(ours.map(({ id }) => seen.get(id) ?? ''));
  const isOwner = ours.length === all.length && (await ownsAll(octokit, user.login, [...owners]));
  const permissions = await readPermissions(db, row, { octokit, installations: ours.map(({ id }) => id) });
  return {
    server: row.app.apiUrl,
    webUrl: row.app.webUrl,
    id: String(user.id),
    login: user.login,
    role: roleAtGitHub({ isOwner, permissions }),
  };
}

const pageSize = 100;

async function listSeenInstallations(octokit: Octokit): Promise<{ id: string; owner: string }[]> {
  const found: { id: string; owner: string }[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await octokit.request('GET /user/installations', { per_page: pageSize, page });
    for (const { id, account } of data.installations)
      found.push({ id: String(id), owner: account !== null && 'login' in account ? account.login : '' });
    if (data.installations.length < pageSize) return found;
  }
}

/**
 * Whether the person owns every installation: the person is the account at GitHub that has the installation, or an
 * owner of the organisation that has it.
 */
async function ownsAll(octokit: Octokit, login: string, owners: readonly string[]): Promise<boolean> {
  for (const owner of owners) {
    if (owner.toLowerCase() === login.toLowerCase()) continue;
    const role = await octokit
      .request('GET /user/memberships/orgs/{org}', { org: owner })
      .then(({ data }) => (data.state === 'active' ? data.role : 'none'))
      .catch((error: unknown) => {
        if (error instanceof RequestError && error.status < 500) return 'none';
        throw error;
      });
    if (role !== 'admin') return false;
  }
  return true;
}

/**
 * The person's permission in each active repository of the account. Null: the person does not see the repository, or it
 * belongs to another App.
 */
async function readPermissions(
  db: Ports['db'],
  row: AppRow,
  { octokit, installations }: { readonly octokit: Octokit; readonly installations: readonly string[] },
): Promise<(GitHubPermission | null)[]> {
  const seen = new Map<string, GitHubPermission | null>();
  for (const installation_id of installations)
    for (let page = 1; ; page += 1) {
      const { data } = await octokit.request('GET /user/installations/{installation_id}/repositories', {
        installation_id: Number(installation_id),
        per_page: pageSize,
        page,
      });
      for (const { id, permissions } of data.repositories) seen.set(String(id), highest(permissions));
      if (data.repositories.length < pageSize) break;
    }
  const active = await db.system.query<{ github_id: string; github_app_id: string }>(
    `select github_id, github_app_id from repository
     where account_id = $1 and host = 'github' and active and deleted_at is null`,
    [row.accountId],
  );
  return active.map(({ github_id, github_app_id }) =>
    github_app_id === row.rowId ? (seen.get(github_id) ?? null) : null,
  );
}

function highest(permissions: { readonly [name: string]: boolean | undefined } | undefined): GitHubPermission | null {
  const permissionNames = [
    ['admin', 'admin'],
    ['maintain', 'maintain'],
    ['push', 'write'],
    ['triage', 'triage'],
    ['pull', 'read'],
  ] as const;
  return permissionNames.find(([name]) => permissions?.[name] === true)?.[1] ?? null;
}
