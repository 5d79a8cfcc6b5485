// The effects of a change of an environment's freezes: which deployments are held back after the change, and which are
// no longer held back.
import type { Context } from '../../context.ts';
import { timeText } from '../../domain/calendar/time.text.ts';
import { findFreezeInForce, describeFreeze, nextChange } from '../../domain/releases/freeze.ts';
import type { Transaction } from '../../platform/database.ts';
import { loadEnvironmentFreezes, type StoredFreeze } from '../repositories/index.ts';
import { readLine } from './deployments.history.ts';
import { readDeploymentsIn } from './deployments.reads.ts';
import type { Deployment } from './deployments.types.ts';
import type { EnvironmentRow } from './releases.entities.ts';

export interface FreezeImpactFacts {
  /** The earlier manual freeze that the change replaces. Null: there was none. */
  readonly replaces: StoredFreeze | null;
  /** The deployments in line that the freeze holds back, the next first. */
  readonly holdsBack: readonly Deployment[];
  /** The deployments in line that are no longer held back, the next first. */
  readonly resumes: readonly Deployment[];
  readonly sentence: string;
}

export interface FreezeChange {
  readonly environment: EnvironmentRow;
  /** The freezes before the change. */
  readonly before: readonly StoredFreeze[];
  readonly replaces: StoredFreeze | null;
}

/** Must be called in the transaction of the change, after the change. */
export async function impactOfFreeze(
  ctx: Context,
  tx: Transaction,
  { environment, before, replaces }: FreezeChange,
): Promise<FreezeImpactFacts> {
  const { id: environmentId, name } = environment;
  const now = ctx.clock().getTime();
  const freezes = await loadEnvironmentFreezes(tx, { accountId: ctx.accountId, environmentId });
  const frozen = findFreezeInForce(freezes, now);
  const wasFrozen = findFreezeInForce(before, now) !== null;
  const waiting = (await readLine(ctx, tx, environment)).filter(({ forced }) => !forced).map(({ id }) => id);
  const inLine = await readDeploymentsIn(ctx, tx, waiting);
  const holdsBack = frozen === null ? [] : inLine;
  const resumes = wasFrozen && frozen === null ? inLine : [];
  const current = environment.currentDeploymentId ?? null;
  const goesOn = current === null || frozen === null ? [] : await readDeploymentsIn(ctx, tx, [current]);
  const known = new Set(before.map(({ id }) => id));
  const next = nextChange(
    freezes.filter(({ id }) => !known.has(id)),
    now,
  );
  const sentences = [
    ...(frozen === null ? [] : [`${name} is ${describeFreeze(frozen)}.`]),
    ...(frozen === null && wasFrozen ? [`${name} is not frozen any more.`] : []),
    ...(frozen === null && next !== null ? [`${name} is frozen next from ${timeText(next)} on.`] : []),
    ...(frozen === null && !wasFrozen && next === null
      ? [`${name} is not frozen now, and the change does not freeze it.`]
      : []),
    ...(replaces === null ? [] : [`Replaces the freeze by ${replaces.createdBy}.`]),
    ...(holdsBack.length === 0 ? [] : [`Holds back ${versionsOf(holdsBack)}.`]),
    ...(resumes.length === 0 ? [] : [`No longer holds back ${versionsOf(resumes)}.`]),
    ...goesOn.map((deployment) => `The running deployment of ${versionsOf([deployment])} continues.`),
  ];
  return { replaces, holdsBack, resumes, sentence: sentences.join(' ') };
}

function versionsOf(deployments: readonly Deployment[]): string {
  return deployments.map(({ releaseCandidateVersion }) => releaseCandidateVersion).join(', ');
}
