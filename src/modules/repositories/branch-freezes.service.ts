// Freezes of base branches. While a base branch is frozen, nothing lands on it, and validation continues.
import type { Context } from '../../context.ts';
import type { RecurringSpan } from '../../domain/calendar/spans.ts';
import { findFreezeInForce, isOver, nextCheck } from '../../domain/releases/freeze.ts';
import type { Transaction } from '../../platform/database.ts';
import { tryOut } from '../../platform/dry-run.ts';
import { recordUserAction, requireAction } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { checkedReason, checkedSchedule, checkedSpan } from './freezes.input.ts';
import {
  endFreezes,
  freezeFacts,
  freezesOf,
  frozenFacts,
  insertFreeze,
  loadBranchFreezes,
  type NewFreeze,
  type StoredFreeze,
} from './freezes.rows.ts';
import type { RepositoryRow } from './repositories.entities.ts';
import { changeQueues, lockRepository } from './repositories.locks.ts';
import { loadRepository, requireAtHostOf, type RepositoryName } from './repositories.reads.ts';

export interface BranchesRef {
  readonly repository: RepositoryName;
  /** A plain name, or a glob. */
  readonly baseBranches: string;
}

export interface FreezeBranchesRequest extends BranchesRef {
  readonly reason?: string | null | undefined;
  /** Null: the freeze lasts until a user ends it. */
  readonly endsAt?: Date | null | undefined;
}

/** Throws the same errors as a freeze of base branches, for a caller that only previews the freeze. */
export async function requireMayFreeze(ctx: Context, name: RepositoryName): Promise<RepositoryRow> {
  requireAction(ctx, 'freeze');
  return await loadRepository(ctx, name, 'release:write');
}

/**
 * Creates a manual freeze, which replaces the manual freeze of the same pattern. Once this function has returned, no
 * landing starts on these base branches.
 */
export async function freezeBranches(ctx: Context, input: FreezeBranchesRequest): Promise<StoredFreeze> {
  requireAction(ctx, 'freeze');
  const reason = checkedReason(input.reason);
  const span = checkedSpan(input.endsAt, ctx.clock());
  return await changeFreezes(ctx, input, async (tx, repository) => {
    const replaced = (await loadBranchFreezes(tx, keyOf(repository))).filter((freeze) => isByHand(freeze, input));
    await endFreezes(
      ctx,
      tx,
      replaced.map(({ id }) => id),
    );
    return await addFreeze(ctx, tx, {
      repository,
      added: {
        target: targetOf(repository, input),
        source: 'manual',
        reason,
        span,
      },
    });
  });
}

/** Ends the manual freeze of exactly this pattern, and no freeze by a schedule. Returns the number of ended freezes. */
export async function unfreezeBranches(ctx: Context, input: BranchesRef): Promise<number> {
  requireAction(ctx, 'freeze');
  return await changeFreezes(ctx, input, async (tx, repository) => {
    const now = ctx.clock().getTime();
    const freezes = await loadBranchFreezes(tx, keyOf(repository));
    const active = freezes.filter((freeze) => isByHand(freeze, input) && !isOver(freeze, now));
    for (const freeze of active) await endBranchFreeze(ctx, tx, { repository, freeze });
    return active.length;
  });
}

export interface ScheduleBranchFreezeRequest extends BranchesRef {
  readonly schedule: RecurringSpan;
  readonly reason?: string | null | undefined;
  readonly preview?: boolean;
}

/** Creates a recurring freeze. After a preview, no freeze has the returned id. */
export async function scheduleBranchFreeze(ctx: Context, input: ScheduleBranchFreezeRequest): Promise<StoredFreeze> {
  requireAction(ctx, 'freeze');
  const reason = checkedReason(input.reason);
  const span = checkedSchedule(input.schedule);
  const schedule = async (context: Context): Promise<StoredFreeze> =>
    await changeFreezes(
      context,
      input,
      async (tx, repository) =>
        await addFreeze(context, tx, {
          repository,
          added: {
            target: targetOf(repository, input),
            source: 'schedule',
            reason,
            span,
          },
        }),
    );
  return input.preview ? await tryOut(ctx, schedule) : await schedule(ctx);
}

/** Ends a freeze of any source. Returns null if the freeze had already ended. */
export async function deleteBranchFreeze(
  ctx: Context,
  { id, repositoryId }: { readonly id: string; readonly repositoryId: string },
): Promise<StoredFreeze | null> {
  requireAction(ctx, 'freeze');
  await requireAtHostOf(ctx, repositoryId, 'release:write');
  return await underRepository(ctx, repositoryId, async (tx, repository) => {
    const freeze = (await loadBranchFreezes(tx, keyOf(repository))).find((each) => each.id === id);
    if (freeze !== undefined) await endBranchFreeze(ctx, tx, { repository, freeze });
    return freeze ?? null;
  });
}

async function changeFreezes<T>(
  ctx: Context,
  { repository }: BranchesRef,
  change: (tx: Transaction, repository: RepositoryRow) => Promise<T>,
): Promise<T> {
  const { id } = await loadRepository(ctx, repository, 'release:write');
  return await underRepository(ctx, id, change);
}

async function underRepository<T>(
  ctx: Context,
  repositoryId: string,
  change: (tx: Transaction, repository: RepositoryRow) => Promise<T>,
): Promise<T> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const repository = await lockRepository(ctx, tx, repositoryId);
    const changed = await change(tx, repository);
    // All queues of the repository plan again, because the end of an existing freeze may have changed.
    await changeQueues(ctx, tx, repositoryId);
    await announceBranchFreezes(ctx, tx, repositoryId);
    return changed;
  });
}

async function addFreeze(
  ctx: Context,
  tx: Transaction,
  { repository, added }: { readonly repository: RepositoryRow; readonly added: NewFreeze },
): Promise<StoredFreeze> {
  const freeze = await insertFreeze(ctx, tx, added);
  await recordChange(ctx, tx, { repository, freeze, action: 'freeze_created' });
  return freeze;
}

async function endBranchFreeze(
  ctx: Context,
  tx: Transaction,
  { repository, freeze }: { readonly repository: RepositoryRow; readonly freeze: StoredFreeze },
): Promise<void> {
  await endFreezes(ctx, tx, [freeze.id]);
  await recordChange(ctx, tx, { repository, freeze, action: 'freeze_ended' });
}

interface RecordedChange {
  readonly repository: RepositoryRow;
  readonly freeze: StoredFreeze;
  readonly action: 'freeze_created' | 'freeze_ended';
}

async function recordChange(
  ctx: Context,
  tx: Transaction,
  { repository, freeze, action }: RecordedChange,
): Promise<void> {
  const { id, owner, name } = repository;
  await appendEvents(ctx, tx, [{ repositoryId: id, action, payload: { ...freezeFacts(freeze) } }]);
  await recordUserAction(ctx, tx, { action, target: `${owner}/${name}:${freeze.baseBranches}` });
}

interface QueueToAnnounce {
  readonly id: string;
  readonly baseBranch: string;
  readonly announced: boolean;
}

/**
 * Writes an event for each base branch that was frozen or unfrozen since the last event, and schedules the next check.
 * The caller locks the repository's row. A repetition writes no event twice.
 */
export async function announceBranchFreezes(ctx: Context, tx: Transaction, repositoryId: string): Promise<void> {
  const now = ctx.clock().getTime();
  const freezes = await loadBranchFreezes(tx, { accountId: ctx.accountId, repositoryId });
  const queues = await tx.query<QueueToAnnounce>(
    `select id, base_branch as "baseBranch", announced_frozen as announced from queue
     where account_id = $1 and repository_id = $2 order by id for no key update`,
    [ctx.accountId, repositoryId],
  );
  for (const { id: queueId, baseBranch, announced } of queues) {
    const frozen = findFreezeInForce(freezesOf(freezes, baseBranch), now);
    if ((frozen !== null) === announced) continue;
    await tx.send('update queue set announced_frozen = $3, version = version + 1 where account_id = $1 and id = $2', [
      ctx.accountId,
      queueId,
      frozen !== null,
    ]);
    const action = frozen === null ? 'base_branch_unfrozen' : 'base_branch_frozen';
    await appendEvents(ctx, tx, [
      { repositoryId, queueId, action, payload: { baseBranch, ...(frozen !== null && frozenFacts(frozen)) } },
    ]);
    tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, queueId }));
  }
  // Each freeze is examined alone, because base branches have different freezes.
  const changes = freezes.flatMap((freeze) => nextCheck([freeze], now) ?? []);
  await tx.send('update repository set next_freeze_change_at = $3 where account_id = $1 and id = $2', [
    ctx.accountId,
    repositoryId,
    changes.length === 0 ? null : new Date(Math.min(...changes)).toISOString(),
  ]);
}

function keyOf({ accountId, id }: RepositoryRow): { readonly accountId: string; readonly repositoryId: string } {
  return { accountId, repositoryId: id };
}

function targetOf({ id }: RepositoryRow, { baseBranches }: BranchesRef): NewFreeze['target'] {
  return { repositoryId: id, baseBranches };
}

function isByHand(freeze: StoredFreeze, { baseBranches }: BranchesRef): boolean {
  return freeze.source === 'manual' && freeze.baseBranches === baseBranches;
}
