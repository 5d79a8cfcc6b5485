// Adds GitHub Apps to an account, for administrators: by a link that creates an App, or by the data of an existing App.
import { createPrivateKey } from 'node:crypto';
import { RequestError } from '@octokit/request-error';
import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { createOctokit } from '../../hosts/github/octokit.ts';
import { requireScope, type Secrets } from '../accounts/index.ts';
import { findServer, isLoopback } from './servers.ts';
import { addApp, createSetupLink, linkMinutes } from './setup.ts';

export interface AppLinkRequest {
  /**
   * The address of the server, as `findServer` accepts it. Null: the first of `servers`, or GitHub.com if there is
   * none.
   */
  readonly server: string | null;
  /** The organization that is to own the App. Null: the person who opens the link owns it. */
  readonly organization: string | null;
}

export interface AppByHand {
  /** Like `server` of `AppLinkRequest`. */
  readonly server?: string | null | undefined;
  readonly appId: string;
  /** PEM, as GitHub generates it. */
  readonly privateKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret: string;
}

const handlePattern = /^[A-Za-z0-9](?:[A-Za-z0-9]|[-_](?=[A-Za-z0-9])){0,38}$/;

/**
 * Creates a link that can create an App. Needs `admin`. Throws BAD_INPUT for a server that is not permitted, and
 * CONFLICT if GitHub cannot reach Interlock.
 */
export async function createAppLink(
  ctx: Context,
  { server, organization }: AppLinkRequest,
  servers: readonly string[],
): Promise<{ readonly url: string; readonly expiresAt: Date }> {
  requireScope(ctx, 'admin');
  const found = findServer(server, servers);
  if (organization !== null && !handlePattern.test(organization))
    throw new DomainError('BAD_INPUT', 'input.organization must be the login of an organisation', 'input.organization');
  if (isLoopback(ctx.publicUrl) && !isLoopback(found.webUrl))
    throw new DomainError(
      'CONFLICT',
      `GitHub cannot send webhooks to ${ctx.publicUrl}. Set INTERLOCK_PUBLIC_URL to an address that GitHub reaches, and start Interlock again.`,
    );
  const expiresAt = new Date(ctx.clock().getTime() + linkMinutes * 60_000);
  return { url: await createSetupLink(ctx, { ...found, organization }), expiresAt };
}

/**
 * Stores an App that was created at GitHub by hand, or a new key or new secrets of a stored App. The key is checked by
 * a call to GitHub. Needs `admin`. Throws BAD_INPUT, CONFLICT for an App of another account, and HOST_UNAVAILABLE.
 */
export async function addAppByHand(
  ctx: Context,
  secrets: Secrets,
  { app, servers }: { readonly app: AppByHand; readonly servers: readonly string[] },
): Promise<{ readonly slug: string; readonly webhookUrl: string; readonly installUrl: string }> {
  requireScope(ctx, 'admin');
  const { apiUrl, webUrl } = findServer(app.server ?? null, servers);
  const given = checkedApp(app);
  const { slug, clientId } = await readAppAtGitHub(apiUrl, given);
  if (clientId !== null && clientId !== given.clientId)
    throw refused('clientId', `is not the client id of the App ${slug}`);
  const { appId: id, privateKey, clientSecret, webhookSecret } = given;
  const { webhookUrl } = await addApp(ctx, secrets, {
    ...{ id, slug, apiUrl, webUrl, privateKey, clientSecret, webhookSecret },
    clientId: given.clientId,
  });
  return { slug, webhookUrl, installUrl: `${webUrl}/apps/${slug}/installations/new` };
}

function checkedApp(app: AppByHand): AppByHand {
  if (!/^[1-9][0-9]{0,18}$/.test(app.appId)) throw refused('appId', "must be the App's number");
  for (const field of ['clientId', 'clientSecret', 'webhookSecret'] as const)
    if (app[field].trim() === '' || app[field].length > 500) throw refused(field, 'must have 1 to 500 characters');
  const privateKey = `${app.privateKey.trim()}\n`;
  try {
    createPrivateKey(privateKey);
  } catch {
    throw refused('privateKey', 'must be the private key of the App in PEM, as GitHub generates it');
  }
  return { ...app, privateKey };
}

/**
 * Whether an App is public: GitHub shows only public Apps to callers without a token. A server in private mode shows
 * them nothing, and answers 401. Other failures are thrown, because they do not say that the App is private.
 */
async function isPublic(apiUrl: string, slug: string): Promise<boolean> {
  try {
    await createOctokit({ apiUrl, isSilent: true }).request('GET /apps/{app_slug}', { app_slug: slug });
    return true;
  } catch (error) {
    const status = statusOf(error);
    if (status === 401 || status === 404) return false;
    throw new DomainError('HOST_UNAVAILABLE', 'GitHub did not answer. Try again.');
  }
}

/** The status of GitHub's answer. Null: there was no answer. */
function statusOf(error: unknown): number | null {
  return error instanceof RequestError && error.response !== undefined ? error.status : null;
}

function refused(field: keyof AppByHand, message: string): DomainError {
  return new DomainError('BAD_INPUT', `input.${field} ${message}`, `input.${field}`);
}

async function readAppAtGitHub(
  apiUrl: string,
  { appId, privateKey }: AppByHand,
): Promise<{ readonly slug: string; readonly clientId: string | null }> {
  const octokit = createOctokit({ apiUrl, as: { app: { id: appId, privateKey } }, isSilent: true });
  try {
    const { data } = await octokit.request('GET /app');
    if (data === null || String(data.id) !== appId) throw refused('appId', 'is not the App of this private key');
    const slug = data.slug ?? appId;
    if (await isPublic(apiUrl, slug))
      throw refused(
        'appId',
        `is the public App ${slug}, which anybody can install. Make it private in its settings at GitHub`,
      );
    return { slug, clientId: data.client_id ?? null };
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const status = statusOf(error);
    if (status === 401 || status === 404)
      throw refused('privateKey', `is not a key of the App ${appId}: GitHub answers ${status}`);
    throw new DomainError('HOST_UNAVAILABLE', 'GitHub did not answer. Try again.');
  }
}
