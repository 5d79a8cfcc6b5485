// The rows that a turn of a candidate's build reads, and the only function that ends a build.
import type { Context } from '../../../context.ts';
import type { BuildSituation } from '../../../domain/releases/situation.ts';
import type { CandidateStatus } from '../../../domain/releases/release.ts';
import type { Transaction } from '../../../platform/database.ts';
import { noFailedCalls } from '../../../platform/turns/index.ts';
import { announceCandidate } from '../candidates.events.ts';
import { isBefore, loadCandidate, runOf, type CandidateRows } from './deployment.rows.ts';

/** Locks the candidate's row, as every transaction does that ends its build. */
export async function lockCandidate(ctx: Context, tx: Transaction, candidateId: string): Promise<CandidateRows> {
  await tx.query('select 1 from release_candidate where account_id = $1 and id = $2 for no key update', [
    ctx.accountId,
    candidateId,
  ]);
  return await loadCandidate(ctx, tx, candidateId);
}

export function buildSituationOf({ project, candidate }: CandidateRows): BuildSituation {
  const run = runOf(candidate);
  // A run at an earlier provider does not count, because the present provider has not been called yet.
  const triggeredAt = isBefore(candidate.triggeredAt, project.buildProviderSince) ? null : run.triggeredAt;
  return {
    ...run,
    triggeredAt,
    status: candidate.status,
    provider: project.buildProvider ?? { kind: 'none' },
    isCanceled: Boolean(candidate.cancelRequestedAt),
    cancelSentAt: candidate.cancelSentAt?.getTime() ?? null,
    createdAt: candidate.createdAt.getTime(),
    timeoutSec: project.buildTimeoutSec,
  };
}

interface BuildEnd {
  readonly rows: CandidateRows;
  readonly status: Exclude<CandidateStatus, 'building'>;
  readonly errorMessage: string | null;
}

export async function endBuild(
  ctx: Context,
  tx: Transaction,
  { rows: { candidate }, ...end }: BuildEnd,
): Promise<void> {
  if (candidate.status !== 'building') return;
  Object.assign(candidate, end, { ...noFailedCalls, endedAt: ctx.clock() });
  candidate.revision += 1;
  await announceCandidate(ctx, tx, { id: candidate.id, actions: [`candidate_${end.status}`] });
}
