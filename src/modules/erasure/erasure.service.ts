// Erases a repository or an account. One transaction deactivates it, requests the end of its running work, and
// records the request. A minute later its rows are deleted, in small steps that may be repeated (docs/retention.md).
import type { Context } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { planAccount, planRepository, readCatalogue } from '../../platform/erasure/index.ts';
import { announceEndedAccess, recordUserAction, requireScope } from '../accounts/index.ts';
import {
  lockRepository,
  markDeleted,
  maySeeInside,
  requireAtHostOf,
  type RepositoryName,
} from '../repositories/index.ts';
import { stopReleases } from '../releases/index.ts';
import { stopRunbooks } from '../runbooks/index.ts';
import type { RepositoryRow } from '../repositories/repositories.entities.ts';
import { readImpact, type ErasureImpact } from './erasure.impact.ts';
import { findErasure, findErasureInTransaction, insertErasure, readErasures, type Erasure } from './erasures.rows.ts';

export interface ErasureAnswer {
  /** The record of the erasure. Null: a preview was requested. */
  readonly erasure: Erasure | null;
  /** What the erasure does. Null: the repository was erased before, or is being erased. */
  readonly impact: ErasureImpact | null;
}

export interface ErasureRequest {
  readonly confirm: string | null;
  readonly preview: boolean;
}

/**
 * Tables whose rows stay after an erasure. Events of a repository are emptied and not deleted, because positions have
 * no gaps (docs/adr/0005).
 */
export const remainingTablesOfRepository = ['erasure', 'event'];
export const remainingTablesOfAccount = ['erasure'];

/** SQL that asks running work to stop. Work that does not stop finds later that its rows are deleted. */
const stops = [
  `update local_check_run set cancel_requested = true where account_id = $1 and repository_id = $2 and state <> 'completed'`,
  `update verification set cancel_requested_at = now() where account_id = $1 and repository_id = $2 and ended_at is null`,
];

/**
 * Erases a repository. If it was erased before, returns the record of that erasure. Needs `admin`, and the permission
 * admin at the code host.
 */
export async function eraseRepository(
  ctx: Context,
  name: RepositoryName,
  { confirm, preview }: ErasureRequest,
): Promise<ErasureAnswer> {
  requireScope(ctx, 'admin');
  const called = `${name.owner}/${name.name}`;
  const repositoryId = await findErasable(ctx, name);
  if (repositoryId === null) {
    const erasure = await findErasure(ctx, called);
    if (erasure === null) throw notFound('Repository');
    return { erasure, impact: null };
  }
  if (!(await maySeeInside(ctx, repositoryId))) throw notFound('Repository');
  await requireAtHostOf(ctx, repositoryId, 'admin');
  const values = [ctx.accountId, repositoryId];
  const ownership = planRepository(await readCatalogue(ctx.db.system.query), ['erasure']);
  const impact = await readImpact(ctx, ownership, { repositoryIds: [repositoryId], values });
  if (preview) return { erasure: null, impact };
  requireConfirmed(confirm, called);
  const erasure = await ctx.db.transaction(ctx.accountId, async (tx) => {
    await deactivateForErasure(ctx, tx, repositoryId);
    // Another request may have begun the erasure while this one waited for the repository.
    const begun = await findErasureInTransaction(ctx, tx, repositoryId);
    if (begun !== null) return begun;
    await recordUserAction(ctx, tx, { action: 'repository_erased', target: called });
    return await insertErasure(ctx, tx, { id: repositoryId, name: called });
  });
  return { erasure, impact };
}

/** Erases the account. Its tokens and sessions end at once. Needs `admin`. */
export async function eraseAccount(ctx: Context, { confirm, preview }: ErasureRequest): Promise<ErasureAnswer> {
  requireScope(ctx, 'admin');
  const { name, repositoryIds } = await readAccount(ctx);
  const ownership = planAccount(await readCatalogue(ctx.db.system.query), remainingTablesOfAccount);
  const impact = await readImpact(ctx, ownership, { repositoryIds, values: [ctx.accountId] });
  if (preview) return { erasure: null, impact };
  requireConfirmed(confirm, name);
  const erasure = await ctx.db.transaction(ctx.accountId, async (tx) => {
    for (const id of repositoryIds) await deactivateForErasure(ctx, tx, id);
    await endAccess(ctx, tx);
    await recordUserAction(ctx, tx, { action: 'account_erased', target: null });
    return await insertErasure(ctx, tx, null);
  });
  return { erasure, impact };
}

/** The erasures that are finished or under way, newest first. Needs `admin`. */
export async function listErasures(ctx: Context): Promise<readonly Erasure[]> {
  requireScope(ctx, 'admin');
  return await readErasures(ctx);
}

function requireConfirmed(confirm: string | null, name: string): void {
  if (confirm !== name)
    throw new DomainError(
      'BAD_INPUT',
      `An erasure cannot be undone. Give the name as confirm: "${name}"`,
      'input.confirm',
    );
}

/** The id of a repository that is in use or was deleted. Null: there is none, or it was erased or is being erased. */
async function findErasable(ctx: Context, { owner, name }: RepositoryName): Promise<string | null> {
  const [row] = await ctx.db.read<{ id: string }>(ctx.accountId, {
    name: 'erasable_repository',
    text: `select r.id from repository r
           where r.account_id = $1 and r.owner = $2 and r.name = $3
             and not exists (select from erasure e where e.account_id = r.account_id and e.repository_id = r.id)
           order by r.deleted_at desc nulls first, r.id desc limit 1`,
    values: [ctx.accountId, owner, name],
  });
  return row?.id ?? null;
}

async function readAccount(ctx: Context): Promise<{ readonly name: string; readonly repositoryIds: string[] }> {
  const [row] = await ctx.db.system.query<{ name: string; ids: string[] }>(
    `select a.name, array(select r.id::text from repository r where r.account_id = a.id order by r.id) as ids
     from account a where a.id = $1`,
    [ctx.accountId],
  );
  if (row === undefined) throw notFound('Account');
  return { name: row.name, repositoryIds: row.ids };
}

const because = 'The repository is being erased.';

async function deactivateForErasure(ctx: Context, tx: Transaction, repositoryId: string): Promise<void> {
  const repository = await lockRepository(ctx, tx, repositoryId);
  await requireNoLanding(ctx, tx, repository);
  for (const statement of stops) await tx.query(statement, [ctx.accountId, repositoryId]);
  await stopReleases(ctx, tx, { repositoryId, because });
  await stopRunbooks(ctx, tx, { repositoryId, because });
  if (repository.deletedAt) return;
  repository.active = false;
  repository.deactivatedAt ??= ctx.clock();
  await markDeleted(ctx, tx, repository);
}

/** Throws CONFLICT while a landing is under way, because the host may be moving the base branch at this moment. */
async function requireNoLanding(ctx: Context, tx: Transaction, { id, owner, name }: RepositoryRow): Promise<void> {
  const landings = await tx.query(
    `select 1 from intent i join queue q on q.account_id = i.account_id and q.id = i.queue_id
     where i.account_id = $1 and q.repository_id = $2 and i.kind = 'land' and i.state = 'started' limit 1`,
    [ctx.accountId, id],
  );
  if (landings.length > 0)
    throw new DomainError('CONFLICT', `A landing in ${owner}/${name} is under way. Try again in a minute`, 'input');
}

async function endAccess(ctx: Context, tx: Transaction): Promise<void> {
  const values = [ctx.accountId];
  await tx.send('update user_session set ended_at = now() where account_id = $1 and ended_at is null', values);
  await tx.send(
    'update api_token set revoked_at = now(), signs_webhooks = false where account_id = $1 and revoked_at is null',
    values,
  );
  // Sessions of people who signed in at a provider have no token.
  await announceEndedAccess(ctx, tx, 'all');
  await tx.send('update webhook_endpoint set deleted_at = now(), enabled = false where account_id = $1', values);
  await tx.send(
    `update webhook_delivery set state = 'canceled', ended_at = now() where account_id = $1 and state in ('pending', 'retrying')`,
    values,
  );
  await tx.send('update account_user set removed_at = now() where account_id = $1 and removed_at is null', values);
}
