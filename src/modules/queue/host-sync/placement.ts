// In which queue a pull request stands: that of its base branch, or, where that is the head of another pull request
// and stacks are looked for, that of the managed branch below them all. A base branch changed at the host, and what
// happens to one below, moves it from queue to queue.
import type { Context } from '../../../context.ts';
import { isManagedBranch, type Configuration } from '../../../domain/configuration/index.ts';
import { DomainError } from '../../../domain/errors.ts';
import { deepestStack, findStack, type StackCandidate } from '../../../domain/queue/requests/stacks.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import type { HostPullRequest } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { isLandingBegun } from '../store/intents.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';
import { PullRequestEntity, type PullRequestRow, type QueueRow } from '../store/queue.entities.ts';
import { changeQueuesInOrder, ensureQueue } from '../store/queue.locks.ts';
import {
  announceDequeued,
  beginWork,
  finishWork,
  noOptions,
  writeStatus,
  type QueueWork,
} from '../store/status.writer.ts';

/** Where a pull request belongs, by its branches. */
export interface Placement {
  readonly baseBranch: string;
  /** The pull request right below it. Null: it stands on a branch. */
  readonly belowId: string | null;
}

/** Where a pull request stands here, with the queues that concern it locked: where it belongs, and where it is. */
export interface LockedPlacement {
  readonly known: PullRequestRow | null;
  readonly place: Placement;
  readonly target: QueueRow;
  /** The queue it is counted in. Another one than `target` when its base branch was changed at the host. */
  readonly current: QueueRow;
}

/** A pull request as the host shows it, and what tells where it belongs. */
interface SeenPullRequest {
  readonly repository: HostedRepository;
  readonly seen: HostPullRequest;
  readonly rules: { readonly configuration: Configuration; readonly defaultBranch: string };
}

export async function findPlacement(ctx: Context, tx: Transaction, of: SeenPullRequest): Promise<Placement> {
  const { seen, rules } = of;
  const isManaged = (branch: string): boolean => isManagedBranch(rules.configuration, branch, rules.defaultBranch);
  const alone: Placement = { baseBranch: seen.baseBranch, belowId: null };
  if (!rules.configuration.merge_rules.auto_detect_stacks || isManaged(seen.baseBranch)) return alone;
  const stack = findStack(
    { ...seen, openedAt: seen.createdAt },
    await readCandidates(ctx, tx, of.repository.id, seen),
    isManaged,
  );
  const [below] = stack?.below ?? [];
  return stack === null || below === undefined ? alone : { baseBranch: stack.baseBranch, belowId: below.id };
}

/** Everything that may be below it. */
async function readCandidates(
  ctx: Context,
  tx: Transaction,
  repositoryId: string,
  seen: HostPullRequest,
): Promise<(StackCandidate & { readonly id: string })[]> {
  return await tx.query<StackCandidate & { readonly id: string }>(
    `with recursive chain as (
       select p.id, p.number, p.head_branch, p.base_branch, p.status, p.merged_at, 1 as depth
       from pull_request p
       where p.account_id = $1 and p.repository_id = $2 and p.head_branch = $3
         and (p.status not in ('merged', 'closed') or (p.status = 'merged' and p.merged_at >= $4))
       union
       select p.id, p.number, p.head_branch, p.base_branch, p.status, p.merged_at, c.depth + 1
       from chain c join pull_request p on p.account_id = $1 and p.repository_id = $2 and p.head_branch = c.base_branch
         and (p.status not in ('merged', 'closed') or (p.status = 'merged' and p.merged_at >= $4))
       where c.depth < $5)
     select distinct on (id) id, number, head_branch as "headBranch", base_branch as "baseBranch",
       case when status = 'merged' then 'merged' else 'open' end as state,
       (extract(epoch from merged_at) * 1000)::float8 as "mergedAt"
     from chain`,
    [ctx.accountId, repositoryId, seen.baseBranch, new Date(seen.createdAt).toISOString(), deepestStack],
  );
}

export async function lockPlacement(ctx: Context, tx: Transaction, of: SeenPullRequest): Promise<LockedPlacement> {
  const { repository, seen } = of;
  const place = await findPlacement(ctx, tx, of);
  const [before] = await tx.query<{ queue_id: string | null; status: PullRequestRow['status'] }>(
    'select queue_id, status from pull_request where account_id = $1 and repository_id = $2 and number = $3',
    [ctx.accountId, repository.id, seen.number],
  );
  // It landed where it stood, whatever became of its branches.
  const landedIn = before?.status === 'merged' ? before.queue_id : null;
  const targetId = landedIn ?? (await ensureQueue(ctx, tx, repository.id, place.baseBranch));
  const queues = await changeQueuesInOrder(ctx, tx, [targetId, before?.queue_id ?? targetId]);
  const known = await tx.em.findOne(PullRequestEntity, {
    accountId: ctx.accountId,
    repositoryId: repository.id,
    number: seen.number,
  });
  const target = queues.get(targetId);
  const current = queues.get(known?.queueId ?? targetId);
  // Between the read and the locks it went to a third queue: the caller reads the host again.
  if (target === undefined || current === undefined)
    throw new DomainError('CONFLICT', `The base branch of #${seen.number} changed meanwhile. Try again.`);
  return { known, place, target, current };
}

/**
 * A base branch changed at the host takes the pull request out of the line it stood in, under the lock of that queue:
 * what was built for one base proves nothing for another. Past the gate of its landing it stays until that is over.
 */
export async function followBase(
  ctx: Context,
  tx: Transaction,
  { known, target, current }: LockedPlacement,
): Promise<QueueWork> {
  if (known === null || target === current) return beginWork(ctx, tx, target);
  const work = beginWork(ctx, tx, current);
  if (await isLandingBegun(work.ctx, work.tx, known.id)) return work;
  if (isQueued(known.status) || known.status === 'pending') {
    writeStatus(work, known, 'dequeue');
    announceDequeued(work, known);
  }
  Object.assign(known, { ...noOptions, queueId: target.id, conflictParent: null, conflictAfter: null });
  await finishWork(work);
  return beginWork(ctx, tx, target);
}

/**
 * What it stands on is remembered after that has landed: its own changes are those since that head, until a head of it
 * contains the base as it is with what landed.
 */
export async function belowAfterLanding(
  tx: Transaction,
  known: PullRequestRow,
  at: { readonly place: Placement; readonly containsBase: boolean },
): Promise<string | null> {
  if (at.place.belowId !== null || !known.belowId || at.containsBase) return at.place.belowId;
  const below = await tx.em.findOneOrFail(PullRequestEntity, { id: known.belowId });
  return below.status === 'merged' ? known.belowId : null;
}

/** Whether the row is where its branches say. One that it stood on and that has landed does not move it. */
export async function isPlaced(ctx: Context, tx: Transaction, row: PullRequestRow, place: Placement): Promise<boolean> {
  const [queue] = await tx.query<{ base_branch: string; below_merged: boolean | null }>(
    `select q.base_branch, (select b.status = 'merged' from pull_request b where b.account_id = $1 and b.id = $3) as below_merged
     from queue q where q.account_id = $1 and q.id = $2`,
    [ctx.accountId, row.queueId, row.belowId ?? null],
  );
  const isBelow = (row.belowId ?? null) === place.belowId || (place.belowId === null && queue?.below_merged === true);
  return isBelow && queue?.base_branch === place.baseBranch;
}

/** Open pull requests right above a branch. */
export async function readAbove(
  ctx: Context,
  { repositoryId, headBranch }: Pick<PullRequestRow, 'repositoryId' | 'headBranch'>,
): Promise<{ readonly number: number; readonly id: string; readonly belowId: string | null }[]> {
  return await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ number: number; id: string; belowId: string | null }>(
        `select number, id, below_id as "belowId" from pull_request
         where account_id = $1 and repository_id = $2 and base_branch = $3 and status not in ('merged', 'closed') order by number`,
        [ctx.accountId, repositoryId, headBranch],
      ),
  );
}
