// The rows that a turn of a deployment reads, and the situation that they describe.
import type { Context } from '../../../context.ts';
import type { DeploymentSituation } from '../../../domain/releases/situation.ts';
import type { FreezeInForce } from '../../../domain/releases/freeze.ts';
import { notFound } from '../../../domain/errors.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { readLine } from '../deployments.history.ts';
import { loadFreezeInForce } from '../freezes.frozen.ts';
import { loadDeployment, lockEnvironment } from '../releases.locks.ts';
import {
  ReleaseCandidateEntity,
  ReleaseEntity,
  ReleaseProjectEntity,
  type DeploymentRow,
  type EnvironmentRow,
  type ReleaseCandidateRow,
  type ReleaseProjectRow,
} from '../releases.entities.ts';

/** A candidate with its project, its release and its repository. */
export interface CandidateRows {
  readonly project: ReleaseProjectRow;
  readonly candidate: ReleaseCandidateRow;
  readonly releaseVersion: string;
  readonly repository: RepositoryRow;
}

export interface DeploymentRows extends CandidateRows {
  readonly environment: EnvironmentRow;
  readonly deployment: DeploymentRow;
  /**
   * The candidate that ran in the environment before. Null: no candidate ran there, or the deployment has not started.
   */
  readonly from: { readonly version: string; readonly releaseVersion: string } | null;
}

/** Locks the environment's row, and then reads the rows that belong to the deployment. */
export async function lockDeployment(ctx: Context, tx: Transaction, deploymentId: string): Promise<DeploymentRows> {
  const [found] = await tx.query<{ environment_id: string }>(
    'select environment_id from deployment where account_id = $1 and id = $2',
    [ctx.accountId, deploymentId],
  );
  if (found === undefined) throw notFound('Deployment');
  const environment = await lockEnvironment(ctx, tx, found.environment_id);
  const deployment = await loadDeployment(ctx, tx, deploymentId);
  const from = deployment.fromCandidateId ?? null;
  return {
    ...(await loadCandidate(ctx, tx, deployment.candidateId)),
    environment,
    deployment,
    from: from === null ? null : await readVersions(ctx, tx, from),
  };
}

export async function loadCandidate(ctx: Context, tx: Transaction, candidateId: string): Promise<CandidateRows> {
  const { accountId } = ctx;
  const candidate = await tx.em.findOne(ReleaseCandidateEntity, { id: candidateId, accountId }, { refresh: true });
  if (!candidate) throw notFound('Release candidate');
  const [project, release, repository] = [
    await tx.em.findOneOrFail(ReleaseProjectEntity, { id: candidate.projectId, accountId }),
    await tx.em.findOneOrFail(ReleaseEntity, { id: candidate.releaseId, accountId }),
    await tx.em.findOneOrFail(RepositoryEntity, { id: candidate.repositoryId, accountId }),
  ];
  return { candidate, project, repository, releaseVersion: release.version };
}

async function readVersions(
  ctx: Context,
  tx: Transaction,
  candidateId: string,
): Promise<NonNullable<DeploymentRows['from']>> {
  const { candidate, releaseVersion } = await loadCandidate(ctx, tx, candidateId);
  return { version: candidate.version, releaseVersion };
}

export interface DeploymentTurn {
  readonly situation: DeploymentSituation;
  readonly freeze: FreezeInForce | null;
}

/** The facts that decide the next step of a deployment. The caller locks the environment's row. */
export async function loadTurn(
  ctx: Context,
  tx: Transaction,
  { environment, deployment }: DeploymentRows,
): Promise<DeploymentTurn> {
  const isWaiting = deployment.status === 'pending';
  const [first] = isWaiting ? await readLine(ctx, tx, environment) : [];
  // The freeze is read in the same transaction that takes the slot, because a freeze may have begun since the last
  // turn.
  const freeze =
    isWaiting && !deployment.forced
      ? await loadFreezeInForce(ctx, tx, { environmentId: environment.id, now: ctx.clock() })
      : null;
  return {
    situation: situationOf({ environment, deployment }, { isFirstInLine: first?.id === deployment.id, freeze }),
    freeze,
  };
}

function situationOf(
  { environment, deployment }: Pick<DeploymentRows, 'environment' | 'deployment'>,
  line: Pick<DeploymentSituation, 'isFirstInLine' | 'freeze'>,
): DeploymentSituation {
  return {
    ...line,
    ...runOf(deployment),
    ...cancellationOf({ environment, deployment }),
    status: deployment.status,
    isReported: deployment.reported,
    statusAt: deployment.statusAt.getTime(),
    reportTimeoutSec: environment.reportTimeoutSec,
    isElsewhere: isElsewhere({ environment, deployment }),
  };
}

/** The facts that decide whether the provider must be notified of a cancellation. */
export function cancellationOf({
  environment: { provider, currentDeploymentId: current = null },
  deployment,
}: Pick<DeploymentRows, 'environment' | 'deployment'>): Pick<
  DeploymentSituation,
  | 'provider'
  | 'slot'
  | 'triggerStartedAt'
  | 'isReportedSinceStart'
  | 'cancelRequestedAt'
  | 'cancelSentAt'
  | 'cancelPending'
> {
  return {
    provider,
    slot: current === null ? 'free' : current === deployment.id ? 'ours' : 'taken',
    triggerStartedAt: instant(deployment.triggerStartedAt),
    isReportedSinceStart: deployment.reportedSinceStart,
    cancelRequestedAt: instant(deployment.cancelRequestedAt),
    cancelSentAt: instant(deployment.cancelSentAt),
    cancelPending: deployment.cancelPending,
  };
}

/** Whether the deployment was triggered at a provider that its environment no longer has. */
export function isElsewhere({ environment, deployment }: Pick<DeploymentRows, 'environment' | 'deployment'>): boolean {
  return isBefore(deployment.triggerStartedAt, environment.providerSince);
}

export function isBefore(one: Date | null | undefined, other: Date | null | undefined): boolean {
  return (instant(one) ?? Infinity) < (instant(other) ?? -Infinity);
}

/** The columns that deployments and builds have in common. */
export function runOf(
  row: DeploymentRow | ReleaseCandidateRow,
): Pick<DeploymentSituation, 'triggeredAt' | 'callAt' | 'calls' | 'problem' | 'failingSince' | 'supervisedUntil'> {
  return {
    triggeredAt: instant(row.triggeredAt),
    callAt: instant(row.callAt),
    calls: row.calls,
    problem: row.problem ?? null,
    failingSince: instant(row.failingSince),
    supervisedUntil: instant(row.supervisedUntil),
  };
}

function instant(date: Date | null | undefined): number | null {
  return date?.getTime() ?? null;
}
