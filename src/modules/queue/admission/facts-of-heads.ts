// Reads what an admission depends on besides the row of the pull request and the rules: the builds of its head, and
// whether the head conflicts with the base branch.
import type { Context } from '../../../context.ts';
import type { BuildState } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { loadBuilds } from '../facts/builds.loader.ts';
import type { QueueRow } from '../store/queue.entities.ts';

/** The builds of heads, and which of the heads conflict with the tip of the base branch. */
export interface FactsOfHeads {
  readonly heads: readonly string[];
  readonly builds: readonly BuildState[];
  readonly conflicting: ReadonlySet<string>;
}

/** Reads the facts under the queue's lock, or in one round trip with the lock. */
export async function readFactsOfHeads(
  ctx: Context,
  tx: Transaction,
  of: { readonly queue: Pick<QueueRow, 'id' | 'repositoryId'>; readonly heads: readonly string[] },
): Promise<FactsOfHeads> {
  const { queue, heads } = of;
  const [builds, conflicting] = await Promise.all([
    loadBuilds(ctx, tx, { repositoryId: queue.repositoryId, commits: heads, trees: [] }),
    conflictsWithTip(ctx, tx, of),
  ]);
  return { heads, builds, conflicting };
}

/** Returns the heads that are known to conflict with the present tip of the base branch. */
async function conflictsWithTip(
  ctx: Context,
  tx: Transaction,
  { queue, heads }: { readonly queue: Pick<QueueRow, 'id' | 'repositoryId'>; readonly heads: readonly string[] },
): Promise<Set<string>> {
  const rows = await tx.query<{ head: string }>(
    `select heads[1] as head from merge_result
     where account_id = $1 and repository_id = $2 and parent = (select base_tip from queue where account_id = $1 and id = $3)
       and cardinality(heads) = 1 and heads[1] = any($4) and conflict_at = 0`,
    [ctx.accountId, queue.repositoryId, queue.id, [...heads]],
  );
  return new Set(rows.map((row) => row.head));
}
