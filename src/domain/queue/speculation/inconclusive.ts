// Whether a red speculative build may have been red for want of what has landed since.
import type { SpeculativeBuild, SpeculationGraph } from './graph.ts';
import { overlap } from '../model/overlap.ts';

/**
 * What it assumed has landed on, or with, something it overlaps that the speculative build did not hold: that it was red may have been
 * for want of that. `none`: a green speculative build did without as well. `slight`: so it did, but held something besides that may
 * have stood in; then the red one lets others pass, and is no more than one of the two that take somebody out.
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
    // A batch is searched at once.
    if (build.members.length > 1) return 'inconclusive';
    found = 'weak';
  }
  return found;
}

function lacks({ since, arrived }: SpeculativeBuild, at: number): boolean {
  return at >= since && !arrived.has(at);
}

/** Of what the landed one overlaps: that might have stood in for what both did not hold. */
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
