// What a queue has learned from its last builds, to tell what becomes of its line.
import type { PullRequestState } from '../queue/model/snapshot.ts';
import { durationsOf, steadinessOf, type Durations, type PastDuration } from './durations.ts';

export interface ExperiencedBuild extends PastDuration {
  /** Pull requests. */
  readonly members: readonly string[];
  readonly startedAt: number;
}

/** Plain data. */
export interface Experience {
  /** From the decision to the last check. */
  readonly durations: Durations;
  /** How many pull requests those builds were about, on average: a build takes as long as the slowest of them. */
  readonly usualSize: number;
  /** How much of a build's duration is the pull request's, and so the same the next time: from 0 to 1. */
  readonly steadiness: number;
  /** Builds of those in line that ended, were stopped or run. */
  readonly seen: readonly ExperiencedBuild[];
  /** How likely a build of what is good fails. */
  readonly flakeRate: number;
  /** Pull requests that were queued lately. */
  readonly arrivalsPerHour: number;
}

interface Present {
  readonly now: number;
  readonly line: readonly Pick<PullRequestState, 'id' | 'queuedAt'>[];
  readonly flakeRate: number;
}

const lately = 2 * 3_600_000;

/** `builds` oldest first. Null: none has ended yet. */
export function experienceOf(
  builds: readonly ExperiencedBuild[],
  { now, line, flakeRate }: Present,
): Experience | null {
  const durations = durationsOf(builds);
  if (durations === null) return null;
  const inLine = new Set(line.map(({ id }) => id));
  const singles = builds.filter(({ members, hasEnded }) => hasEnded && members.length === 1);
  const ofEach = [...Map.groupBy(singles, ({ members }) => members[0]).values()];
  const ended = builds.filter(({ hasEnded }) => hasEnded);
  return {
    durations,
    usualSize: Math.max(1, ended.reduce((sum, { members }) => sum + members.length, 0) / ended.length),
    steadiness: steadinessOf(
      durations,
      ofEach.map((each) => each.map(({ lastedMs }) => lastedMs)),
    ),
    seen: builds.filter(({ members }) => members.some((id) => inLine.has(id))),
    flakeRate,
    arrivalsPerHour: arrivalsOf(builds, { now, line }),
  };
}

/** Who is in line since then, or was built for the first time. */
function arrivalsOf(builds: readonly ExperiencedBuild[], { now, line }: Omit<Present, 'flakeRate'>): number {
  const since = Math.max(now - lately, builds[0]?.startedAt ?? now);
  const firstAt = new Map(line.map(({ id, queuedAt }) => [id, queuedAt]));
  for (const { members, startedAt } of builds)
    for (const id of members) if (!firstAt.has(id)) firstAt.set(id, startedAt);
  const arrived = [...firstAt.values()].filter((at) => at > since).length;
  return now > since ? (arrived * 3_600_000) / (now - since) : 0;
}
