// Says what a sync or a backport would do, judged by the rows and by git. Nothing is written.
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { isTerminal } from '../../../domain/queue/model/status.ts';
import { hostClient, HostRefused, toHostedRepository } from '../../../hosts/port.ts';
import { requireAction } from '../../accounts/index.ts';
import { loadActiveRepository } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { dryRun, type QueueImpact } from '../planning/dry-run.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import { findSource, requireBackportable, type BranchWorkAnswer, type BackportRequest } from './branch-work.service.ts';
import type { PullRequestRef } from './queue.service.ts';
import { changePullRequest, findPullRequest } from './pull-request.changes.ts';

export interface BranchWorkPreview extends BranchWorkAnswer {
  readonly impacts: readonly QueueImpact[];
}

/** A placeholder for the commit that a sync would make. No commit has this name. */
const plannedHead = '0'.repeat(40);

export async function previewSync(ctx: Context, request: PullRequestRef): Promise<BranchWorkPreview> {
  requireAction(ctx, 'sync');
  const repository = await loadActiveRepository(ctx, request.repository, 'queue:write');
  const known = await findPullRequest(ctx, repository, request.number);
  if (isTerminal(known.status))
    throw new DomainError('NOT_QUEUEABLE', `The pull request is ${known.status}; only an open one can be synced.`);
  const isUpToDate = await containsBase(ctx, repository, known);
  const impacts = await dryRun(ctx, repository.id, async (dryContext) => {
    if (isUpToDate) return;
    await changePullRequest(dryContext, known, async (_work, row) => {
      row.headSha = plannedHead;
    });
  });
  const { id, number, baseBranch } = known;
  return {
    pullRequestId: id,
    impacts,
    message: isUpToDate
      ? `The branch of #${number} is up to date with ${baseBranch}: nothing would be pushed.`
      : `The branch of #${number} would be brought up to date with ${baseBranch}, and its checks would run again. The preview does not try whether the update conflicts.`,
  };
}

async function containsBase(ctx: Context, repository: RepositoryRow, row: PullRequestRow): Promise<boolean> {
  const client = hostClient(ctx, toHostedRepository(repository));
  try {
    const base = await client.readRef(`refs/heads/${row.baseBranch}`);
    return base !== null && (await client.isAncestor(base.commit, row.headSha));
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    return false;
  }
}

export async function previewBackport(ctx: Context, request: BackportRequest): Promise<BranchWorkPreview> {
  requireAction(ctx, 'backport');
  const { targetBranch } = request;
  const repository = await findSource(ctx, request);
  const known = await findPullRequest(ctx, repository, request.number);
  await requireBackportable(ctx, { repository, known, targetBranch });
  const [earlier] = await ctx.db.read<{ number: number | null }>(ctx.accountId, {
    name: 'opened_backport',
    text: `select number from backport
           where account_id = $1 and pull_request_id = $2 and target_branch = $3 and state = 'opened'`,
    values: [ctx.accountId, known.id, targetBranch],
  });
  return {
    pullRequestId: known.id,
    // The pull request that a backport opens is not in line until somebody queues it.
    impacts: [],
    message: backportMessage(known, targetBranch, earlier?.number),
  };
}

function backportMessage(
  { number, status }: Pick<PullRequestRow, 'number' | 'status'>,
  targetBranch: string,
  openedNumber: number | null | undefined,
): string {
  if (openedNumber !== undefined)
    return openedNumber === null
      ? `#${number} has been backported to ${targetBranch}: nothing would be done.`
      : `#${number} has been backported to ${targetBranch} by #${openedNumber}: nothing would be done.`;
  const when = status === 'merged' ? '' : ', once it is merged';
  return `A pull request to ${targetBranch} with the commits of #${number} would be opened${when}.`;
}
