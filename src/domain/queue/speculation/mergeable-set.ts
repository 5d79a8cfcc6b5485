// The mergeable set: of the pull requests that green builds hold, as many as have nothing before them that is not among
// them, and whose builds say of them what a build of all of it would (composed-evidence.ts).
import { findConflict, isUntouched, type SpeculativeBuild, type SpeculationGraph } from './graph.ts';
import { overlapsAll } from './movable.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import { areOneGroup } from './build-units.ts';

export interface MergeableSet {
  /** In line order. */
  readonly indices: readonly number[];
  /** The green speculative builds that say so. */
  readonly builds: readonly SpeculativeBuild[];
}

/** `passed`: those in line before them that they leave out. */
interface MergeablePast extends MergeableSet {
  readonly passed: ReadonlySet<number>;
}

/** `isReady`: what else the landing of one pull request waits for. */
export function findMergeable(
  graph: SpeculationGraph,
  isReady: (pullRequest: PullRequestState) => boolean,
): MergeableSet {
  return findMergeablePast(graph, isReady, () => false);
}

/** The same where some in line may be left out, to land behind those that are gathered. */
export function findMergeablePast(
  graph: SpeculationGraph,
  isReady: (pullRequest: PullRequestState) => boolean,
  mayBePassed: (index: number) => boolean,
): MergeablePast {
  const greens = graph.builds.filter(isGreen).sort(byLastIndex);
  const barred = new Set<number>();
  for (;;) {
    const mergeable = collectMergeable(graph, greens, {
      isReady: (index) => !barred.has(index) && isReadyAt(graph, index, isReady),
      mayBePassed,
    });
    const conflicting = findConflict(graph, mergeable.indices);
    if (conflicting === null) return mergeable;
    barred.add(conflicting);
  }
}

function isReadyAt(
  graph: SpeculationGraph,
  index: number,
  isReady: (pullRequest: PullRequestState) => boolean,
): boolean {
  const pullRequest = graph.line[index];
  return pullRequest !== undefined && isReady(pullRequest);
}

function isGreen({ verdict, batch }: SpeculativeBuild): boolean {
  return verdict.kind === 'green' && verdict.evidence !== '' && batch.commit !== null;
}

/** Of those that end with the same one: the smaller first, and its own build before another of its tree. */
function byLastIndex(a: SpeculativeBuild, b: SpeculativeBuild): number {
  const own = ({ verdict, batch }: SpeculativeBuild): number =>
    verdict.kind === 'green' && verdict.evidence === batch.testedCommit ? 0 : 1;
  return (a.pending.at(-1) ?? 0) - (b.pending.at(-1) ?? 0) || a.pending.length - b.pending.length || own(a) - own(b);
}

function collectMergeable(
  graph: SpeculationGraph,
  greens: readonly SpeculativeBuild[],
  { isReady, mayBePassed }: Readonly<Record<'isReady' | 'mayBePassed', (index: number) => boolean>>,
): MergeablePast {
  const mergeable = new Set<number>();
  const passed = new Set<number>();
  const builds: SpeculativeBuild[] = [];
  for (const build of greens) {
    const added = build.pending.filter((index) => !mergeable.has(index));
    if (added.length === 0 || !isShareable(graph, build, { mergeable, added })) continue;
    // Of two that land at once neither passes the other.
    const mayLeaveOut = (before: number): boolean => !mergeable.has(before) && mayBePassed(before);
    const isReadyToo = (index: number): boolean => isReady(index) && !passed.has(index);
    if (!added.every((index) => isReadyToo(index) && isSaidBy(graph, build, { index, mayLeaveOut }))) continue;
    const needsTree = [...mergeable, ...added].some((index) => overlapsAll(graph, index));
    if (needsTree && !isWhole(graph, build, mergeable)) continue;
    for (const index of added) {
      mergeable.add(index);
      for (const before of graph.before(index)) if (!build.holds.has(before)) passed.add(before);
    }
    builds.push(build);
  }
  return { indices: [...mergeable].sort((a, b) => a - b), builds, passed };
}

/** All before it is in the speculative build, may be left out or, being disjoint, leaves it alone; and so does all that has landed since. */
function isSaidBy(
  graph: SpeculationGraph,
  build: SpeculativeBuild,
  { index, mayLeaveOut }: { readonly index: number; readonly mayLeaveOut: (before: number) => boolean },
): boolean {
  const isHere = (before: number): boolean => build.holds.has(before) || mayLeaveOut(before);
  return graph.before(index).every(isHere) && isUntouched(graph, build, index);
}

/**
 * What its build was made of is all that came on top of its base, and all that is gathered. Whoever may affect anything
 * lands by nothing less: parts say nothing of such a one (composed-evidence.ts).
 */
function isWhole({ landed }: SpeculationGraph, build: SpeculativeBuild, mergeable: ReadonlySet<number>): boolean {
  return [...mergeable].every((index) => build.holds.has(index)) && build.arrived.size === landed.length - build.since;
}

/**
 * What failed together lands with none but parts of it, as few as were to be tried. Without optimistic validation a
 * build lands what it was made for alone.
 */
function isShareable(
  graph: SpeculationGraph,
  build: SpeculativeBuild,
  { mergeable, added }: { readonly mergeable: ReadonlySet<number>; readonly added: readonly number[] },
): boolean {
  const { useOptimisticValidation } = graph.view.snapshot.rules;
  if (!useOptimisticValidation && (mergeable.size > 0 || build.pending.length > build.members.length)) return false;
  const rows = [...mergeable, ...added].flatMap((index) => graph.line[index] ?? []);
  return areOneGroup(rows);
}

/** What skips validation lands by itself, as soon as nothing before it is in its way. */
export function findUnvalidated(graph: SpeculationGraph): number | null {
  const found = [...graph.line.entries()].find(
    ([index, { skipValidation }]) =>
      skipValidation && graph.before(index).length === 0 && findConflict(graph, [index]) === null,
  );
  return found === undefined ? null : found[0];
}

/** The speculative build that is that landing itself: built on the tip, with nothing assumed. */
export function findExact(graph: SpeculationGraph, { indices, builds }: MergeableSet): SpeculativeBuild | null {
  const [build] = builds;
  if (build === undefined || builds.length > 1 || build.batch.assumes.length > 0) return null;
  const isWhole = build.batch.base === graph.view.snapshot.queue.tip && build.members.length === indices.length;
  // Final gates are asked of the landing in line, which nothing that turns green meanwhile replaces.
  return isWhole && (build.batch.gates ?? []).length === 0 ? build : null;
}

export function restsOn({ builds }: MergeableSet): readonly string[] {
  return builds.flatMap(({ batch }) => batch.commit ?? []);
}
