// One history under several configurations, the first of them usually the one in force.
import type { QueueRules } from '../queue/snapshot.ts';
import { buildsOf, staysOf, type LogEntry, type PastBatch } from './history.ts';
import { observe, replay, type Replayed, type Tally } from './replay.ts';
import { workloadOf } from './workload.ts';

export interface Past {
  readonly log: readonly LogEntry[];
  /** Oldest first. */
  readonly batches: readonly PastBatch[];
}

export interface Comparison {
  /** Null: nobody was queued. */
  readonly from: number | null;
  /** Times in line that are replayed. */
  readonly arrivals: number;
  readonly observed: Tally;
  /** Of each configuration, in their order. */
  readonly replayed: readonly Replayed[];
  readonly assumptions: readonly string[];
}

export function compare(
  { log, batches }: Past,
  rules: readonly QueueRules[],
  isOver: (replays: number) => boolean,
): Comparison {
  const stays = staysOf(log);
  const builds = buildsOf(batches);
  const { assumptions, ...workload } = workloadOf({ stays, builds });
  return {
    from: stays[0]?.arrivedAt ?? null,
    arrivals: workload.changes.length,
    observed: observe(stays, builds.filter(({ isBuilt }) => isBuilt).length),
    replayed: rules.map((each, replays) => replay(workload, { rules: each, isOver: () => isOver(replays) })),
    assumptions,
  };
}
