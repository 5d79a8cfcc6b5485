// Carries out what happens at the host after a pull request has landed: the host shows it as merged, the pull requests
// that were stacked on it get its base branch, and its branch is deleted if the configuration says so.
import { hasLabel } from '../../../domain/label-names.ts';
import type { Context } from '../../../context.ts';
import { isManagedBranch, namedBaseBranches } from '../../../domain/configuration/index.ts';
import { ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import { isLeftOut, type LandedHead } from '../../../domain/queue/requests/stacks.ts';
import { onCommitsLeftOut } from '../admission/commit-added.ts';
import { hostClient, type HostClient, HostRefused, RefMoved, toHostedRepository } from '../../../hosts/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { forLanding, retarget, syncPullRequest } from '../host-sync/pull-requests.ts';
import { readPullRequestsAbove } from '../host-sync/queue-assignment.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { finishWork, startWork } from '../store/status.writer.ts';
import { PullRequestEntity, QueueEntity, type IntentRow, type PullRequestRow } from '../store/queue.entities.ts';
import { configurationOf } from '../store/rules-in-force.ts';

/** What concluding a merged pull request needs from the rows. */
export interface MergedPullRequest {
  readonly pullRequest: PullRequestRow;
  readonly repository: RepositoryRow;
  readonly baseBranch: string;
  /** Undefined: no queue has landed the pull request. */
  readonly landed: LandedHead | undefined;
}

/** Reads the rows for all intents of this kind together. Returns them by intent. */
export async function readMergedPullRequests(
  { accountId, db }: Context,
  all: readonly IntentRow[],
): Promise<ReadonlyMap<IntentRow, MergedPullRequest>> {
  const intents = all.filter(({ kind }) => kind === 'conclude_pull_request');
  const ids = intents.flatMap(({ pullRequestId }) => pullRequestId ?? []);
  if (ids.length === 0) return new Map();
  const [pullRequests, queues, heads] = await Promise.all([
    db.loadMany(accountId, PullRequestEntity, ids),
    db.loadMany(accountId, QueueEntity, [...new Set(intents.map(({ queueId }) => queueId))]),
    readLandedHeads({ accountId, db }, ids),
  ]);
  const repositoryIds = new Set(pullRequests.map(({ repositoryId }) => repositoryId));
  const repositories = await db.loadMany(accountId, RepositoryEntity, [...repositoryIds]);
  return new Map(
    intents.flatMap((intent) => {
      const pullRequest = pullRequests.find(({ id }) => id === intent.pullRequestId);
      const repository = repositories.find(({ id }) => id === pullRequest?.repositoryId);
      const queue = queues.find(({ id }) => id === intent.queueId);
      if (pullRequest === undefined || repository === undefined || queue === undefined) return [];
      const landed = heads.find(({ pullRequestId }) => pullRequestId === pullRequest.id);
      return [[intent, { pullRequest, repository, baseBranch: queue.baseBranch, landed }] as const];
    }),
  );
}

/**
 * Makes the host show the pull request as merged. Its branch is deleted only if its head is the pinned head, or the
 * commit to which the landing moved that head.
 */
export async function concludePullRequest(
  ctx: Context,
  intent: IntentRow,
  merged: MergedPullRequest | undefined,
): Promise<void> {
  if (merged === undefined) throw new Error(`A row of intent ${intent.id} does not exist.`);
  const { pullRequest, repository, baseBranch, landed } = merged;
  const { pinned, own } = landed ?? { pinned: pullRequest.headSha, own: pullRequest.headSha };
  const host = toHostedRepository(repository);
  const client = hostClient(ctx, host);
  const mergeCommit = String(intent.payload['mergeCommit']);
  const rules = configurationOf(repository).merge_rules;
  const branch = ownHeadBranch(pullRequest);
  const tip = branch === null ? null : await client.readRef(`refs/heads/${branch}`);
  const hasLaterCommits = tip !== null && isLeftOut(tip.commit, { pinned, own });
  await retargetAbove(ctx, repository, { row: pullRequest, queueId: intent.queueId, baseBranch, hasLaterCommits });
  if (hasLaterCommits && rules.enable_comments) {
    const leftOut = client.upsertComment(pullRequest.number, {
      key: 'left-out',
      body: `This pull request was merged as ${mergeCommit}. Its tested head is ${pinned}. The branch \`${branch}\` is at ${tip.commit} now: commits after ${pinned} are not in ${baseBranch}.`,
    });
    await logRefusal(ctx, pullRequest, leftOut);
  }
  // This comes before the deletion of the branch, because a host closes a pull request whose branch is deleted, and
  // then does not show it as merged.
  const conclusion = client.concludePullRequest(pullRequest.number, {
    mergeCommit,
    at: Number(intent.payload['at']),
    comment: `Landed as ${mergeCommit}.`,
  });
  await logRefusal(ctx, pullRequest, conclusion);
  // The landing moved the head to a commit whose tree was tested, so the runs that this started are not needed.
  const isMoved = own !== pinned && own !== mergeCommit;
  if (isMoved && rules.merge_strategy.show_as_merged && ctx.hosts(host.host).mergedWhen === 'reachable')
    await logRefusal(ctx, pullRequest, client.cancelChecks(own));
  const isDeleted = rules.delete_branch && !isKept(pullRequest.labels, rules.labels.skip_delete_branch);
  if (branch !== null && tip !== null && !hasLaterCommits && isDeleted && !(await isNeeded(ctx, repository, branch)))
    await deleteHeadBranch(client, `refs/heads/${branch}`, tip.commit);
  await passFailpoint('conclude:after_host');
}

/** Waits for a call. If the host refuses it, the conclusion goes on with its other parts. */
async function logRefusal(ctx: Context, { number }: PullRequestRow, call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    ctx.log.warn(
      { number, refusal: error.message },
      'The host refused a part of the conclusion of a landed pull request.',
    );
  }
}

/**
 * Whether the branch is a base branch with a queue, or the head or the base of an open pull request, which a host would
 * close with the branch.
 */
async function isNeeded(ctx: Context, repository: RepositoryRow, branch: string): Promise<boolean> {
  const configuration = configurationOf(repository);
  const named = namedBaseBranches(configuration, repository.defaultBranch);
  if (branch === repository.defaultBranch || named.includes(branch)) return true;
  // A regular expression in `base_branches` may match every branch. Only a branch that was ever a base has a queue.
  const isManaged = isManagedBranch(configuration, branch, repository.defaultBranch);
  const needs = await ctx.db.read(ctx.accountId, {
    name: 'branch_is_needed',
    text: `select 1 from pull_request where account_id = $1 and repository_id = $2 and status not in ('merged', 'closed')
             and (base_branch = $3 or head_branch = $3 and head_fork is null)
           union all select 1 from queue where account_id = $1 and repository_id = $2 and base_branch = $3 and $4 limit 1`,
    values: [ctx.accountId, repository.id, branch, isManaged],
  });
  return needs.length > 0;
}

/** Deletes a branch, unless it has moved or is protected. If the host is down, the intent is tried again. */
async function deleteHeadBranch(client: HostClient, ref: string, from: string): Promise<void> {
  await client.updateRefs([{ ref, from, to: null }]).catch((error: unknown) => {
    if (!(error instanceof RefMoved || error instanceof HostRefused)) throw error;
  });
}

interface LandedPullRequest extends LandedHead {
  readonly pullRequestId: string;
}

async function readLandedHeads(
  { accountId, db }: Pick<Context, 'accountId' | 'db'>,
  pullRequestIds: readonly string[],
): Promise<LandedPullRequest[]> {
  return await db.read<LandedPullRequest>(accountId, {
    name: 'landed_heads',
    text: `select pull_request_id as "pullRequestId", pinned_head as pinned, own_commit as own from landed_member
           where account_id = $1 and pull_request_id = any ($2::bigint[])`,
    values: [accountId, pullRequestIds],
  });
}

function isKept(labels: readonly string[], keepingLabel: string): boolean {
  return keepingLabel !== '' && hasLabel(labels, keepingLabel);
}

/**
 * After a landing, retargets the pull requests that were stacked on the landed one to the base branch. Idempotent. If
 * the landed branch has later commits, the validation of the pull requests above is no longer skipped. The host may have
 * reported these commits only after the landing was recorded, or not yet.
 */
async function retargetAbove(
  ctx: Context,
  repository: RepositoryRow,
  landed: {
    readonly row: PullRequestRow;
    readonly queueId: string;
    readonly baseBranch: string;
    readonly hasLaterCommits: boolean;
  },
): Promise<void> {
  if (!configurationOf(repository).merge_rules.auto_detect_stacks) return;
  const host = toHostedRepository(repository);
  const stacked = (await readPullRequestsAbove(ctx, landed.row)).filter(({ belowId }) => belowId === landed.row.id);
  if (stacked.length === 0) return;
  if (landed.hasLaterCommits) {
    // With its newest head, the row shows that the landing left out commits if a validation is skipped from now on.
    await syncPullRequest(ctx, host, landed.row.number, forLanding);
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      const work = startWork(ctx, tx, await changeQueue(ctx, tx, landed.queueId));
      await onCommitsLeftOut(work, [landed.row.id]);
      await finishWork(work);
    });
  }
  for (const { number } of stacked) {
    // The base branch may have been changed during the landing.
    const above = await syncPullRequest(ctx, host, number, forLanding);
    if (above?.baseBranch !== landed.row.headBranch) continue;
    await retarget(ctx, host, { number, base: landed.baseBranch, isForLanding: true });
  }
}
