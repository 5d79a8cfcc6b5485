// Decides from one snapshot everything that must happen in a queue now. Planning again on the result of the decisions
// decides nothing until a fact changes.
import { planLinearly } from './linear/plan.ts';
import type { Snapshot } from './model/snapshot.ts';
import { isSpeculative, viewLine } from './planning/line.ts';
import { planSpeculatively } from './speculation/plan.ts';
import type { Decision } from './model/decision.ts';

/**
 * Increase this number with every change of the planner's rules, and with the first new key of the configuration since
 * the last release. A worker with a lower number does not plan a queue that a worker with a higher number has planned,
 * or whose configuration a process with a higher number has saved.
 */
export const plannerVersion = 18;

export function plan(snapshot: Snapshot, now: number): Decision[] {
  if (snapshot.queue.haltedReason !== null) return [];
  const view = viewLine(snapshot, now);
  return isSpeculative(view) ? planSpeculatively(view) : planLinearly(view);
}
