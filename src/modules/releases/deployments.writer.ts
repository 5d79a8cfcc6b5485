// The one place a deployment's status is written: with its times, its revision and its event, the slot it gives back,
// and who is woken by that. The caller holds the environment's row.
import type { Context } from '../../context.ts';
import { begins, canMove, endsSlot, isFinal, timesAfter } from '../../domain/releases/deployment.status.ts';
import type { DeploymentStatus } from '../../domain/releases/release.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { readRunning } from './deployments.history.ts';
import { wakeDeployment, wakeNextInLine, whenWakeIsLost } from './deployments.wake.ts';
import { freezeAfterRollback } from './freezes.announce.ts';
import type { DeploymentRow, EnvironmentRow } from './releases.entities.ts';

export interface StatusWrite {
  /** Locked, and marked as changed. */
  readonly environment: EnvironmentRow;
  readonly deployment: DeploymentRow;
  readonly to: DeploymentStatus;
  /** The service itself goes along the table of moves; what is reported from outside is taken as given. */
  readonly by: 'service' | 'report';
  /** In words people read. */
  readonly errorMessage?: string | null;
}

export async function writeDeploymentStatus(ctx: Context, tx: Transaction, write: StatusWrite): Promise<void> {
  const { environment, deployment, to, by } = write;
  const from = deployment.status;
  if (by === 'service' && !canMove(from, to))
    throw new DomainError('CONFLICT', `A deployment that is ${from} cannot become ${to}.`);
  const now = ctx.clock();
  const times = timesAfter(
    { status: from, deployStartAt: deployment.deployStartAt ?? null, deployEndAt: deployment.deployEndAt ?? null },
    to,
    now,
  );
  const starts = begins(from, to);
  if (starts) deployment.lastStartAt = now;
  // What it stands on is what runs when it starts, not what ran when it was asked for. Begun once more over itself, it
  // still stands on what it came in the place of.
  if (starts) {
    const running = await readRunning(ctx, tx, environment.id);
    if (!isFinal(from) || running !== deployment.candidateId) deployment.fromCandidateId = running;
  }
  deployment.status = to;
  deployment.statusAt = now;
  deployment.revision += 1;
  deployment.deployStartAt = times.deployStartAt;
  deployment.deployEndAt = times.deployEndAt;
  deployment.nextLookAt = whenWakeIsLost(now);
  wakeDeployment(ctx, tx, deployment);
  // Told again: heard of, and nothing to tell.
  if (from === to) return;
  deployment.errorMessage = write.errorMessage ?? null;
  // Calls to the provider that were put off belong to the status before.
  Object.assign(deployment, { callAt: null, calls: 0, problem: null });
  const isLate = by === 'report' && isFinal(from);
  await announceDeployment(ctx, tx, deployment, isLate ? { lateUpdate: true } : {});
  if (to === 'success' && deployment.kind === 'rollback') await freezeAfterRollback(ctx, tx, environment, deployment);
  if (endsSlot(to) && environment.currentDeploymentId === deployment.id) environment.currentDeploymentId = null;
  // Its place, in the environment or in line, may be another's now.
  if ((environment.currentDeploymentId ?? null) === null) await wakeNextInLine(ctx, tx, environment);
}

interface Told {
  readonly repositoryId: string;
  readonly project: string;
  readonly environment: string;
  readonly version: string;
  readonly releaseVersion: string;
  readonly fromVersion: string | null;
  readonly fromReleaseVersion: string | null;
}

/** The event `deployment_<status>`, with what its consumers need of this moment. */
export async function announceDeployment(
  ctx: Context,
  tx: Transaction,
  deployment: DeploymentRow,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await tx.em.flush();
  const [told] = await tx.query<Told>(
    `select c.repository_id as "repositoryId", p.name as project, e.name as environment, c.version, r.version as "releaseVersion",
            f.version as "fromVersion", fr.version as "fromReleaseVersion"
     from deployment d
     join environment e on e.account_id = d.account_id and e.id = d.environment_id
     join release_project p on p.account_id = d.account_id and p.id = e.project_id
     join release_candidate c on c.account_id = d.account_id and c.id = d.candidate_id
     join release r on r.account_id = d.account_id and r.id = c.release_id
     left join release_candidate f on f.account_id = d.account_id and f.id = d.from_candidate_id
     left join release fr on fr.account_id = d.account_id and fr.id = f.release_id
     where d.account_id = $1 and d.id = $2`,
    [ctx.accountId, deployment.id],
  );
  if (!told) throw new DomainError('INTERNAL', `Deployment ${deployment.id} is told of before it is written.`);
  const { repositoryId, ...names } = told;
  await appendEvents(ctx, tx, [
    {
      repositoryId,
      candidateId: deployment.candidateId,
      environmentId: deployment.environmentId,
      deploymentId: deployment.id,
      action: `deployment_${deployment.status}`,
      payload: {
        ...names,
        status: deployment.status,
        kind: deployment.kind,
        rollbackOfId: deployment.rollbackOfId ?? null,
        errorMessage: deployment.errorMessage ?? null,
        createdAt: deployment.createdAt,
        deployStartAt: deployment.deployStartAt ?? null,
        deployEndAt: deployment.deployEndAt ?? null,
        actor: deployment.actor,
        ...extra,
      },
    },
  ]);
}
