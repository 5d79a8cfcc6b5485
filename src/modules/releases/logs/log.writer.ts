// What a provider's run writes, kept while it runs, in pieces that readers see come.
import type { Context } from '../../../context.ts';
import { openPieceLog, type PieceLog } from '../../../platform/log-pieces.ts';

/** Whose log it is: a deployment's, or that of the build of a candidate. */
export type LoggedRun = { readonly deploymentId: string } | { readonly candidateId: string };

export function openRunLog(ctx: Context, run: LoggedRun): PieceLog {
  return openPieceLog({ log: ctx.log, keep: async (pieces) => await keep(ctx, run, pieces) });
}

async function keep(ctx: Context, run: LoggedRun, pieces: readonly string[]): Promise<void> {
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query(
        `insert into deployment_log (account_id, deployment_id, candidate_id, text, at)
         select $1, $2, $3, piece, $5 from unnest($4::text[]) with ordinality as list (piece, n) order by n`,
        [
          ctx.accountId,
          'deploymentId' in run ? run.deploymentId : null,
          'candidateId' in run ? run.candidateId : null,
          pieces,
          ctx.clock().toISOString(),
        ],
      ),
  );
}
