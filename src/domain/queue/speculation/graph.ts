// What the adaptive planner decides on: the pull requests by their places in line, whom each of them has to let go
// first, and what each speculative build still says. Made anew whenever somebody leaves the line.
import { landingsSince } from '../evidence/composed-evidence.ts';
import { judgeConclusiveness } from './inconclusive.ts';
import { verdictOf, type LineView } from '../planning/line.ts';
import { isFailure } from '../planning/failure.ts';
import { mayReorderForFailure, mayReorder, wasReordered } from './movable.ts';
import { overlapsOf, targetsOf, type LandedChange } from './conflict-graph.ts';
import { overlap, type Overlaps, type Targets } from '../model/overlap.ts';
import type { BatchState, Landing, PinnedHead, PullRequestState } from '../model/snapshot.ts';
import type { BatchVerdict } from '../evidence/verdict.ts';
import type { Cause } from '../planning/resets.ts';

export interface SpeculativeBuild {
  readonly batch: BatchState;
  readonly verdict: BatchVerdict;
  /** Indices of its members, and of all of it that is still in line. */
  readonly members: readonly number[];
  readonly pending: readonly number[];
  readonly holds: ReadonlySet<number>;
  /** Indices in `landed` of what of it has landed since it was made. */
  readonly arrived: ReadonlySet<number>;
  /** Index in `landed` of the first change that came on top of its base. */
  readonly since: number;
}

export interface SpeculationGraph {
  readonly view: LineView;
  readonly line: readonly PullRequestState[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Those in line before it that it overlaps, in order. */
  readonly before: Overlaps;
  /** Those of them from the place `from` on. */
  readonly between: (from: number, index: number) => readonly number[];
  /** Some of them: whoever hangs together by all of them does by these. */
  readonly linksBefore: Overlaps;
  /** There are none. */
  readonly isFirst: (index: number) => boolean;
  /** By index: no less than the product of the factors, each at most 1, of those in line before it that it overlaps. */
  readonly productsBefore: (factors: Float64Array) => Float64Array;
  /** Speculative builds whose answer may matter. */
  readonly builds: readonly SpeculativeBuild[];
  /**
   * What they assumed did not come true, or slightly more: that the one they are about was red counts as one of two. Or
   * they hold one that has been passed, and those that pass it.
   */
  readonly invalidated: readonly SpeculativeBuild[];
  /** Red by themselves, be it for want of what has landed since: they let others pass, and take nobody out. */
  readonly inconclusive: readonly SpeculativeBuild[];
  /** The others. */
  readonly obsolete: readonly { readonly batch: BatchState; readonly cause: Cause; readonly isTold: boolean }[];
  /** Index → speculative builds it is a member of. */
  readonly buildsOf: ReadonlyMap<number, readonly SpeculativeBuild[]>;
  readonly landed: readonly LandedChange[];
  /** Indices in `landed`, by pull request. */
  readonly landedAt: ReadonlyMap<string, number>;
  /** Landed changes, by index, that the one at the index overlaps. */
  readonly landedOverlaps: Overlaps;
  /** By index, landed changes that this one overlaps and that landed before it or with it. */
  readonly landedWith: Overlaps;
  /** Places whose landing is planned or being made. */
  readonly landing: ReadonlySet<number>;
}

export function viewGraph(view: LineView): SpeculationGraph {
  const line = view.inOrder;
  const indexOf = new Map(line.map(({ id }, index) => [id, index]));
  const history = changesUnder(view);
  const overlaps = overlapsOf(view, history.changes);
  const graph: Mutable<SpeculationGraph> = {
    view,
    line,
    indexOf,
    ...overlaps,
    builds: [],
    invalidated: [],
    inconclusive: [],
    obsolete: [],
    buildsOf: new Map(),
    landed: history.changes,
    landedAt: new Map(history.changes.map(({ pullRequest }, landedIndex) => [pullRequest, landedIndex])),
    landing: new Set(),
  };
  graph.landing = findLanding(view, indexOf);
  const all = view.sideBuilds.map((batch) => judgeSpeculativeBuild(graph, batch, history.from.get(batch.base) ?? null));
  const greens = all.flatMap((each) => ('build' in each && each.build.verdict.kind === 'green' ? [each.build] : []));
  const judged = all.map((each) => judgeByGreens(graph, each, greens));
  graph.builds = judged.flatMap((each) => ('build' in each ? [each.build] : []));
  graph.invalidated = judged.flatMap((each) => ('red' in each && each.isOneOfTwo ? [each.red] : []));
  graph.inconclusive = judged.flatMap((each) => ('red' in each && each.mayBeReordered ? [each.red] : []));
  graph.obsolete = judged.flatMap((each) => ('batch' in each ? [each] : []));
  graph.buildsOf = indexMembers(graph.builds);
  return graph;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function indexMembers(builds: readonly SpeculativeBuild[]): ReadonlyMap<number, readonly SpeculativeBuild[]> {
  const buildsOf = new Map<number, SpeculativeBuild[]>();
  for (const build of builds)
    for (const index of build.members) {
      const known = buildsOf.get(index);
      if (known === undefined) buildsOf.set(index, [build]);
      else known.push(build);
    }
  return buildsOf;
}

function findLanding(view: LineView, indexOf: ReadonlyMap<string, number>): ReadonlySet<number> {
  const landing = [...view.batches.slice(0, 1), ...view.sideBuilds.filter((batch) => batch.landingPlanned)];
  return new Set(landing.flatMap((batch) => batch.members.flatMap((member) => indexOf.get(member.pullRequest) ?? [])));
}

interface History {
  readonly changes: readonly LandedChange[];
  /** Base → index of the first change on top of it. Missing: what came on top of it is not known, or is none of ours. */
  readonly from: ReadonlyMap<string, number>;
}

/** What has landed since the oldest base that a speculative build is on. */
function changesUnder({ snapshot, sideBuilds }: LineView): History {
  const { queue, landings, rules } = snapshot;
  const bases = [...new Set(sideBuilds.map((batch) => batch.base))];
  const longest = bases
    .flatMap((base) => [landingsSince(base, queue.tip, landings) ?? []])
    .reduce<readonly Landing[]>((long, since) => (since.length > long.length ? since : long), []);
  const ours = longest.slice(longest.findLastIndex(({ members }) => members === null) + 1);
  const from = new Map<string, number>();
  const changes: LandedChange[] = [];
  for (const { commit, firstParent, members } of ours) {
    from.set(firstParent, changes.length);
    for (const member of members ?? [])
      changes.push({ ...member, targets: rules.useAffectedTargets ? member.targets : null, commit });
  }
  from.set(queue.tip, changes.length);
  return { changes, from };
}

type Judged =
  | { readonly build: SpeculativeBuild }
  /** Still built, of one aside that something it overlaps has landed before. */
  | { readonly late: SpeculativeBuild }
  | { readonly red: SpeculativeBuild; readonly isOneOfTwo: boolean; readonly mayBeReordered: boolean }
  | SpeculationGraph['obsolete'][number];

/** By what is green: whether a late one is of use, and what a doubtful one still says. */
function judgeByGreens(graph: SpeculationGraph, judged: Judged, greens: readonly SpeculativeBuild[]): Judged {
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

/** It is asked anew where that is of use. */
function obsolete({ batch }: SpeculativeBuild): Judged {
  return { batch, cause: { code: 309, causedBy: null }, isTold: false };
}

function judgeSpeculativeBuild(graph: SpeculationGraph, batch: BatchState, since: number | null): Judged {
  const { view, indexOf } = graph;
  const fall = (cause: Cause): Judged => ({ batch, cause, isTold: true });
  if (batch.sideBuild !== 'speculative' || batch.buildKeysHash !== view.snapshot.rules.buildKeysHash)
    return fall({ code: 307, causedBy: null });
  // Somebody else's commit is on top of its base, or so much that it is not known any more.
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
  // What passed it has landed: this is a build of it alone now.
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
  // Nobody waits for it, and begun anew with each landing it might never answer.
  if (verdict.kind === 'pending' && isIsolatedRetryBuild(graph, build)) return { late: build };
  return isRedAlone(build) ? { red: build, isOneOfTwo: true, mayBeReordered: false } : obsolete(build);
}

/** Of one that was passed: when what passed it has landed, it says of it what a build of it in its new place would. */
function countsAgainstReordered(graph: SpeculationGraph, build: SpeculativeBuild): boolean {
  const { verdict, pending } = build;
  const isAbout = (index: number): boolean => wasReordered(graph, index) && isUntouched(graph, build, index);
  return verdict.kind === 'red' && pending.length > 1 && pending.some(isAbout);
}

/** Of one that let others pass and still may, and on the tip of that moment alone. */
function isIsolatedRetryBuild(graph: SpeculationGraph, { batch, members }: SpeculativeBuild): boolean {
  const [index = -1] = members;
  const isAlone = batch.assumes.length === 0 && batch.members.length === 1;
  return isAlone && graph.line[index]?.reorderedForFailure === true && mayReorder(graph, index);
}

/** -1: not since the oldest base that a speculative build is on. */
function landedAtOf({ landed, landedAt }: SpeculationGraph, { pullRequest, head }: PinnedHead): number {
  const landedIndex = landedAt.get(pullRequest) ?? -1;
  return landed[landedIndex]?.head === head ? landedIndex : -1;
}

/** What overlaps landed, and is in line, as it came in the build. `order`: of the changes that landed and then the line. */
function isOrdered(graph: SpeculationGraph, order: readonly number[]): boolean {
  if (order.every((at, landedIndex) => landedIndex === 0 || at > (order[landedIndex - 1] ?? -1))) return true;
  const targets = order.map((at) => targetsAt(graph, at));
  // Whoever may affect anything lands by a build of the very tree.
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

/** One by itself, on nothing that might have been at fault. */
export function isRedAlone({ verdict, members, pending }: SpeculativeBuild): boolean {
  return verdict.kind === 'red' && members.length === 1 && pending.length === 1;
}

function departureCause(view: LineView, { pullRequest }: PinnedHead): Cause {
  const code = view.pullRequests.has(pullRequest) ? 310 : (view.departures.get(pullRequest) ?? 303);
  return { code, causedBy: pullRequest };
}

/** Nothing that landed since, other than by what the speculative build holds, overlaps the one at the index. */
export function isUntouched(graph: SpeculationGraph, build: SpeculativeBuild, index: number): boolean {
  return graph
    .landedOverlaps(index)
    .every((landedIndex) => landedIndex < build.since || build.arrived.has(landedIndex));
}

/** One that skipped the line ahead of a member, and that it does not hold: nobody speculative builds against such a one. */
function findSkipLineAhead(graph: SpeculationGraph, build: SpeculativeBuild): PullRequestState | null {
  // They are first in line, all of them.
  if (graph.line[0]?.skipLine !== true) return null;
  for (const index of build.members) {
    const passing = graph.before(index).find((before) => !build.holds.has(before) && isAssumedToLand(graph, before));
    if (passing !== undefined) return graph.line[passing] ?? null;
  }
  return null;
}

/** It skipped the line, and nothing is known that speaks against it. */
export function isAssumedToLand(graph: SpeculationGraph, index: number): boolean {
  const pullRequest = graph.line[index];
  return pullRequest !== undefined && pullRequest.skipLine && !graph.view.conflicts.has(pullRequest.id);
}

/** The first of these, put on the tip in order, that is known to conflict with what is before it there. */
export function findConflict(graph: SpeculationGraph, indices: readonly number[]): number | null {
  const { conflicts, snapshot } = graph.view;
  if (conflicts.size === 0) return null;
  const landed = new Set(graph.landed.map(({ head }) => head));
  const heads = new Set<string>();
  for (const index of indices) {
    const { id = '', head = '' } = graph.line[index] ?? {};
    for (const { parent, after } of conflicts.get(id) ?? []) {
      const isHere = after.length === 0 ? parent === snapshot.queue.tip : after.some((other) => heads.has(other));
      // Of what left the line nothing is there any more: whether the rest conflicts is found out anew.
      if (isHere && after.every((other) => heads.has(other) || landed.has(other))) return index;
    }
    heads.add(head);
  }
  return null;
}
