// One turn of a deployment: read, decide, write, in one transaction under the environment's row. What is left to do
// outside of it, calling or attending to the provider, is carried out by whoever asked for the turn.
import { quietFor, type Context } from '../../../context.ts';
import { decideDeployment, type DeploymentStep } from '../../../domain/releases/drive.ts';
import type { DeploymentStatus } from '../../../domain/releases/release.ts';
import { relayAt } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { writeDeploymentStatus } from '../deployments.writer.ts';
import { describeDeployment, stepText, type DeploymentSummary } from './deployment.words.ts';
import { lockDeployment, loadTurn, type DeploymentRows, type DeploymentTurn } from './deployment.rows.ts';

export interface DeploymentAdvance {
  /** `call` and `attend` are left to be carried out. */
  readonly need: 'call' | 'attend' | 'wait' | 'ended';
  /** What is done next, or waited for, in words. */
  readonly step: string;
  /** When to look again although nothing wakes it; null: never. Milliseconds since the epoch. */
  readonly nextLookAt: number | null;
  /** It waits for its turn, or for the end of a freeze. */
  readonly isInLine: boolean;
  /** Who has the slot it waits for. */
  readonly inTheWay: { readonly deploymentId: string; readonly isRollback: boolean } | null;
  readonly summary: DeploymentSummary;
}

type Left = Exclude<DeploymentStep, { kind: 'become' | 'take_slot' }>;

export async function advanceDeployment(ctx: Context, deploymentId: string): Promise<DeploymentAdvance> {
  const advance = await ctx.db.transaction(ctx.accountId, async (tx): Promise<DeploymentAdvance> => {
    const rows = await lockDeployment(ctx, tx, deploymentId);
    const { standing, step } = await decide(quietFor(ctx, { deploymentId }), tx, rows);
    rows.deployment.nextLookAt = relayAt(step, ctx.clock());
    const [holder] = step.kind === 'wait' && step.for === 'turn' ? await holderOf(ctx, tx, rows) : [];
    return {
      need: step.kind,
      step: stepText(step, { rows, freeze: standing.freeze, holder: holder?.version ?? null }),
      nextLookAt: step.kind === 'wait' ? step.until : null,
      isInLine: step.kind === 'wait' && (step.for === 'turn' || step.for === 'freeze'),
      inTheWay: holder === undefined ? null : { deploymentId: holder.id, isRollback: holder.kind === 'rollback' },
      summary: await describeDeployment(tx, rows, { step, freeze: standing.freeze, holder: holder?.version ?? null }),
    };
  });
  await passFailpoint(`deployment:advanced_${advance.summary.status}`);
  return advance;
}

/** Writes what has to be written, until something is left to do or to wait for. */
async function decide(
  ctx: Context,
  tx: Transaction,
  rows: DeploymentRows,
): Promise<{ readonly standing: DeploymentTurn; readonly step: Left }> {
  for (;;) {
    const standing = await loadTurn(ctx, tx, rows);
    const step = decideDeployment(standing.situation, ctx.clock().getTime());
    if (step.kind === 'take_slot') await takeSlot(ctx, tx, rows);
    else if (step.kind === 'become') await become(ctx, tx, rows, step);
    else return { standing, step };
  }
}

async function takeSlot(ctx: Context, tx: Transaction, rows: DeploymentRows): Promise<void> {
  const { environment, deployment } = rows;
  environment.fence += 1;
  environment.version += 1;
  environment.currentDeploymentId = deployment.id;
  deployment.fence = environment.fence;
  // From here on the provider may have been called, whatever is remembered of it.
  if (environment.provider.kind !== 'none') deployment.triggerBegunAt = ctx.clock();
  await writeDeploymentStatus(ctx, tx, { environment, deployment, to: 'in_progress', by: 'service' });
}

async function become(
  ctx: Context,
  tx: Transaction,
  { environment, deployment }: DeploymentRows,
  { status: to, because }: { readonly status: DeploymentStatus; readonly because: string },
): Promise<void> {
  const problem = deployment.problem ?? null;
  // Who asked for its end stands there already.
  const errorMessage =
    to === 'canceled' ? deployment.errorMessage : problem === null ? because : `${because} Last: ${problem}`;
  environment.version += 1;
  await writeDeploymentStatus(ctx, tx, { environment, deployment, to, by: 'service', errorMessage });
}

interface Holder {
  readonly id: string;
  readonly kind: string;
  readonly version: string;
}

async function holderOf(ctx: Context, tx: Transaction, { environment, deployment }: DeploymentRows): Promise<Holder[]> {
  return await tx.query<Holder>(
    `select d.id, d.kind, c.version from deployment d
     join release_candidate c on c.account_id = d.account_id and c.id = d.candidate_id
     where d.account_id = $1 and d.id = $2 and d.id <> $3`,
    [ctx.accountId, environment.currentDeploymentId ?? null, deployment.id],
  );
}
