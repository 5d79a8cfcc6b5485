// A dry run runs the code of the real change in a transaction that is rolled back. So a dry run is refused with the
// same text as the real change, and the planner plans on the real result. Nothing is written, and no queue is woken.
import type { Context } from '../../../context.ts';
import { measureImpact, type Impact } from '../../../domain/queue/dry-run.ts';
import type { Snapshot } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { contextWithin } from '../../../platform/dry-run.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { reconsider as reconsiderRequests } from '../admission/admission.service.ts';
import { readKeptLine } from '../facts/kept-line.ts';
import { haltOf, rulesOf } from '../store/rules-in-force.ts';
import { QueueEntity } from '../store/queue.entities.ts';
import { loadSnapshot } from './snapshot.loader.ts';
import { startWork } from '../store/status.writer.ts';

export interface QueueImpact extends Impact {
  readonly baseBranch: string;
  /** The snapshots that were compared. */
  readonly compared: ComparedLines;
}

/** The snapshots of a queue without the change and with it. */
export interface ComparedLines {
  readonly queueId: string;
  readonly repositoryId: string;
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly now: number;
}

/** Thrown to roll the transaction back. */
class RolledBack extends Error {
  readonly impacts: readonly QueueImpact[];
  constructor(impacts: readonly QueueImpact[]) {
    super('This was a dry run.');
    this.impacts = impacts;
  }
}

/**
 * The impact of a change on each queue of the repository, by base branch. `act` must write through the given context
 * only.
 */
export async function dryRun(
  ctx: Context,
  repositoryId: string,
  act: (dryContext: Context) => Promise<unknown>,
): Promise<readonly QueueImpact[]> {
  try {
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      // The locks of the real change are taken in the same order, before anything is read. So the line cannot change
      // between the two snapshots.
      await tx.query('select 1 from repository where account_id = $1 and id = $2 for no key update', [
        ctx.accountId,
        repositoryId,
      ]);
      const queues = await tx.query<{ id: string; baseBranch: string }>(
        'select id, base_branch as "baseBranch" from queue where account_id = $1 and repository_id = $2 order by id for no key update',
        [ctx.accountId, repositoryId],
      );
      const before = new Map<string, Snapshot | null>();
      for (const { id } of queues) before.set(id, await snapshotOf(ctx, tx, id));
      const dryContext = contextWithin(ctx, tx);
      await act(dryContext);
      await tx.em.flush();
      const now = ctx.clock().getTime();
      const impacts: QueueImpact[] = [];
      for (const { id, baseBranch } of queues) {
        await reconsider(dryContext, tx, id);
        const [withoutChange, withChange] = [before.get(id) ?? null, await snapshotOf(ctx, tx, id)];
        if (withoutChange === null || withChange === null) continue;
        const compared = { queueId: id, repositoryId, before: withoutChange, after: withChange, now };
        impacts.push({ baseBranch, ...measureImpact({ before: withoutChange, after: withChange }, now), compared });
      }
      throw new RolledBack(impacts.toSorted((a, b) => (a.baseBranch < b.baseBranch ? -1 : 1)));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.impacts;
    throw error;
  }
  return [];
}

async function load(tx: Transaction, queueId: string) {
  const queue = await tx.em.findOneOrFail(QueueEntity, { id: queueId });
  const repository: RepositoryRow = await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
  return { queue, repository };
}

/** Null: nothing is planned, because the tip of the base branch is unknown. */
export async function snapshotOf(ctx: Context, tx: Transaction, queueId: string): Promise<Snapshot | null> {
  const { queue, repository } = await load(tx, queueId);
  const { baseTip, baseTree } = queue;
  if (!baseTip || !baseTree) return null;
  const { rules } = rulesOf(repository, queue);
  return (await loadSnapshot(ctx, tx, { queue, repository, rules, tip: baseTip, tipTree: baseTree })).snapshot;
}

/**
 * Does what each turn does before it plans: admits pending pull requests, and blocks pull requests whose preconditions
 * no longer hold.
 */
async function reconsider(ctx: Context, tx: Transaction, queueId: string): Promise<void> {
  const { queue, repository } = await load(tx, queueId);
  if (haltOf(repository, queue) !== null) return;
  const work = startWork(ctx, tx, queue);
  await reconsiderRequests(work, repository, await readKeptLine(ctx, tx, queue));
  await tx.em.flush();
}
