// Reads and writes GitHub Apps and their installations. Secrets are encrypted for the account and the App.
import type { GitHubApp } from '../../hosts/github/app.ts';
import { DomainError } from '../../domain/errors.ts';
import type { SystemQueries, Transaction } from '../../platform/database.ts';
import { decrypt, encrypt, type Secrets } from '../accounts/index.ts';

export interface AppSecrets {
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly clientSecret: string;
}

/** An App with its secrets, as GitHub returns it. */
export interface NewApp extends Omit<GitHubApp, 'privateKey'>, AppSecrets {
  readonly webhookPath: string;
}

export interface AppRow {
  readonly accountId: string;
  readonly rowId: string;
  readonly app: GitHubApp;
  readonly secrets: AppSecrets;
}

type Query = SystemQueries['query'];

interface StoredApp {
  readonly account_id: string;
  readonly id: string;
  readonly app_id: string;
  readonly slug: string;
  readonly client_id: string;
  readonly api_url: string;
  readonly web_url: string;
  readonly sealed: Buffer;
}

const columns = 'a.account_id, a.id, a.app_id, a.slug, a.client_id, a.api_url, a.web_url, a.sealed';

function sealedFor(accountId: string, appId: string): string {
  return `github-app/${accountId}/${appId}`;
}

/**
 * Stores an App. A known App gets the new secrets and names, and keeps the address of its webhooks. Returns the last
 * part of this address. Throws CONFLICT for an App of another account.
 */
export async function storeApp(
  tx: Transaction,
  secrets: Secrets,
  { accountId, app, at }: { readonly accountId: string; readonly app: NewApp; readonly at: Date },
): Promise<string> {
  const { privateKey, webhookSecret, clientSecret } = app;
  const sealed = encrypt(
    secrets,
    sealedFor(accountId, app.id),
    Buffer.from(JSON.stringify({ privateKey, webhookSecret, clientSecret })),
  );
  const [row] = await tx.query<{ webhook_path: string }>(
    `insert into github_app as a (account_id, app_id, slug, client_id, api_url, web_url, sealed, webhook_path, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (api_url, app_id) do update set slug = excluded.slug, client_id = excluded.client_id,
       web_url = excluded.web_url, sealed = excluded.sealed
     where a.account_id = excluded.account_id
     returning webhook_path`,
    [accountId, app.id, app.slug, app.clientId, app.apiUrl, app.webUrl, sealed, app.webhookPath, at],
  );
  if (row === undefined) throw new DomainError('CONFLICT', `The App ${app.slug} belongs to another account.`);
  return row.webhook_path;
}

export async function findAppByWebhookPath(query: Query, secrets: Secrets, path: string): Promise<AppRow | null> {
  // PostgreSQL refuses text with this character.
  if (path.includes('\0')) return null;
  const [row] = await query<StoredApp>(`select ${columns} from github_app a where a.webhook_path = $1`, [path]);
  return row === undefined ? null : open(secrets, row);
}

export async function findApps(query: Query, secrets: Secrets): Promise<AppRow[]> {
  return (await query<StoredApp>(`select ${columns} from github_app a order by a.id`)).map((row) => open(secrets, row));
}

/**
 * Finds the installation of a repository. Null: no installation has the repository now, or the installation was
 * suspended or removed.
 */
export async function findInstallationOf(
  query: Query,
  secrets: Secrets,
  { accountId, repositoryId }: { readonly accountId: string; readonly repositoryId: string },
): Promise<{ readonly app: GitHubApp; readonly installationId: string; readonly githubId: string } | null> {
  const [row] = await query<StoredApp & { installation: string; github_id: string }>(
    `select ${columns}, r.github_installation_id as installation, r.github_id
     from repository r
     join github_app a on a.account_id = r.account_id and a.id = r.github_app_id
     join github_installation i on i.account_id = r.account_id and i.github_app_id = r.github_app_id
       and i.id = r.github_installation_id and i.removed_at is null and i.suspended_at is null
     where r.account_id = $1 and r.id = $2 and r.github_id is not null`,
    [accountId, repositoryId],
  );
  return row === undefined
    ? null
    : { app: open(secrets, row).app, installationId: row.installation, githubId: row.github_id };
}

function open(secrets: Secrets, row: StoredApp): AppRow {
  const sealed = decrypt(secrets, sealedFor(row.account_id, row.app_id), row.sealed).toString();
  const opened = JSON.parse(sealed) as AppSecrets;
  return {
    accountId: row.account_id,
    rowId: row.id,
    secrets: opened,
    app: {
      id: row.app_id,
      slug: row.slug,
      clientId: row.client_id,
      privateKey: opened.privateKey,
      apiUrl: row.api_url,
      webUrl: row.web_url,
    },
  };
}
