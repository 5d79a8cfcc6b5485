// What a deployment needs done outside of a transaction. Its row is its own intent: what is due is read again, done
// under a key that makes doing it twice one, and what came of it is written where the row still says that it is wanted.
import { quietFor, type Context } from '../../../context.ts';
import {
  canBeAsked,
  decideDeployment,
  pauseAfter,
  pauseAfterFailure,
  statusesByReading,
  type DeploymentStep,
  type ProviderCall,
} from '../../../domain/releases/drive.ts';
import type { Transaction } from '../../../platform/database.ts';
import { unattended } from '../../../platform/driven-columns.ts';
import { ProviderRefused, type ProviderReading, type ProviderRun } from '../../../platform/providers/port.ts';
import { writeDeploymentStatus } from '../deployments.writer.ts';
import { attend, type Attended, type Attending } from './attendance.ts';
import { lockDeployment, loadTurn, type DeploymentRows } from './deployment.rows.ts';
import { callProvider, outcomeText, type CallOutcome } from './provider-call.ts';
import { runOfDeployment, type RunOrRefusal } from './provider-run.ts';
import { isOwnFailure, wordsOfOwn } from './own-failure.ts';

interface Due {
  readonly step: DeploymentStep;
  readonly run: RunOrRefusal;
  readonly name: string | null;
  readonly revision: number;
  readonly fence: number | null;
}

/**
 * Does the one thing that is due, and answers what came of it in words. What fails in here and not at the provider is
 * kept in the row like the provider's own failures: tried again after a while, shown, and ended by the deployment's time.
 */
export async function carryOutDeployment(ctx: Context, deploymentId: string, attending: Attending): Promise<string> {
  try {
    return await carryOut(ctx, deploymentId, attending);
  } catch (error) {
    if (!isOwnFailure(error, attending)) throw error;
    const words = wordsOfOwn(ctx, error, { deploymentId });
    const quiet = quietFor(ctx, { deploymentId });
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      const rows = await lockDeployment(quiet, tx, deploymentId);
      const { situation } = await loadTurn(quiet, tx, rows);
      const step = decideDeployment(situation, ctx.clock().getTime());
      // Whoever attends counts by its lease, and waits as long as that holds.
      if (step.kind === 'call') putOff(quiet, rows, words);
      else if (step.kind !== 'ended') rows.deployment.problem = words;
    });
    return `failed, and is tried again: ${words}`;
  }
}

async function carryOut(ctx: Context, deploymentId: string, attending: Attending): Promise<string> {
  const quiet = quietFor(ctx, { deploymentId });
  const due = await ctx.db.transaction(ctx.accountId, async (tx): Promise<Due> => {
    const rows = await lockDeployment(ctx, tx, deploymentId);
    const { situation } = await loadTurn(ctx, tx, rows);
    const { providerRun, revision, fence } = rows.deployment;
    return {
      step: decideDeployment(situation, ctx.clock().getTime()),
      run: runOfDeployment(attending.secrets, rows),
      name: providerRun ?? null,
      revision,
      fence: fence ?? null,
    };
  });
  const { step, run, name } = due;
  if (step.kind !== 'attend' && step.kind !== 'call') return 'nothing was left to do';
  if (step.kind === 'attend' && !(run instanceof ProviderRefused))
    return await attend(ctx, attending, attendedOf(quiet, deploymentId, { run, fence: due.fence }));
  const call = step.kind === 'call' ? step.call : 'trigger';
  const outcome = await callProvider(attending.providers, { run, name, call, subject: 'deployment' });
  await quiet.db.transaction(ctx.accountId, async (tx) => {
    const rows = await lockDeployment(quiet, tx, deploymentId);
    // Another that had the slot since is another run.
    if ((rows.deployment.fence ?? null) === due.fence) await conclude(quiet, tx, rows, { call, outcome, ...due });
  });
  return outcomeText(outcome);
}

interface Concluded {
  readonly call: ProviderCall;
  readonly outcome: CallOutcome;
  readonly revision: number;
}

async function conclude(
  ctx: Context,
  tx: Transaction,
  rows: DeploymentRows,
  { call, outcome, revision }: Concluded,
): Promise<void> {
  const { deployment } = rows;
  const now = ctx.clock();
  switch (outcome.kind) {
    case 'triggered':
      // Also where it is to be canceled by now: that needs the name.
      Object.assign(deployment, { triggeredAt: now, providerRun: outcome.name, ...untried });
      return;
    case 'told_to_cancel':
      Object.assign(deployment, { cancelToldAt: now, cancelOwed: false, ...untried });
      // Where it can be asked how it stands, that says more: it may have ended before.
      if (outcome.isGone && !canBeAsked(rows.environment.provider) && deployment.revision === revision)
        await writeReading(ctx, tx, rows, { state: 'gone', message: null });
      return;
    case 'read':
      // Whoever reported meanwhile knows better.
      if (deployment.revision === revision) await writeReading(ctx, tx, rows, outcome.reading);
      return;
    case 'refused':
      if (call === 'trigger') return await writeRefusal(ctx, tx, rows, outcome.words);
      if (call === 'cancel') return writeCancelRefusal(ctx, rows, outcome.words);
      return putOff(ctx, rows, outcome.words);
    case 'failed':
      return putOff(ctx, rows, outcome.words);
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
    deployment.calls += 1;
    deployment.callAt = new Date(now.getTime() + pauseAfter(deployment.calls));
    deployment.problem = state === 'running' ? null : message;
    // It is heard of.
    if (state === 'running' && deployment.status === 'in_progress') deployment.statusAt = now;
    return;
  }
  environment.version += 1;
  for (const to of statuses) {
    // Who asked for its end stands there already.
    const before = to === 'canceled' ? (deployment.errorMessage ?? null) : null;
    const errorMessage = to === 'success' ? null : (before ?? message);
    await writeDeploymentStatus(ctx, tx, { environment, deployment, to, by: 'service', errorMessage });
  }
}

async function writeRefusal(ctx: Context, tx: Transaction, rows: DeploymentRows, words: string): Promise<void> {
  const { environment, deployment } = rows;
  if (deployment.status !== 'in_progress' && deployment.status !== 'canceling') return;
  environment.version += 1;
  await writeDeploymentStatus(ctx, tx, { environment, deployment, to: 'error', by: 'service', errorMessage: words });
}

/** It is not told again. */
function writeCancelRefusal(ctx: Context, rows: DeploymentRows, words: string): void {
  const { deployment, environment } = rows;
  if (deployment.status === 'canceling') deployment.cancelToldAt = ctx.clock();
  deployment.cancelOwed = false;
  putOff(ctx, rows, words);
  if (deployment.status !== 'canceling' || !canBeAsked(environment.provider)) deployment.callAt = null;
}

const untried = { callAt: null, calls: 0, problem: null };

function putOff(ctx: Context, { deployment }: DeploymentRows, words: string): void {
  deployment.calls += 1;
  deployment.problem = words;
  const pauseMs = pauseAfterFailure(deployment.status, deployment.calls);
  deployment.callAt = pauseMs === null ? null : new Date(ctx.clock().getTime() + pauseMs);
  if (pauseMs === null) deployment.cancelOwed = false;
}

function attendedOf(
  ctx: Context,
  deploymentId: string,
  { run, fence }: { readonly run: ProviderRun; readonly fence: number | null },
): Attended {
  return {
    table: 'deployment',
    id: deploymentId,
    run,
    conclude: async (tx, reading, attendant) => {
      const rows = await lockDeployment(ctx, tx, deploymentId);
      const { deployment } = rows;
      // A report may have said meanwhile how it ended, and another have the slot.
      if ((deployment.fence ?? null) !== fence || deployment.attendedBy !== attendant) return;
      Object.assign(deployment, unattended);
      if (rows.environment.currentDeploymentId === deploymentId) await writeReading(ctx, tx, rows, reading);
    },
  };
}
