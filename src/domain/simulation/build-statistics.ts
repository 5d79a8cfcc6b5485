// What a queue's last builds say about the future of its line.
import type { PullRequestState } from '../queue/model/snapshot.ts';
import { durationsOf, stabilityOf, type Durations, type PastDuration } from './durations.ts';

export interface ObservedBuild extends PastDuration {
  /** Pull requests. */
  readonly members: readonly string[];
  readonly startedAt: number;
}

/** Plain data. */
export interface BuildStatistics {
  /** How long builds take from the decision to the last check. */
  readonly durations: Durations;
  /** The average number of pull requests in those builds. A build takes as long as its slowest pull request. */
  readonly meanSize: number;
  /** The part of a build's duration that depends on the pull request and so repeats: from 0 to 1. */
  readonly stability: number;
  /** Ended, stopped and running builds of pull requests in line. */
  readonly seen: readonly ObservedBuild[];
  /** The rate at which the build of good pull requests fails. */
  readonly flakeRate: number;
  /** The recent rate of newly queued pull requests. */
  readonly arrivalsPerHour: number;
}

interface Present {
  readonly now: number;
  readonly line: readonly Pick<PullRequestState, 'id' | 'queuedAt'>[];
  readonly flakeRate: number;
}

const lately = 2 * 3_600_000;

/** `builds` oldest first. Null: no build has ended yet. */
export function buildStatisticsOf(
  builds: readonly ObservedBuild[],
  { now, line, flakeRate }: Present,
): BuildStatistics | null {
  const durations = durationsOf(builds);
  if (durations === null) return null;
  const inLine = new Set(line.map(({ id }) => id));
  const singles = builds.filter(({ members, hasEnded }) => hasEnded && members.length === 1);
  const ofEach = [...Map.groupBy(singles, ({ members }) => members[0]).values()];
  const ended = builds.filter(({ hasEnded }) => hasEnded);
  return {
    durations,
    meanSize: Math.max(1, ended.reduce((sum, { members }) => sum + members.length, 0) / ended.length),
    stability: stabilityOf(
      durations,
      ofEach.map((each) => each.map(({ lastedMs }) => lastedMs)),
    ),
    seen: builds.filter(({ members }) => members.some((id) => inLine.has(id))),
    flakeRate,
    arrivalsPerHour: arrivalsOf(builds, { now, line }),
  };
}

/** Pull requests that entered the line, or were built for the first time, in the period. */
function arrivalsOf(builds: readonly ObservedBuild[], { now, line }: Omit<Present, 'flakeRate'>): number {
  const since = Math.max(now - lately, builds[0]?.startedAt ?? now);
  const firstAt = new Map(line.map(({ id, queuedAt }) => [id, queuedAt]));
  for (const { members, startedAt } of builds)
    for (const id of members) if (!firstAt.has(id)) firstAt.set(id, startedAt);
  const arrived = [...firstAt.values()].filter((at) => at > since).length;
  return now > since ? (arrived * 3_600_000) / (now - since) : 0;
}
