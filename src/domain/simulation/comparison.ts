// A past history next to its simulation under a configuration.
import { buildsOf, staysOf, type LogEntry, type PastBatch } from './history.ts';
import { observe, replay, type Replayed, type ReplayOptions, type Tally } from './replay.ts';
import { workloadOf } from './workload.ts';

export interface Past {
  readonly log: readonly LogEntry[];
  /** Oldest first. */
  readonly batches: readonly PastBatch[];
  /** The log or the builds exceeded the limit of a read: older entries are missing. */
  readonly isCut?: boolean;
  /** The log was made from merges in git: there was no line. */
  readonly isFromGit?: boolean;
}

const cut = 'So much happened that only the last of it was read: what was before `from` is left out.';

const fromGit = [
  'Nobody was queued here in that time. The commits on the first-parent line of the branch in git are replayed instead, each as one pull request that is queued when it was merged.',
  'Git does not tell how long anybody waited, which changes failed, or how long checks took: a build is taken to take ten minutes.',
];

/** Below this number a single slow build is a tenth of all. */
const fewest = 20;

/** Whether this many arrivals say something about other days. */
export function isEnough(arrivals: number): boolean {
  return arrivals >= fewest;
}

export interface Comparison {
  /** Null: no pull request was queued. */
  readonly from: number | null;
  /** The replayed stays in line. */
  readonly arrivals: number;
  /** Null: the log was made from merges in git, which have no line. */
  readonly observed: Tally | null;
  readonly replayed: Replayed;
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
  const them = arrivals === 1 ? 'One pull request tells' : `${arrivals} pull requests tell`;
  return [`${them} nothing about a usual day: look back further (days), or ask again when there were more.`];
}
