// Reads an environment's past deployments and its line of waiting deployments for the domain's rules. A caller that
// writes a decision locks the environment's row.
import type { Context } from '../../context.ts';
import {
  listRestorable,
  rollbackTarget,
  areEnoughSuccesses,
  type LatestDeployment,
  type RollbackTarget,
  type Success,
} from '../../domain/releases/history.ts';
import { lineOf, type LineEntry } from '../../domain/releases/slot.ts';
import type { Transaction } from '../../platform/database.ts';
import { requireScope } from '../accounts/index.ts';
import { loadFreezeInForce } from './freezes.frozen.ts';
import type { EnvironmentRow } from './releases.entities.ts';

const newestAtFirst = 100;

/**
 * The newest successful deployments of an environment, in the order in which they ended. Reads as many as are needed to
 * know which candidate runs and which candidate ran before.
 */
async function readSuccesses(ctx: Context, tx: Transaction, environmentId: string): Promise<Success[]> {
  await tx.em.flush();
  for (let limit = newestAtFirst; ; limit *= 10) {
    const newest = await tx.query<Success>(
      `select d.kind, d.candidate_id as "candidateId", b.candidate_id as "tookBackId"
       from (select * from deployment where account_id = $1 and environment_id = $2 and status = 'success'
             order by deploy_end_at desc, id desc limit $3) d
       left join deployment b on b.account_id = d.account_id and b.id = d.rollback_of_id
       order by d.deploy_end_at desc, d.id desc`,
      [ctx.accountId, environmentId, limit],
    );
    const successes = newest.toReversed();
    if (newest.length < limit || areEnoughSuccesses(successes)) return successes;
  }
}

/**
 * The candidate that runs in the environment according to its successful deployments. Null: no candidate runs there.
 */
export async function readRunningCandidate(
  ctx: Context,
  tx: Transaction,
  environmentId: string,
): Promise<string | null> {
  return listRestorable(await readSuccesses(ctx, tx, environmentId)).at(-1) ?? null;
}

/** The target of a rollback of the environment now. Null: there is no earlier candidate to roll back to. */
export async function readRollbackTarget(
  ctx: Context,
  tx: Transaction,
  environmentId: string,
): Promise<RollbackTarget | null> {
  const successes = await readSuccesses(ctx, tx, environmentId);
  const [latest] = await tx.query<LatestDeployment>(
    `select id, kind, status, candidate_id as "candidateId", rollback_of_id as "rollbackOfId" from deployment
     where account_id = $1 and environment_id = $2 and deploy_start_at is not null
     order by coalesce(last_start_at, deploy_start_at) desc, id desc limit 1`,
    [ctx.accountId, environmentId],
  );
  return rollbackTarget(successes, latest ?? null);
}

/** When a deployment of the environment last started or succeeded. Null: neither has happened. */
export async function readNewestInstant(ctx: Context, tx: Transaction, environmentId: string): Promise<Date | null> {
  await tx.em.flush();
  const [row] = await tx.query<{ newest: Date | null }>(
    `select greatest(
       (select deploy_end_at from deployment where account_id = $1 and environment_id = $2 and status = 'success'
        order by deploy_end_at desc limit 1),
       (select coalesce(last_start_at, deploy_start_at) from deployment
        where account_id = $1 and environment_id = $2 and deploy_start_at is not null
        order by coalesce(last_start_at, deploy_start_at) desc limit 1)) as newest`,
    [ctx.accountId, environmentId],
  );
  return row?.newest ?? null;
}

/** Like `readRollbackTarget`, for callers without a transaction. Needs release:read. */
export async function readRollback(ctx: Context, environmentId: string): Promise<RollbackTarget | null> {
  requireScope(ctx, 'release:read');
  return await ctx.db.transaction(ctx.accountId, async (tx) => await readRollbackTarget(ctx, tx, environmentId));
}

/** The deployments that wait for the environment's slot, the next first. */
export async function readLine(ctx: Context, tx: Transaction, environment: EnvironmentRow): Promise<LineEntry[]> {
  await tx.em.flush();
  const pending = await tx.query<LineEntry>(
    `select id, kind, status, reported, forced from deployment where account_id = $1 and environment_id = $2 and status = 'pending'`,
    [ctx.accountId, environment.id],
  );
  const isFrozen =
    pending.some(({ forced }) => forced) &&
    (await loadFreezeInForce(ctx, tx, { environmentId: environment.id, now: ctx.clock() })) !== null;
  return lineOf(pending, { currentId: environment.currentDeploymentId ?? null, isFrozen });
}
