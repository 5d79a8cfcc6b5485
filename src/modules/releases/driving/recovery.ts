// After a backup of the database was restored: what its open deployments have come to since nobody here can say. They
// may have been deployed, and newer ones after them, so that none of them is started or gone on with.
import { systemContext, type Ports } from '../../../context.ts';
import { writeDeploymentStatus } from '../deployments.writer.ts';
import { changeEnvironment, loadDeployment } from '../releases.locks.ts';

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

/** Sets them to `unknown`, until a person or a provider reports how they ended. Returns their number. */
export async function forgetOpenDeployments(ports: Ports): Promise<number> {
  const open = await ports.db.system.query<OpenDeployment>(openDeployments);
  // The last in line first, or the end of one would be the turn of the next.
  for (const { accountId, environmentId, id } of open) {
    const ctx = systemContext(ports, accountId);
    await ctx.db.transaction(accountId, async (tx) => {
      const environment = await changeEnvironment(ctx, tx, environmentId);
      const deployment = await loadDeployment(ctx, tx, id);
      // Past the table of transitions, because the backup caused this change and not the deployment.
      await writeDeploymentStatus(ctx, tx, {
        environment,
        deployment,
        to: 'unknown',
        by: 'report',
        errorMessage: restored,
      });
    });
  }
  return open.length;
}

const restored = 'The database was restored from a backup: how it went since is not known.';
