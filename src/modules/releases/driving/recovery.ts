// Closes the open deployments and builds after a backup of the database was restored. The database does not know how
// these ended since the backup. The deployments, and newer deployments after them, may have been deployed, so none of
// the open deployments is started or continued. A candidate whose build is open may have been built and deployed, so it
// is not built once more.
import { systemContext, type Ports } from '../../../context.ts';
import { writeDeploymentStatus } from '../deployments.writer.ts';
import { changeEnvironment, loadDeployment } from '../releases.locks.ts';
import { endBuild, lockCandidate } from './build.rows.ts';

interface OpenDeployment {
  readonly accountId: string;
  readonly environmentId: string;
  readonly id: string;
}

const openDeployments = `select account_id as "accountId", environment_id as "environmentId", id from deployment
                         where status in ('pending', 'in_progress', 'canceling') order by account_id, environment_id, id desc`;

export async function countOpenDeployments({ db }: Ports): Promise<number> {
  return (await db.system.query<OpenDeployment>(openDeployments)).length;
}

/**
 * Sets the open deployments to `unknown`, until a person or a provider reports how they ended. Returns the number of
 * these deployments.
 */
export async function closeOpenDeployments(ports: Ports): Promise<number> {
  const open = await ports.db.system.query<OpenDeployment>(openDeployments);
  // The last in line is closed first. In the other order, the end of a deployment would wake the next one in line.
  for (const { accountId, environmentId, id } of open) {
    const ctx = systemContext(ports, accountId);
    await ctx.db.transaction(accountId, async (tx) => {
      const environment = await changeEnvironment(ctx, tx, environmentId);
      const deployment = await loadDeployment(ctx, tx, id);
      // A `report` need not follow the table of transitions, which has no transition for a restored backup.
      await writeDeploymentStatus(ctx, tx, {
        environment,
        deployment,
        to: 'unknown',
        source: 'report',
        errorMessage: restored('deployment'),
      });
    });
  }
  return open.length;
}

interface OpenBuild {
  readonly accountId: string;
  readonly id: string;
}

const openBuilds = `select account_id as "accountId", id from release_candidate where status = 'building' order by account_id, id`;

export async function countOpenBuilds({ db }: Ports): Promise<number> {
  return (await db.system.query<OpenBuild>(openBuilds)).length;
}

/** Ends the open builds as failed. Returns the number of these builds. */
export async function closeOpenBuilds(ports: Ports): Promise<number> {
  const open = await ports.db.system.query<OpenBuild>(openBuilds);
  for (const { accountId, id } of open) {
    const ctx = systemContext(ports, accountId);
    await ctx.db.transaction(accountId, async (tx) => {
      const rows = await lockCandidate(ctx, tx, id);
      await endBuild(ctx, tx, { rows, status: 'failed', errorMessage: restored('build') });
    });
  }
  return open.length;
}

function restored(what: 'deployment' | 'build'): string {
  return `The database was restored from a backup. The result of this ${what} is not known.`;
}
