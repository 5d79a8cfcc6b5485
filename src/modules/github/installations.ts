// Stores the installations of the Apps and their repositories, as GitHub lists them. Repositories that are new to
// Interlock are inactive until a user activates them. Repositories that GitHub no longer lists become inactive.
import { randomUUID } from 'node:crypto';
import type { Ports } from '../../context.ts';
import { systemContext } from '../../context.ts';
import { defaultConfigurationYaml } from '../../domain/configuration/keys.ts';
import type { FindInstallation } from '../../hosts/github/app.ts';
import { isKeyRefused } from '../../hosts/github/app-client.ts';
import { HostUnavailable } from '../../hosts/port.ts';
import type { Secrets } from '../accounts/index.ts';
import { changeActivity, configurationHash, deletionChannel } from '../repositories/index.ts';
import { findApps, findInstallationOf, type AppRow } from './apps.rows.ts';
import {
  listInstallations,
  listRepositories,
  type ListedInstallation,
  type ListedRepository,
} from './installations.listing.ts';

const keptMs = 10_000;

/**
 * Finds the installation of a repository for the code host. The result is cached for ten seconds. The cached result is
 * not used for another owner or name, because a transferred repository has another installation.
 */
export function installationFinder(ports: () => Ports, secrets: Secrets): FindInstallation {
  const kept = new Map<
    string,
    { readonly fullName: string; readonly found: Awaited<ReturnType<FindInstallation>>; readonly until: number }
  >();
  return async ({ accountId, id, owner, name }) => {
    const now = ports().clock().getTime();
    const known = kept.get(id);
    const fullName = `${owner}/${name}`;
    if (known !== undefined && known.until > now && known.fullName === fullName) return known.found;
    const row = await findInstallationOf(ports().db.system.query, secrets, { accountId, repositoryId: id });
    const found =
      row === null ? null : { githubId: row.githubId, installation: { id: row.installationId, app: row.app } };
    if (found !== null) kept.set(id, { fullName, found, until: now + keptMs });
    return found;
  };
}

/** SQL: whether the installations of an App may have changed. */
export const installationsAreDue = 'exists (select from github_installation where sync_at <= $1)';

/** The least time between a failed listing and the next one, and between two listings that anybody asks for. */
const pauseMs = 60_000;

/** The least time between two listings that compare what no webhook has said. */
const comparedMs = 5 * 60_000;

/**
 * The ids of the rows that make an App due because anybody asked for a listing, and because it is compared regularly. No
 * installation has such an id.
 */
const markIds = { asked: '0', compared: '-1' } as const;

/**
 * Makes the installations of every App due. They are listed at most once a minute because anybody asks, and at most once
 * in five minutes because they are compared, however many processes compare them.
 */
export async function markInstallations(ports: Ports, reason: keyof typeof markIds): Promise<void> {
  const now = ports.clock();
  // `removed_at` is the instant of the last such listing. A machine whose clock was ahead may have written it.
  const next = 'least(greatest($2, i.removed_at + $3::interval), $2 + $3::interval)';
  await ports.db.system.query(
    `insert into github_installation as i (account_id, github_app_id, id, owner, removed_at, sync_at)
     select account_id, id, $1, '', $2, $2 from github_app
     on conflict (account_id, github_app_id, id) do update set removed_at = ${next}, sync_at = ${next}
     where i.sync_at is null`,
    [markIds[reason], now.toISOString(), `${reason === 'asked' ? pauseMs : comparedMs} milliseconds`],
  );
}

/**
 * Lists the installations of all Apps of each account that has an App whose installations may have changed. If
 * `isWhole`, lists the installations of all Apps of all accounts.
 */
export async function syncInstallations(ports: Ports, secrets: Secrets, isWhole: boolean): Promise<void> {
  const { query } = ports.db.system;
  const dueRows = await query<{ id: string }>(
    'select distinct github_app_id as id from github_installation where sync_at <= $1',
    [ports.clock()],
  );
  if (!isWhole && dueRows.length === 0) return;
  const due = new Set(dueRows.map(({ id }) => id));
  const servers = Map.groupBy(await findApps(query, secrets), ({ accountId, app }) => `${accountId} ${app.apiUrl}`);
  for (const apps of servers.values()) {
    if (!isWhole && !apps.some(({ rowId }) => due.has(rowId))) continue;
    const claim = await claimListing(ports, apps, isWhole);
    if (claim === null) continue;
    try {
      await syncApps(ports, apps, claim);
    } finally {
      await endListing(ports, claim.listing);
    }
  }
}

/**
 * A process that lists the Apps of an account holds their lease, so no other process lists them meanwhile. The process
 * also moves `sync_at` of the rows that are due to `until`. So the rows are due again then if the listing fails, and the
 * end of the listing sees which rows a webhook has made due meanwhile.
 */
interface Claim {
  /** The name of the listing in the rows of the Apps. */
  readonly listing: string;
  readonly startedAt: Date;
  readonly until: Date;
  /** Extends the lease. Throws if another listing has taken the lease over. */
  readonly renew: () => Promise<void>;
}

/**
 * Takes the lease of the Apps, and marks the rows that are due. If `isForced`, takes the lease over from another
 * process, whose listing then deactivates nothing. Null: another process lists the Apps, or has listed them.
 */
async function claimListing(ports: Ports, apps: readonly AppRow[], isForced: boolean): Promise<Claim | null> {
  const { query } = ports.db.system;
  const listing = randomUUID();
  const ids = apps.map(({ rowId }) => rowId);
  const startedAt = ports.clock();
  const until = new Date(startedAt.getTime() + pauseMs);
  // If another process takes the lease in the same moment, PostgreSQL waits for its rows, and judges again only the
  // columns of these rows, not the subquery. The order of the ids prevents that two processes wait for each other.
  const taken = await query(
    `with locked as (select id from github_app where id = any ($1::bigint[]) order by id for update)
     update github_app set listing = $2, listing_until = $4
     where id in (select id from locked) and ($5 or listing_until is null or listing_until <= $3) and ($5 or not exists (
       select from github_app other where other.id = any ($1::bigint[]) and other.listing_until > $3)) returning id`,
    [ids, listing, startedAt, until, isForced],
  );
  // A part of the Apps is no lease: another process lists the others, or one of them was removed.
  if (taken.length < ids.length) {
    await endListing(ports, listing);
    return null;
  }
  const due = await query(
    'update github_installation set sync_at = $3 where github_app_id = any ($1::bigint[]) and sync_at <= $2 returning 1',
    [ids, startedAt, until],
  );
  // Another process may have listed the Apps since they were read as due.
  if (due.length === 0 && !isForced) {
    await endListing(ports, listing);
    return null;
  }
  const renew = async (): Promise<void> => {
    const renewed = await query('update github_app set listing_until = $2 where listing = $1 returning id', [
      listing,
      new Date(ports.clock().getTime() + pauseMs),
    ]);
    if (renewed.length < taken.length) throw new Error('Another process has begun to list the installations.');
  };
  return { listing, startedAt, until, renew };
}

/** Gives the lease of this listing back. A lease that another listing has taken over stays. */
async function endListing({ db }: Ports, listing: string): Promise<void> {
  await db.system.query('update github_app set listing = null, listing_until = null where listing = $1', [listing]);
}

/**
 * Lists the installations of all Apps that an account has at one server. A repository that is absent from one App may
 * belong to an installation of another App by now. So nothing counts as absent before all these Apps were listed. An App
 * whose key GitHub refuses is left out: Interlock cannot work on its repositories before it gets another key.
 */
async function syncApps(ports: Ports, apps: readonly AppRow[], claim: Claim): Promise<void> {
  const ends: (() => Promise<void>)[] = [];
  const refused: AppRow[] = [];
  let retryAt = claim.until.getTime();
  const attempt = async (app: AppRow, step: () => Promise<void>): Promise<void> =>
    await step().catch((error: unknown) => {
      ports.log.warn({ error: String(error), app: app.app.slug }, 'The installations of an App could not be listed.');
      if (isKeyRefused(error)) refused.push(app);
      else if (error instanceof HostUnavailable) retryAt = Math.max(retryAt, error.retryAt ?? 0);
    });
  for (const app of apps)
    await attempt(app, async () => {
      const end = await listApp(ports, app, claim);
      ends.push(async () => await attempt(app, end));
    });
  if (ends.length + refused.length < apps.length)
    return await postpone(ports, apps, { claim, retryAt: new Date(retryAt) });
  for (const end of ends) await end();
  const comparedAt = new Date(claim.startedAt.getTime() + comparedMs);
  if (refused.length > 0) await postpone(ports, refused, { claim, retryAt: comparedAt });
}

async function postpone(
  { db }: Ports,
  apps: readonly AppRow[],
  { claim, retryAt }: { readonly claim: Claim; readonly retryAt: Date },
): Promise<void> {
  const comparedAt = new Date(Math.max(retryAt.getTime(), claim.startedAt.getTime() + comparedMs));
  await db.system.query(
    `update github_installation set sync_at = case id when $4 then $5::timestamptz else $3 end
     where github_app_id = any ($1::bigint[]) and sync_at = $2`,
    [apps.map(({ rowId }) => rowId), claim.until, retryAt, markIds.compared, comparedAt],
  );
}

/**
 * Stores the installations and repositories that GitHub lists for an App. Returns a function that deactivates those
 * that GitHub no longer lists.
 */
async function listApp(ports: Ports, app: AppRow, claim: Claim): Promise<() => Promise<void>> {
  const { startedAt, until, renew } = claim;
  const all = await listInstallations(ports, app, renew);
  const listed = all.filter(({ isOwn }) => isOwn);
  if (listed.length < all.length)
    ports.log.warn(
      { app: app.app.slug, owners: all.filter(({ isOwn }) => !isOwn).map(({ owner }) => owner) },
      'An account that does not own the App has installed it. Interlock ignores this installation. Make the App private.',
    );
  const seen: string[] = [];
  for (const installation of listed) {
    await storeInstallation(ports, app, installation);
    if (installation.isSuspended) continue;
    for (const repository of await listRepositories(ports, { app, installationId: installation.id }, renew)) {
      const id = await storeRepository(ports, app, { ...repository, installationId: installation.id });
      if (id !== null) seen.push(id);
    }
  }
  return async () => {
    const { query } = ports.db.system;
    await renew();
    await query(
      `update github_installation set removed_at = coalesce(removed_at, $3)
       where account_id = $1 and github_app_id = $2 and not (id = any ($4))`,
      [app.accountId, app.rowId, startedAt, listed.map(({ id }) => id)],
    );
    await deactivateAbsent(ports, app, { seen, renew });
    await query(
      'update github_installation set sync_at = null where account_id = $1 and github_app_id = $2 and sync_at = $3',
      [app.accountId, app.rowId, until],
    );
  };
}

async function storeInstallation(ports: Ports, app: AppRow, { id, owner, isSuspended }: ListedInstallation) {
  await ports.db.system.query(
    `insert into github_installation as i (account_id, github_app_id, id, owner, suspended_at)
     values ($1, $2, $3, $4, $5)
     on conflict (account_id, github_app_id, id) do update set owner = excluded.owner, removed_at = null,
       suspended_at = case when excluded.suspended_at is null then null else coalesce(i.suspended_at, excluded.suspended_at) end`,
    [app.accountId, app.rowId, id, owner, isSuspended ? ports.clock() : null],
  );
}

/**
 * Stores a repository. GitHub's id identifies the repository, because its name may have changed. Returns the id of the
 * row. Null: a repository that is not of this server already has the name.
 */
async function storeRepository(
  ports: Ports,
  app: AppRow,
  seen: ListedRepository & { readonly installationId: string },
): Promise<string | null> {
  const { query } = ports.db.system;
  if (await hasForeignName(ports, app, seen)) return null;
  const given = [seen.owner, seen.name, seen.defaultBranch, app.rowId, seen.installationId];
  const [before] = await query<{ owner: string; name: string }>(
    'select owner, name from repository where account_id = $1 and github_id = $2 and deleted_at is null',
    [app.accountId, seen.githubId],
  );
  const [known] = await query<{ id: string; active: boolean }>(
    `update repository set owner = $3, name = $4, default_branch = $5, github_app_id = $6, github_installation_id = $7
     where account_id = $1 and github_id = $2 and deleted_at is null and github_app_id in (${appsOfServer('$8')})
     returning id, active`,
    [app.accountId, seen.githubId, ...given, app.app.apiUrl],
  );
  if (known !== undefined) {
    if (before !== undefined && (before.owner !== seen.owner || before.name !== seen.name)) await notifyOfRename(ports);
    if (seen.isArchived && known.active) await deactivate(ports, app.accountId, known.id);
    return known.id;
  }
  const [made] = await query<{ id: string }>(
    `insert into repository (account_id, github_id, owner, name, default_branch, github_app_id, github_installation_id,
       host, active, deactivated_at, configuration_yaml, configuration_hash, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'github', false, $8, $9, $10, $8) returning id`,
    [
      app.accountId,
      seen.githubId,
      ...given,
      ports.clock(),
      defaultConfigurationYaml,
      configurationHash(defaultConfigurationYaml),
    ],
  );
  return made?.id ?? null;
}

/** Ids of repositories are unique only within one server. */
function appsOfServer(apiUrl: string): string {
  return `select id from github_app where account_id = $1 and api_url = ${apiUrl}`;
}

/**
 * Whether a repository that is not of this server already has the name. Repositories of this server may have exchanged
 * their names, so another row of this server that has the name is renamed first, and gets its new name later.
 */
async function hasForeignName(
  ports: Ports,
  app: AppRow,
  { githubId, owner, name }: ListedRepository,
): Promise<boolean> {
  const { query } = ports.db.system;
  const displaced = await query(
    `update repository set name = name || '~' || id where account_id = $1 and owner = $2 and name = $3
     and deleted_at is null and github_id <> $4 and github_app_id in (${appsOfServer('$5')}) returning id`,
    [app.accountId, owner, name, githubId, app.app.apiUrl],
  );
  if (displaced.length > 0) await notifyOfRename(ports);
  const others = await query(
    `select 1 from repository where account_id = $1 and owner = $2 and name = $3 and deleted_at is null
     and (github_app_id is null or github_app_id not in (${appsOfServer('$4')}))`,
    [app.accountId, owner, name, app.app.apiUrl],
  );
  if (others.length > 0)
    ports.log.warn({ repository: `${owner}/${name}` }, 'Another repository of the account has this name.');
  return others.length > 0;
}

/** After a rename every process must clear its cache of names. */
async function notifyOfRename(ports: Ports): Promise<void> {
  await ports.db.system.query('select pg_notify($1, $2)', [deletionChannel, '']);
}

async function deactivateAbsent(
  ports: Ports,
  app: AppRow,
  { seen, renew }: { readonly seen: readonly string[]; readonly renew: Claim['renew'] },
): Promise<void> {
  const absent = await ports.db.system.query<{ id: string }>(
    `select id from repository where account_id = $1 and github_app_id = $2 and active and deleted_at is null
     and not (id = any ($3::bigint[]))`,
    [app.accountId, app.rowId, seen],
  );
  for (const { id } of absent) {
    await renew();
    await deactivate(ports, app.accountId, id);
  }
}

async function deactivate(ports: Ports, accountId: string, repositoryId: string): Promise<void> {
  await changeActivity(systemContext(ports, accountId), repositoryId, false);
}
