// Decides when a base branch accepts landings: inside a merge window, if there are any, and while it is not frozen.
import { landingsFrom, type Configuration } from '../../configuration/index.ts';
import { findFreezeInForce, type Freeze } from '../../releases/freeze.ts';

export interface LandingTimes {
  readonly configuration: Configuration;
  readonly baseBranch: string;
  /** The freezes of the base branch. */
  readonly freezes: readonly Freeze[];
}

// This bound is needed because a recurring freeze may begin whenever a window opens.
const maxTurns = 50;

/** When the next landing may happen. Null: now. `Infinity`: never, as far as is known. */
export function decideLandingsFrom({ configuration, baseBranch, freezes }: LandingTimes, now: number): number | null {
  let at = now;
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const frozen = findFreezeInForce(freezes, at);
    const free = frozen === null ? at : (frozen.until ?? Infinity);
    const open = free === Infinity ? Infinity : (landingsFrom(configuration, baseBranch, free) ?? free);
    if (open === at) return at === now ? null : at;
    if (open === Infinity) return Infinity;
    at = open;
  }
  return Infinity;
}
