// What each speculative build still proves: about which pull requests, for how long, and with what weight as a failure.
import { verdictOf, type LineView } from '../planning/line.ts';
import { isFailure } from '../planning/failure.ts';
import { mayReorderForFailure, mayReorder, wasReordered } from './reorderable.ts';
import { targetsOf } from './conflict-graph.ts';
import { overlap, type Targets } from '../model/overlap.ts';
import type { BatchState, PinnedHead, PullRequestState } from '../model/snapshot.ts';
import type { Cause } from '../planning/resets.ts';
import { type SpeculativeBuild, type SpeculationGraph, isRedAlone, isUntouched, isAssumedToLand } from './graph.ts';

export type Judged =
  | { readonly build: SpeculativeBuild }
  /** The running build of an isolated retry, if something that it overlaps has landed since its start. */
  | { readonly late: SpeculativeBuild }
  | { readonly red: SpeculativeBuild; readonly isOneOfTwo: boolean; readonly mayBeReordered: boolean }
  | SpeculationGraph['obsolete'][number];

/** Uses green builds to decide whether a late build is useful, and how much a red one still proves. */
export function judgeByGreens(graph: SpeculationGraph, judged: Judged, greens: readonly SpeculativeBuild[]): Judged {
  if ('batch' in judged) return judged;
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

/** The build is repeated if that is useful. */
function obsolete({ batch }: SpeculativeBuild): Judged {
  return { batch, cause: { code: 309, causedBy: null }, isReported: false };
}

export function judgeSpeculativeBuild(graph: SpeculationGraph, batch: BatchState, since: number | null): Judged {
  const { view, indexOf } = graph;
  const fall = (cause: Cause): Judged => ({ batch, cause, isReported: true });
  if (batch.sideBuild !== 'speculative' || batch.buildKeysHash !== view.snapshot.rules.buildKeysHash)
    return fall({ code: 307, causedBy: null });
  // An outside change is on top of its base, or more changes than are recorded.
  if (since === null) return fall({ code: 305, causedBy: null });
  const verdict = verdictOf(view, batch);
  if (verdict.kind === 'worthless') return fall({ code: verdict.code, causedBy: null });
  const order: number[] = [];
  const pending: number[] = [];
  const arrived = new Set<number>();
  for (const pinned of [...batch.assumes, ...batch.members]) {
    const index = indexOf.get(pinned.pullRequest);
    const landedIndex = landedAtOf(graph, pinned);
    if (index !== undefined && graph.line[index]?.head === pinned.head) {
      order.push(graph.landed.length + index);
      pending.push(index);
    } else if (landedIndex >= since) {
      order.push(landedIndex);
      arrived.add(landedIndex);
    } else return fall(departureCause(view, pinned));
  }
  const asked = batch.members.flatMap(({ pullRequest }) => indexOf.get(pullRequest) ?? []);
  // The pull requests that passed it have landed: this is now a build of it alone.
  const isLeft =
    verdict.kind === 'red' && asked.length === 0 && pending.length === 1 && wasReordered(graph, pending[0]);
  const members = isLeft ? pending : asked;
  const build: SpeculativeBuild = { batch, verdict, members, pending, holds: new Set(pending), arrived, since };
  if (members.length === 0 || batch.givenUp) return obsolete(build);
  if (members.some((index) => graph.line[index]?.skipValidation)) return obsolete(build);
  const passing = findSkipLineAhead(graph, build);
  if (passing !== null) return fall({ code: 302, causedBy: passing.id });
  const isForeign = members.some((index) => !isUntouched(graph, build, index));
  if (!isForeign && (isLeft || isOrdered(graph, order))) return { build };
  if (countsAgainstReordered(graph, build)) return { red: build, isOneOfTwo: true, mayBeReordered: false };
  // No pull request waits for it. Restarted at each landing it might never end.
  if (verdict.kind === 'pending' && isIsolatedRetryBuild(graph, build)) return { late: build };
  return isRedAlone(build) ? { red: build, isOneOfTwo: true, mayBeReordered: false } : obsolete(build);
}

/**
 * When the pull requests that passed a reordered one have landed, its red build on top of them proves as much as a
 * build in its new place.
 */
function countsAgainstReordered(graph: SpeculationGraph, build: SpeculativeBuild): boolean {
  const { verdict, pending } = build;
  const isAbout = (index: number): boolean => wasReordered(graph, index) && isUntouched(graph, build, index);
  return verdict.kind === 'red' && pending.length > 1 && pending.some(isAbout);
}

/** A build of a reordered pull request alone, on what was the tip at that time. */
function isIsolatedRetryBuild(graph: SpeculationGraph, { batch, members }: SpeculativeBuild): boolean {
  const [index = -1] = members;
  const isAlone = batch.assumes.length === 0 && batch.members.length === 1;
  return isAlone && graph.line[index]?.reorderedForFailure === true && mayReorder(graph, index);
}

/** -1: it has not landed since the oldest base of a speculative build. */
function landedAtOf({ landed, landedAt }: SpeculationGraph, { pullRequest, head }: PinnedHead): number {
  const landedIndex = landedAt.get(pullRequest) ?? -1;
  return landed[landedIndex]?.head === head ? landedIndex : -1;
}

/**
 * Landed changes that overlap, and those in line, are in the order of the build. `order`: the landed changes, then the
 * line.
 */
function isOrdered(graph: SpeculationGraph, order: readonly number[]): boolean {
  if (order.every((at, index) => index === 0 || at > (order[index - 1] ?? -1))) return true;
  const targets = order.map((at) => targetsAt(graph, at));
  // A pull request that may affect everything lands only by a build of the very tree.
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

/** A pull request that skipped the line ahead of a member and is not in the build. Every build must include it. */
function findSkipLineAhead(graph: SpeculationGraph, build: SpeculativeBuild): PullRequestState | null {
  // All pull requests that skip the line are at its front.
  if (graph.line[0]?.skipLine !== true) return null;
  for (const index of build.members) {
    const passing = graph.before(index).find((before) => !build.holds.has(before) && isAssumedToLand(graph, before));
    if (passing !== undefined) return graph.line[passing] ?? null;
  }
  return null;
}

/**
 * A pull request that a red build assumed has landed on, or together with, a change that overlaps it and was not in the
 * build. The build may have been red for lack of that change. `conclusive`: a green build lacked the same change.
 * `weak`: a green build lacked the same change and held something more, which may have replaced it; the red build
 * counts as one of the two that eject a pull request.
 */
export type Conclusiveness = 'conclusive' | 'weak' | 'inconclusive';

export function judgeConclusiveness(
  graph: SpeculationGraph,
  build: SpeculativeBuild,
  greens: readonly SpeculativeBuild[],
): Conclusiveness {
  let found: Conclusiveness = 'conclusive';
  for (const landedIndex of build.arrived) {
    const lacking = graph.landedWith(landedIndex).filter((at) => lacks(build, at));
    if (lacking.length === 0) continue;
    const holding = greens.filter(({ arrived }) => arrived.has(landedIndex));
    if (holding.some((green) => heldNoMore(graph, green, { landedIndex, build }))) continue;
    if (!lacking.every((at) => holding.some((green) => lacks(green, at)))) return 'inconclusive';
    // A red batch is searched at once.
    if (build.members.length > 1) return 'inconclusive';
    found = 'weak';
  }
  return found;
}

function lacks({ since, arrived }: SpeculativeBuild, at: number): boolean {
  return at >= since && !arrived.has(at);
}

/** Among the changes that the landed one overlaps: one of those might have replaced what both builds lacked. */
function heldNoMore(
  graph: SpeculationGraph,
  green: SpeculativeBuild,
  { landedIndex, build }: { readonly landedIndex: number; readonly build: SpeculativeBuild },
): boolean {
  const targets = graph.landed[landedIndex]?.targets ?? null;
  return (
    graph.landed.every((other, at) => !lacks(build, at) || lacks(green, at) || !overlap(other.targets, targets)) &&
    green.pending.every((index) => build.holds.has(index) || !graph.landedOverlaps(index).includes(landedIndex))
  );
}
