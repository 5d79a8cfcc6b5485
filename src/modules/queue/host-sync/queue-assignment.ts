// The queue of a pull request: that of its base branch. If its base branch is the head of another pull request and
// stacks are enabled, it is the queue of the managed branch at the bottom. A changed base branch, or a change of the
// pull request below, moves it to another queue.
import type { Context } from '../../../context.ts';
import { isManagedBranch, type Configuration } from '../../../domain/configuration/index.ts';
import { DomainError } from '../../../domain/errors.ts';
import { ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import { deepestStack, findStack, type StackCandidate } from '../../../domain/queue/requests/stacks.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import type { HostPullRequest } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { isLandingStarted } from '../store/intents.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';
import { PullRequestEntity, type PullRequestRow, type QueueRow } from '../store/queue.entities.ts';
import { changeQueuesInOrder, ensureQueue } from '../store/queue.locks.ts';
import {
  announceDequeued,
  finishWork,
  noOptions,
  planReply,
  type QueueWork,
  startWork,
  writeStatus,
} from '../store/status.writer.ts';

/** The queue where a pull request belongs according to its branches. */
export interface QueueAssignment {
  readonly baseBranch: string;
  /** The pull request directly below it. Null: its base branch is no other's head. */
  readonly belowId: string | null;
}

/** The present queue of a pull request and the queue where it belongs, both locked. */
export interface LockedAssignment {
  readonly known: PullRequestRow | null;
  readonly assignment: QueueAssignment;
  readonly target: QueueRow;
  /** The queue that counts it. It differs from `target` after its base branch was changed at the host. */
  readonly current: QueueRow;
}

/** A pull request as it was read from its host, with the rules that decide where it belongs. */
export interface ReadPullRequest {
  readonly repository: HostedRepository;
  readonly seen: HostPullRequest;
  readonly rules: { readonly configuration: Configuration; readonly defaultBranch: string };
}

async function findAssignment(ctx: Context, tx: Transaction, of: ReadPullRequest): Promise<QueueAssignment> {
  return decideAssignment(
    of,
    canBeStacked(of) ? await readCandidates(ctx, tx, { repositoryId: of.repository.id, seen: of.seen }) : [],
  );
}

/** Like `findAssignment` without a transaction, if there is nothing to write. */
export async function readAssignment(ctx: Context, of: ReadPullRequest): Promise<QueueAssignment> {
  if (!canBeStacked(of)) return decideAssignment(of, []);
  return await ctx.db.transaction(ctx.accountId, async (tx) => await findAssignment(ctx, tx, of));
}

function canBeStacked({ seen, rules: { configuration, defaultBranch } }: ReadPullRequest): boolean {
  return (
    configuration.merge_rules.auto_detect_stacks && !isManagedBranch(configuration, seen.baseBranch, defaultBranch)
  );
}

function decideAssignment(
  of: ReadPullRequest,
  candidates: readonly (StackCandidate & { readonly id: string })[],
): QueueAssignment {
  const { seen, rules } = of;
  const isManaged = (branch: string): boolean => isManagedBranch(rules.configuration, branch, rules.defaultBranch);
  const alone: QueueAssignment = { baseBranch: seen.baseBranch, belowId: null };
  if (!canBeStacked(of)) return alone;
  const headBranch = seen.headFork === null ? seen.headBranch : null;
  const stack = findStack({ ...seen, headBranch, openedAt: seen.createdAt }, candidates, isManaged);
  const [below] = stack?.below ?? [];
  return stack === null || below === undefined ? alone : { baseBranch: stack.baseBranch, belowId: below.id };
}

/** All pull requests that may be below the pull request in its stack. */
async function readCandidates(
  ctx: Context,
  tx: Transaction,
  { repositoryId, seen }: { readonly repositoryId: string; readonly seen: HostPullRequest },
): Promise<(StackCandidate & { readonly id: string })[]> {
  return await tx.query<StackCandidate & { readonly id: string }>(
    `with recursive chain as (
       select p.id, p.number, p.head_branch, p.base_branch, p.status, p.merged_at, 1 as depth
       from pull_request p
       where p.account_id = $1 and p.repository_id = $2 and p.head_branch = $3 and p.head_fork is null
         and (p.status not in ('merged', 'closed') or (p.status = 'merged' and p.merged_at >= $4))
       union
       select p.id, p.number, p.head_branch, p.base_branch, p.status, p.merged_at, c.depth + 1
       from chain c join pull_request p on p.account_id = $1 and p.repository_id = $2 and p.head_branch = c.base_branch and p.head_fork is null
         and (p.status not in ('merged', 'closed') or (p.status = 'merged' and p.merged_at >= $4))
       where c.depth < $5)
     select distinct on (id) id, number, head_branch as "headBranch", base_branch as "baseBranch",
       case when status = 'merged' then 'merged' else 'open' end as state,
       (extract(epoch from merged_at) * 1000)::float8 as "mergedAt"
     from chain`,
    [ctx.accountId, repositoryId, seen.baseBranch, new Date(seen.createdAt).toISOString(), deepestStack],
  );
}

export async function lockAssignment(ctx: Context, tx: Transaction, of: ReadPullRequest): Promise<LockedAssignment> {
  const { repository, seen } = of;
  const assignment = await findAssignment(ctx, tx, of);
  const [before] = await tx.query<{ queue_id: string | null; status: PullRequestRow['status'] }>(
    'select queue_id, status from pull_request where account_id = $1 and repository_id = $2 and number = $3',
    [ctx.accountId, repository.id, seen.number],
  );
  // It landed in that queue, even if its branches have changed since.
  const landedIn = before?.status === 'merged' ? before.queue_id : null;
  const targetId =
    landedIn ?? (await ensureQueue(ctx, tx, { repositoryId: repository.id, baseBranch: assignment.baseBranch }));
  const queues = await changeQueuesInOrder(ctx, tx, [targetId, before?.queue_id ?? targetId]);
  const known = await tx.em.findOne(PullRequestEntity, {
    accountId: ctx.accountId,
    repositoryId: repository.id,
    number: seen.number,
  });
  const target = queues.get(targetId);
  const current = queues.get(known?.queueId ?? targetId);
  // It moved to a third queue between the read and the locks: the caller reads the host again.
  if (target === undefined || current === undefined)
    throw new DomainError('CONFLICT', `The base branch of #${seen.number} changed meanwhile. Try again.`);
  return { known, assignment, target, current };
}

/**
 * A changed base branch takes the pull request out of its line, under the lock of that queue, because a build for one
 * base proves nothing for another. Past the gate of its landing it stays until the landing has ended.
 */
export async function moveToQueueOfBase(
  ctx: Context,
  tx: Transaction,
  { known, target, current }: LockedAssignment,
): Promise<QueueWork> {
  if (known === null || target === current) return startWork(ctx, tx, target);
  const work = startWork(ctx, tx, current);
  if (await isLandingStarted(work.ctx, work.tx, known.id)) return work;
  if (isQueued(known.status) || known.status === 'pending') {
    const [from, to] = [current.baseBranch, target.baseBranch];
    await planReply(work, known.id, {
      key: `base:${to}:${known.mergeRequestedAt?.getTime() ?? 0}`,
      body: `The base branch of this pull request is \`${to}\` now, and was \`${from}\`. It left the line of \`${from}\`, because a build for one base branch proves nothing for another. Ask again to merge it into \`${to}\`.`,
    });
    writeStatus(work, known, 'dequeue');
    announceDequeued(work, known);
  }
  Object.assign(known, { ...noOptions, queueId: target.id, conflictParent: null, conflictAfter: null });
  await finishWork(work);
  return startWork(ctx, tx, target);
}

/**
 * Keeps the head below it after that one has landed: its own changes are those since that head, until its head contains
 * the base with the landed commit.
 */
export async function belowAfterLanding(
  tx: Transaction,
  known: PullRequestRow,
  at: { readonly assignment: QueueAssignment; readonly containsBase: boolean },
): Promise<string | null> {
  if (at.assignment.belowId !== null || !known.belowId || at.containsBase) return at.assignment.belowId;
  const below = await tx.em.findOneOrFail(PullRequestEntity, { id: known.belowId });
  return below.status === 'merged' ? known.belowId : null;
}

/** Whether the row is in the queue of its branches. A landed pull request below does not move it. */
export function isAssigned(
  row: Pick<PullRequestRow, 'belowId'>,
  kept: { readonly baseBranch: string; readonly isBelowMerged: boolean | null },
  assignment: QueueAssignment,
): boolean {
  const isBelow =
    (row.belowId ?? null) === assignment.belowId || (assignment.belowId === null && kept.isBelowMerged === true);
  return isBelow && kept.baseBranch === assignment.baseBranch;
}

/** Open pull requests right above the branch of another one. Nothing stands on a branch of a fork. */
export async function readAbove(
  ctx: Context,
  row: Pick<PullRequestRow, 'repositoryId' | 'headBranch' | 'headFork'>,
): Promise<{ readonly number: number; readonly id: string; readonly belowId: string | null }[]> {
  const branch = ownHeadBranch(row);
  if (branch === null) return [];
  return await ctx.db.read<{ number: number; id: string; belowId: string | null }>(ctx.accountId, {
    name: 'pull_requests_above',
    text: `select number, id, below_id as "belowId" from pull_request
           where account_id = $1 and repository_id = $2 and base_branch = $3 and status not in ('merged', 'closed') order by number`,
    values: [ctx.accountId, row.repositoryId, branch],
  });
}
