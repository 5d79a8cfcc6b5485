// Who stands in line before what lands, at the instant of the gate: since it was planned somebody may have skipped the
// line, or been told to affect more.
import type { Context } from '../../../context.ts';
import { buildsSpeculatively } from '../../../domain/queue/planning/line.ts';
import type { Targets } from '../../../domain/queue/model/overlap.ts';
import { findEarlierOverlap } from '../../../domain/queue/landing/landing-order.ts';
import type { QueueRules } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readLine } from '../store/line.rows.ts';
import { loadTargets } from '../facts/outlook.loader.ts';
import type { BatchRow } from '../store/queue.entities.ts';

/** Why it is not its turn. A chain has its order by what each of its batches stands on, and a speculative build is no part of one. */
export async function findOrderLoss(
  ctx: Context,
  tx: Transaction,
  of: { readonly batch: BatchRow; readonly members: readonly string[]; readonly rules: QueueRules },
): Promise<string | null> {
  const { batch, rules } = of;
  if (!buildsSpeculatively(rules))
    return batch.sideBuild === 'speculative' ? 'speculative builds are not made any more' : null;
  const targets = rules.useAffectedTargets ? await loadTargets(ctx, tx, batch.queueId) : new Map<string, Targets>();
  const line = (await readLine(ctx, tx, batch.queueId)).map(({ id, number, rank, skipLine, labels }) => {
    const isBarrier = rules.barrierLabel !== null && labels.includes(rules.barrierLabel);
    return { id, number, rank, skipLine, targets: isBarrier ? null : (targets.get(id) ?? null) };
  });
  const passed = findEarlierOverlap(line, new Set(of.members));
  return passed === null ? null : `#${passed.number}, which it overlaps, stands before it in line`;
}
