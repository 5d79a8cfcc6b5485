// What a turn of a deployment reads, decides and writes.
import type { Context } from '../../../context.ts';
import { decideDeployment, type DeploymentStep } from '../../../domain/releases/drive.ts';
import type { DeploymentStatus } from '../../../domain/releases/release.ts';
import type { AfterTurn } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { takeTurn, type Kind, type KindTypes, type TurnOf } from '../../../platform/turns/index.ts';
import { writeDeploymentStatus } from '../deployments.writer.ts';
import type { ReleaseDriving } from './supervise-run.ts';
import { describeDeployment, stepText, type DeploymentSummary } from './deployment.text.ts';
import { lockDeployment, loadTurn, type DeploymentRows, type DeploymentTurn } from './deployment.rows.ts';

interface DeploymentShown {
  /** The next step, or what the deployment waits for, as a sentence. */
  readonly step: string;
  /** Whether the deployment waits for its turn, or for the end of a freeze. */
  readonly isInLine: boolean;
  /** The deployment that has the slot and that this deployment waits for. Null: it waits for no other deployment. */
  readonly inTheWay: { readonly deploymentId: string; readonly isRollback: boolean } | null;
  readonly summary: DeploymentSummary;
}

export interface DeploymentTypes extends KindTypes {
  readonly rows: DeploymentRows;
  readonly situation: DeploymentTurn;
  readonly left: Extract<DeploymentStep, AfterTurn>;
  readonly written: Exclude<DeploymentStep, AfterTurn>;
  readonly shown: DeploymentShown;
  readonly by: ReleaseDriving;
}

export type DeploymentAdvance = TurnOf<DeploymentTypes>;

/** A turn locks the environment's row, which is the lock of all its deployments. */
export const deploymentKind: Kind<DeploymentTypes> = {
  whose: (id) => ({ deploymentId: id }),
  lock: lockDeployment,
  rowOf: ({ deployment }) => deployment,
  read: loadTurn,
  decide: ({ situation }, now) => decideDeployment(situation, now),
  write: async (ctx, tx, { rows, step }) => {
    if (step.kind === 'take_slot') await takeSlot(ctx, tx, rows);
    else await become(ctx, tx, { rows, to: step.status, because: step.because });
    return rows;
  },
  show: async (ctx, tx, { rows, situation: { freeze }, step }) => {
    const [other] = step.kind === 'wait' && step.for === 'turn' ? await holderOf(ctx, tx, rows) : [];
    const holder = other?.version ?? null;
    return {
      step: stepText(step, { rows, freeze, holder }),
      isInLine: step.kind === 'wait' && (step.for === 'turn' || step.for === 'freeze'),
      inTheWay: other === undefined ? null : { deploymentId: other.id, isRollback: other.kind === 'rollback' },
      summary: await describeDeployment(tx, rows, { step, freeze, holder }),
    };
  },
};

export async function advanceDeployment(ctx: Context, deploymentId: string): Promise<DeploymentAdvance> {
  const advance = await takeTurn(ctx, deploymentKind, deploymentId);
  await passFailpoint(`deployment:advanced_${advance.summary.status}`);
  return advance;
}

async function takeSlot(ctx: Context, tx: Transaction, rows: DeploymentRows): Promise<void> {
  const { environment, deployment } = rows;
  environment.fence += 1;
  environment.version += 1;
  environment.currentDeploymentId = deployment.id;
  deployment.fence = environment.fence;
  await writeDeploymentStatus(ctx, tx, { environment, deployment, to: 'in_progress', source: 'service' });
  deployment.reportedSinceStart = false;
  // From now on the provider may have been called, even if no call was recorded.
  if (environment.provider.kind !== 'none') deployment.triggerStartedAt = deployment.statusAt;
}

async function become(
  ctx: Context,
  tx: Transaction,
  { rows, to, because }: { readonly rows: DeploymentRows; readonly to: DeploymentStatus; readonly because: string },
): Promise<void> {
  const { environment, deployment } = rows;
  const problem = deployment.problem ?? null;
  // The message already names the person who canceled the deployment.
  const errorMessage =
    to === 'canceled' || to === 'canceling'
      ? deployment.errorMessage
      : problem === null
        ? because
        : `${because} The last failure: ${problem}`;
  environment.version += 1;
  await writeDeploymentStatus(ctx, tx, { environment, deployment, to, source: 'service', errorMessage });
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
