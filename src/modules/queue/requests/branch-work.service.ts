// Records users' requests for work on branches. The work is carried out later, and comments report the result
// (interface 4.3).
import type { Context } from '../../../context.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { isTerminal } from '../../../domain/queue/model/status.ts';
import { hostClient, HostRefused, toHostedRepository } from '../../../hosts/port.ts';
import { recordUserAction, requireAction } from '../../accounts/index.ts';
import { loadActiveRepository, loadRepository } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { planBranchWork, planBackport } from '../planning/branch-work.ts';
import { batchOfBotBranch } from '../facts/bot-branches.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { changeQueueOf } from '../store/queue.locks.ts';
import type { PullRequestRef } from './queue.service.ts';
import { readFreshPullRequest, type PullRequestAnswer } from './pull-request.changes.ts';

export interface BranchWorkAnswer extends PullRequestAnswer {
  /** What will happen, as a sentence for the user. */
  readonly message: string;
}

/** Requests a new read of checks, state and reviews (interface 4.3, `refresh`). */
export async function requestRefresh(ctx: Context, request: PullRequestRef): Promise<BranchWorkAnswer> {
  requireAction(ctx, 'refresh');
  const repository = await loadRepository(ctx, request.repository, 'queue:write');
  const row = await readFreshPullRequest(ctx, repository, request.number);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await changeQueueOf(ctx, tx, row.id);
    await planBranchWork(ctx, tx, {
      kind: 'refresh',
      pullRequest: { id: row.id, queueId: queue.id },
      payload: {},
      again: true,
    });
    await recordUserAction(ctx, tx, { action: 'pull_request_refreshed', target: nameOf(repository, row.number) });
  });
  return {
    pullRequestId: row.id,
    message: `The checks, state and reviews of #${row.number} are being read again.`,
  };
}

/** Requests an update of the branch with its base branch (interface 4.3, `sync`). */
export async function requestSync(ctx: Context, request: PullRequestRef): Promise<BranchWorkAnswer> {
  requireAction(ctx, 'sync');
  const repository = await loadActiveRepository(ctx, request.repository, 'queue:write');
  const known = await readFreshPullRequest(ctx, repository, request.number);
  const baseBranch = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await changeQueueOf(ctx, tx, known.id);
    const row = await tx.em.findOneOrFail(PullRequestEntity, { id: known.id });
    if (isTerminal(row.status))
      throw new DomainError('NOT_QUEUEABLE', `The pull request is ${row.status}; only an open one can be synced.`);
    await planBranchWork(ctx, tx, {
      kind: 'sync',
      pullRequest: { id: row.id, queueId: queue.id },
      payload: { cause: 'asked' },
      again: true,
    });
    await recordUserAction(ctx, tx, { action: 'pull_request_synced', target: nameOf(repository, row.number) });
    return row.baseBranch;
  });
  return {
    pullRequestId: known.id,
    message: `The branch of #${known.number} is being brought up to date with ${baseBranch}; a conflict is reported in a comment on the pull request.`,
  };
}

export interface BackportRequest {
  readonly repository: { readonly owner: string; readonly name?: string | null };
  readonly number: number;
  readonly targetBranch: string;
}

/** Requests a backport of a merged pull request, or of an open one as soon as it is merged (interface 4.3). */
export async function requestBackport(ctx: Context, request: BackportRequest): Promise<BranchWorkAnswer> {
  requireAction(ctx, 'backport');
  const { targetBranch: target } = request;
  const repository = await findSource(ctx, request);
  const known = await readFreshPullRequest(ctx, repository, request.number);
  await requireBackportable(ctx, { repository, known, targetBranch: target });
  const asked = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await changeQueueOf(ctx, tx, known.id);
    const row = await tx.em.findOneOrFail(PullRequestEntity, { id: known.id });
    const state = row.status === 'merged' ? 'planned' : 'waiting';
    const written = await tx.query(
      `insert into backport (account_id, repository_id, pull_request_id, target_branch, state, requested_by, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $7)
       on conflict (account_id, pull_request_id, target_branch) do update
         set state = excluded.state, requested_by = excluded.requested_by, reason = null, updated_at = excluded.updated_at
         where backport.state <> 'opened'
       returning 1`,
      [ctx.accountId, repository.id, row.id, target, state, ctx.actor.email, ctx.clock().toISOString()],
    );
    if (written.length === 0) return 'done';
    await planBackport(ctx, tx, { pullRequest: { id: row.id, queueId: queue.id }, target });
    await recordUserAction(ctx, tx, { action: 'pull_request_backported', target: nameOf(repository, row.number) });
    return state;
  });
  if (asked === 'done')
    return { pullRequestId: known.id, message: `#${known.number} has been backported to ${target} already.` };
  return {
    pullRequestId: known.id,
    message: `Backporting #${known.number} to ${target} was initiated${asked === 'planned' ? '' : ' and begins once it is merged'}; progress is reported in comments on the pull request.`,
  };
}

export async function requireBackportable(
  ctx: Context,
  of: { readonly repository: RepositoryRow; readonly known: PullRequestRow; readonly targetBranch: string },
): Promise<void> {
  const { repository, known, targetBranch } = of;
  if (known.status === 'closed')
    throw new DomainError('BAD_INPUT', 'The pull request was closed without being merged.', 'source_pull.number');
  if (targetBranch === known.baseBranch)
    throw new DomainError('BAD_INPUT', `target_branch is ${targetBranch}, which it is merged into.`, 'target_branch');
  await requireBranch(ctx, repository, targetBranch);
}

/**
 * The repository of the request. If the request has only an owner, it is the owner's only active repository in the
 * account that has a pull request with this number.
 */
export async function findSource(ctx: Context, { repository, number }: BackportRequest): Promise<RepositoryRow> {
  const { owner, name } = repository;
  if (name) return await loadActiveRepository(ctx, { owner, name }, 'queue:write');
  const found = await ctx.db.read<{ name: string }>(ctx.accountId, {
    name: 'repositories_with_number',
    text: `select r.name from repository r where r.account_id = $1 and r.owner = $2 and r.active
           and exists (select from pull_request p where p.account_id = $1 and p.repository_id = r.id and p.number = $3) limit 2`,
    values: [ctx.accountId, owner, number],
  });
  const [only] = found;
  if (only === undefined) throw notFound('Repository');
  if (found.length > 1)
    throw new DomainError('BAD_INPUT', 'source_pull.repository.name is required', 'source_pull.repository.name');
  return await loadRepository(ctx, { owner, name: only.name }, 'queue:write');
}

async function requireBranch(ctx: Context, repository: RepositoryRow, branch: string): Promise<void> {
  const host = toHostedRepository(repository);
  try {
    const ref = batchOfBotBranch(branch) !== null ? null : await hostClient(ctx, host).readRef(`refs/heads/${branch}`);
    if (ref === null) throw notFound(`Target branch ${branch}`);
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    throw new DomainError('BAD_INPUT', 'target_branch must be the name of a branch.', 'target_branch');
  }
}

function nameOf({ owner, name }: RepositoryRow, number: number): string {
  return `${owner}/${name}#${number}`;
}
