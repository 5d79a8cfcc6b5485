// Order, as the gate of a landing asks for it: what overlaps lands one after the other as it stands in line.
import { inLineOrder } from '../model/order.ts';
import { findOverlaps, type Targets } from '../model/overlap.ts';
import type { PullRequestState } from '../model/snapshot.ts';

type Standing = Pick<PullRequestState, 'id' | 'number' | 'rank' | 'skipLine'> & { readonly targets: Targets };

/** The first in line before one of those that land, which overlaps it and does not land with it. */
export function findEarlierOverlap(line: readonly Standing[], landing: ReadonlySet<string>): Standing | null {
  const ordered = inLineOrder(line);
  const before = findOverlaps(ordered);
  for (const [place, { id }] of ordered.entries()) {
    if (!landing.has(id)) continue;
    const passed = before(place).find((other) => !landing.has(ordered[other]?.id ?? ''));
    if (passed !== undefined) return ordered[passed] ?? null;
  }
  return null;
}
