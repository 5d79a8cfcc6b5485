// The parts of the installation as one process sees them now, for /readyz.
import { setTimeout as delay } from 'node:timers/promises';
import { judgeParts, type Part, type TemporalHealth } from '../../domain/health/parts.ts';
import type { Database } from '../../platform/database.ts';

/** The time limit for the database's answer. Callers of /readyz usually wait longer. */
const answerWithinMs = 2_000;

export async function findParts(db: Database, temporal: TemporalHealth | null): Promise<readonly Part[]> {
  return judgeParts({ overdue: (await isThere(db)) ? [] : null, temporal });
}

/** Whether the database answers. The time limit is needed, because a machine that is gone sends no answer at all. */
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
