// Decides whether green builds justify a landing. The engine checks the landings of every policy with this rule. The
// code is independent of the planner, because the planner is one of the checked policies.
import { overlap } from '../queue/model/overlap.ts';
import type { Build, Change, Landing } from './policy.ts';

interface Claim {
  readonly changes: readonly Change[];
  readonly restsOn: readonly Build[];
  readonly landings: readonly Landing[];
}

export type Grade =
  /** A build of the tree that lands was green. */
  | 'same_tree'
  /** Green builds of parts justify the landing. No part overlaps a change that it was not tested with. */
  | 'composed';

/**
 * Returns how strongly the builds justify the landing. Null: they do not justify it. Each change must be in a green
 * build for which two conditions hold:
 * - All other changes in the build have landed since the base of the build, or land together with the change.
 * - The change does not overlap any change outside of the build that has landed since this base, or that lands before
 *   it now.
 */
export function justifies(claim: Claim): Grade | null {
  const justified = new Set<number>();
  let grade: Grade = 'composed';
  for (const build of claim.restsOn) {
    const found = justifiedBy(build, claim);
    if (found === null) continue;
    for (const change of found.changes) justified.add(change.number);
    if (found.grade === 'same_tree' && found.changes.length === claim.changes.length) grade = 'same_tree';
  }
  return claim.changes.every((change) => justified.has(change.number)) ? grade : null;
}

function justifiedBy(build: Build, { changes, landings }: Claim): { changes: readonly Change[]; grade: Grade } | null {
  if (build.verdict !== 'green') return null;
  const content = new Set([...build.assumes, ...build.members]);
  const left = new Set(content);
  const landed = landings.slice(build.base).flatMap((landing) => landing.changes);
  for (const change of [...landed, ...changes]) left.delete(change.number);
  if (left.size > 0) return null;
  const foreign = landed.filter((change) => !content.has(change.number));
  const own: Change[] = [];
  for (const change of changes) {
    if (!content.has(change.number)) foreign.push(change);
    else if (!foreign.some((other) => overlap(change.targets, other.targets))) own.push(change);
  }
  return own.length === 0 ? null : { changes: own, grade: foreign.length === 0 ? 'same_tree' : 'composed' };
}
