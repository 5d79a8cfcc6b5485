// A history as it was, and as it would have been under a configuration.
import { buildsOf, staysOf, type LogEntry, type PastBatch } from './history.ts';
import { observe, replay, type Replayed, type ReplayOptions, type Tally } from './replay.ts';
import { workloadOf } from './workload.ts';

export interface Past {
  readonly log: readonly LogEntry[];
  /** Oldest first. */
  readonly batches: readonly PastBatch[];
  /** There was more than is read of one of them: what is older is missing. */
  readonly isCut?: boolean;
}

const cut = 'So much happened that only the last of it was read: what was before `from` is left out.';

export interface Comparison {
  /** Null: nobody was queued. */
  readonly from: number | null;
  /** Times in line that are replayed. */
  readonly arrivals: number;
  readonly observed: Tally;
  readonly replayed: Replayed;
  readonly assumptions: readonly string[];
}

export function compare({ log, batches, isCut }: Past, options: ReplayOptions): Comparison {
  const stays = staysOf(log);
  const builds = buildsOf(batches);
  const { assumptions, ...workload } = workloadOf({ stays, builds });
  return {
    from: stays[0]?.arrivedAt ?? null,
    arrivals: workload.changes.length,
    observed: observe(stays, builds.filter(({ isBuilt }) => isBuilt).length),
    replayed: replay(workload, options),
    assumptions: isCut ? [cut, ...assumptions] : assumptions,
  };
}
