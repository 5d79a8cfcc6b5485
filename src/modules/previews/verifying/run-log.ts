// What is written while a verification runs, without its secrets.
import type { Context } from '../../../context.ts';
import { openPieceLog, type PieceLog } from '../../../platform/log-pieces.ts';
import { createMask } from '../../../platform/providers/mask.ts';

export interface VerificationLog extends PieceLog {
  /** From here on these are taken out of what is written. */
  hide(secrets: readonly string[]): void;
}

export function openVerificationLog(ctx: Context, verificationId: string): VerificationLog {
  const log = openPieceLog({
    log: ctx.log,
    keep: async (pieces) =>
      await ctx.db.transaction(
        ctx.accountId,
        async (tx) =>
          void (await tx.query(
            `insert into verification_log (account_id, verification_id, text, at)
             select $1, $2, piece, $4 from unnest($3::text[]) with ordinality as list (piece, n) order by n`,
            [ctx.accountId, verificationId, pieces, ctx.clock().toISOString()],
          )),
      ),
  });
  let mask = createMask(null, log.write);
  return {
    write: (text) => mask.write(text),
    hide(secrets) {
      mask.end();
      mask = createMask(secrets, log.write);
    },
    async close() {
      mask.end();
      await log.close();
    },
  };
}
