// The one place a deployment's status is written: with its times, its revision and its event, the slot it gives back,
// and who is woken by that. The caller holds the environment's row.
import type { Context } from '../../context.ts';
import { begins, canMove, endsSlot, isFinal, timesAfter } from '../../domain/releases/deployment.status.ts';
import type { DeploymentStatus } from '../../domain/releases/release.ts';
import { DomainError } from '../../domain/errors.ts';
import { whenWakeIsLost } from '../../domain/turns.ts';
import type { Transaction } from '../../platform/database.ts';
import { untried } from '../../platform/turns/index.ts';
import { announceDeployments, announcementOf, type DeploymentAnnouncement } from './deployments.events.ts';
import { readRunning } from './deployments.history.ts';
import { wakeDeployment, wakeNextInLine } from './deployments.wake.ts';
import { freezeAfterRollback } from './freezes.announce.ts';
import type { DeploymentRow, EnvironmentRow } from './releases.entities.ts';

interface Writer {
  /** Locked, and marked as changed. */
  readonly environment: EnvironmentRow;
  /** The service itself goes along the table of moves; what is reported from outside is taken as given. */
  readonly by: 'service' | 'report';
}

export interface NewStatus {
  readonly deployment: DeploymentRow;
  readonly to: DeploymentStatus;
  /** A text for people. */
  readonly errorMessage?: string | null;
  /** The provider is to be notified that it was canceled, though nobody waits for that. */
  readonly cancelPending?: boolean;
}

export type StatusWrite = Writer & NewStatus;

export async function writeDeploymentStatus(
  ctx: Context,
  tx: Transaction,
  { environment, by, ...status }: StatusWrite,
): Promise<void> {
  await writeDeploymentStatuses(ctx, tx, { environment, by, statuses: [status] });
}

/**
 * Several, in the order given, in about as many statements as one takes. Where they are several none is a success, or
 * was one: what runs in the environment is the same before and after each of them.
 */
export async function writeDeploymentStatuses(
  ctx: Context,
  tx: Transaction,
  { environment, by, statuses }: Writer & { readonly statuses: readonly NewStatus[] },
): Promise<void> {
  const running = once(async () => await readRunning(ctx, tx, environment.id));
  const announcements: DeploymentAnnouncement[] = [];
  for (const { deployment, to, errorMessage, cancelPending } of statuses) {
    const from = deployment.status;
    if (by === 'service' && !canMove(from, to))
      throw new DomainError('CONFLICT', `A deployment that is ${from} cannot become ${to}.`);
    await place(ctx, { deployment, to, running });
    wakeDeployment(ctx, tx, deployment);
    // The same status reported again is stored as news, and causes no event.
    if (from === to) continue;
    // Calls to the provider that were put off belong to the status before.
    Object.assign(deployment, { ...untried, cancelPending: cancelPending ?? false });
    deployment.errorMessage = errorMessage ?? null;
    announcements.push(announcementOf(deployment, by === 'report' && isFinal(from) ? { lateUpdate: true } : {}));
  }
  if (announcements.length === 0) return;
  await announceDeployments(ctx, tx, announcements);
  for (const { deployment, status } of announcements) {
    if (status === 'success' && deployment.kind === 'rollback')
      await freezeAfterRollback(ctx, tx, { environment, rollback: deployment });
    if (endsSlot(status) && environment.currentDeploymentId === deployment.id) environment.currentDeploymentId = null;
  }
  // Its place, in the environment or in line, may be another's now.
  if ((environment.currentDeploymentId ?? null) === null) await wakeNextInLine(ctx, tx, environment);
}

interface Placed extends Pick<NewStatus, 'deployment' | 'to'> {
  /** The candidate that runs in the environment. */
  readonly running: () => Promise<string | null>;
}

/** Changes only the row: the status and what is counted from it. */
async function place(ctx: Context, { deployment, to, running }: Placed): Promise<void> {
  const now = ctx.clock();
  const { status: from, deployStartAt = null, deployEndAt = null } = deployment;
  // It replaces what runs when it starts, not what ran when it was requested. A deployment that starts once more over
  // itself still replaces what it replaced before.
  if (begins(from, to)) {
    deployment.lastStartAt = now;
    const candidateId = await running();
    if (!isFinal(from) || candidateId !== deployment.candidateId) deployment.fromCandidateId = candidateId;
  }
  Object.assign(deployment, timesAfter({ status: from, deployStartAt, deployEndAt }, to, now));
  deployment.status = to;
  deployment.statusAt = now;
  deployment.revision += 1;
  deployment.nextLookAt = whenWakeIsLost(now);
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return async () => await (reading ??= read());
}
