// Decides which builds start first if more of them are useful than may run.
//
// If the builds that are most probably needed always started first, a pull request that overlaps others would wait for
// as long as pull requests arrive that overlap nothing, because the builds of these are needed for certain. So a build
// is worth more the longer its pull request has waited.
import { type Candidate, firstMember } from './assumptions.ts';
import type { SpeculationGraph } from './graph.ts';

/** Compares two possible builds. The lesser one starts first. */
type StartOrder = (a: Candidate, b: Candidate) => number;

/**
 * With linear speculation, the first in line starts first. With adaptive speculation, a pull request that skipped the
 * line starts first, then the build with the greatest worth.
 */
export function startOrderOf(graph: SpeculationGraph): StartOrder {
  const byPlace: StartOrder = (a, b) => firstMember(a) - firstMember(b);
  if (graph.view.snapshot.rules.speculation === 'linear') return byPlace;
  const worthOf = worthIn(graph);
  const skips = (candidate: Candidate): number => (graph.line[firstMember(candidate)]?.skipLine === true ? 1 : 0);
  return (a, b) => skips(b) - skips(a) || worthOf(b) - worthOf(a) || byPlace(a, b);
}

/**
 * The worth of a build is the probability that it is needed, times a factor that grows with the wait of its first pull
 * request. The factor is 1 for a pull request that was just queued, and 2 for one that has waited as long as the
 * average of the line.
 */
function worthIn({ line, view }: SpeculationGraph): (candidate: Candidate) => number {
  const waits = line.map(({ queuedAt }) => Math.max(0, view.now - queuedAt));
  const mean = Math.max(1, waits.reduce((sum, wait) => sum + wait, 0) / waits.length);
  return (candidate) => candidate.next.probability * (1 + (waits[firstMember(candidate)] ?? 0) / mean);
}
