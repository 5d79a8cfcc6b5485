// When green builds justify a landing: the rule every policy but an oracle is held to. Stated anew and not borrowed from
// the planner, which is one of those that are held to it.
import { overlap } from '../queue/overlap.ts';
import type { Build, Change, Landing } from './policy.ts';

interface Claim {
  readonly changes: readonly Change[];
  readonly restsOn: readonly Build[];
  readonly landings: readonly Landing[];
}

export type Grade =
  /** The tree that lands was green. */
  | 'same_tree'
  /** Parts that overlap nothing they were not tested with. */
  | 'composed';

/**
 * Each change must be in a green build of which everything else has landed since its base, or lands with it, while
 * whatever landed since without being in it, or lands beside it, is disjoint from what it justifies. Null: it is not so.
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
  const own = changes.filter((change) => content.has(change.number));
  const foreign = changes.filter((change) => !content.has(change.number));
  for (const change of own) content.delete(change.number);
  for (const change of landings.slice(build.base).flatMap((landing) => landing.changes))
    if (!content.delete(change.number)) foreign.push(change);
  if (content.size > 0 || own.length === 0) return null;
  if (foreign.some((other) => own.some((change) => overlap(change.targets, other.targets)))) return null;
  return { changes: own, grade: foreign.length === 0 ? 'same_tree' : 'composed' };
}
