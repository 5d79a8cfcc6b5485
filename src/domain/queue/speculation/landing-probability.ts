// Estimates the probability that each pull request in line lands. The estimate goes in line order. It uses the success
// probability, the results of speculative builds, and the probability of their assumptions.
import { isFailure } from '../planning/failure.ts';
import { isAssumedToLand, type SpeculativeBuild, type SpeculationGraph } from './graph.ts';
import { isCulpritSearched } from './culprit-search.ts';

/** How often two overlapping pull requests that pass separately fail together. */
const clash = 0.035;
/** The same probability if it is not known whether they overlap. */
const unknownClash = 0.008;
/** The same probability in a red build, for each of its pull requests after the first. */
const clashInRed = 0.02;
/** How often a build of good pull requests is red, and how often the content of a green build does not land. */
const flake = 0.01;
const residualFailure = 0.005;

/** The probability of each index in line, greater than 0 and less than 1. */
export type LandingProbabilities = Float64Array;

export function estimateLandingProbabilities(graph: SpeculationGraph): LandingProbabilities {
  const faultProbabilities = estimateFaults(graph);
  const probabilities = new Float64Array(graph.line.length);
  const withOthers = probabilityTogether(graph, faultProbabilities);
  for (const index of graph.line.keys()) {
    const alone = 1 - (faultProbabilities[index] ?? 0.5);
    probabilities[index] = estimateLanding(graph, probabilities, {
      index,
      alone,
      together: alone * (withOthers[index] ?? 1),
    });
  }
  return probabilities;
}

/**
 * For each pull request, the probability that it passes together with the earlier pull requests that land, if it is
 * good by itself. The more pull requests overlap it, the lower is the probability.
 */
function probabilityTogether(graph: SpeculationGraph, faultProbabilities: Float64Array): Float64Array {
  const { useAffectedTargets } = graph.view.snapshot.rules;
  const pairs = Float64Array.from(graph.line, ({ targets }, index) => {
    const clashes = useAffectedTargets && targets !== null ? clash : unknownClash;
    return 1 - clashes * (1 - (faultProbabilities[index] ?? 0.5));
  });
  return graph.productsBefore(pairs);
}

/**
 * For each pull request, the probability that it is at fault by itself. A pull request in a green build is hardly ever
 * at fault. At least one pull request in a red build is at fault, so the probabilities follow by Bayes' rule. The
 * smallest red builds prove most, and so are evaluated first.
 */
function estimateFaults(graph: SpeculationGraph): Float64Array {
  const faultProbabilities = Float64Array.from(graph.line, ({ successProbability: probability }) => 1 - probability);
  for (const { verdict, pending } of [...graph.builds, ...graph.isolated])
    if (verdict.kind === 'green') for (const index of pending) faultProbabilities[index] = residualFailure;
  const suspects = [...graph.builds, ...graph.invalidated]
    .filter(({ verdict }) => verdict.kind === 'red' || verdict.kind === 'timed_out')
    .map(({ pending }) => pending.filter((index) => faultProbabilities[index] !== residualFailure))
    .sort((a, b) => a.length - b.length);
  for (const indices of suspects) {
    const innocent = indices.reduce((product, index) => product * (1 - (faultProbabilities[index] ?? 0)), 1);
    const red = 1 - innocent * (1 - flake) * (1 - clashInRed) ** Math.max(0, indices.length - 1);
    for (const index of indices) faultProbabilities[index] = clamp((faultProbabilities[index] ?? 0) / red);
  }
  return faultProbabilities;
}

function estimateLanding(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
  of: { readonly index: number; readonly alone: number; readonly together: number },
): number {
  const { index, alone, together } = of;
  if (graph.landing.has(index)) return 1 - residualFailure;
  if (isAssumedToLand(graph, index) || graph.line[index]?.skipValidation) return 0.98;
  let evidenced = 0;
  let lands = 0;
  for (const build of graph.buildsOf.get(index) ?? []) {
    if (build.verdict.kind === 'pending' || isRedBatch(graph, build)) continue;
    const probability = probabilityOfAssumptions(graph, probabilities, build);
    evidenced += probability;
    lands += probability * (build.verdict.kind === 'green' ? 1 - residualFailure : alone * flake);
  }
  const unevidenced = Math.max(0, 1 - evidenced);
  return clamp((lands + unevidenced * together) / Math.max(1, evidenced) - conflictRisk(graph, probabilities, index));
}

/** Whether this is a red build of a batch, which proves only that one of several pull requests is at fault. */
function isRedBatch(graph: SpeculationGraph, build: SpeculativeBuild): boolean {
  return isFailure(build.verdict) && isCulpritSearched(graph, build);
}

/** The probability that the earlier pull requests in the build land and the other earlier ones do not. */
export function probabilityOfAssumptions(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
  build: SpeculativeBuild,
): number {
  let probability = 1;
  const counted = new Set(build.members);
  for (const member of build.members)
    for (const index of graph.before(member)) {
      if (counted.has(index)) continue;
      counted.add(index);
      const lands = probabilities[index] ?? 0.5;
      probability *= build.pendingSet.has(index) ? lands : 1 - lands;
    }
  return probability;
}

/**
 * The probability that the pull requests of a known conflict of the one at `index` land. If several conflicts are
 * known, the greatest of their probabilities.
 */
function conflictRisk(graph: SpeculationGraph, probabilities: LandingProbabilities, index: number): number {
  const conflicts = graph.view.conflicts.get(graph.line[index]?.id ?? '') ?? [];
  let risk = 0;
  for (const { after } of conflicts) {
    let probability = 1;
    for (const before of graph.before(index))
      if (after.includes(graph.line[before]?.head ?? '')) probability *= probabilities[before] ?? 0.5;
    risk = Math.max(risk, probability);
  }
  return risk;
}

function clamp(probability: number): number {
  return Math.min(1 - residualFailure, Math.max(residualFailure, probability));
}
