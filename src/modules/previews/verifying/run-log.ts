// The log of a verification, without its secrets.
import type { Context } from '../../../context.ts';
import { openPieceLog, type PieceLog, type PieceOwner } from '../../../platform/log-pieces.ts';
import { createMask, maskSecrets } from '../../../platform/providers/mask.ts';

export interface VerificationLog extends PieceLog {
  /** Removes these secrets from every text that is written from now on. */
  hide(secrets: readonly string[]): void;
  /** Returns the text without these secrets. */
  mask(text: string): string;
}

export function openVerificationLog(ctx: Context, verificationId: string): VerificationLog {
  const log = openPieceLog(ctx, ownerOfLog(verificationId));
  let hidden: readonly string[] = [];
  let mask = createMask(null, log.write);
  return {
    write: (text) => mask.write(text),
    hide(secrets) {
      mask.end();
      hidden = secrets;
      mask = createMask(secrets, log.write);
    },
    mask: (text) => maskSecrets(hidden, text),
    async close() {
      mask.end();
      await log.close();
    },
  };
}

export function ownerOfLog(verificationId: string): PieceOwner {
  return { table: 'verification_log', columns: { verification_id: verificationId } };
}
