// Selects the builds that start, in the order of start-order.ts, or of gain-order.ts in a crowded line. A build is needed
// if exactly the pull requests that it assumes land before it.
import TinyQueue from 'tinyqueue';
import { allowsIsolatedBuilds, startsByGain } from './crowded-line.ts';
import { isIsolatedBuild, needsIsolatedBuild } from './isolated-first-build.ts';
import { GainOrder, type PossibleBuild } from './gain-order.ts';
import { isInIsolatedRetry } from './isolated-retry.ts';
import { formBatches } from './batches.ts';
import { isSecondTryWorthwhile } from '../model/success-probability.ts';
import { isFailure } from '../planning/failure.ts';
import { countAllowed, type SpeculativeBuild, type SpeculationGraph, pin } from './graph.ts';

import { probabilityOfAssumptions, type LandingProbabilities } from './landing-probability.ts';
import { isCulpritSearched, findUnexplainedReds } from './culprit-search.ts';
import { startOrderOf } from './start-order.ts';
import { unitsOf } from './build-units.ts';
import type { Decision } from '../model/decision.ts';
import {
  type Candidate,
  firstMember,
  isolatedCandidate,
  mostLikelyCandidate,
  nextCandidates,
  listAssumedIndices,
  listAssumedOptimistically,
} from './assumptions.ts';

type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

/** A build with a lower probability of being needed does not start, even if more builds may run. */
const minProbability = 0.1;

/**
 * If the assumption of a red build is at least this probable, the build is repeated before the assumption has come
 * true.
 */
const minSecondTryProbability = 0.5;

/**
 * If no further build may run, a new build replaces a running one only if it is this many times as likely to be needed.
 */
const minReplacementFactor = 20;

/**
 * With linear speculation, a build assumes at most this many pull requests. Adaptive speculation is limited by the
 * probability of the assumption. Without a limit, the assumptions of a long line would grow with its square.
 */
const deepestAssumption = 100;

export interface BuildSelection {
  readonly starts: readonly StartBatch[];
  /** Running speculative builds that are replaced. */
  readonly dropped: readonly SpeculativeBuild[];
  /** When pull requests that wait for further members are built without them. Null: no pull request waits. */
  readonly until: number | null;
}

export function selectBuilds(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
  free: number,
): BuildSelection {
  const { speculation } = graph.view.snapshot.rules;
  const isAdaptive = speculation === 'adaptive';
  // If more builds run than are allowed, for example in a pause, the end of one build allows no other build.
  const unlikely = isAdaptive && Number.isFinite(free) && free >= 0 ? findUnlikelyBuilds(graph, probabilities) : [];
  const starts: StartBatch[] = [];
  const dropped: SpeculativeBuild[] = [];
  if (free + unlikely.length <= 0) return { starts, dropped, until: null };
  const formed = formBatches(graph, free);
  const allowed = countAllowed(graph, free);
  const candidates = collectCandidates(graph, probabilities, {
    units: unitsOf(graph, formed),
    mayIsolate: allowsIsolatedBuilds(graph, allowed),
  });
  const isByGain = startsByGain(graph, allowed);
  const order = isByGain
    ? new GainOrder(graph, probabilities, listPossibleBuilds(graph, candidates))
    : new WorthOrder(graph, candidates);
  for (let best = order.next(); best !== null; best = order.next()) {
    const { candidate, assumed } = best;
    // An isolated first build may have the same content as another candidate.
    const isStarted = assumed.length === 0 && starts.some((each) => isIsolatedStart(graph, each, candidate));
    const cause = isStarted ? null : causeOf(graph, candidate, assumed);
    if (cause === null) continue;
    if (starts.length >= free + dropped.length) {
      const leastLikely = unlikely[dropped.length];
      if (leastLikely === undefined) break;
      // In the order of gains, a build that is needed more often may follow.
      if (leastLikely.probability * minReplacementFactor > candidate.next.probability) {
        if (isByGain) continue;
        break;
      }
      dropped.push(leastLikely.build);
    }
    starts.push(start(graph, { members: candidate.members, assumed, cause, after: starts.length }));
    order.noteStart(best);
  }
  return { starts, dropped, until: formed.until };
}

function isUseful({ next }: Candidate): boolean {
  return next.probability >= minProbability;
}

/** Gives the candidates in the order of start-order.ts. */
class WorthOrder {
  readonly #graph: SpeculationGraph;
  readonly #reds: readonly SpeculativeBuild[];
  readonly #heap: TinyQueue<Candidate>;

  constructor(graph: SpeculationGraph, candidates: readonly Candidate[]) {
    this.#graph = graph;
    this.#reds = findUnexplainedReds(graph);
    this.#heap = new TinyQueue([...candidates], startOrderOf(graph));
  }

  next(): PossibleBuild | null {
    const isAdaptive = this.#graph.view.snapshot.rules.speculation === 'adaptive';
    for (let candidate = this.#heap.pop(); candidate !== undefined; candidate = this.#heap.pop()) {
      const assumed = isAdaptive
        ? listAssumedIndices(this.#graph, candidate, this.#reds)
        : listAssumedOptimistically(this.#graph, candidate);
      if (isAdaptive) for (const next of nextCandidates(candidate).filter(isUseful)) this.#heap.push(next);
      if (assumed !== null) return { candidate, assumed };
    }
    return null;
  }

  noteStart(): void {
    // The worth of a build does not depend on the others.
  }
}

/**
 * The candidates and all useful ones that follow them. The outcomes before one unit exclude each other, so there are at
 * most ten useful ones for each unit.
 */
function listPossibleBuilds(graph: SpeculationGraph, candidates: readonly Candidate[]): readonly PossibleBuild[] {
  const reds = findUnexplainedReds(graph);
  const possible: PossibleBuild[] = [];
  const left = [...candidates];
  for (let candidate = left.pop(); candidate !== undefined; candidate = left.pop()) {
    const assumed = listAssumedIndices(graph, candidate, reds);
    if (assumed !== null) possible.push({ candidate, assumed });
    left.push(...nextCandidates(candidate).filter(isUseful));
  }
  return possible;
}

/** For each unit, the candidate with the most probable assumption. */
function collectCandidates(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
  { units, mayIsolate }: { readonly units: readonly (readonly number[])[]; readonly mayIsolate: boolean },
): readonly Candidate[] {
  const isAdaptive = graph.view.snapshot.rules.speculation === 'adaptive';
  const candidates: Candidate[] = [];
  const mostProbable = isAdaptive
    ? graph.productsBefore(probabilities.map((lands) => Math.max(lands, 1 - lands)))
    : null;
  for (const members of units) {
    // A unit with too many open outcomes before it is not examined. So the cost of a plan does not grow with a long
    // chain of overlapping pull requests.
    const [first = 0] = members;
    if (mayIsolate && members.length === 1 && needsIsolatedBuild(graph, first, mostProbable?.[first] ?? 1))
      candidates.push(isolatedCandidate(members));
    if (mostProbable !== null && (mostProbable[first] ?? 1) < minProbability && !isInIsolatedRetry(graph, first))
      continue;
    if (!isAdaptive && graph.before(first).length > deepestAssumption && !isInIsolatedRetry(graph, first)) continue;
    const candidate = mostLikelyCandidate(graph, probabilities, members);
    if (candidate !== null && (!isAdaptive || isUseful(candidate))) candidates.push(candidate);
  }
  return candidates;
}

function isIsolatedStart(graph: SpeculationGraph, { members, assumes }: StartBatch, candidate: Candidate): boolean {
  const isSame = members.length === 1 && members[0]?.pullRequest === graph.line[firstMember(candidate)]?.id;
  return isSame && assumes.length === 0 && candidate.members.length === 1;
}

/** Running speculative builds that are unlikely to be needed, the least likely first. */
function findUnlikelyBuilds(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
): readonly { readonly build: SpeculativeBuild; readonly probability: number }[] {
  return graph.builds
    .filter(({ verdict, batch }) => verdict.kind === 'pending' && !batch.landingPlanned)
    .filter(({ members }) => !members.some((index) => isInIsolatedRetry(graph, index)))
    .filter(({ batch, members }) => !isIsolatedBuild(graph, batch, members[0] ?? -1))
    .map((build) => ({ build, probability: probabilityOfAssumptions(graph, probabilities, build) }))
    .filter(({ probability }) => probability * minReplacementFactor < 1)
    .sort((a, b) => a.probability - b.probability);
}

/** Why the build starts. Null: it does not start, because the same build exists or existed. */
function causeOf(
  graph: SpeculationGraph,
  candidate: Candidate,
  assumed: readonly number[],
): StartBatch['cause'] | null {
  const { members } = candidate;
  const [first = -1] = members;
  const own = new Set(members);
  const hasSameContent = (build: SpeculativeBuild): boolean =>
    isSame(
      build.pending.filter((index) => !own.has(index)),
      assumed,
    );
  const existing = (graph.buildsOf.get(first) ?? []).filter(
    (build) => members.every((member) => build.members.includes(member)) && hasSameContent(build),
  );
  // For an isolated retry, builds of the pull requests that passed it count too, if they contain it.
  if (isInIsolatedRetry(graph, first))
    existing.push(
      ...graph.invalidated.filter(
        (build) => build.pendingSet.has(first) && !build.members.includes(first) && hasSameContent(build),
      ),
    );
  const row = graph.line[first];
  if (existing.length === 0) {
    if (row?.bisection || isPartOfRed(graph, members)) return 'bisect';
    return (row?.requeueAttempts ?? 0) > 0 ? 'retry' : 'new';
  }
  return isRetried(graph, candidate, existing) ? 'retry' : null;
}

function isPartOfRed(graph: SpeculationGraph, members: readonly number[]): boolean {
  const [first = -1] = members;
  const builds = graph.buildsOf.get(first) ?? [];
  return builds.some(
    (build) => isFailure(build.verdict) && isCulpritSearched(graph, build) && build.members.length > members.length,
  );
}

/**
 * Whether the same build is made again. A pull request that is red by itself gets a second build before it counts as
 * failed, as soon as the assumption of the red build is likely to come true. A later start would delay all pull
 * requests behind it for the time of a build. The last remaining member of a red batch is always built alone.
 */
function isRetried(
  graph: SpeculationGraph,
  { members, next }: Candidate,
  existing: readonly SpeculativeBuild[],
): boolean {
  if (members.length > 1 || next.probability < minSecondTryProbability) return false;
  if (!existing.every(({ verdict }) => isFailure(verdict))) return false;
  const own = existing.filter(({ batch }) => batch.members.length === 1);
  if (own.length === 0) return true;
  const reds = existing.filter(({ verdict }) => verdict.kind === 'red');
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
