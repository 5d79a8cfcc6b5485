// When a base branch accepts landings: inside a merge window, if there are any, and while it is not frozen.
import { landingsFrom, type Configuration } from '../../configuration/index.ts';
import { frozenAt, type Freeze } from '../../releases/freeze.ts';

export interface LandingTimes {
  readonly configuration: Configuration;
  readonly baseBranch: string;
  /** The freezes of that base branch. */
  readonly freezes: readonly Freeze[];
}

// Freezes may begin whenever windows open, without end.
const mostTurns = 50;

/** When a blocked landing may happen. Null: now; `Infinity`: never, as far as is known. */
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
