// The log of a verification, without its secrets.
import type { Context } from '../../../context.ts';
import { openPieceLog, type PieceLog, type PieceOwner } from '../../../platform/log-pieces.ts';
import { createMask } from '../../../platform/providers/mask.ts';

export interface VerificationLog extends PieceLog {
  /** Removes these secrets from every text that is written from now on. */
  hide(secrets: readonly string[]): void;
}

export function openVerificationLog(ctx: Context, verificationId: string): VerificationLog {
  const log = openPieceLog(ctx, ownerOfLog(verificationId));
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

export function ownerOfLog(verificationId: string): PieceOwner {
  return { table: 'verification_log', columns: { verification_id: verificationId } };
}
