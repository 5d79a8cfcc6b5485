// Carries out the calls of a deployment outside of a transaction. A result is written only if the deployment is still
// in the same run.
import type { Context } from '../../../context.ts';
import { canBeAsked } from '../../../domain/releases/drive.ts';
import {
  decideRefusedStart,
  pauseAfter,
  pauseAfterFailure,
  statusesByReading,
} from '../../../domain/releases/provider-answers.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { ProviderReading } from '../../../platform/providers/port.ts';
import { carryOutDue, delayNextCall, noFailedCalls, type DueStep } from '../../../platform/turns/index.ts';
import { writeDeploymentStatus } from '../deployments.writer.ts';
import type { ReleaseDriving } from './supervise-run.ts';
import { deploymentKind, type DeploymentTypes } from './deployment.advance.ts';
import { cancellationOf, type DeploymentRows } from './deployment.rows.ts';
import { carryOutByProvider, type MadeCall } from './provider.carry-out.ts';
import { runOfDeployment } from './provider-run.ts';

const carryOut = carryOutByProvider<DeploymentTypes>({
  kind: deploymentKind,
  subject: 'deployment',
  endsAt: () => null,
  runOf: ({ secrets }, rows) => runOfDeployment(secrets, rows),
  nameOf: ({ deployment }) => deployment.providerRun ?? null,
  writeCallOutcome: async (ctx, tx, called) => {
    if (isSameRun(called.rows, called.due)) await conclude(ctx, tx, called);
  },
  writeRunResult: async (ctx, tx, { rows, due, reading }) => {
    // In the meantime a report may have ended the deployment, and another deployment may have taken the slot.
    if (isSameRun(rows, due) && rows.environment.currentDeploymentId === due.id)
      await writeReading(ctx, tx, { rows, reading });
  },
  delayNextCall: putOffDeployment,
});

/** Carries out the call or the supervised run that is due. Returns the outcome as a sentence. */
export async function carryOutDeployment(ctx: Context, id: string, by: ReleaseDriving): Promise<string> {
  return await carryOutDue(ctx, carryOut, { id, by });
}

/**
 * Whether the deployment is still in the run that was due. A deployment that has taken the slot again is in another
 * run.
 */
function isSameRun({ deployment }: DeploymentRows, due: DueStep<DeploymentTypes>): boolean {
  return (deployment.fence ?? null) === (due.rows.deployment.fence ?? null);
}

async function conclude(
  ctx: Context,
  tx: Transaction,
  { rows, due, call, outcome }: MadeCall<DeploymentTypes>,
): Promise<void> {
  const { deployment } = rows;
  // A report that arrived in the meantime is newer than this outcome.
  const isReported = deployment.revision !== due.rows.deployment.revision;
  const now = ctx.clock();
  switch (outcome.kind) {
    case 'triggered':
      // The name of the run is stored even if the deployment must be canceled now, because the cancellation needs it.
      Object.assign(deployment, { triggeredAt: now, providerRun: outcome.name, ...noFailedCalls });
      return;
    case 'cancel_sent':
      Object.assign(deployment, { cancelSentAt: now, cancelPending: false, ...noFailedCalls });
      // If the provider can report the status, the next step is to query the provider, because the run may have ended
      // before the cancellation.
      if (outcome.isGone && !canBeAsked(rows.environment.provider) && !isReported)
        await writeReading(ctx, tx, { rows, reading: { state: 'gone', message: null } });
      return;
    case 'read':
      if (!isReported) await writeReading(ctx, tx, { rows, reading: outcome.reading });
      return;
    case 'refused':
      if (call === 'trigger') return await writeRefusal(ctx, tx, { rows, due, message: outcome.message });
      if (call === 'cancel') return writeCancelRefusal(ctx, rows, outcome.message);
      return putOffDeployment(ctx, rows, outcome.message);
    case 'failed':
      return putOffDeployment(ctx, rows, outcome.message);
  }
}

async function writeReading(
  ctx: Context,
  tx: Transaction,
  {
    rows,
    reading,
  }: { readonly rows: DeploymentRows; readonly reading: Pick<ProviderReading, 'state' | 'message'> | null },
): Promise<void> {
  const { environment, deployment } = rows;
  const now = ctx.clock();
  const { state, message } = reading ?? { state: 'unknown', message: null };
  const triggeredAt = deployment.triggeredAt?.getTime() ?? null;
  const statuses = statusesByReading(state, { status: deployment.status, triggeredAt });
  if (statuses.length === 0) {
    delayNextCall(deployment, { now, pauseAfter, problem: state === 'running' ? null : message });
    // The provider reported that the run goes on, so the time limit starts again.
    if (state === 'running' && deployment.status === 'in_progress')
      Object.assign(deployment, { statusAt: now, reportedSinceStart: true });
    return;
  }
  environment.version += 1;
  for (const to of statuses) {
    // The message already names the person who canceled the deployment.
    const before = to === 'canceled' ? (deployment.errorMessage ?? null) : null;
    const errorMessage = to === 'success' ? null : (before ?? message);
    await writeDeploymentStatus(ctx, tx, { environment, deployment, to, source: 'service', errorMessage });
  }
}

async function writeRefusal(
  ctx: Context,
  tx: Transaction,
  { rows, due, message }: Pick<MadeCall<DeploymentTypes>, 'rows' | 'due'> & { readonly message: string },
): Promise<void> {
  const { environment, deployment } = rows;
  if (deployment.status !== 'in_progress' && deployment.status !== 'canceling') return;
  // A report may have ended the deployment and opened it again. Then the provider may have been changed, and only
  // reports drive the deployment.
  if (environment.currentDeploymentId !== deployment.id) return;
  const { provider, triggerStartedAt, isReportedSinceStart } = cancellationOf(rows);
  const before = due.situation.situation;
  const to = decideRefusedStart(
    { status: deployment.status, provider, triggerStartedAt, isReportedSinceStart },
    { isRepeated: before.status === 'canceling' || before.callAt !== null },
  );
  if (to === 'goes_on') {
    Object.assign(deployment, { triggeredAt: ctx.clock(), ...noFailedCalls, problem: message });
    return;
  }
  const isCanceled = to === 'canceled';
  environment.version += 1;
  await writeDeploymentStatus(ctx, tx, {
    environment,
    deployment,
    to,
    source: 'service',
    // The message already names the person who canceled the deployment.
    errorMessage: (isCanceled ? deployment.errorMessage : null) ?? message,
    // An earlier start whose answer was lost may have been accepted.
    cancelPending: isCanceled && provider.kind === 'http',
  });
}

/** Writes that the provider refused a cancellation. The cancellation is not sent again. */
function writeCancelRefusal(ctx: Context, rows: DeploymentRows, message: string): void {
  const { deployment, environment } = rows;
  if (deployment.status === 'canceling') deployment.cancelSentAt = ctx.clock();
  deployment.cancelPending = false;
  putOffDeployment(ctx, rows, message);
  if (deployment.status !== 'canceling' || !canBeAsked(environment.provider)) deployment.callAt = null;
}

function putOffDeployment(ctx: Context, { deployment }: DeploymentRows, message: string): void {
  delayNextCall(deployment, { now: ctx.clock(), pauseAfter, problem: message });
  if (pauseAfterFailure(deployment) === null) Object.assign(deployment, { callAt: null, cancelPending: false });
}
