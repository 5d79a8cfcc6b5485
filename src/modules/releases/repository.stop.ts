// Cancels the active deployments of a repository's candidates, and the builds of these candidates.
import type { Context } from '../../context.ts';
import { activeStatuses } from '../../domain/releases/deployment.status.ts';
import { whenWakeIsLost } from '../../domain/turns.ts';
import { sqlList, type Transaction } from '../../platform/database.ts';
import { noFailedCalls } from '../../platform/turns/index.ts';
import { cancelActiveDeployments } from './deployments.cancel.ts';
import { lockCandidate } from './driving/build.rows.ts';
import { changeEnvironment } from './releases.locks.ts';

export interface StopRequest {
  readonly repositoryId: string;
  /** The reason that users read. */
  readonly because: string;
}

/** The caller locks the repository's row. A repetition changes nothing. */
export async function stopReleases(
  ctx: Context,
  tx: Transaction,
  { repositoryId, because }: StopRequest,
): Promise<void> {
  const environments = await tx.query<{ id: string }>(
    `select distinct d.environment_id::text as id, d.environment_id from deployment d
     join release_candidate c on c.account_id = d.account_id and c.id = d.candidate_id
     where d.account_id = $1 and c.repository_id = $2 and d.status in ${sqlList(activeStatuses)}
     order by d.environment_id`,
    [ctx.accountId, repositoryId],
  );
  for (const { id } of environments)
    await cancelActiveDeployments(ctx, tx, { environment: await changeEnvironment(ctx, tx, id), because });
  const builds = await tx.query<{ id: string }>(
    `select id::text as id from release_candidate
     where account_id = $1 and repository_id = $2 and status = 'building' order by id`,
    [ctx.accountId, repositoryId],
  );
  for (const { id } of builds) await cancelBuild(ctx, tx, id);
}

async function cancelBuild(ctx: Context, tx: Transaction, candidateId: string): Promise<void> {
  const { candidate } = await lockCandidate(ctx, tx, candidateId);
  if (candidate.status !== 'building') return;
  const now = ctx.clock();
  candidate.cancelRequestedAt ??= now;
  // The cancellation replaces a call that was postponed.
  Object.assign(candidate, { ...noFailedCalls, nextLookAt: whenWakeIsLost(now) });
  tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, candidateId }));
}
