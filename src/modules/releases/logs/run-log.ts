// Stores the output of a provider's run while it runs, in pieces that readers can follow.
import type { Context } from '../../../context.ts';
import {
  openPieceLog,
  type PieceLog,
  type PieceOwner,
  readPieces,
  type LoggedRow,
} from '../../../platform/log-pieces.ts';
import { finalStatuses } from '../../../domain/releases/deployment.status.ts';
import type { ReadLog } from '../../../graphql/logs.ts';
import { sqlList } from '../../../platform/database.ts';
import { requireScope } from '../../accounts/index.ts';

/** The run that a log belongs to: a deployment, or the build of a candidate. */
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

const isDeployed = `run.status in ${sqlList(finalStatuses)}`;

export function logOf(ctx: Context, run: LoggedRun): ReadLog {
  const row: LoggedRow =
    'deploymentId' in run
      ? { table: 'deployment', id: run.deploymentId, isOver: isDeployed }
      : { table: 'release_candidate', id: run.candidateId, isOver: "run.status <> 'building'" };
  return async (page) => {
    requireScope(ctx, 'release:read');
    return await readPieces(ctx, { row, owner: ownerOf(run) }, page);
  };
}
