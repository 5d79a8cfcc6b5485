// Finds the mergeable set: the pull requests that may land together on the evidence of green builds. A pull request is
// in the set only together with every pull request before it that overlaps it. The green builds prove as much about the
// set as one build of the whole set would (composed-evidence.ts).
import { waitsForOwnChecks } from '../landing/gate.ts';
import { findConflict, isUntouched, type SpeculativeBuild, type SpeculationGraph } from './graph.ts';
import { mayLand } from '../planning/line.ts';
import { overlapsAll } from './reorderable.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import { areOneGroup } from './build-units.ts';

export interface MergeableSet {
  /** The indices of the pull requests, in line order. */
  readonly indices: readonly number[];
  /** The green speculative builds that justify the set. */
  readonly builds: readonly SpeculativeBuild[];
}

/** `passed`: earlier pull requests in line that the set leaves out. */
interface PassingSet extends MergeableSet {
  readonly passed: ReadonlySet<number>;
}

/** `isReady`: whether a pull request meets the other conditions of a landing. */
export function findMergeableSet(
  graph: SpeculationGraph,
  isReady: (pullRequest: PullRequestState) => boolean,
): MergeableSet {
  return findPassingSet(graph, isReady, () => false);
}

/**
 * Like `findMergeableSet`, but the set may leave out the earlier pull requests for which `mayBePassed` is true. These
 * land behind the set.
 */
export function findPassingSet(
  graph: SpeculationGraph,
  isReady: (pullRequest: PullRequestState) => boolean,
  mayBePassed: (index: number) => boolean,
): PassingSet {
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

/**
 * Sorts builds by the index of their last pull request. Of two such builds the smaller one comes first. Of two equal
 * builds the one that was tested itself comes before the one that has the result of an equal tree.
 */
function byLastIndex(a: SpeculativeBuild, b: SpeculativeBuild): number {
  const own = ({ verdict, batch }: SpeculativeBuild): number =>
    verdict.kind === 'green' && verdict.evidence === batch.testedCommit ? 0 : 1;
  return (a.pending.at(-1) ?? 0) - (b.pending.at(-1) ?? 0) || a.pending.length - b.pending.length || own(a) - own(b);
}

function collectMergeable(
  graph: SpeculationGraph,
  greens: readonly SpeculativeBuild[],
  { isReady, mayBePassed }: Readonly<Record<'isReady' | 'mayBePassed', (index: number) => boolean>>,
): PassingSet {
  const mergeable = new Set<number>();
  const passed = new Set<number>();
  const builds: SpeculativeBuild[] = [];
  for (const build of greens) {
    const added = build.pending.filter((index) => !mergeable.has(index));
    if (added.length === 0 || !isShareable(graph, build, { mergeable, added })) continue;
    // A pull request does not pass another one that lands together with it.
    const mayLeaveOut = (before: number): boolean => !mergeable.has(before) && mayBePassed(before);
    const isReadyToo = (index: number): boolean => isReady(index) && !passed.has(index);
    if (!added.every((index) => isReadyToo(index) && isProvenBy(graph, build, { index, mayLeaveOut }))) continue;
    const needsTree = [...mergeable, ...added].some((index) => overlapsAll(graph, index));
    if (needsTree && !isWhole(graph, build, mergeable)) continue;
    for (const index of added) {
      mergeable.add(index);
      for (const before of graph.before(index)) if (!build.pendingSet.has(before)) passed.add(before);
    }
    builds.push(build);
  }
  return { indices: [...mergeable].sort((a, b) => a - b), builds, passed };
}

/**
 * Whether the green build proves that the pull request may land. Each earlier pull request that it overlaps must be in
 * the build or may be left out. Each change that landed on top of the base of the build must be in the build or be
 * disjoint from it.
 */
function isProvenBy(
  graph: SpeculationGraph,
  build: SpeculativeBuild,
  { index, mayLeaveOut }: { readonly index: number; readonly mayLeaveOut: (before: number) => boolean },
): boolean {
  const isHere = (before: number): boolean => build.pendingSet.has(before) || mayLeaveOut(before);
  return graph.before(index).every(isHere) && isUntouched(graph, build, index);
}

/**
 * Whether the build contains the whole set and everything that has landed since its base. A pull request that may
 * affect everything lands only by such a build, because builds of parts prove nothing about it (composed-evidence.ts).
 */
function isWhole({ landed }: SpeculationGraph, build: SpeculativeBuild, mergeable: ReadonlySet<number>): boolean {
  return (
    [...mergeable].every((index) => build.pendingSet.has(index)) &&
    build.landedParts.size === landed.length - build.since
  );
}

/**
 * Whether the added pull requests may land together with the set. Pull requests that failed together land only in the
 * parts of their bisection. Without optimistic validation a build lands only its own members.
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

/** The first pull request in line that skips validation and can land alone now. Null: there is none. */
export function findUnvalidatedPullRequest(graph: SpeculationGraph): number | null {
  const found = [...graph.line.entries()].find(
    ([index, { skipValidation, isHeadUnseen }]) =>
      skipValidation && !isHeadUnseen && graph.before(index).length === 0 && findConflict(graph, [index]) === null,
  );
  return found === undefined ? null : found[0];
}

/** The speculative build whose result is exactly what the landing would make: built on the tip, without assumptions. */
export function findExactBuild(graph: SpeculationGraph, { indices, builds }: MergeableSet): SpeculativeBuild | null {
  const [build] = builds;
  if (build === undefined || builds.length > 1 || build.batch.assumes.length > 0) return null;
  const isWhole = build.batch.base === graph.view.snapshot.queue.tip && build.members.length === indices.length;
  // Final gates run for a landing in line, which a later green build must not replace.
  return isWhole && (build.batch.gates ?? []).length === 0 ? build : null;
}

export function commitsOfBuilds({ builds }: MergeableSet): readonly string[] {
  return builds.flatMap(({ batch }) => batch.commit ?? []);
}

/** How many green builds wait only for the own checks of their pull requests. */
export function countHeld(graph: SpeculationGraph): number {
  if (!mayLand(graph.view)) return 0;
  const isHeld = ({ members }: SpeculativeBuild): boolean =>
    members.some((index) => isReadyAt(graph, index, (row) => waitsForOwnChecks(graph.view.snapshot.rules, row)));
  const held = graph.builds.filter((build) => isGreen(build) && isHeld(build));
  if (held.length === 0) return 0;
  const { builds } = findMergeableSet(graph, () => true);
  return held.filter((build) => builds.includes(build)).length;
}
