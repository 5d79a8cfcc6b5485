// The effects of a change of deployments, or the effects that a previewed change would have.
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/database.ts';
import { dryRun } from '../../platform/dry-run.ts';
import { readLine } from './deployments.history.ts';
import { readDeploymentsIn } from './deployments.reads.ts';
import type { Deployment } from './deployments.types.ts';
import type { DeploymentRow, EnvironmentRow } from './releases.entities.ts';

/** The effects of a change, as its transaction sees them. */
export interface Answer {
  readonly deployment: Deployment;
  readonly cancels: readonly Deployment[];
  /** In the order in which they run. */
  readonly waitsFor: readonly Deployment[];
  readonly isPreview: boolean;
}

export async function carryOutOrDryRun<Answered extends { readonly isPreview: boolean }>(
  ctx: Context,
  preview: boolean | undefined,
  act: (tx: Transaction) => Promise<Answered>,
): Promise<Answered> {
  if (!preview) return await ctx.db.transaction(ctx.accountId, act);
  return { ...(await dryRun(ctx.db, ctx.accountId, act)), isPreview: true };
}

export interface Change {
  readonly environment: EnvironmentRow;
  readonly deployment: DeploymentRow;
  /** Ids of the deployments that the change canceled or asked to stop. */
  readonly canceled: readonly string[];
}

export async function answer(
  ctx: Context,
  tx: Transaction,
  { environment, deployment, canceled }: Change,
): Promise<Answer> {
  const waitsFor = await readAhead(ctx, tx, { environment, deployment });
  const rows = await readDeploymentsIn(ctx, tx, [deployment.id, ...canceled, ...waitsFor]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const pick = (ids: readonly string[]): Deployment[] => ids.flatMap((id) => byId.get(id) ?? []);
  const [view] = rows;
  if (!view) throw new Error(`Deployment ${deployment.id} is answered before it is written.`);
  return { deployment: view, cancels: pick(canceled), waitsFor: pick(waitsFor), isPreview: false };
}

async function readAhead(
  ctx: Context,
  tx: Transaction,
  { environment, deployment }: { readonly environment: EnvironmentRow; readonly deployment: DeploymentRow },
): Promise<string[]> {
  const line = (await readLine(ctx, tx, environment)).map(({ id }) => id);
  const place = line.indexOf(deployment.id);
  if (place < 0) return [];
  const current = environment.currentDeploymentId ?? null;
  return [...(current === null ? [] : [current]), ...line.slice(0, place)];
}

export function impactText({ deployment, cancels, waitsFor }: Answer): string {
  const { kind, status, releaseCandidateVersion: to, fromReleaseCandidateVersion: from } = deployment;
  const sentences = cancels
    .filter(({ id }) => id !== deployment.id)
    .map((each) =>
      each.status === 'canceling'
        ? `Asks the deployment of ${each.releaseCandidateVersion} to stop.`
        : `Cancels the deployment of ${each.releaseCandidateVersion}.`,
    );
  if (status === 'canceling') return `Asks the deployment of ${to} to stop, and waits until it has stopped.`;
  if (status === 'canceled') return `Cancels the deployment of ${to}.`;
  const behind = waitsFor.map((each) => each.releaseCandidateVersion).join(', ');
  const running = from === null ? '' : ` in the place of ${from}`;
  const begins = `${kind === 'rollback' ? 'Rolls back to' : 'Deploys'} ${to}${running}`;
  return [...sentences, behind === '' ? `${begins}.` : `${begins}, after ${behind}.`].join(' ');
}
