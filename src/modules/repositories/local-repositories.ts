import type { Ports } from '../../context.ts';
import { isLocalHost } from '../../hosts/port.ts';

const shown = 20;

/**
 * If this installation cannot keep repositories of the local host but has some, logs a warning that names the first
 * twenty and says how many more there are, so that an operator moves them before a machine is lost.
 */
export async function warnOfLocalRepositories({ hosts, db, log }: Pick<Ports, 'hosts' | 'db' | 'log'>): Promise<void> {
  const host = hosts('local');
  if (!isLocalHost(host) || host.refusesRepositories === null) return;
  const rows = await db.system.query<{ name: string; count: number }>(
    `select owner || '/' || name as name, (count(*) over ())::int as count from repository
     where host = 'local' and deleted_at is null order by 1 limit ${shown}`,
  );
  const [first] = rows;
  if (first === undefined) return;
  const more = first.count > shown ? ` and ${first.count - shown} more` : '';
  log.warn(
    { repositories: rows.map(({ name }) => name) },
    `These repositories of the local host${more} would be lost with their machine, because each machine has a disk of its own (GITHUB_MIRRORS=own). Give all servers and workers one data directory that has the repositories, and set GITHUB_MIRRORS=shared.`,
  );
}
