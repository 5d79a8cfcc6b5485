// When green builds justify a landing: the rule for every policy except an oracle. It is written independently of the
// planner, because the planner is one of the policies that it checks.
import { overlap } from '../queue/model/overlap.ts';
import type { Build, Change, Landing } from './policy.ts';

interface Claim {
  readonly changes: readonly Change[];
  readonly restsOn: readonly Build[];
  readonly landings: readonly Landing[];
}

export type Grade =
  /** The tree that lands was green. */
  | 'same_tree'
  /** Green parts that overlap nothing they were not tested with. */
  | 'composed';

/**
 * Each change must be in a green build. Everything else in that build must have landed since the build's base, or land
 * with the change. Every change that landed since without being in the build, or that lands before it now, must be
 * disjoint from that change. Then the last change that affects a target was tested with all others that affect it.
 * Null: the landing is not justified.
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
