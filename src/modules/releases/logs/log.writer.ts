// The output of a provider's run, kept while it runs, in pieces that readers can follow.
import type { Context } from '../../../context.ts';
import { openPieceLog, type PieceLog, type PieceOwner } from '../../../platform/log-pieces.ts';

/** Whose log it is: a deployment's, or that of the build of a candidate. */
export type LoggedRun = { readonly deploymentId: string } | { readonly candidateId: string };

export function openRunLog(ctx: Context, run: LoggedRun): PieceLog {
  return openPieceLog(ctx, ownerOf(run));
}

export function ownerOf(run: LoggedRun): PieceOwner {
  return {
    table: 'deployment_log',
    columns: {
      deployment_id: 'deploymentId' in run ? run.deploymentId : null,
      candidate_id: 'candidateId' in run ? run.candidateId : null,
    },
  };
}
