// How a change of a line moves the expected landings: the line is forecast without the change and with it, by the same
// number of simulations with the same seeds, so that the difference is of the change and not of chance.
import { inLineOrder } from '../queue/model/order.ts';
import type { Snapshot } from '../queue/model/snapshot.ts';
import type { BuildStatistics } from './build-statistics.ts';
import { forecast, type Eta, type NoEta } from './forecast.ts';

export interface MovedEta {
  readonly number: number;
  /** Null: it is not in line without the change. */
  readonly before: Eta | NoEta | null;
  /** Null: it leaves the line by the change. */
  readonly after: Eta | NoEta | null;
}

export interface LineChange {
  readonly before: Snapshot;
  readonly after: Snapshot;
}

export interface MovingOptions {
  readonly statistics: BuildStatistics | null;
  /** When it is true, no more simulations of the line without the change start. */
  readonly isOver: () => boolean;
}

/** Smaller moves say nothing to people. */
const leastMs = 60_000;
/** Moves beyond it are about pull requests far back in a long line. */
const mostMoved = 100;

/** In the order of the line with the change; what leaves the line comes first. */
export function movedEtas({ before, after }: LineChange, now: number, options: MovingOptions): MovedEta[] {
  const without = forecast(before, now, options);
  // As many simulations, so that both forecasts draw the same numbers.
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
    .slice(0, mostMoved);
}

function isMoved({ before, after }: MovedEta): boolean {
  if (before === null || after === null || typeof before === 'string' || typeof after === 'string')
    return before !== after;
  return Math.abs(after.p50 - before.p50) >= leastMs;
}
