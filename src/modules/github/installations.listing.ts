// Reads from GitHub which installations an App has, and which repositories an installation has.
import type { Ports } from '../../context.ts';
import { createAppClient, isAppGone } from '../../hosts/github/app-client.ts';
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

/** Lists the installations of an App. A deleted App has none. `beforeCall` runs before each call of GitHub. */
export async function listInstallations(
  ports: Ports,
  app: AppRow,
  beforeCall: () => Promise<void>,
): Promise<ListedInstallation[]> {
  const request = createAppClient(ports, { ...app, purpose: 'hint' });
  await beforeCall();
  const own = await request('GET /app').catch((error: unknown) => {
    if (isAppGone(error)) return null;
    throw error;
  });
  if (own === null) {
    ports.log.warn({ app: app.app.slug }, 'The App was deleted at GitHub, so it has no installations any more.');
    return [];
  }
  const owner = own.data?.owner ?? null;
  const listed = await readPages(async (page) => {
    await beforeCall();
    return (await request('GET /app/installations', { per_page: pageSize, page })).data;
  });
  return listed.map(({ id, account, suspended_at }) => ({
    id: String(id),
    owner: account !== null && 'login' in account ? account.login : '',
    isSuspended: suspended_at !== null,
    isOwn: isOwnInstallation(owner, account),
  }));
}

/** Lists the repositories of an installation. `beforeCall` runs before each call of GitHub. */
export async function listRepositories(
  ports: Ports,
  { app, installationId }: { readonly app: AppRow; readonly installationId: string },
  beforeCall: () => Promise<void>,
): Promise<ListedRepository[]> {
  const request = createAppClient(ports, { ...app, installationId, purpose: 'hint' });
  const listed = await readPages(async (page) => {
    await beforeCall();
    return (await request('GET /installation/repositories', { per_page: pageSize, page })).data.repositories;
  });
  return listed.map(({ id, name, owner, default_branch, archived }) => ({
    githubId: String(id),
    owner: owner.login,
    name,
    defaultBranch: default_branch,
    isArchived: archived ?? false,
  }));
}

/**
 * Reads a list page by page. If another entry is removed meanwhile, an entry moves to an earlier page, which may have
 * been read before. So a list of several pages is read a second time, from the last page to the first, and an entry is
 * absent only if both reads lack it. An entry that was removed meanwhile stays until the next listing.
 */
async function readPages<Entry extends { readonly id: number | bigint }>(
  readPage: (page: number) => Promise<readonly Entry[]>,
): Promise<Entry[]> {
  const found = new Map<string, Entry>();
  const read = async (page: number): Promise<number> => {
    const entries = await readPage(page);
    for (const entry of entries) {
      // What was read last comes last, so that a new repository keeps a name that a removed one had.
      found.delete(String(entry.id));
      found.set(String(entry.id), entry);
    }
    return entries.length;
  };
  let pages = 1;
  while ((await read(pages)) === pageSize) pages += 1;
  if (pages > 1) for (let page = pages; page >= 1; page -= 1) await read(page);
  return [...found.values()];
}
