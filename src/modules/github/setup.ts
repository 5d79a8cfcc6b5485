// Creates a GitHub App without copying anything by hand. A one-time link of an administrator leads to GitHub with a
// manifest. GitHub creates the App and sends the browser back with a code, which is exchanged for the App's secrets.
import { createHash, randomBytes } from 'node:crypto';
import { RequestError } from '@octokit/request-error';
import type { Context, Ports } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { appEvents, appPermissions } from '../../hosts/github/app.ts';
import { createOctokit } from '../../hosts/github/octokit.ts';
import { recordUserAction, requireScope, type Secrets } from '../accounts/index.ts';
import { storeApp } from './apps.rows.ts';

export interface GitHubServer {
  /** `https://api.github.com`, or `https://<server>/api/v3`. */
  readonly apiUrl: string;
  /** `https://github.com`, or the server. */
  readonly webUrl: string;
}

export interface SetupRequest extends GitHubServer {
  /** The organization that is to own the App. Null: the person who opens the link owns it. */
  readonly organization: string | null;
}

/** The form that the page of the link posts to GitHub. */
export interface ManifestForm {
  /** The address to which the form is posted. */
  readonly action: string;
  readonly manifest: string;
}

export const linkMinutes = 60;

/** Creates a link that can create one App within an hour. Needs `admin`. */
export async function createSetupLink(ctx: Context, { apiUrl, webUrl, organization }: SetupRequest): Promise<string> {
  requireScope(ctx, 'admin');
  const secret = newSecret();
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send(
      `insert into github_app_setup (account_id, link_digest, api_url, web_url, organization, expires_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        ctx.accountId,
        digest(secret),
        apiUrl,
        webUrl,
        organization,
        new Date(ctx.clock().getTime() + linkMinutes * 60_000),
      ],
    );
    await recordUserAction(ctx, tx, { action: 'github_app_link_created', target: webUrl });
  });
  return `${ctx.publicUrl}/github/setup/${secret}`;
}

interface SetupRow {
  readonly account_id: string;
  readonly id: string;
  readonly api_url: string;
  readonly web_url: string;
  readonly organization: string | null;
}

/**
 * Opens a link, and returns the form for GitHub. The form that an earlier opening returned becomes invalid. Throws
 * NOT_FOUND for a used or expired link.
 */
export async function beginSetup(ports: Ports, secret: string): Promise<ManifestForm> {
  const state = newSecret();
  const [row] = await ports.db.system.query<SetupRow>(
    `update github_app_setup set state_digest = $2 where link_digest = $1 and used_at is null and expires_at > $3
     returning account_id, id, api_url, web_url, organization`,
    [digest(secret), digest(state), ports.clock()],
  );
  if (row === undefined) throw linkIsOver();
  const owner = row.organization === null ? '' : `/organizations/${encodeURIComponent(row.organization)}`;
  return {
    action: `${row.web_url}${owner}/settings/apps/new?state=${state}`,
    manifest: JSON.stringify(manifestOf(ports.publicUrl, row.id)),
  };
}

/**
 * Exchanges the code, and stores the App. Returns the address where the App can be installed. Throws NOT_FOUND for an
 * unknown state.
 */
export async function completeSetup(
  ports: Ports,
  secrets: Secrets,
  { code, state }: { readonly code: string; readonly state: string },
): Promise<string> {
  const [row] = await ports.db.system.query<SetupRow>(
    `update github_app_setup set used_at = $2 where state_digest = $1 and used_at is null and expires_at > $2
     returning account_id, id, api_url, web_url, organization`,
    [digest(state), ports.clock()],
  );
  if (row === undefined) throw linkIsOver();
  const data = await convert(ports, row, code);
  const slug = data.slug ?? String(data.id);
  await ports.db.transaction(row.account_id, async (tx) => {
    const app = {
      id: String(data.id),
      slug,
      clientId: data.client_id,
      apiUrl: row.api_url,
      webUrl: row.web_url,
      privateKey: data.pem,
      webhookSecret: data.webhook_secret ?? '',
      clientSecret: data.client_secret,
      webhookPath: webhookPathOf(row.id),
    };
    await storeApp(tx, secrets, { accountId: row.account_id, app, at: ports.clock() });
  });
  return `${data.html_url}/installations/new`;
}

async function convert(ports: Ports, { id, api_url }: SetupRow, code: string) {
  const octokit = createOctokit({ apiUrl: api_url });
  try {
    return (await octokit.request('POST /app-manifests/{code}/conversions', { code })).data;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404)
      throw new DomainError('NOT_FOUND', 'GitHub does not know this code. Ask for a new link.');
    // The code is still valid at GitHub, so the same address works when GitHub answers again.
    await ports.db.system.query('update github_app_setup set used_at = null where id = $1', [id]);
    throw new DomainError('HOST_UNAVAILABLE', 'GitHub did not answer. Load this page again.');
  }
}

/**
 * Stores an App that already exists, such as the App of an enterprise, which cannot be created by a manifest. Needs
 * `admin`.
 */
export async function addApp(
  ctx: Context,
  secrets: Secrets,
  app: Omit<Parameters<typeof storeApp>[2]['app'], 'webhookPath'>,
): Promise<{ readonly webhookUrl: string }> {
  requireScope(ctx, 'admin');
  const given = { ...app, webhookPath: webhookPathOf(`${app.apiUrl} ${app.id}`) };
  const webhookPath = await ctx.db.transaction(ctx.accountId, async (tx) => {
    await recordUserAction(ctx, tx, { action: 'github_app_added', target: app.slug });
    return await storeApp(tx, secrets, { accountId: ctx.accountId, app: given, at: ctx.clock() });
  });
  return { webhookUrl: webhookUrlOf(ctx.publicUrl, webhookPath) };
}

function linkIsOver(): DomainError {
  return new DomainError('NOT_FOUND', 'This link was used already or is older than an hour. Ask for a new link.');
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The path is not secret: it only distinguishes the Apps. */
function webhookPathOf(name: string): string {
  return createHash('sha256').update(`webhooks ${name}`).digest('hex').slice(0, 16);
}

function webhookUrlOf(publicUrl: string, path: string): string {
  return `${publicUrl}/github/webhooks/${path}`;
}

function manifestOf(publicUrl: string, setupId: string) {
  return {
    name: `Interlock ${createHash('sha256').update(publicUrl).digest('hex').slice(0, 6)}`,
    url: publicUrl,
    hook_attributes: { url: webhookUrlOf(publicUrl, webhookPathOf(setupId)), active: true },
    redirect_url: `${publicUrl}/github/callback`,
    // The address to which GitHub sends people back after a sign-in.
    callback_urls: [`${publicUrl}/session/github/callback`],
    setup_url: `${publicUrl}/github/installed`,
    setup_on_update: true,
    // Only its owner can install a private App, so that no stranger's installation reaches the account.
    public: false,
    default_permissions: appPermissions,
    default_events: appEvents,
  };
}
