// Reads from GitHub which installations an App has, and which repositories an installation has.
import type { Ports } from '../../context.ts';
import { createAppClient, isAppGone } from '../../hosts/github/app-client.ts';
import { HostUnavailable } from '../../hosts/port.ts';
import type { AppRow } from './apps.rows.ts';

export interface ListedInstallation {
  readonly id: string;
  readonly owner: string;
  readonly isSuspended: boolean;
  /** Whether the App is installed on the account at GitHub that owns the App. */
  readonly isOwn: boolean;
}

export interface ListedRepository {
  readonly githubId: string;
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch: string;
  readonly isArchived: boolean;
}

interface Installer {
  readonly id: number | bigint;
  /** Absent for an enterprise. */
  readonly login?: string;
}

/**
 * Whether an installation belongs to the owner of the App. Anybody can install a public App, and an installation by a
 * stranger must give nobody access to the account. The App of an enterprise can be installed only by organisations of
 * the enterprise.
 */
function isOwnInstallation(owner: Installer | null, account: Installer | null): boolean {
  if (owner === null || account === null) return false;
  return owner.login === undefined || String(owner.id) === String(account.id);
}

const pageSize = 100;

/** Lists the installations of an App. A deleted App has none. */
export async function listInstallations(ports: Ports, app: AppRow): Promise<ListedInstallation[]> {
  const request = createAppClient(ports, { ...app, purpose: 'hint' });
  const own = await request('GET /app').catch((error: unknown) => {
    if (isAppGone(error)) return null;
    throw error;
  });
  if (own === null) {
    ports.log.warn({ app: app.app.slug }, 'The App was deleted at GitHub, so it has no installations any more.');
    return [];
  }
  const owner = own.data?.owner ?? null;
  const found: ListedInstallation[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await request('GET /app/installations', { per_page: pageSize, page });
    for (const { id, account, suspended_at } of data)
      found.push({
        id: String(id),
        owner: account !== null && 'login' in account ? account.login : '',
        isSuspended: suspended_at !== null,
        isOwn: isOwnInstallation(owner, account),
      });
    if (data.length < pageSize) return found;
  }
}

/** How often the repositories are listed again because they changed meanwhile. */
const maxReads = 5;

/**
 * Lists the repositories of an installation. A list of several pages is read until two reads in a row agree, because a
 * repository may be on none of the pages: if another one was removed, it has moved to a page that was read before.
 * Throws HostUnavailable if the repositories change in each read.
 */
export async function listRepositories(ports: Ports, app: AppRow, installationId: string): Promise<ListedRepository[]> {
  const request = createAppClient(ports, { ...app, installationId, purpose: 'hint' });
  let idsBefore: string | null = null;
  for (let read = 1; read <= maxReads; read += 1) {
    const { listed, pages } = await readRepositories(request);
    const ids = listed
      .map(({ githubId }) => githubId)
      .toSorted()
      .join();
    if (pages === 1 || ids === idsBefore) return listed;
    idsBefore = ids;
  }
  throw new HostUnavailable(`The repositories of the installation ${installationId} changed while they were listed.`);
}

async function readRepositories(
  request: ReturnType<typeof createAppClient>,
): Promise<{ readonly listed: ListedRepository[]; readonly pages: number }> {
  const found: ListedRepository[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await request('GET /installation/repositories', { per_page: pageSize, page });
    for (const { id, name, owner, default_branch, archived } of data.repositories)
      found.push({
        githubId: String(id),
        owner: owner.login,
        name,
        defaultBranch: default_branch,
        isArchived: archived ?? false,
      });
    if (data.repositories.length < pageSize) return { listed: found, pages: page };
  }
}
