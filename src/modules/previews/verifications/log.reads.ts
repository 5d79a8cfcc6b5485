import type { Context } from '../../../context.ts';
import { finalStatuses } from '../../../domain/previews/verification.status.ts';
import type { ReadLog } from '../../../graphql/logs.ts';
import { sqlList } from '../../../platform/database.ts';
import { readPieces } from '../../../platform/log-pieces.ts';
import { requireScope } from '../../accounts/index.ts';
import { ownerOfLog } from '../verifying/run-log.ts';

const isOver = `run.status in ${sqlList(finalStatuses)}`;

export function logOfVerification(ctx: Context, verificationId: string): ReadLog {
  const of = { row: { table: 'verification', id: verificationId, isOver }, owner: ownerOfLog(verificationId) };
  return async (page) => {
    requireScope(ctx, 'queue:read');
    return await readPieces(ctx, of, page);
  };
}
