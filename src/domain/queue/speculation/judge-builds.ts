// Judges each speculative build: which pull requests its result still applies to, whether the build must end, and how
// much its failure proves.
import { verdictOf, type LineView } from '../planning/line.ts';
import { isFailure } from '../planning/failure.ts';
import { isIsolatedBuild } from './isolated-first-build.ts';
import { mayReorderForFailure, mayReorder, wasReordered } from './reorderable.ts';
import { targetsOf } from './conflict-graph.ts';
import { overlap, type Targets } from '../model/overlap.ts';
import type { BatchState, PinnedHead, PullRequestState } from '../model/snapshot.ts';
import type { Cause } from '../planning/resets.ts';
import { type SpeculativeBuild, type SpeculationGraph, isRedAlone, isUntouched, isAssumedToLand } from './graph.ts';

export type JudgedBuild =
  | { readonly build: SpeculativeBuild }
  /** The running build of an isolated retry, if a change that overlaps it has landed since its start. */
  | { readonly late: SpeculativeBuild }
  /** An isolated first build that lacks a change that has landed since its start. */
  | { readonly isolated: SpeculativeBuild }
  | { readonly red: SpeculativeBuild; readonly isOneOfTwo: boolean; readonly mayBeReordered: boolean }
  | SpeculationGraph['obsolete'][number];

/** Uses green builds to decide whether a late build is still useful, and how much a red build still proves. */
export function judgeByGreens(
  graph: SpeculationGraph,
  judged: JudgedBuild,
  greens: readonly SpeculativeBuild[],
): JudgedBuild {
  if ('batch' in judged || 'isolated' in judged) return judged;
  if ('late' in judged) {
    const { late } = judged;
    const isAnswered = greens.some(({ members }) => members.some((index) => late.members.includes(index)));
    return isAnswered ? obsolete(late) : { build: late };
  }
  const build = 'build' in judged ? judged.build : judged.red;
  const conclusiveness = isFailure(build.verdict) ? judgeConclusiveness(graph, build, greens) : 'conclusive';
  if (conclusiveness === 'conclusive' || (conclusiveness === 'weak' && build.pending.length > 1)) return judged;
  if (!isRedAlone(build)) return obsolete(build);
  const mayBeReordered = 'build' in judged && mayReorderForFailure(graph, build.members[0] ?? -1);
  return conclusiveness === 'weak' || mayBeReordered
    ? { red: build, isOneOfTwo: conclusiveness === 'weak', mayBeReordered }
    : obsolete(build);
}

/** The build ends. Another build of its pull requests starts if it is useful. */
function obsolete({ batch }: SpeculativeBuild): JudgedBuild {
  return { batch, cause: { code: 309, causedBy: null }, isReported: false };
}

/** Of several late builds of a pull request, only the oldest goes on. `judged`: the oldest build first. */
export function keepOldestLate(judged: readonly JudgedBuild[]): readonly JudgedBuild[] {
  const kept = new Set<number>();
  return judged.map((each) => {
    if (!('late' in each)) return each;
    const [index = -1] = each.late.members;
    if (kept.has(index)) return obsolete(each.late);
    kept.add(index);
    return each;
  });
}

export function judgeSpeculativeBuild(graph: SpeculationGraph, batch: BatchState, since: number | null): JudgedBuild {
  const { view, indexOf } = graph;
  const reset = (cause: Cause): JudgedBuild => ({ batch, cause, isReported: true });
  if (batch.sideBuild !== 'speculative' || batch.buildKeysHash !== view.snapshot.rules.buildKeysHash)
    return reset({ code: 307, causedBy: null });
  // An outside change, or more changes than are recorded, are on top of the base of the build.
  if (since === null) return reset({ code: 305, causedBy: null });
  const verdict = verdictOf(view, batch);
  if (verdict.kind === 'worthless') return reset({ code: verdict.code, causedBy: null });
  const places = findPlaces(graph, batch, since);
  if ('departed' in places) return reset(departureCause(view, places.departed));
  const { order, pending, landedParts } = places;
  const waitingMembers = batch.members.flatMap(({ pullRequest }) => indexOf.get(pullRequest) ?? []);
  // The build only assumed the reordered pull request, and all its members have landed. So it is now a build of the
  // reordered pull request alone.
  const isAboutReordered =
    verdict.kind === 'red' && waitingMembers.length === 0 && pending.length === 1 && wasReordered(graph, pending[0]);
  const members = isAboutReordered ? pending : waitingMembers;
  const build: SpeculativeBuild = {
    batch,
    verdict,
    members,
    pending,
    pendingSet: new Set(pending),
    landedParts,
    since,
  };
  if (members.length === 0 || batch.givenUp) return obsolete(build);
  if (members.some((index) => graph.line[index]?.skipValidation)) return obsolete(build);
  const passing = findSkipLineAhead(graph, build);
  if (passing !== null) return reset({ code: 302, causedBy: passing.id });
  const isOutdated = members.some((index) => !isUntouched(graph, build, index));
  if (!isOutdated && (isAboutReordered || isOrdered(graph, order))) return { build };
  if ((verdict.kind === 'pending' || verdict.kind === 'green') && isIsolatedBuild(graph, batch, members[0] ?? -1))
    return { isolated: build };
  if (countsAgainstReordered(graph, build)) return { red: build, isOneOfTwo: true, mayBeReordered: false };
  // The build goes on although it is late, because no pull request waits for it. If it were restarted at each landing,
  // it might never end.
  if (verdict.kind === 'pending' && isIsolatedRetryBuild(graph, build)) return { late: build };
  return isRedAlone(build) ? { red: build, isOneOfTwo: true, mayBeReordered: false } : obsolete(build);
}

type Places =
  | (Pick<SpeculativeBuild, 'pending' | 'landedParts'> & {
      /** All its pull requests in the order of the build, as indices in `landed` followed by the line. */
      readonly order: readonly number[];
    })
  /** A pull request that has left the line without landing, or has another head. */
  | { readonly departed: PinnedHead };

/** Finds which pull requests of a build are in line, and which have landed on top of its base. */
function findPlaces(graph: SpeculationGraph, batch: BatchState, since: number): Places {
  const order: number[] = [];
  const pending: number[] = [];
  const landedParts = new Set<number>();
  for (const pinned of [...batch.assumes, ...batch.members]) {
    const index = graph.indexOf.get(pinned.pullRequest);
    const landedIndex = landedAtOf(graph, pinned);
    if (index !== undefined && graph.line[index]?.head === pinned.head) {
      order.push(graph.landed.length + index);
      pending.push(index);
    } else if (landedIndex >= since) {
      order.push(landedIndex);
      landedParts.add(landedIndex);
    } else return { departed: pinned };
  }
  return { order, pending, landedParts };
}

/**
 * Whether a red build with several pull requests in line counts against a reordered pull request. When the pull
 * requests that passed it have landed, the build on top of them proves as much as a build in its new place.
 */
function countsAgainstReordered(graph: SpeculationGraph, build: SpeculativeBuild): boolean {
  const { verdict, pending } = build;
  const isProvenFor = (index: number): boolean => wasReordered(graph, index) && isUntouched(graph, build, index);
  return verdict.kind === 'red' && pending.length > 1 && pending.some(isProvenFor);
}

/**
 * Whether this is a build of a reordered pull request alone, on the tip of that time. Pull requests that the build
 * assumed may have landed: a retry that starts during a landing assumes that the landing succeeds.
 */
function isIsolatedRetryBuild(graph: SpeculationGraph, { batch, members, pending }: SpeculativeBuild): boolean {
  const [index = -1] = members;
  const isAlone = pending.length === 1 && batch.members.length === 1;
  return isAlone && graph.line[index]?.reorderedForFailure === true && mayReorder(graph, index);
}

/** Index in `landed` of the pull request. -1: it has not landed since the oldest base of a speculative build. */
function landedAtOf({ landed, landedAt }: SpeculationGraph, { pullRequest, head }: PinnedHead): number {
  const landedIndex = landedAt.get(pullRequest) ?? -1;
  return landed[landedIndex]?.head === head ? landedIndex : -1;
}

/**
 * Whether the content of the build is in the order of landing and of the line, apart from changes that do not overlap.
 * `order`: the content of the build, by positions in the list of the landed changes followed by the line.
 */
function isOrdered(graph: SpeculationGraph, order: readonly number[]): boolean {
  if (order.every((at, index) => index === 0 || at > (order[index - 1] ?? -1))) return true;
  const targets = order.map((at) => targetsAt(graph, at));
  // A pull request that may affect everything lands only by a build of exactly its tree.
  if (targets.includes(null)) return false;
  const isApart = (one: number, other: number): boolean => !overlap(targets[one] ?? null, targets[other] ?? null);
  return order.every((at, one) => order.every((later, other) => other <= one || later > at || isApart(one, other)));
}

function targetsAt({ landed, line, view }: SpeculationGraph, at: number): Targets {
  const change = landed[at];
  if (change !== undefined) return change.targets;
  const row = line[at - landed.length];
  return row === undefined ? null : targetsOf(view, row);
}

function departureCause(view: LineView, { pullRequest }: PinnedHead): Cause {
  const code = view.pullRequests.has(pullRequest) ? 310 : (view.departures.get(pullRequest) ?? 303);
  return { code, causedBy: pullRequest };
}

/**
 * A pull request that skipped the line, is before a member, and is missing from the build. Every build must contain it.
 * Null: there is none.
 */
function findSkipLineAhead(graph: SpeculationGraph, build: SpeculativeBuild): PullRequestState | null {
  // All pull requests that skip the line are at the front of the line.
  if (graph.line[0]?.skipLine !== true) return null;
  for (const index of build.members) {
    const passing = graph
      .before(index)
      .find((before) => !build.pendingSet.has(before) && isAssumedToLand(graph, before));
    if (passing !== undefined) return graph.line[passing] ?? null;
  }
  return null;
}

/**
 * How much a red build proves if it lacks a landed change. A pull request of the build has landed on top of that
 * change, or together with it, and overlaps it. So the build may have been red because it lacked the change.
 * `conclusive`: it lacks no such change, or a green build lacked the same change. `weak`: a green build lacked the same
 * change, but contained another change that may have replaced it; the red build counts as one of the two that eject a
 * pull request.
 */
export type Conclusiveness = 'conclusive' | 'weak' | 'inconclusive';

export function judgeConclusiveness(
  graph: SpeculationGraph,
  build: SpeculativeBuild,
  greens: readonly SpeculativeBuild[],
): Conclusiveness {
  let found: Conclusiveness = 'conclusive';
  for (const landedIndex of build.landedParts) {
    const lacking = graph.landedWith(landedIndex).filter((at) => lacks(build, at));
    if (lacking.length === 0) continue;
    const holding = greens.filter(({ landedParts }) => landedParts.has(landedIndex));
    if (holding.some((green) => containedNoMore(graph, green, { landedIndex, build }))) continue;
    if (!lacking.every((at) => holding.some((green) => lacks(green, at)))) return 'inconclusive';
    // A weak proof is not enough against a batch, because a red batch is searched immediately.
    if (build.members.length > 1) return 'inconclusive';
    found = 'weak';
  }
  return found;
}

function lacks({ since, landedParts }: SpeculativeBuild, at: number): boolean {
  return at >= since && !landedParts.has(at);
}

/**
 * Whether the green build contained no change that overlaps the landed one and is missing from the red build. Such a
 * change might have replaced what both builds lacked.
 */
function containedNoMore(
  graph: SpeculationGraph,
  green: SpeculativeBuild,
  { landedIndex, build }: { readonly landedIndex: number; readonly build: SpeculativeBuild },
): boolean {
  const targets = graph.landed[landedIndex]?.targets ?? null;
  return (
    graph.landed.every((other, at) => !lacks(build, at) || lacks(green, at) || !overlap(other.targets, targets)) &&
    green.pending.every((index) => build.pendingSet.has(index) || !graph.landedOverlaps(index).includes(landedIndex))
  );
}
