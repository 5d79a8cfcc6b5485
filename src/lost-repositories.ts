// Deactivates the repositories of the local host whose folders are lost, so that servers and workers start without them.
// A deactivation is recorded in the event log and the audit log, and can be taken back if the folders are found.
import { systemContext } from './context.ts';
import { findLostRepositories } from './hosts/local/index.ts';
import { StartError } from './launcher/start-error.ts';
import { setRepositoryActive } from './modules/queue/index.ts';
import { listenerName } from './platform/database.ts';
import type { Service } from './service.ts';

/**
 * Says what is lost, in sentences for the operator. With `yes` it deactivates the lost repositories. Throws StartError if
 * each machine has a data directory of its own, because another machine may have the folders. With `yes` it also throws
 * StartError while a server or worker runs, because that process may have the directory.
 */
export async function giveUpLostRepositories(
  { ports, localHost }: Pick<Service, 'ports' | 'localHost'>,
  dataDir: string,
  { yes }: { readonly yes: boolean },
): Promise<readonly string[]> {
  const { installation } = localHost;
  if (installation.hasOwnDisk === true)
    throw new StartError(
      'Each machine of this installation has a disk of its own (GITHUB_MIRRORS=own), so another machine may have its repositories.',
    );
  const lost = await findLostRepositories(installation);
  if (lost.length === 0) return [`The data directory ${dataDir} has every active repository of the local host.`];
  if (yes) {
    await assertNoneRuns(ports);
    for (const repository of lost)
      await setRepositoryActive(systemContext(ports, repository.accountId), { repository, active: false });
  }
  return [
    `The data directory ${dataDir} lacks these active repositories of the local host:`,
    ...lost.map(({ owner, name }) => `  ${owner}/${name}`),
    'If no other directory and no backup has them, their commits, branches and tags are lost. The records of their pull requests, landings, releases and runbooks are kept.',
    ...(yes
      ? [
          'These repositories are inactive now, and their pull requests have left the line, except those whose landing had begun. Servers and workers start without them. If you find the directory, mount it and activate the repositories again. Otherwise delete them, and import clones that people have.',
        ]
      : [
          'Nothing was changed. With --yes, these repositories are deactivated: their pull requests leave the line, except those whose landing has begun, and servers and workers start without them. Stop all servers and workers first. Run this only if the directory of the other servers and workers cannot be mounted again.',
        ]),
  ];
}

/** Throws StartError while a server or worker runs. Each has a connection on which it listens for as long as it runs. */
async function assertNoneRuns({ db }: Pick<Service['ports'], 'db'>): Promise<void> {
  const [{ running } = { running: 0 }] = await db.system.query<{ running: number }>(
    'select count(*)::int as running from pg_stat_activity where datname = current_database() and application_name = $1',
    [listenerName],
  );
  if (running === 0) return;
  throw new StartError(
    `Nothing was changed, because servers or workers of this installation are running (${running}), and may have these repositories. If they work, mount their directory here, or name it by --data (INTERLOCK_DATA). If the repositories are lost, stop all servers and workers, and run this command again. A process whose machine failed counts for up to half a minute.`,
  );
}
