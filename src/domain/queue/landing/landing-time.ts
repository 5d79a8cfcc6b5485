// Decides when a base branch accepts landings: inside a merge window, if there are any, and while it is not frozen.
import { landingsFrom, type Configuration } from '../../configuration/index.ts';
import { findFreezeInForce, type Freeze } from '../../releases/freeze.ts';

export interface LandingTimes {
  readonly configuration: Configuration;
  readonly baseBranch: string;
  /** The freezes of the base branch. */
  readonly freezes: readonly Freeze[];
}

// These bounds are needed because a recurring freeze may begin whenever a window opens, and because freezes may follow
// one another for ever. A freeze whose end is not known yet has taken fifty handovers to compute, about 50 ms.
const maxTurns = 50;
const maxUnknownEnds = 3;

/**
 * When the next landing may happen. Null: now. `Infinity`: never, or the instant is so many merge windows and freezes
 * ahead that it is not computed.
 */
export function decideLandingsFrom(times: LandingTimes, now: number): number | null {
  return searchLandings(times, now, { isOneSearch: false });
}

/**
 * When a turn has to decide again whether landings may happen. Null: they may happen now. `Infinity`: never. This is the
 * instant of `decideLandingsFrom`, or an earlier one if the end of a freeze is not known. A turn does not need that end,
 * and its queue is locked while the end is searched.
 */
export function decideNextLook(times: LandingTimes, now: number): number | null {
  return searchLandings(times, now, { isOneSearch: true });
}

function searchLandings(
  { configuration, baseBranch, freezes }: LandingTimes,
  now: number,
  { isOneSearch }: { readonly isOneSearch: boolean },
): number | null {
  let at = now;
  let unknownEnds = 0;
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const frozen = findFreezeInForce(freezes, at);
    const atLeastUntil = frozen?.atLeastUntil ?? null;
    if (atLeastUntil !== null && isOneSearch) return atLeastUntil;
    if (atLeastUntil !== null) unknownEnds += 1;
    if (unknownEnds > maxUnknownEnds) return Infinity;
    const free = frozen === null ? at : (frozen.until ?? atLeastUntil ?? Infinity);
    const open = free === Infinity ? Infinity : (landingsFrom(configuration, baseBranch, free) ?? free);
    if (open === at) return at === now ? null : at;
    if (open === Infinity) return Infinity;
    at = open;
  }
  return Infinity;
}
