// Only this file writes the status of a deployment, with the times, the revision and the event. A deployment that ends
// releases the slot, and the next deployment in line is woken. The caller locks the environment's row.
import type { Context } from '../../context.ts';
import {
  startsDeployment,
  canMove,
  endsSlot,
  instantAfter,
  isFinal,
  timesAfter,
} from '../../domain/releases/deployment.status.ts';
import { isCancelUnsent, keepsPauses, mustStillNotifyCancel } from '../../domain/releases/cancellation.ts';
import type { DeploymentStatus } from '../../domain/releases/release.ts';
import { DomainError } from '../../domain/errors.ts';
import { whenWakeIsLost } from '../../domain/turns.ts';
import type { Transaction } from '../../platform/database.ts';
import { noFailedCalls } from '../../platform/turns/index.ts';
import { announceDeployments, announcementOf, type DeploymentAnnouncement } from './deployments.events.ts';
import { readNewestInstant, readRunningCandidate } from './deployments.history.ts';
import { wakeDeployment, wakeNextInLine } from './deployments.wake.ts';
import { cancellationOf } from './driving/deployment.rows.ts';
import { freezeAfterRollback } from './freezes.announce.ts';
import type { DeploymentRow, EnvironmentRow } from './releases.entities.ts';

interface Writer {
  /** The caller has locked this row, and increased its version. */
  readonly environment: EnvironmentRow;
  /**
   * A change by Interlock itself (`service`) must follow the table of transitions. A report from outside (`report`) is
   * accepted without a check.
   */
  readonly source: 'service' | 'report';
}

export interface NewStatus {
  readonly deployment: DeploymentRow;
  readonly to: DeploymentStatus;
  /** A text for people. */
  readonly errorMessage?: string | null;
  /** Whether the provider must still be notified of a cancellation for which no deployment waits. */
  readonly cancelPending?: boolean | undefined;
}

export type StatusWrite = Writer & NewStatus;

export async function writeDeploymentStatus(
  ctx: Context,
  tx: Transaction,
  { environment, source, ...status }: StatusWrite,
): Promise<void> {
  await writeDeploymentStatuses(ctx, tx, { environment, source, statuses: [status] });
}

/**
 * Writes several statuses in the given order, with about as many statements as one status needs. If there are several
 * statuses, none of the deployments was or becomes a success, so that the running candidate does not change between
 * them.
 */
export async function writeDeploymentStatuses(
  ctx: Context,
  tx: Transaction,
  { environment, source, statuses }: Writer & { readonly statuses: readonly NewStatus[] },
): Promise<void> {
  const running = once(async () => await readRunningCandidate(ctx, tx, environment.id));
  const newestInstant = once(async () => await readNewestInstant(ctx, tx, environment.id));
  const announcements: DeploymentAnnouncement[] = [];
  for (const { deployment, to, errorMessage, cancelPending } of statuses) {
    const from = deployment.status;
    if (source === 'service' && !canMove(from, to))
      throw new DomainError('CONFLICT', `A deployment that is ${from} cannot become ${to}.`);
    await setStatus(ctx, { deployment, to, running, newestInstant });
    if (source === 'report' && to === 'in_progress') deployment.reportedSinceStart = true;
    wakeDeployment(ctx, tx, deployment);
    // A report of the same status restarts the time limit, and causes no event.
    if (from === to) continue;
    const kept = keepCancellation({ environment, source, deployment, to, cancelPending });
    deployment.errorMessage = errorMessage ?? kept;
    announcements.push(announcementOf(deployment, source === 'report' && isFinal(from) ? { lateUpdate: true } : {}));
  }
  if (announcements.length === 0) return;
  await announceDeployments(ctx, tx, announcements);
  for (const { deployment, status } of announcements) {
    if (status === 'success' && deployment.kind === 'rollback')
      await freezeAfterRollback(ctx, tx, { environment, rollback: deployment });
    if (endsSlot(status) && environment.currentDeploymentId === deployment.id) environment.currentDeploymentId = null;
  }
  // Another deployment may be next in line now.
  if ((environment.currentDeploymentId ?? null) === null) await wakeNextInLine(ctx, tx, environment);
}

/**
 * Keeps a cancellation that the provider has not received. Returns the message that names the person who canceled the
 * deployment. Null: no such message is kept.
 */
function keepCancellation({ environment, source, deployment, to, cancelPending }: StatusWrite): string | null {
  const before = cancellationOf({ environment, deployment });
  const isPending = cancelPending === true || mustStillNotifyCancel(before, { to, source });
  if (!keepsPauses(before, { to, cancelPending: isPending })) Object.assign(deployment, noFailedCalls);
  deployment.cancelPending = isPending;
  const isKept = source === 'report' && !isFinal(to) && isCancelUnsent(before);
  return (isKept ? deployment.errorMessage : null) ?? null;
}

interface SetStatus extends Pick<NewStatus, 'deployment' | 'to'> {
  /** The candidate that runs in the environment. */
  readonly running: () => Promise<string | null>;
  /** When a deployment of the environment last started or succeeded. */
  readonly newestInstant: () => Promise<Date | null>;
}

/** Changes the status in the row, and the times that depend on the status. */
async function setStatus(ctx: Context, { deployment, to, running, newestInstant }: SetStatus): Promise<void> {
  const now = ctx.clock();
  const { status: from, deployStartAt = null, deployEndAt = null } = deployment;
  const isOrdered = startsDeployment(from, to) || (isFinal(to) && deployStartAt !== null);
  const at = isOrdered ? instantAfter(await newestInstant(), now) : now;
  // A deployment replaces the candidate that runs when it starts, not the candidate that ran when it was requested. If
  // its own candidate already runs when it starts again, it still replaces the candidate that it replaced before.
  if (startsDeployment(from, to)) {
    deployment.lastStartAt = at;
    const candidateId = await running();
    if (!isFinal(from) || candidateId !== deployment.candidateId) deployment.fromCandidateId = candidateId;
  }
  Object.assign(deployment, timesAfter({ status: from, deployStartAt, deployEndAt }, to, at));
  deployment.status = to;
  deployment.statusAt = now;
  deployment.revision += 1;
  deployment.nextLookAt = whenWakeIsLost(now);
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return async () => await (reading ??= read());
}
