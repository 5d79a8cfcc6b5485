// Decides in which queue a pull request is: the queue of its base branch. If stacks are enabled and its base branch is
// the head of another pull request, it is in the queue of the managed branch at the bottom of the stack. A pull request
// moves to another queue when its base branch changes, or when the pull request below it changes its queue.
import type { Context } from '../../../context.ts';
import { isManagedBranch, type Configuration } from '../../../domain/configuration/index.ts';
import { ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import { deepestStack, findStack, type StackCandidate } from '../../../domain/queue/requests/stacks.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import type { HostPullRequest, HostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { isBelowLanded } from '../facts/stacks.ts';
import { forgetBaseChange, keepChangeAtHost } from '../store/intents.ts';
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

/** The queue to which a pull request belongs because of its branches. */
export interface QueueAssignment {
  readonly baseBranch: string;
  /** The pull request directly below. Null: the base branch is not the head of another pull request. */
  readonly belowId: string | null;
}

/** The present queue of a pull request, and the queue to which it belongs. Both rows are locked. */
export interface LockedAssignment {
  /** Null: Interlock has no row of this pull request yet. */
  readonly storedRow: PullRequestRow | null;
  readonly assignment: QueueAssignment;
  readonly target: QueueRow;
  /** The present queue. It differs from `target` if the pull request has just changed its base branch or its stack. */
  readonly current: QueueRow;
}

/** A pull request as read from the host, and the rules that decide its queue. */
export interface PullRequestFromHost {
  readonly repository: HostedRepository;
  readonly seen: HostPullRequest;
  readonly rules: { readonly configuration: Configuration; readonly defaultBranch: string };
}

async function findAssignment(ctx: Context, tx: Transaction, read: PullRequestFromHost): Promise<QueueAssignment> {
  return decideAssignment(
    read,
    canBeStacked(read) ? await readCandidates(ctx, tx, { repositoryId: read.repository.id, seen: read.seen }) : [],
  );
}

/** Like `findAssignment`, for callers without a transaction. */
export async function readAssignment(ctx: Context, read: PullRequestFromHost): Promise<QueueAssignment> {
  if (!canBeStacked(read)) return decideAssignment(read, []);
  return await ctx.db.transaction(ctx.accountId, async (tx) => await findAssignment(ctx, tx, read));
}

function canBeStacked({ seen, rules: { configuration, defaultBranch } }: PullRequestFromHost): boolean {
  return (
    configuration.merge_rules.auto_detect_stacks && !isManagedBranch(configuration, seen.baseBranch, defaultBranch)
  );
}

function decideAssignment(
  read: PullRequestFromHost,
  candidates: readonly (StackCandidate & { readonly id: string })[],
): QueueAssignment {
  const { seen, rules } = read;
  const isManaged = (branch: string): boolean => isManagedBranch(rules.configuration, branch, rules.defaultBranch);
  const alone: QueueAssignment = { baseBranch: seen.baseBranch, belowId: null };
  if (!canBeStacked(read)) return alone;
  const headBranch = seen.headFork === null ? seen.headBranch : null;
  const stack = findStack({ ...seen, headBranch, openedAt: seen.createdAt }, candidates, isManaged);
  const [below] = stack?.below ?? [];
  return stack === null || below === undefined ? alone : { baseBranch: stack.baseBranch, belowId: below.id };
}

/**
 * All pull requests that may be below this one in a stack. A row may be made long after its pull request was opened. Then
 * `last_opened_at`, the time of the host, shows that it was open when the one below it landed.
 */
async function readCandidates(
  ctx: Context,
  tx: Transaction,
  { repositoryId, seen }: { readonly repositoryId: string; readonly seen: HostPullRequest },
): Promise<(StackCandidate & { readonly id: string })[]> {
  return await tx.query<StackCandidate & { readonly id: string }>(
    `with recursive chain as (
       select p.id, p.number, p.head_branch, p.base_branch, p.status, least(p.created_at, p.last_opened_at) as opened_at, p.merged_at, 1 as depth
       from pull_request p
       where p.account_id = $1 and p.repository_id = $2 and p.head_branch = $3 and p.head_fork is null
         and (p.status not in ('merged', 'closed') or (p.status = 'merged' and p.merged_at >= $4))
       union
       select p.id, p.number, p.head_branch, p.base_branch, p.status, least(p.created_at, p.last_opened_at) as opened_at, p.merged_at, c.depth + 1
       from chain c join pull_request p on p.account_id = $1 and p.repository_id = $2 and p.head_branch = c.base_branch and p.head_fork is null
         and (p.status not in ('merged', 'closed') or (p.status = 'merged' and p.merged_at >= c.opened_at))
       where c.depth < $5)
     select distinct on (id) id, number, head_branch as "headBranch", base_branch as "baseBranch",
       case when status = 'merged' then 'merged' else 'open' end as state,
       (extract(epoch from opened_at) * 1000)::float8 as "openedAt", (extract(epoch from merged_at) * 1000)::float8 as "mergedAt"
     from chain`,
    [ctx.accountId, repositoryId, seen.baseBranch, new Date(seen.createdAt).toISOString(), deepestStack],
  );
}

/**
 * The numbers of open pull requests whose head is the base branch of this one, and whose rows have another commit than
 * its tip. The report of a push to them has not arrived yet.
 */
export async function readOutdatedBelow(ctx: Context, read: PullRequestFromHost): Promise<readonly number[]> {
  const { repository, seen } = read;
  if (seen.state !== 'open' || seen.baseTip === null || !canBeStacked(read)) return [];
  const rows = await ctx.db.read<{ number: number }>(ctx.accountId, {
    name: 'outdated_pull_requests_below',
    text: `select number from pull_request
           where account_id = $1 and repository_id = $2 and head_branch = $3 and head_fork is null
             and status not in ('merged', 'closed') and head_sha <> $4 and number <> $5 order by number`,
    values: [ctx.accountId, repository.id, seen.baseBranch, seen.baseTip, seen.number],
  });
  return rows.map(({ number }) => number);
}

/** Null: the pull request moved to a third queue before the locks were taken, so the host must be read again. */
export async function lockAssignment(
  ctx: Context,
  tx: Transaction,
  read: PullRequestFromHost,
): Promise<LockedAssignment | null> {
  const { repository, seen } = read;
  const assignment = await findAssignment(ctx, tx, read);
  const [before] = await tx.query<{ queue_id: string | null; status: PullRequestRow['status'] }>(
    'select queue_id, status from pull_request where account_id = $1 and repository_id = $2 and number = $3',
    [ctx.accountId, repository.id, seen.number],
  );
  // A merged pull request stays in the queue where it landed, even if its branches have changed since.
  const landedIn = before?.status === 'merged' ? before.queue_id : null;
  const targetId =
    landedIn ?? (await ensureQueue(ctx, tx, { repositoryId: repository.id, baseBranch: assignment.baseBranch }));
  const queues = await changeQueuesInOrder(ctx, tx, [targetId, before?.queue_id ?? targetId], {
    isOftenIrrelevant: true,
  });
  const storedRow = await tx.em.findOne(PullRequestEntity, {
    accountId: ctx.accountId,
    repositoryId: repository.id,
    number: seen.number,
  });
  const target = queues.get(targetId);
  const current = queues.get(storedRow?.queueId ?? targetId);
  return target === undefined || current === undefined ? null : { storedRow, assignment, target, current };
}

/**
 * Moves the pull request to the queue to which it belongs, and takes it out of the line of its present queue, because a
 * build for one base branch proves nothing for another. If its landing has started, it stays in its present queue until
 * the landing has ended, and the change is recorded at the landing. Returns the QueueWork of the queue that has the pull request after the move.
 */
export async function moveToQueueOfBase(
  ctx: Context,
  tx: Transaction,
  { storedRow, target, current }: LockedAssignment,
): Promise<QueueWork> {
  const work = startWork(ctx, tx, current);
  if (storedRow === null) return work;
  if (target === current) {
    await forgetBaseChange(work, storedRow.id);
    return work;
  }
  if (await keepChangeAtHost(work, storedRow.id, { kind: 'retargeted', to: target.baseBranch })) return work;
  await endRequestForOldBase(work, storedRow, target.baseBranch);
  Object.assign(storedRow, { queueId: target.id });
  await finishWork(work);
  return startWork(ctx, tx, target);
}

/**
 * Takes a pull request that belongs to the queue of another base branch out of the line of its present queue, and replies
 * to the person who requested it. Its options end.
 */
export async function endRequestForOldBase(work: QueueWork, row: PullRequestRow, to: string): Promise<void> {
  if (isQueued(row.status) || row.status === 'pending') {
    await planReply(work, row.id, {
      key: `base:${to}:${row.mergeRequestedAt?.getTime() ?? 0}`,
      body: baseChangeText({ from: work.queue.baseBranch, to, wasInLine: isQueued(row.status) }),
    });
    writeStatus(work, row, 'dequeue');
    announceDequeued(work, row);
  }
  Object.assign(row, { ...noOptions, conflictParent: null, conflictAfter: null });
}

function baseChangeText({
  from,
  to,
  wasInLine,
}: Readonly<Record<'from' | 'to', string>> & { wasInLine: boolean }): string {
  const consequence = wasInLine
    ? `This pull request is no longer in line, because builds on \`${from}\` do not test it on \`${to}\`.`
    : `The request to merge it into \`${from}\` has ended.`;
  return `The base branch of this pull request is \`${to}\` now, and was \`${from}\`. ${consequence} Ask again to merge it into \`${to}\`.`;
}

/**
 * Returns the id to store in `below_id` after the pull request was read from the host. If the pull request below has
 * landed on the base branch of its queue, the row still refers to it until the head contains the base branch with the
 * landed commit. Until then, the diff of the pull request starts at the head that landed, not at the base branch.
 */
export async function belowAfterLanding(
  tx: Transaction,
  row: PullRequestRow,
  at: { readonly assignment: QueueAssignment; readonly containsBase: boolean },
): Promise<string | null> {
  if (at.assignment.belowId !== null || !row.belowId || at.containsBase) return at.assignment.belowId;
  return (await isBelowLanded(tx, row)) ? row.belowId : null;
}

/** Whether the row already has this assignment. A row that still refers to a landed pull request below also counts. */
export function isAssigned(
  row: Pick<PullRequestRow, 'belowId'>,
  stored: { readonly baseBranch: string; readonly isBelowMerged: boolean | null },
  assignment: QueueAssignment,
): boolean {
  const isBelow =
    (row.belowId ?? null) === assignment.belowId || (assignment.belowId === null && stored.isBelowMerged === true);
  return isBelow && stored.baseBranch === assignment.baseBranch;
}

/**
 * The open pull requests whose base branch is the head branch of this one. A branch of a fork is never a base branch.
 */
export async function readPullRequestsAbove(
  ctx: Context,
  row: Pick<PullRequestRow, 'repositoryId' | 'headBranch' | 'headFork'>,
): Promise<{ readonly number: number; readonly id: string; readonly belowId: string | null }[]> {
  const branch = ownHeadBranch(row);
  if (branch === null) return [];
  return await ctx.db.read<{ number: number; id: string; belowId: string | null }>(ctx.accountId, {
    name: 'pull_requests_based_on_branch',
    text: `select number, id, below_id as "belowId" from pull_request
           where account_id = $1 and repository_id = $2 and base_branch = $3 and status not in ('merged', 'closed') order by number`,
    values: [ctx.accountId, row.repositoryId, branch],
  });
}
