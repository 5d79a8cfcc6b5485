// Carries out the calls of a deployment outside of a transaction. A result is written only if the row still wants it.
import type { Context } from '../../../context.ts';
import { canBeAsked, pauseAfter, pauseAfterFailure, statusesByReading } from '../../../domain/releases/drive.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { ProviderReading } from '../../../platform/providers/port.ts';
import { carryOutDue, putOff, untried, type Due } from '../../../platform/turns/index.ts';
import { writeDeploymentStatus } from '../deployments.writer.ts';
import type { ReleaseDriving } from './supervise-run.ts';
import { deploymentKind, type DeploymentTypes } from './deployment.advance.ts';
import type { DeploymentRows } from './deployment.rows.ts';
import { carryOutByProvider, type Called } from './provider.carry-out.ts';
import { runOfDeployment } from './provider-run.ts';

const carryOut = carryOutByProvider<DeploymentTypes>({
  kind: deploymentKind,
  subject: 'deployment',
  runOf: ({ secrets }, rows) => runOfDeployment(secrets, rows),
  nameOf: ({ deployment }) => deployment.providerRun ?? null,
  conclude: async (ctx, tx, rows, called) => {
    if (isSameRun(rows, called.due)) await conclude(ctx, tx, rows, called);
  },
  end: async (ctx, tx, rows, { due, reading }) => {
    // A report may have said meanwhile how it ended, and another have the slot.
    if (isSameRun(rows, due) && rows.environment.currentDeploymentId === due.id)
      await writeReading(ctx, tx, rows, reading);
  },
  putOff: putOffDeployment,
});

/** Does the one thing that is due. Returns a sentence that says how it ended. */
export async function carryOutDeployment(ctx: Context, id: string, by: ReleaseDriving): Promise<string> {
  return await carryOutDue(ctx, carryOut, { id, by });
}

/** A deployment that gave the slot back and took it again is another run. */
function isSameRun({ deployment }: DeploymentRows, due: Due<DeploymentTypes>): boolean {
  return (deployment.fence ?? null) === (due.rows.deployment.fence ?? null);
}

async function conclude(
  ctx: Context,
  tx: Transaction,
  rows: DeploymentRows,
  { due, call, outcome }: Called<DeploymentTypes>,
): Promise<void> {
  const { deployment } = rows;
  // A report that arrived meanwhile is newer than this outcome.
  const isReported = deployment.revision !== due.rows.deployment.revision;
  const now = ctx.clock();
  switch (outcome.kind) {
    case 'triggered':
      // The name is stored even where the deployment is to be canceled by now, because the cancellation needs it.
      Object.assign(deployment, { triggeredAt: now, providerRun: outcome.name, ...untried });
      return;
    case 'cancel_sent':
      Object.assign(deployment, { cancelSentAt: now, cancelPending: false, ...untried });
      // A provider that can be asked for the status says more: the deployment may have ended before.
      if (outcome.isGone && !canBeAsked(rows.environment.provider) && !isReported)
        await writeReading(ctx, tx, rows, { state: 'gone', message: null });
      return;
    case 'read':
      if (!isReported) await writeReading(ctx, tx, rows, outcome.reading);
      return;
    case 'refused':
      if (call === 'trigger') return await writeRefusal(ctx, tx, { rows, message: outcome.message });
      if (call === 'cancel') return writeCancelRefusal(ctx, rows, outcome.message);
      return putOffDeployment(ctx, rows, outcome.message);
    case 'failed':
      return putOffDeployment(ctx, rows, outcome.message);
  }
}

async function writeReading(
  ctx: Context,
  tx: Transaction,
  rows: DeploymentRows,
  reading: Pick<ProviderReading, 'state' | 'message'> | null,
): Promise<void> {
  const { environment, deployment } = rows;
  const now = ctx.clock();
  const { state, message } = reading ?? { state: 'unknown', message: null };
  const triggeredAt = deployment.triggeredAt?.getTime() ?? null;
  const statuses = statusesByReading(state, { status: deployment.status, triggeredAt });
  if (statuses.length === 0) {
    putOff(deployment, { now, pauseAfter, problem: state === 'running' ? null : message });
    // There was news, so the time limit starts again.
    if (state === 'running' && deployment.status === 'in_progress') deployment.statusAt = now;
    return;
  }
  environment.version += 1;
  for (const to of statuses) {
    // The message already names the person who requested its end.
    const before = to === 'canceled' ? (deployment.errorMessage ?? null) : null;
    const errorMessage = to === 'success' ? null : (before ?? message);
    await writeDeploymentStatus(ctx, tx, { environment, deployment, to, by: 'service', errorMessage });
  }
}

async function writeRefusal(
  ctx: Context,
  tx: Transaction,
  { rows, message }: { readonly rows: DeploymentRows; readonly message: string },
): Promise<void> {
  const { environment, deployment } = rows;
  if (deployment.status !== 'in_progress' && deployment.status !== 'canceling') return;
  environment.version += 1;
  await writeDeploymentStatus(ctx, tx, { environment, deployment, to: 'error', by: 'service', errorMessage: message });
}

/** The provider refused the cancellation. It is not asked again. */
function writeCancelRefusal(ctx: Context, rows: DeploymentRows, message: string): void {
  const { deployment, environment } = rows;
  if (deployment.status === 'canceling') deployment.cancelSentAt = ctx.clock();
  deployment.cancelPending = false;
  putOffDeployment(ctx, rows, message);
  if (deployment.status !== 'canceling' || !canBeAsked(environment.provider)) deployment.callAt = null;
}

function putOffDeployment(ctx: Context, { deployment }: DeploymentRows, message: string): void {
  putOff(deployment, { now: ctx.clock(), pauseAfter, problem: message });
  if (pauseAfterFailure(deployment.status, deployment.calls) === null)
    Object.assign(deployment, { callAt: null, cancelPending: false });
}
