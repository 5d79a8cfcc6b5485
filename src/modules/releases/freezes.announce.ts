// Writes an event when an environment becomes frozen or unfrozen. No decision depends on these events. Decisions read
// the freezes.
import type { Context } from '../../context.ts';
import { findFreezeInForce, nextCheck } from '../../domain/releases/freeze.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import {
  endFreezes,
  frozenFacts,
  insertFreeze,
  loadEnvironmentFreezes,
  type StoredFreeze,
} from '../repositories/index.ts';
import { wakeNextInLine } from './deployments.wake.ts';
import type { DeploymentRow, EnvironmentRow } from './releases.entities.ts';

/** The names of an environment in events. */
export interface EnvironmentNames {
  readonly repositoryId: string;
  readonly project: string;
  readonly environment: string;
}

/**
 * Writes an event if the environment was frozen or unfrozen since the last event, and schedules the next check. The
 * caller locks the environment's row. A repetition writes no event twice.
 */
export async function announceFreeze(ctx: Context, tx: Transaction, environment: EnvironmentRow): Promise<void> {
  const now = ctx.clock().getTime();
  const of = { accountId: ctx.accountId, environmentId: environment.id };
  const freezes = await loadEnvironmentFreezes(tx, of);
  const frozen = findFreezeInForce(freezes, now);
  const change = nextCheck(freezes, now);
  environment.nextFreezeChangeAt = change === null ? null : new Date(change);
  await wakeNextInLine(ctx, tx, environment);
  if ((frozen !== null) === environment.announcedFrozen) return;
  environment.announcedFrozen = frozen !== null;
  const { repositoryId, ...names } = await namesOf(ctx, tx, environment.id);
  await appendEvents(ctx, tx, [
    {
      repositoryId,
      environmentId: environment.id,
      action: frozen === null ? 'environment_unfrozen' : 'environment_frozen',
      payload: { ...names, ...(frozen !== null && frozenFacts(frozen)) },
    },
  ]);
}

/**
 * Freezes an environment after a successful rollback, if the environment is configured for this and its repository
 * exists. The freeze replaces the freeze of an earlier rollback, and is written in the transaction of the success.
 */
export async function freezeAfterRollback(
  ctx: Context,
  tx: Transaction,
  { environment, rollback }: { readonly environment: EnvironmentRow; readonly rollback: DeploymentRow },
): Promise<void> {
  if (!environment.freezeAfterRollback || (await isRepositoryDeleted(tx, environment))) return;
  const startsAt = ctx.clock().getTime();
  const seconds = environment.freezeAfterRollbackSec ?? null;
  const freezes = await loadEnvironmentFreezes(tx, { accountId: ctx.accountId, environmentId: environment.id });
  const earlier = freezes.filter(({ source }) => source === 'rollback');
  await endFreezes(ctx, tx, idsOf(earlier));
  await insertFreeze(ctx, tx, {
    target: { environmentId: environment.id },
    source: 'rollback',
    reason: null,
    span: { startsAt, endsAt: seconds === null ? null : startsAt + seconds * 1000 },
    createdBy: rollback.actor,
  });
  await announceFreeze(ctx, tx, environment);
}

async function isRepositoryDeleted(tx: Transaction, { accountId, id }: EnvironmentRow): Promise<boolean> {
  const found = await tx.query(
    `select 1 from environment e join release_project p on p.account_id = e.account_id and p.id = e.project_id
     join repository r on r.account_id = p.account_id and r.id = p.repository_id
     where e.account_id = $1 and e.id = $2 and r.deleted_at is not null`,
    [accountId, id],
  );
  return found.length > 0;
}

export function idsOf(freezes: readonly StoredFreeze[]): string[] {
  return freezes.map(({ id }) => id);
}

export async function namesOf(ctx: Context, tx: Transaction, environmentId: string): Promise<EnvironmentNames> {
  const [names] = await tx.query<EnvironmentNames>(
    `select p.repository_id as "repositoryId", p.name as project, e.name as environment
     from environment e join release_project p on p.account_id = e.account_id and p.id = e.project_id
     where e.account_id = $1 and e.id = $2`,
    [ctx.accountId, environmentId],
  );
  if (names === undefined) throw new Error(`Environment ${environmentId} is announced before it is written.`);
  return names;
}
