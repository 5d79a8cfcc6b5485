// Whether a red bet may have been red for want of what has landed since.
import type { Bet, Field } from './graph.ts';
import { overlap } from '../model/overlap.ts';

/**
 * What it assumed has landed on, or with, something it overlaps that the bet did not hold: that it was red may have been
 * for want of that. `none`: a green bet did without as well. `slight`: so it did, but held something besides that may
 * have stood in; then the red one lets others pass, and is no more than one of the two that take somebody out.
 */
export type Doubt = 'none' | 'slight' | 'grave';

export function doubtOf(field: Field, bet: Bet, greens: readonly Bet[]): Doubt {
  let doubt: Doubt = 'none';
  for (const index of bet.arrived) {
    const lacking = field.landedWith(index).filter((at) => lacks(bet, at));
    if (lacking.length === 0) continue;
    const holding = greens.filter(({ arrived }) => arrived.has(index));
    if (holding.some((green) => heldNoMore(field, green, { index, bet }))) continue;
    if (!lacking.every((at) => holding.some((green) => lacks(green, at)))) return 'grave';
    // A batch is searched at once.
    if (bet.members.length > 1) return 'grave';
    doubt = 'slight';
  }
  return doubt;
}

function lacks({ since, arrived }: Bet, at: number): boolean {
  return at >= since && !arrived.has(at);
}

/** Of what the landed one overlaps: that might have stood in for what both did not hold. */
function heldNoMore(field: Field, green: Bet, { index, bet }: { readonly index: number; readonly bet: Bet }): boolean {
  const targets = field.landed[index]?.targets ?? null;
  return (
    field.landed.every((other, at) => !lacks(bet, at) || lacks(green, at) || !overlap(other.targets, targets)) &&
    green.pending.every((place) => bet.holds.has(place) || !field.landedOverlaps(place).includes(index))
  );
}
