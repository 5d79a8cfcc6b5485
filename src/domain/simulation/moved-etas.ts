// Computes how a change to a queue moves the expected landings. The line is forecast without the change and with it.
// Both forecasts use the same number of simulations with the same seeds, so that the difference comes from the change
// and not from chance.
import { inLineOrder } from '../queue/model/order.ts';
import type { Snapshot } from '../queue/model/snapshot.ts';
import type { BuildStatistics } from './build-statistics.ts';
import { forecast, type Eta, type NoEta } from './forecast.ts';

export interface MovedEta {
  readonly number: number;
  /** The forecast without the change. Null: the pull request is only in line with the change. */
  readonly before: Eta | NoEta | null;
  /** The forecast with the change. Null: the change takes the pull request out of the line. */
  readonly after: Eta | NoEta | null;
}

export interface LineChange {
  readonly before: Snapshot;
  readonly after: Snapshot;
}

export interface MovingOptions {
  readonly statistics: BuildStatistics | null;
  /**
   * If it returns true, no further simulation of the line without the change starts. The line with the change is then
   * simulated equally often.
   */
  readonly isOver: () => boolean;
}

/** Smaller differences are not reported. */
const minMoveMs = 60_000;
/** Only this many pull requests are reported, the first in line. */
const maxMovedEtas = 100;

/**
 * Returns the pull requests whose forecast differs. Those that leave the line by the change are first, then the others
 * follow in the order of the line with the change.
 */
export function findMovedEtas({ before, after }: LineChange, now: number, options: MovingOptions): MovedEta[] {
  const without = forecast(before, now, options);
  // The same number of simulations as without the change.
  const runs = without.runs === 0 ? {} : { runs: without.runs };
  const changed = forecast(after, now, { ...options, ...runs, ...(without.runs > 0 && { isOver: () => false }) });
  const afterIds = new Set(after.pullRequests.map(({ id }) => id));
  const line = [
    ...inLineOrder(before.pullRequests).filter(({ id }) => !afterIds.has(id)),
    ...inLineOrder(after.pullRequests),
  ];
  return line
    .map(({ id, number }) => ({
      number,
      before: without.etas.get(id) ?? null,
      after: changed.etas.get(id) ?? null,
    }))
    .filter(isMoved)
    .slice(0, maxMovedEtas);
}

function isMoved({ before, after }: MovedEta): boolean {
  if (before === null || after === null || typeof before === 'string' || typeof after === 'string')
    return before !== after;
  return Math.abs(after.p50 - before.p50) >= minMoveMs;
}
