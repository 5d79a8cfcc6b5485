// What one plan costs, by the number of pending pull requests: node bench/planner-cost.ts
//
// 500 workers are busy, one change in two overlaps an earlier one, and the last thing that happened is that a build
// ended. The slope is that of log time over log pending: 1 is linear.
import { plan } from '../src/domain/queue/plan.ts';
import type { BatchState, BuildState, PullRequestState, Snapshot } from '../src/domain/queue/snapshot.ts';
import { rulesOfPlanner } from './simulator/policies/rules.ts';

const workers = 500;
const runs = 21;

function targetsOf(number: number): readonly string[] {
  return number % 2 === 0 ? [`target ${number}`] : [`target ${number - 1}`, `target ${number}`];
}

function pullRequest(number: number): PullRequestState {
  return {
    id: `p${number}`,
    number,
    status: 'queued',
    head: `h${number}`,
    stack: null,
    below: null,
    isBarrier: false,
    rank: number,
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
    targets: targetsOf(number),
    chance: 0.92,
    conflict: null,
  };
}

function empty(pending: number): Snapshot {
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
    pullRequests: Array.from({ length: pending }, (_, number) => pullRequest(number)),
    departures: [],
    batches: [],
    builds: [],
    readings: [],
    landings: [],
    mergeResults: [],
  };
}

/** The planner's own first choice, built; the first of them has just ended. */
function busy(pending: number): Snapshot {
  const idle = empty(pending);
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
      landingBegun: false,
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
      canceled: false,
      startedAt: 0,
      finishedAt: isOver ? 1 : null,
      lastEndAt: isOver ? 1 : null,
    };
  });
  return { ...idle, batches, builds, queue: { ...idle.queue, nextPosition: batches.length + 1 } };
}

function cpuMs(snapshot: Snapshot): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    plan(snapshot, 2);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}

// As in a worker that has planned before.
for (let round = 0; round < 5; round += 1) cpuMs(busy(1000));
const measured = [50, 200, 1000, 5000].map((pending) => ({ pending, ms: cpuMs(busy(pending)) }));
for (const { pending, ms } of measured)
  console.info(`${pending} pending: ${ms.toFixed(2)} ms of CPU (median of ${runs})`);
const [, from] = measured;
const to = measured.at(-1);
if (from !== undefined && to !== undefined)
  console.info(
    `slope from ${from.pending} on: ${(Math.log(to.ms / from.ms) / Math.log(to.pending / from.pending)).toFixed(2)}`,
  );
