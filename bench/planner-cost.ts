// `node bench/planner-cost.ts` measures the CPU of a plan for several numbers of pending pull requests.
//
// 500 workers are busy, and a build has just ended. The slope is that of log time over log pending: at 1 the cost is
// linear.
import { findOverlaps } from '../src/domain/queue/model/overlap.ts';
import { plan } from '../src/domain/queue/plan.ts';
import type { BatchState, BuildState, PullRequestState, Snapshot } from '../src/domain/queue/model/snapshot.ts';
import { rulesOfPlanner } from './simulator/policies/rules.ts';

const workers = 500;
const runs = 21;

/** The affected targets of a pull request, by its number. */
const lines = {
  'none overlap': (number) => [`target ${number}`],
  'every second one overlaps the one before it': (number) =>
    number % 2 === 0 ? [`target ${number}`] : [`target ${number - 1}`, `target ${number}`],
  'one hot chain': (number) => ['hot', `target ${number}`],
  'targets are not known': () => null,
} satisfies Record<string, (number: number) => PullRequestState['targets']>;

interface Line {
  readonly pending: number;
  readonly targetsOf: (number: number) => PullRequestState['targets'];
}

function pullRequest(number: number, targets: PullRequestState['targets']): PullRequestState {
  return {
    id: `p${number}`,
    number,
    status: 'queued',
    head: `h${number}`,
    stack: null,
    isHeadUnseen: false,
    below: null,
    isBarrier: false,
    rank: number,
    reorderedForFailure: false,
    timesPassed: 0,
    skipLine: false,
    skipValidation: false,
    queuedAt: 0,
    requeueAttempts: 0,
    ownVerdict: 'green',
    ownFailedChecks: [],
    ownMissingChecks: [],
    bisection: null,
    topAnnounced: true,
    stuckAnnounced: false,
    targets,
    successProbability: 0.92,
    conflict: null,
  };
}

function empty({ pending, targetsOf }: Line): Snapshot {
  return {
    queue: {
      id: 'q',
      baseBranch: 'main',
      tip: 'tip',
      tipTree: 'tree',
      lineage: ['tip'],
      ownLine: ['tip'],
      paused: false,
      haltedReason: null,
      nextPosition: 1,
      landingsFrom: null,
      buildsElsewhere: 0,
    },
    rules: { ...rulesOfPlanner, speculation: 'adaptive', useAffectedTargets: true, maxParallelBuilds: workers },
    pullRequests: Array.from({ length: pending }, (_, number) => pullRequest(number, targetsOf(number))),
    departures: [],
    batches: [],
    builds: [],
    readings: [],
    landings: [],
    mergeResults: [],
  };
}

/** The builds that the planner chose first. The first build has just ended. */
function busy(line: Line): Snapshot {
  const idle = empty(line);
  const starts = plan(idle, 0).flatMap((decision) => (decision.kind === 'StartBatch' ? [decision] : []));
  const batches = starts.map((start, index): BatchState => {
    const commit = `c${index}`;
    return {
      ...start,
      id: `b${index}`,
      state: 'building',
      commit,
      tree: `t${index}`,
      testedCommit: commit,
      buildKeysHash: idle.rules.buildKeysHash,
      createdAt: 0,
      buildStartedAt: 0,
      landingStarted: false,
      landingPlanned: false,
    };
  });
  const builds = batches.map(({ commit, tree, base }, index): BuildState => {
    const isOver = index === 0;
    return {
      commit: commit ?? '',
      tree: tree ?? '',
      base,
      checks: [{ name: 'ci', attempt: 1, conclusion: isOver ? 'success' : 'pending' }],
      complete: isOver,
      startedAt: 0,
      finishedAt: isOver ? 1 : null,
      lastEndAt: isOver ? 1 : null,
    };
  });
  return { ...idle, batches, builds, queue: { ...idle.queue, nextPosition: batches.length + 1 } };
}

function cpuOnce(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function cpuMs(snapshot: Snapshot): number {
  const times = Array.from({ length: runs }, () => cpuOnce(() => plan(snapshot, 2)));
  return times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}

for (const [name, targetsOf] of Object.entries(lines)) {
  // The plans before the measurement warm the caches, as in a worker that has planned before.
  for (let round = 0; round < 5; round += 1) cpuMs(busy({ pending: 1000, targetsOf }));
  const measured = [50, 200, 1000, 5000].map((pending) => ({ pending, ms: cpuMs(busy({ pending, targetsOf })) }));
  const times = measured.map(({ pending, ms }) => `${pending} pending ${ms.toFixed(2)} ms`).join(', ');
  console.info(`${name}: ${times}; slope from 200 on ${slope(measured.slice(1)).toFixed(2)}`);
}

// Facts about a set of targets are cached as long as the set exists, so that only the first plan with the set computes
// these facts.
const vast = Array.from({ length: 200 }, (_, line) =>
  Array.from({ length: 10_000 }, (_, number) => `//packages/service-${line}/component:${number}`),
);
const first = cpuOnce(() => findOverlaps(vast.map((targets) => ({ targets }))));
const snapshot = busy({ pending: vast.length, targetsOf: (number) => vast[number] ?? [] });
console.info(
  `200 pending with 10,000 targets each: ${cpuMs(snapshot).toFixed(2)} ms, ${first.toFixed(0)} ms the first time`,
);

function slope(measured: readonly { readonly pending: number; readonly ms: number }[]): number {
  const [from, to] = [measured[0], measured.at(-1)];
  if (from === undefined || to === undefined) return NaN;
  return Math.log(to.ms / from.ms) / Math.log(to.pending / from.pending);
}
