// When something may land on a base branch: in a merge window, where there are any, and not while it is frozen.
import { landingsFrom, type Configuration } from '../../configuration/index.ts';
import { frozenAt, type Freeze } from '../../releases/freeze.ts';

export interface LandingTimes {
  readonly configuration: Configuration;
  readonly baseBranch: string;
  /** Those about that base branch. */
  readonly freezes: readonly Freeze[];
}

// Windows may open as freezes begin, for ever.
const mostTurns = 50;

/** When a landing that is kept back now may happen. Null: now; `Infinity`: never, as far as is known. */
export function decideLandingsFrom({ configuration, baseBranch, freezes }: LandingTimes, now: number): number | null {
  let at = now;
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const frozen = frozenAt(freezes, at);
    const free = frozen === null ? at : (frozen.until ?? Infinity);
    const open = free === Infinity ? Infinity : (landingsFrom(configuration, baseBranch, free) ?? free);
    if (open === at) return at === now ? null : at;
    if (open === Infinity) return Infinity;
    at = open;
  }
  return Infinity;
}
