// Statistics of the last builds of a queue, from which its line is forecast.
import type { PullRequestState } from '../queue/model/snapshot.ts';
import { durationsOf, stabilityOf, type Durations, type PastDuration } from './durations.ts';

export interface ObservedBuild extends PastDuration {
  /** Ids of pull requests. */
  readonly members: readonly string[];
  readonly startedAt: number;
}

/** Can be stored as JSON. */
export interface BuildStatistics {
  /** How long builds take, from the decision to build until the last check has ended. */
  readonly durations: Durations;
  /** The average number of pull requests in those builds. A build takes as long as its slowest pull request. */
  readonly meanSize: number;
  /** How similar the durations of builds of the same pull request are, from 0 to 1. */
  readonly stability: number;
  /** Ended, stopped and running builds of pull requests in line. */
  readonly seen: readonly ObservedBuild[];
  /** The probability that a build of good pull requests is red, from 0 to 1. */
  readonly flakeRate: number;
  /** How many pull requests were queued per hour in the last two hours. */
  readonly arrivalsPerHour: number;
}

interface Present {
  readonly now: number;
  readonly line: readonly Pick<PullRequestState, 'id' | 'queuedAt'>[];
  /** How many further pull requests of the line arrived since `arrivalsSince`. None was built. Absent: none. */
  readonly arrivedBehind?: number;
  readonly flakeRate: number;
}

const lately = 2 * 3_600_000;

/** `builds` must be ordered oldest first. Returns null if no build has ended. */
export function buildStatisticsOf(
  builds: readonly ObservedBuild[],
  { now, line, flakeRate, arrivedBehind = 0 }: Present,
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
    arrivalsPerHour: arrivalsOf(builds, { now, line, arrivedBehind }),
  };
}

/** The instant from which on arrivals are counted. `builds` must be ordered oldest first. */
export function arrivalsSince(builds: readonly Pick<ObservedBuild, 'startedAt'>[], now: number): number {
  return Math.max(now - lately, builds[0]?.startedAt ?? now);
}

/**
 * Returns how many pull requests per hour arrived lately. A pull request arrives when it is queued, or when it is built
 * for the first time if it has left the line.
 */
function arrivalsOf(
  builds: readonly ObservedBuild[],
  { now, line, arrivedBehind }: Required<Omit<Present, 'flakeRate'>>,
): number {
  const since = arrivalsSince(builds, now);
  const firstAt = new Map(line.map(({ id, queuedAt }) => [id, queuedAt]));
  for (const { members, startedAt } of builds)
    for (const id of members) if (!firstAt.has(id)) firstAt.set(id, startedAt);
  const arrived = arrivedBehind + [...firstAt.values()].filter((at) => at > since).length;
  return now > since ? (arrived * 3_600_000) / (now - since) : 0;
}
