// The parts of the installation as one process sees them now, for /readyz.
import { setTimeout as delay } from 'node:timers/promises';
import { judgeParts, type Part, type TemporalHealth } from '../../domain/health/parts.ts';
import type { Database } from '../../platform/database.ts';

/** Shorter than the usual patience of those who ask /readyz. */
const answerWithinMs = 2_000;

export async function findParts(db: Database, temporal: TemporalHealth | null): Promise<readonly Part[]> {
  return judgeParts({ overdue: (await isThere(db)) ? [] : null, temporal });
}

/** A machine that is gone answers nothing at all. */
async function isThere(db: Database): Promise<boolean> {
  const waiting = new AbortController();
  const answers = db.system.query('select 1').then(
    () => true,
    () => false,
  );
  const gaveUp = delay(answerWithinMs, false, { signal: waiting.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([answers, gaveUp]);
  } finally {
    waiting.abort();
  }
}
