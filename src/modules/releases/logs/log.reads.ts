import type { Context } from '../../../context.ts';
import { finalStatuses } from '../../../domain/releases/deployment.status.ts';
import type { ReadLog } from '../../../graphql/logs.ts';
import { sqlList } from '../../../platform/database.ts';
import { readPieces, type LoggedRow } from '../../../platform/log-pieces.ts';
import { requireScope } from '../../accounts/index.ts';
import { ownerOf, type LoggedRun } from './log.writer.ts';

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
