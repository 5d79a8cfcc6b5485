// Compares what happened in a queue with a simulation of the same arrivals under another configuration.
import { buildsOf, staysOf, type LogEntry, type PastBatch } from './history.ts';
import { observe, replay, type ReplayResult, type ReplayOptions, type Tally } from './replay.ts';
import { workloadOf } from './workload.ts';

export interface Past {
  readonly log: readonly LogEntry[];
  /** Oldest first. */
  readonly batches: readonly PastBatch[];
  /** Whether older entries are missing, because the log or the batches exceeded the limit of a read. */
  readonly isCut?: boolean;
  /** Whether the log was made from merges in git, because the branch had no queue. */
  readonly isFromGit?: boolean;
}

const cut = 'The history is too long to be read completely. Everything before `from` is left out.';

const fromGit = [
  'No pull request was queued here in that time. The commits on the first-parent line of the branch in git are replayed instead, each as one pull request that is queued when it was merged.',
  'Git does not record how long a pull request waited, which changes failed, or how long checks took. The simulation assumes builds of ten minutes.',
];

/** Fewer arrivals say too little, because a few slow builds would determine the percentiles. */
const fewest = 20;

/** Whether there are enough arrivals to tell something about other days. */
export function isEnough(arrivals: number): boolean {
  return arrivals >= fewest;
}

export interface Comparison {
  /** Null: no pull request was queued. */
  readonly from: number | null;
  /** The number of stays in line that were replayed. */
  readonly arrivals: number;
  /**
   * What really happened. Null: the log was made from merges in git, which do not tell how long a pull request waited.
   */
  readonly observed: Tally | null;
  readonly replayed: ReplayResult;
  readonly assumptions: readonly string[];
}

export function compare({ log, batches, isCut, isFromGit }: Past, options: ReplayOptions): Comparison {
  const stays = staysOf(log);
  const builds = buildsOf(batches);
  const { assumptions, ...workload } = workloadOf({ stays, builds });
  return {
    from: stays[0]?.arrivedAt ?? null,
    arrivals: workload.changes.length,
    observed: isFromGit ? null : observe(stays, builds.filter(({ isBuilt }) => isBuilt).length),
    replayed: replay(workload, options),
    assumptions: [...tooFew(workload.changes.length), ...(isCut ? [cut] : []), ...(isFromGit ? fromGit : assumptions)],
  };
}

function tooFew(arrivals: number): string[] {
  if (arrivals === 0 || isEnough(arrivals)) return [];
  const few = arrivals === 1 ? 'One pull request is' : `${arrivals} pull requests are`;
  return [`${few} too few for figures of a usual day. Use the history of more days, or try again when there are more.`];
}
