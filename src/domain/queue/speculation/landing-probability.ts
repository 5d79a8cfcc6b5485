// How likely each pull request in line is to land, in line order: its chance by itself, what speculative builds have said of it, and
// whether what they assumed is likely to come true.
import { isFailure } from '../planning/failure.ts';
import { isAssumedToLand, type SpeculativeBuild, type SpeculationGraph } from './graph.ts';
import { isCulpritSearched } from './culprit-search.ts';

/** Two that overlap and pass apart fail together this often. */
const clash = 0.035;
/** As often two of which it is not known whether they overlap. */
const unknownClash = 0.008;
/** Of those that are red together, for each besides the first. */
const clashInRed = 0.02;
/** A red build of what is sound, and a green one whose content does not land after all. */
const flake = 0.01;
const slip = 0.005;

/** By index: more than 0, less than 1. */
export type LandingProbabilities = Float64Array;

export function estimateLandingProbabilities(graph: SpeculationGraph): LandingProbabilities {
  const bad = suspect(graph);
  const probabilities = new Float64Array(graph.line.length);
  const besides = probabilityTogether(graph, bad);
  for (const index of graph.line.keys()) {
    const alone = 1 - (bad[index] ?? 0.5);
    probabilities[index] = estimateLanding(graph, probabilities, {
      index,
      alone,
      together: alone * (besides[index] ?? 1),
    });
  }
  return probabilities;
}

/** How likely each, sound by itself, is so with all those before it that land: the deeper in a chain, the less. */
function probabilityTogether(graph: SpeculationGraph, bad: Float64Array): Float64Array {
  const { useAffectedTargets } = graph.view.snapshot.rules;
  const pairs = Float64Array.from(graph.line, ({ targets }, index) => {
    const clashes = useAffectedTargets && targets !== null ? clash : unknownClash;
    return 1 - clashes * (1 - (bad[index] ?? 0.5));
  });
  return graph.productsBefore(pairs);
}

/**
 * How likely each is at fault by itself: what a green build holds is not, and of what a red one holds at least one is,
 * by Bayes' rule. The smallest red builds say most, and so are heard first.
 */
function suspect(graph: SpeculationGraph): Float64Array {
  const bad = Float64Array.from(graph.line, ({ successProbability: probability }) => 1 - probability);
  for (const { verdict, pending } of graph.builds)
    if (verdict.kind === 'green') for (const index of pending) bad[index] = slip;
  const suspects = [...graph.builds, ...graph.invalidated]
    .filter(({ verdict }) => verdict.kind === 'red' || verdict.kind === 'timed_out')
    .map(({ pending }) => pending.filter((index) => bad[index] !== slip))
    .sort((a, b) => a.length - b.length);
  for (const indices of suspects) {
    const innocent = indices.reduce((product, index) => product * (1 - (bad[index] ?? 0)), 1);
    const red = 1 - innocent * (1 - flake) * (1 - clashInRed) ** Math.max(0, indices.length - 1);
    for (const index of indices) bad[index] = clamp((bad[index] ?? 0) / red);
  }
  return bad;
}

function estimateLanding(
  graph: SpeculationGraph,
  probabilities: LandingProbabilities,
  of: { readonly index: number; readonly alone: number; readonly together: number },
): number {
  const { index, alone, together } = of;
  if (graph.landing.has(index)) return 1 - slip;
  if (isAssumedToLand(graph, index) || graph.line[index]?.skipValidation) return 0.98;
  let said = 0;
  let lands = 0;
  for (const build of graph.buildsOf.get(index) ?? []) {
    if (build.verdict.kind === 'pending' || isRedBatch(graph, build)) continue;
    const comesTrue = probabilityOfAssumptions(graph, probabilities, build);
    said += comesTrue;
    lands += comesTrue * (build.verdict.kind === 'green' ? 1 - slip : alone * flake);
  }
  const unsaid = Math.max(0, 1 - said);
  return clamp((lands + unsaid * together) / Math.max(1, said) - conflictRisk(graph, probabilities, index));
}

/** Of what is red together nothing is said of each: somebody is at fault. */
function isRedBatch(graph: SpeculationGraph, build: SpeculativeBuild): boolean {
  return isFailure(build.verdict) && isCulpritSearched(graph, build);
}

/** That those before its members which it holds land, and the others do not. */
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
      probability *= build.holds.has(index) ? lands : 1 - lands;
    }
  return probability;
}

/** It is known to conflict with some before it, should these land. */
function conflictRisk(graph: SpeculationGraph, probabilities: LandingProbabilities, index: number): number {
  const conflicts = graph.view.conflicts.get(graph.line[index]?.id ?? '') ?? [];
  let risk = 0;
  for (const { after } of conflicts) {
    let comesTrue = 1;
    for (const before of graph.before(index))
      if (after.includes(graph.line[before]?.head ?? '')) comesTrue *= probabilities[before] ?? 0.5;
    risk = Math.max(risk, comesTrue);
  }
  return risk;
}

function clamp(probability: number): number {
  return Math.min(1 - slip, Math.max(slip, probability));
}
