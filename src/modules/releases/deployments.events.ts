// Writes the event `deployment_<status>`. The payload has all facts that consumers need, as they were at the change.
import type { Context } from '../../context.ts';
import type { DeploymentStatus } from '../../domain/releases/release.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import type { DeploymentRow } from './releases.entities.ts';

/** A deployment at one moment. */
export interface DeploymentAnnouncement {
  readonly deployment: DeploymentRow;
  readonly status: DeploymentStatus;
  readonly payload: Readonly<Record<string, unknown>>;
}

export function announcementOf(
  deployment: DeploymentRow,
  extra: Readonly<Record<string, unknown>> = {},
): DeploymentAnnouncement {
  const { status, kind, createdAt, actor } = deployment;
  return {
    deployment,
    status,
    payload: {
      status,
      kind,
      rollbackOfId: deployment.rollbackOfId ?? null,
      errorMessage: deployment.errorMessage ?? null,
      createdAt,
      deployStartAt: deployment.deployStartAt ?? null,
      deployEndAt: deployment.deployEndAt ?? null,
      actor,
      ...extra,
    },
  };
}

interface Names {
  readonly id: string;
  readonly repositoryId: string;
  readonly names: {
    readonly project: string;
    readonly environment: string;
    readonly version: string;
    readonly releaseVersion: string;
    readonly fromVersion: string | null;
    readonly fromReleaseVersion: string | null;
  };
}

/** Writes the events in the given order. */
export async function announceDeployments(
  ctx: Context,
  tx: Transaction,
  announcements: readonly DeploymentAnnouncement[],
): Promise<void> {
  await tx.em.flush();
  const rows = await tx.query<Names>(
    `select d.id, c.repository_id as "repositoryId",
            json_build_object('project', p.name, 'environment', e.name, 'version', c.version, 'releaseVersion', r.version,
                              'fromVersion', f.version, 'fromReleaseVersion', fr.version) as names
     from deployment d
     join environment e on e.account_id = d.account_id and e.id = d.environment_id
     join release_project p on p.account_id = e.account_id and p.id = e.project_id
     join release_candidate c on c.account_id = d.account_id and c.id = d.candidate_id
     join release r on r.account_id = d.account_id and r.id = c.release_id
     left join release_candidate f on f.account_id = d.account_id and f.id = d.from_candidate_id
     left join release fr on fr.account_id = d.account_id and fr.id = f.release_id
     where d.account_id = $1 and d.id = any ($2::bigint[])`,
    [ctx.accountId, announcements.map(({ deployment }) => deployment.id)],
  );
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  await appendEvents(
    ctx,
    tx,
    announcements.map(({ deployment, status, payload }) => {
      const { id, candidateId, environmentId } = deployment;
      const of = rowOf.get(id);
      if (of === undefined) throw new DomainError('INTERNAL', `Deployment ${id} is announced before it is written.`);
      return {
        repositoryId: of.repositoryId,
        candidateId,
        environmentId,
        deploymentId: id,
        action: `deployment_${status}`,
        payload: { ...of.names, ...payload },
      };
    }),
  );
}
