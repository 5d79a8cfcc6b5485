// What a freeze would do to an environment: the deployments it would hold back, and those it would leave alone.
import type { Context } from '../../context.ts';
import { frozenAt, frozenText } from '../../domain/releases/freeze.ts';
import type { Transaction } from '../../platform/database.ts';
import { loadEnvironmentFreezes, type StoredFreeze } from '../repositories/index.ts';
import { readLine } from './deployments.history.ts';
import { readDeploymentsIn } from './deployments.reads.ts';
import type { Deployment } from './deployments.types.ts';
import type { EnvironmentRow } from './releases.entities.ts';

export interface FreezeImpactFacts {
  /** In the place of which it is. Null: there was none by hand. */
  readonly replaces: StoredFreeze | null;
  /** In line, the next first. */
  readonly holdsBack: readonly Deployment[];
  readonly sentence: string;
}

/** After the change, in its transaction. */
export async function impactOfFreeze(
  ctx: Context,
  tx: Transaction,
  { environment, replaces }: { readonly environment: EnvironmentRow; readonly replaces: StoredFreeze | null },
): Promise<FreezeImpactFacts> {
  const { id: environmentId, name } = environment;
  const freezes = await loadEnvironmentFreezes(tx, { accountId: ctx.accountId, environmentId });
  const frozen = frozenAt(freezes, ctx.clock().getTime());
  const held = (await readLine(ctx, tx, environment)).filter(({ forced }) => !forced).map(({ id }) => id);
  const holdsBack = await readDeploymentsIn(ctx, tx, held);
  const current = environment.currentDeploymentId ?? null;
  const goesOn = current === null ? [] : await readDeploymentsIn(ctx, tx, [current]);
  const sentences = [
    ...(frozen === null ? [] : [`${name} is ${frozenText(frozen)}.`]),
    ...(replaces === null ? [] : [`Takes the place of the freeze by ${replaces.createdBy}.`]),
    ...(holdsBack.length === 0 ? [] : [`Holds back ${versionsOf(holdsBack)}.`]),
    ...goesOn.map((deployment) => `The deployment of ${versionsOf([deployment])} goes on.`),
  ];
  return { replaces, holdsBack, sentence: sentences.join(' ') };
}

function versionsOf(deployments: readonly Deployment[]): string {
  return deployments.map(({ releaseCandidateVersion }) => releaseCandidateVersion).join(', ');
}
