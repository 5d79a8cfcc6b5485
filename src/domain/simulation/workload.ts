// Makes a simulated world from a history: the same arrivals, the known results, and the known durations of CI.
// Assumptions replace facts that the history does not contain, and are reported.
import type { PastBuild, Stay } from './history.ts';
import type { Change, GroundTruth } from './policy.ts';
import { quantile, sortAscending } from './quantile.ts';
import { draw, streams } from './randomness.ts';

export interface Workload {
  readonly changes: readonly Change[];
  /** The numbers of the changes that skip the line. */
  readonly skipsLine: ReadonlySet<number>;
  readonly truth: GroundTruth;
  /** Among the builds that contain only changes that landed and never failed: the share of red builds. */
  readonly flakeRate: number;
  /** The 90th percentile of the durations of builds, in milliseconds. */
  readonly typicalBuildMs: number;
  /** The assumptions, one sentence each. */
  readonly assumptions: readonly string[];
}

export interface History {
  readonly stays: readonly Stay[];
  readonly builds: readonly PastBuild[];
}

/** The duration of a build if no build of the history has ended. */
const unknownDurationMs = 10 * 60_000;

export function workloadOf({ stays, builds }: History): Workload {
  const simulated = stays.filter(({ end }) => end?.as !== 'left');
  const authors = new Map<string, number>();
  const changes = simulated.map(({ author, arrivedAt, targets }, number): Change => {
    if (!authors.has(author)) authors.set(author, authors.size);
    return { number, arrivedAt, targets, author: authors.get(author) ?? 0 };
  });
  const bad = new Set(changes.flatMap(({ number }) => (simulated[number]?.end?.as === 'failed' ? number : [])));
  const flakeRate = flakesOf(simulated, builds);
  return {
    changes,
    skipsLine: new Set(changes.flatMap(({ number }) => (simulated[number]?.skipLine ? number : []))),
    truth: { ...truthOf(bad, flakeRate), durationOf: durationsOf(simulated, builds) },
    flakeRate,
    typicalBuildMs:
      quantile(sortAscending(builds.flatMap((build) => durationOf(build) ?? [])), 0.9) ?? unknownDurationMs,
    assumptions: assumptionsOf({ stays, builds }),
  };
}

function truthOf(bad: ReadonlySet<number>, flakeRate: number): Pick<GroundTruth, 'isGreen' | 'isFlake'> {
  return {
    isGreen: (_, added) => !added.some((change) => bad.has(change)),
    isFlake: ({ tree, attempt }) => flakeRate > 0 && draw(streams.flake, tree, attempt) < flakeRate,
  };
}

/**
 * The duration of a simulated build is that of a real build of its slowest member, chosen at random. If no real build
 * is known for the slowest member, any real build of the history is chosen.
 */
function durationsOf(stays: readonly Stay[], builds: readonly PastBuild[]): GroundTruth['durationOf'] {
  const all = sortAscending(builds.flatMap((build) => durationOf(build) ?? []));
  const ofPullRequest = new Map<string, PastBuild[]>();
  for (const build of builds) {
    if (durationOf(build) === null) continue;
    for (const member of build.members) {
      const known = ofPullRequest.get(member);
      if (known === undefined) ofPullRequest.set(member, [build]);
      else known.push(build);
    }
  }
  const seen = stays.map((stay) => {
    const during = (ofPullRequest.get(stay.pullRequest) ?? []).filter((build) => isDuring(stay, build));
    return sortAscending(during.flatMap((build) => durationOf(build) ?? []));
  });
  const usual = seen.map((durations) => quantile(durations, 0.5) ?? 0);
  return ({ members, tree, attempt }) => {
    const slowest = members.reduce((a, b) => ((usual[b] ?? 0) > (usual[a] ?? 0) ? b : a), members[0] ?? 0);
    const known = seen[slowest] ?? [];
    const share = draw(streams.duration, tree, attempt);
    return quantile(known.length === 0 ? all : known, share) ?? unknownDurationMs;
  };
}

function durationOf({ startedAt, endedAt, verdict }: PastBuild): number | null {
  return verdict === null || endedAt === null || endedAt <= startedAt ? null : endedAt - startedAt;
}

function isDuring({ arrivedAt, end }: Stay, { startedAt }: PastBuild): boolean {
  return startedAt >= arrivedAt && (end === null || startedAt <= end.at);
}

function flakesOf(stays: readonly Stay[], builds: readonly PastBuild[]): number {
  const landed = new Set(stays.flatMap(({ pullRequest, end }) => (end?.as === 'landed' ? pullRequest : [])));
  const failed = new Set(stays.flatMap(({ pullRequest, end }) => (end?.as === 'failed' ? pullRequest : [])));
  // Builds with a pull request that failed once and landed later are left out, because the log does not say which head
  // was built.
  const good = builds.filter(
    ({ verdict, content }) => verdict !== null && content.every((id) => landed.has(id) && !failed.has(id)),
  );
  if (good.length === 0) return 0;
  return good.filter(({ verdict }) => verdict === 'red').length / good.length;
}

function assumptionsOf({ stays, builds }: History): string[] {
  const left = stays.filter(({ end }) => end?.as === 'left').length;
  const stillInLine = stays.filter(({ end }) => end === null).length;
  const judgedAlone = new Set(
    builds.flatMap(({ content, verdict }) => (verdict !== null && content.length === 1 ? content : [])),
  );
  const ended = stays.filter(({ end }) => end !== null && end.as !== 'left');
  const silent = ended.filter(({ pullRequest }) => !judgedAlone.has(pullRequest));
  const blamed = silent.filter(({ end }) => end?.as === 'failed').length;
  return [
    ...assumptionAbout(
      blamed,
      (them) => `${them} blocked for a failed build, and never built alone. The simulation assumes a red build.`,
    ),
    ...assumptionAbout(
      silent.length - blamed,
      (them) => `${them} merged, and never built alone. The simulation assumes a green build.`,
    ),
    ...assumptionAbout(stillInLine, (them) => `${them} still in line. The simulation assumes a green build.`),
    ...assumptionAbout(
      left,
      (them) => `${them} taken out of the line by a user or because of a conflict, and not simulated.`,
    ),
    'Builds take as long as in the history, however many run at the same time.',
    'Red builds of changes that all merged count as flakes. The simulation has flakes as often, but in other builds.',
    'Pauses, merge windows, final gates and own checks of pull requests are not simulated.',
  ];
}

function assumptionAbout(count: number, sentence: (them: string) => string): string[] {
  if (count === 0) return [];
  return [sentence(count === 1 ? 'One pull request was' : `${count} pull requests were`)];
}
