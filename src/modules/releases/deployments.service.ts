// Creates, reports and cancels deployments, and rolls environments back. Each of these is one transaction that locks
// the environment's row.
import type { Context } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { DeploymentStatus } from '../../domain/releases/release.ts';
import { requireVersion } from '../../domain/releases/version.ts';
import { whenWakeIsLost } from '../../domain/turns.ts';
import type { Transaction } from '../../platform/database.ts';
import { recordUserAction, requireAction, type UserActionName } from '../accounts/index.ts';
import { lockRepositoryForShare, maySeeInside, requireActive, requireAtHostOf } from '../repositories/index.ts';
import { findCandidate } from './candidates.reads.ts';
import type { ReleaseCandidate } from './candidates.types.ts';
import { cancelActiveDeployments, cancelDeployments } from './deployments.cancel.ts';
import { announceDeployments, announcementOf } from './deployments.events.ts';
import { readRollbackTarget, readRunningCandidate } from './deployments.history.ts';
import { answer, carryOutOrDryRun, type Answer, type Change } from './deployments.impact.ts';
import { readRepositoryOfDeployment } from './deployments.reads.ts';
import { wakeDeployment } from './deployments.wake.ts';
import { writeDeploymentStatus } from './deployments.writer.ts';
import { loadFreezeInForce } from './freezes.frozen.ts';
import { loadEnvironment } from './projects.reads.ts';
import { DeploymentEntity, type DeploymentRow, type EnvironmentRow } from './releases.entities.ts';
import { changeEnvironment, loadDeployment, lockUndeletedRepository } from './releases.locks.ts';

const longestMessage = 10_000;

export interface EnvironmentNames {
  readonly project: string;
  readonly environment: string;
}

export interface CreateDeploymentRequest extends EnvironmentNames {
  readonly version: string;
  readonly supersede?: boolean;
  readonly force?: boolean;
  readonly preview?: boolean;
  /** The version that the caller expects to run in the environment. Null or absent: this is not checked. */
  readonly ifRunning?: string | null;
}

/**
 * Creates the deployment of a ready candidate. The deployment starts at once, or after the deployments that are in line
 * before it.
 */
export async function createDeployment(ctx: Context, request: CreateDeploymentRequest): Promise<Answer> {
  requireAction(ctx, 'deploy');
  const { environment, candidate } = await find(ctx, request);
  requireReady(candidate);
  return await carryOutOrDryRun(ctx, request.preview, async (tx) => {
    requireActive(await lockRepositoryForShare(tx, candidate.repositoryId));
    const locked = await changeEnvironment(ctx, tx, environment.id);
    await requireRunning(ctx, tx, { environment: locked, expected: request.ifRunning });
    await requireNotFrozen(ctx, tx, { environmentId: environment.id, force: request.force });
    const because = `Superseded by ${candidate.version}.`;
    const canceled = request.supersede ? await cancelActiveDeployments(ctx, tx, { environment: locked, because }) : [];
    const deployment = await insertDeployment(ctx, tx, {
      environmentId: environment.id,
      candidateId: candidate.id,
      kind: 'forward',
      forced: request.force ?? false,
    });
    await put(ctx, tx, deployment);
    return await record(ctx, tx, {
      action: 'deployment_created',
      change: { environment: locked, deployment, canceled },
    });
  });
}

export interface ReportDeploymentRequest extends EnvironmentNames {
  readonly version: string;
  readonly status: DeploymentStatus;
  readonly errorMessage?: string | null;
}

/**
 * Writes a reported status to the newest deployment of this version in the environment, or to a new deployment. A
 * report is accepted in spite of freezes and of the order of deployments. After the report, Interlock drives the
 * deployment no further, unless the deployment has the slot of the environment. A cancellation that the provider has
 * not received is still sent. Throws CONFLICT for a new deployment if the repository was deleted.
 */
export async function reportDeployment(ctx: Context, request: ReportDeploymentRequest): Promise<Answer> {
  requireAction(ctx, 'deploy');
  if ((request.errorMessage?.length ?? 0) > longestMessage)
    throw new DomainError(
      'BAD_INPUT',
      `errorMessage must be at most ${longestMessage} characters`,
      'input.errorMessage',
    );
  const { environment, candidate } = await find(ctx, request);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const of = { accountId: ctx.accountId, environmentId: environment.id, candidateId: candidate.id };
    // The repository is locked before its environment.
    if ((await tx.em.count(DeploymentEntity, of)) === 0) await lockUndeletedRepository(tx, candidate.repositoryId);
    const locked = await changeEnvironment(ctx, tx, environment.id);
    const known = await tx.em.findOne(DeploymentEntity, of, { orderBy: { id: 'desc' }, refresh: true });
    const deployment = known ?? (await insertDeployment(ctx, tx, { ...of, kind: 'forward', reported: true }));
    if (known === null && request.status === 'pending')
      await announceDeployments(ctx, tx, [announcementOf(deployment)]);
    if (known !== null && request.status !== known.status && !isStillDriven(locked, known, request.status))
      known.reported = true;
    await writeDeploymentStatus(ctx, tx, {
      environment: locked,
      deployment,
      to: request.status,
      source: 'report',
      errorMessage: request.errorMessage ?? null,
    });
    return await record(ctx, tx, {
      action: 'deployment_reported',
      change: { environment: locked, deployment, canceled: [] },
    });
  });
}

/**
 * Whether Interlock still drives a deployment to its end after a report: the deployment has the slot, and the report
 * does not set it back to pending.
 */
function isStillDriven({ currentDeploymentId }: EnvironmentRow, { id }: DeploymentRow, to: DeploymentStatus): boolean {
  return currentDeploymentId === id && to !== 'pending';
}

/**
 * A repetition while the deployment is being canceled changes nothing. Throws CONFLICT if the deployment has ended in
 * another way.
 */
export async function cancelDeployment(
  ctx: Context,
  { id, preview }: { readonly id: string; readonly preview?: boolean },
): Promise<Answer> {
  requireAction(ctx, 'deploy');
  const repositoryId = await readRepositoryOfDeployment(ctx, id);
  if (repositoryId === null || !(await maySeeInside(ctx, repositoryId))) throw notFound('Deployment');
  await requireAtHostOf(ctx, repositoryId, 'deploy:write');
  return await carryOutOrDryRun(ctx, preview, async (tx) => {
    const { environmentId } = await loadDeployment(ctx, tx, id);
    const environment = await changeEnvironment(ctx, tx, environmentId);
    const deployment = await loadDeployment(ctx, tx, id);
    const because = `Canceled by ${actorOf(ctx)}.`;
    const canceled = await cancelDeployments(ctx, tx, { environment, deployments: [deployment], because });
    if (canceled.length === 0 && deployment.status !== 'canceling' && deployment.status !== 'canceled')
      throw new DomainError('CONFLICT', `The deployment has ended: ${deployment.status}.`);
    const change = { environment, deployment, canceled };
    if (canceled.length === 0) return await answer(ctx, tx, change);
    return await record(ctx, tx, { action: 'deployment_canceled', change });
  });
}

export interface RollBackRequest extends EnvironmentNames {
  readonly force?: boolean;
  readonly preview?: boolean;
  /** The version that the caller expects to run in the environment. Null or absent: this is not checked. */
  readonly ifRunning?: string | null;
}

/**
 * Cancels the active deployments of an environment, and deploys the candidate that ran before. The history of
 * successful deployments decides which candidate this is. Later successes do not change the target.
 */
export async function rollBackEnvironment(ctx: Context, request: RollBackRequest): Promise<Answer> {
  requireAction(ctx, 'roll_back');
  const { project, environment } = await loadEnvironment(ctx, request, 'deploy:write');
  return await carryOutOrDryRun(ctx, request.preview, async (tx) => {
    await lockUndeletedRepository(tx, project.repositoryId);
    const locked = await changeEnvironment(ctx, tx, environment.id);
    await requireRunning(ctx, tx, { environment: locked, expected: request.ifRunning });
    await requireNotFrozen(ctx, tx, { environmentId: environment.id, force: request.force });
    const because = `Canceled by a rollback of ${actorOf(ctx)}.`;
    // The cancellation comes first, because a deployment that was being triggered counts as started after it, and the
    // rollback must undo this deployment.
    const canceled = await cancelActiveDeployments(ctx, tx, { environment: locked, because });
    const target = await readRollbackTarget(ctx, tx, environment.id);
    if (target === null) throw new DomainError('NOT_FOUND', 'No previous deployment to roll back from');
    const deployment = await insertDeployment(ctx, tx, {
      environmentId: environment.id,
      ...target,
      kind: 'rollback',
      forced: request.force ?? false,
    });
    await put(ctx, tx, deployment);
    return await record(ctx, tx, {
      action: 'environment_rolled_back',
      change: { environment: locked, deployment, canceled },
    });
  });
}

/**
 * Reads the environment and the candidate. Checks names in the order in which the REST path and body have them. Throws
 * FORBIDDEN unless GitHub lets the caller deploy.
 */
async function find(ctx: Context, request: EnvironmentNames & { readonly version: string }) {
  const { project, environment } = await loadEnvironment(ctx, request, 'deploy:write');
  requireVersion(request.version);
  const candidate = await findCandidate(ctx, project.id, request.version);
  if (candidate === null) throw notFound('Release');
  return { environment, candidate };
}

function requireReady({ version, status }: ReleaseCandidate): void {
  if (status === 'ready') return;
  const why =
    status === 'building'
      ? 'is still being built: deploy it when it is ready'
      : 'failed to build: make another candidate';
  throw new DomainError('BAD_INPUT', `Release candidate ${version} ${why}`, 'input.version');
}

async function requireRunning(
  ctx: Context,
  tx: Transaction,
  {
    environment: { id, name },
    expected,
  }: { readonly environment: EnvironmentRow; readonly expected: string | null | undefined },
): Promise<void> {
  if (!expected) return;
  const [running] = await tx.query<{ version: string }>(
    'select version from release_candidate where account_id = $1 and id = $2',
    [ctx.accountId, await readRunningCandidate(ctx, tx, id)],
  );
  if (running?.version === expected) return;
  const what = running === undefined ? 'Nothing runs' : `${running.version} runs`;
  throw new DomainError(
    'CONFLICT',
    `${what} in ${name}, and not ${expected}. Read the environment again.`,
    'input.ifRunning',
  );
}

async function requireNotFrozen(
  ctx: Context,
  tx: Transaction,
  { environmentId, force }: { readonly environmentId: string; readonly force: boolean | undefined },
): Promise<void> {
  if (force || (await loadFreezeInForce(ctx, tx, { environmentId, now: ctx.clock() })) === null) return;
  throw new DomainError('ENVIRONMENT_FROZEN', 'Environment is frozen');
}

interface NewDeployment extends Pick<DeploymentRow, 'environmentId' | 'candidateId' | 'kind'> {
  readonly rollbackOfId?: string;
  readonly forced?: boolean;
  readonly reported?: boolean;
}

async function insertDeployment(ctx: Context, tx: Transaction, row: NewDeployment): Promise<DeploymentRow> {
  const now = ctx.clock();
  const deployment = tx.em.create(DeploymentEntity, {
    ...row,
    accountId: ctx.accountId,
    fromCandidateId: await readRunningCandidate(ctx, tx, row.environmentId),
    status: 'pending',
    actor: actorOf(ctx),
    createdAt: now,
    statusAt: now,
  });
  await tx.em.flush();
  return deployment;
}

/** Puts a deployment in line, and wakes it. A turn of the deployment decides whether it takes the slot at once. */
async function put(ctx: Context, tx: Transaction, deployment: DeploymentRow): Promise<void> {
  deployment.nextLookAt = whenWakeIsLost(ctx.clock());
  await announceDeployments(ctx, tx, [announcementOf(deployment)]);
  wakeDeployment(ctx, tx, deployment);
}

async function record(
  ctx: Context,
  tx: Transaction,
  { action, change }: { readonly action: UserActionName; readonly change: Change },
): Promise<Answer> {
  const answered = await answer(ctx, tx, change);
  const { projectName, environmentName, releaseCandidateVersion } = answered.deployment;
  await recordUserAction(ctx, tx, { action, target: `${projectName}/${environmentName}: ${releaseCandidateVersion}` });
  return answered;
}

function actorOf(ctx: Context): string {
  return ctx.actor.email ?? 'interlock';
}
