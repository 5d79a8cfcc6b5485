// Which builds are started: of all that could be, in order of the probability that they are needed, which is that exactly
// what the build assumes comes true.
import { isInIsolatedRetry } from './isolated-retry.ts';
import { formBatches } from './batches.ts';
import { isSecondTryWorthwhile } from '../model/success-probability.ts';
import { isFailure } from '../planning/failure.ts';
import { findConflict, isAssumedToLand, type SpeculativeBuild, type SpeculationGraph } from './graph.ts';
import { Heap } from './heap.ts';
import { probabilityOfAssumptions, type LandingProbabilities } from './landing-probability.ts';
import { isCulpritSearched, findUnexplainedReds } from './culprit-search.ts';
import { unitsOf } from './build-units.ts';
import type { Decision } from '../model/decision.ts';

type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

/** A speculative build less likely to be needed is not built, however many builds are free. */
const leastProbability = 0.1;

/** What a red speculative build assumes is so likely to come true that it is built once more before it has. */
const worthSecondTry = 0.5;

/** A running build gives way only to one that is so many times as likely to be needed, and only where no build is free. */
const worthDropping = 20;

/** One way in which those before a unit may fare. */
interface Assumption {
  readonly probability: number;
  /** Indices of those undecided that do not go the likelier way. */
  readonly flipped: readonly number[];
}

interface Candidate {
  readonly members: readonly number[];
  /** Assumed whatever happens. */
  readonly certain: readonly number[];
  /** Those before it that may land or not, least certain first. */
  readonly undecided: readonly Undecided[];
  readonly next: Assumption;
}

interface Undecided {
  readonly index: number;
  readonly lands: boolean;
  /** What its going the other way divides the probability by. */
  readonly odds: number;
}

export interface BuildSelection {
  readonly starts: readonly StartBatch[];
  /** Running speculative builds that give way. */
  readonly dropped: readonly SpeculativeBuild[];
  /** When those that wait for company are built without. Null: none wait. */
  readonly until: number | null;
}

export function selectBuilds(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
  free: number,
): BuildSelection {
  const { speculation } = graph.view.snapshot.rules;
  const isAdaptive = speculation === 'adaptive';
  // Where more run than may, as after a pause, one that gave way to another would make room for none.
  const unlikely = isAdaptive && Number.isFinite(free) && free >= 0 ? findUnlikelyBuilds(graph, probabilities) : [];
  const starts: StartBatch[] = [];
  const dropped: SpeculativeBuild[] = [];
  if (free + unlikely.length <= 0) return { starts, dropped, until: null };
  const formed = formBatches(graph, free);
  const heap = new Heap<Candidate>(
    (a, b) => (isAdaptive ? b.next.probability - a.next.probability : 0) || firstOf(a) - firstOf(b),
  );
  const likeliest = isAdaptive ? graph.productsBefore(probabilities.map((lands) => Math.max(lands, 1 - lands))) : null;
  for (const members of unitsOf(graph, formed)) {
    // Whoever waits for those of whom too much is open is not even looked at: however long the line, few of a chain are.
    const [first = 0] = members;
    if (likeliest !== null && (likeliest[first] ?? 1) < leastProbability && !isInIsolatedRetry(graph, first)) continue;
    const candidate = mostLikely(graph, probabilities, members);
    if (candidate !== null) heap.push(candidate);
  }
  const reds = findUnexplainedReds(graph);
  for (let best = heap.pop(); best !== undefined; best = heap.pop()) {
    if (isAdaptive && best.next.probability < leastProbability) break;
    const assumed = isAdaptive ? assumedBy(graph, best, reds) : hopedBy(graph, best);
    const cause = assumed === null ? null : causeOf(graph, best, assumed);
    if (assumed !== null && cause !== null) {
      if (starts.length >= free + dropped.length) {
        const leastLikely = unlikely[dropped.length];
        if (leastLikely === undefined || leastLikely.probability * worthDropping > best.next.probability) break;
        dropped.push(leastLikely.build);
      }
      starts.push(start(graph, { members: best.members, assumed, cause, after: starts.length }));
    }
    if (isAdaptive) for (const next of furtherOf(best)) heap.push(next);
  }
  return { starts, dropped, until: formed.until };
}

/** Running speculative builds that will hardly be needed any more, the least likely first. */
function findUnlikelyBuilds(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
): readonly { readonly build: SpeculativeBuild; readonly probability: number }[] {
  return graph.builds
    .filter(({ verdict, batch }) => verdict.kind === 'pending' && !batch.landingPlanned)
    .filter(({ members }) => !members.some((index) => isInIsolatedRetry(graph, index)))
    .map((build) => ({ build, probability: probabilityOfAssumptions(graph, probabilities, build) }))
    .filter(({ probability }) => probability * worthDropping < 1)
    .sort((a, b) => a.probability - b.probability);
}

function firstOf({ members }: Candidate): number {
  return members[0] ?? 0;
}

/** Null: nothing is built for it now. */
function mostLikely(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
  members: readonly number[],
): Candidate | null {
  const own = new Set(members);
  const certain = new Set<number>();
  const undecided: Undecided[] = [];
  let probability = 1;
  const indices = new Set(members.flatMap((member) => graph.before(member)).filter((index) => !own.has(index)));
  const below = belowOf(graph, members);
  for (const index of indices) {
    if (graph.line[index]?.isBarrier) return null;
    const lands = probabilities[index] ?? 0.5;
    const isCertain = graph.landing.has(index) || below.has(index) || isAssumedToLand(graph, index);
    probability *= isCertain ? lands : Math.max(lands, 1 - lands);
    if (isCertain) certain.add(index);
    else undecided.push(toUndecided(graph, index, lands));
  }
  if (members.some((index) => isInIsolatedRetry(graph, index)))
    return { members, certain: [...certain], undecided: [], next: { probability: 1, flipped: [] } };
  undecided.sort((a, b) => a.odds - b.odds);
  return { members, certain: [...certain], undecided, next: { probability, flipped: [] } };
}

/** With linear speculation everybody is hoped to land of whom nothing else is known. */
function toUndecided(graph: SpeculationGraph, index: number, lands: number): Undecided {
  const isHoped = graph.view.snapshot.rules.speculation === 'linear' && !hasFailed(graph, index);
  return { index, lands: isHoped || lands >= 0.5, odds: Math.max(lands, 1 - lands) / Math.min(lands, 1 - lands) };
}

function hasFailed(graph: SpeculationGraph, index: number): boolean {
  return (graph.buildsOf.get(index) ?? []).some(({ verdict }) => isFailure(verdict));
}

/** What its members stand on, all the way down. */
function belowOf(graph: SpeculationGraph, members: readonly number[]): ReadonlySet<number> {
  const below = new Set<number>();
  for (const member of members)
    for (let at = graph.indexOf.get(graph.line[member]?.below ?? ''); at !== undefined && !below.has(at); ) {
      below.add(at);
      at = graph.indexOf.get(graph.line[at]?.below ?? '');
    }
  return below;
}

/** The next assumptions, by the last one that was flipped: each set comes once, never before a likelier one. */
function furtherOf(candidate: Candidate): Candidate[] {
  const { undecided, next } = candidate;
  const last = next.flipped.at(-1);
  const following = undecided[last === undefined ? 0 : last + 1];
  if (following === undefined) return [];
  const added = { probability: next.probability / following.odds, flipped: [...next.flipped, (last ?? -1) + 1] };
  const given = last === undefined ? undefined : undecided[last];
  if (last === undefined || given === undefined) return [{ ...candidate, next: added }];
  const moved = { probability: added.probability * given.odds, flipped: [...next.flipped.slice(0, -1), last + 1] };
  return [added, moved].map((assumption) => ({ ...candidate, next: assumption }));
}

/** Places in order, what stands on nothing it assumes left out. Null: it cannot come true, or does not merge. */
function assumedBy(
  graph: SpeculationGraph,
  { members, certain, undecided, next }: Candidate,
  reds: readonly SpeculativeBuild[],
): readonly number[] | null {
  const flipped = new Set(next.flipped);
  const hoped = undecided.flatMap(({ index, lands }, at) => (lands === flipped.has(at) ? [] : [index]));
  const assumed = new Set([...certain, ...hoped]);
  const notAssumed = new Set(undecided.map(({ index }) => index).filter((index) => !assumed.has(index)));
  for (const below of belowOf(graph, [...assumed])) {
    if (notAssumed.has(below)) return null;
    assumed.add(below);
  }
  for (const member of members) assumed.delete(member);
  // What was red together is red with others, and does not all land.
  const isRefuted = reds.some(({ pending }) => pending.every((index) => assumed.has(index)));
  const indices = [...assumed].sort((a, b) => a - b);
  return isRefuted || findConflict(graph, [...indices, ...members]) !== null ? null : indices;
}

/**
 * With linear speculation: all that are hoped for, but for those that are known not to merge behind the others. One after
 * the other is left out, and no two ways are compared: of n before it there are 2^n.
 */
function hopedBy(graph: SpeculationGraph, { members, certain, undecided }: Candidate): readonly number[] | null {
  const open = new Set(undecided.map(({ index }) => index));
  const out = new Set(undecided.flatMap(({ index, lands }) => (lands ? [] : [index])));
  const isLeftOut = (index: number): boolean =>
    out.has(index) || [...belowOf(graph, [index])].some((at) => out.has(at));
  for (;;) {
    const assumed = new Set([...certain, ...[...open].filter((index) => !isLeftOut(index))]);
    for (const below of belowOf(graph, [...assumed])) assumed.add(below);
    for (const member of members) assumed.delete(member);
    if ([...certain].some(isLeftOut)) return null;
    const indices = [...assumed].sort((a, b) => a - b);
    const conflicting = findConflict(graph, [...indices, ...members]);
    if (conflicting === null) return indices;
    if (!open.has(conflicting)) return null;
    out.add(conflicting);
  }
}

/** Null: it is asked already, or has been. */
function causeOf(
  graph: SpeculationGraph,
  candidate: Candidate,
  assumed: readonly number[],
): StartBatch['cause'] | null {
  const { members } = candidate;
  const [first = -1] = members;
  const own = new Set(members);
  const isAsked = (build: SpeculativeBuild): boolean =>
    isSame(
      build.pending.filter((index) => !own.has(index)),
      assumed,
    );
  const asked = (graph.buildsOf.get(first) ?? []).filter(
    (build) => members.every((member) => build.members.includes(member)) && isAsked(build),
  );
  // Of an isolated retry, also builds that were made for those that passed it.
  if (isInIsolatedRetry(graph, first))
    asked.push(
      ...graph.invalidated.filter(
        (build) => build.holds.has(first) && !build.members.includes(first) && isAsked(build),
      ),
    );
  const row = graph.line[first];
  if (asked.length === 0) {
    if (row?.bisection || isPartOfRed(graph, members)) return 'bisect';
    return (row?.requeueAttempts ?? 0) > 0 ? 'retry' : 'new';
  }
  return isRetried(graph, candidate, asked) ? 'retry' : null;
}

function isPartOfRed(graph: SpeculationGraph, members: readonly number[]): boolean {
  const [first = -1] = members;
  const builds = graph.buildsOf.get(first) ?? [];
  return builds.some(
    (build) => isFailure(build.verdict) && isCulpritSearched(graph, build) && build.members.length > members.length,
  );
}

/**
 * One that is red by itself is asked once again before it is blamed, as soon as what the red build assumed is likely to
 * come true: who waited for that would hold up all behind it for a whole build. What is left of a red batch is asked
 * by itself in any case.
 */
function isRetried(graph: SpeculationGraph, { members, next }: Candidate, asked: readonly SpeculativeBuild[]): boolean {
  if (members.length > 1 || next.probability < worthSecondTry) return false;
  if (!asked.every(({ verdict }) => isFailure(verdict))) return false;
  const own = asked.filter(({ batch }) => batch.members.length === 1);
  if (own.length === 0) return true;
  const reds = asked.filter(({ verdict }) => verdict.kind === 'red');
  return (
    own.length === 1 &&
    own[0]?.verdict.kind === 'red' &&
    reds.length === 1 &&
    isSecondTryWorthwhile(graph.view.snapshot.secondTries)
  );
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at]);
}

function start(
  graph: SpeculationGraph,
  of: {
    readonly members: readonly number[];
    readonly assumed: readonly number[];
    readonly cause: StartBatch['cause'];
    readonly after: number;
  },
): StartBatch {
  const { tip, nextPosition } = graph.view.snapshot.queue;
  return {
    kind: 'StartBatch',
    position: nextPosition + of.after,
    members: pin(graph, of.members),
    parentBatch: null,
    parentCommit: tip,
    base: tip,
    sideBuild: 'speculative',
    assumes: pin(graph, of.assumed),
    restsOn: [],
    cause: of.cause,
  };
}

export function pin(graph: SpeculationGraph, indices: readonly number[]): StartBatch['members'] {
  return indices.flatMap((index) => {
    const row = graph.line[index];
    return row === undefined ? [] : [{ pullRequest: row.id, head: row.head }];
  });
}
