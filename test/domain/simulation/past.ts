// A past for tests: a simulated queue, with the events that the service would have written.
import type { LogEntry, PastBatch } from '../../../src/domain/simulation/history.ts';
import { simulate, type Run } from '../../../src/domain/simulation/engine.ts';
import { truthOf } from '../../../src/domain/simulation/ground-truth.ts';
import { plannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import type { Build, Change, Policy, GroundTruth } from '../../../src/domain/simulation/policy.ts';
import { draw, drawWait } from '../../../src/domain/simulation/randomness.ts';
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';

export const minute = 60_000;

export interface Days {
  readonly seed: number;
  readonly count: number;
  readonly perHour: number;
  readonly failure: number;
  readonly flake?: number;
  readonly medianMin?: number;
  readonly drawnPer?: 'change' | 'build';
  /** Each change affects one of so many targets. Left out: it affects everything. */
  readonly targets?: number;
}

export function arrivals({ seed, count, perHour, targets }: Days): Change[] {
  let at = 1_000_000_000_000;
  return Array.from({ length: count }, (_, number) => {
    at += Math.round((drawWait(seed, 90, number) * 3_600_000) / perHour);
    const affected = targets === undefined ? null : [`target ${Math.floor(draw(seed, 92, number) * targets)}`];
    return { number, arrivedAt: at, author: number % 5, targets: affected };
  });
}

export function worldOf(days: Days): GroundTruth {
  const { seed, count, failure, flake = 0, medianMin = 10, drawnPer = 'change' } = days;
  const bad = Array.from({ length: count }, (_, number) => number).filter((n) => draw(seed, 91, n) < failure);
  const ci = { medianMs: medianMin * minute, spread: 0.4, drawnPer };
  return truthOf({ seed, bad: new Set(bad), pairs: [], flake, ci });
}

export interface Past {
  readonly run: Run;
  readonly log: LogEntry[];
  readonly batches: PastBatch[];
}

export function pastOf(days: Days, rules: QueueRules): Past {
  const builds: Build[] = [];
  const changes = arrivals(days);
  const run = simulate({ workers: Infinity, changes, truth: worldOf(days) }, () => noting(builds, rules));
  const entry = (change: Change, more: Pick<LogEntry, 'action' | 'at' | 'code'>): LogEntry => ({
    ...more,
    pullRequest: `p${change.number}`,
    author: `author ${change.author}`,
    skipLine: false,
    targets: change.targets,
  });
  const arrived = changes.map((change) => entry(change, { action: 'queued', at: change.arrivedAt, code: null }));
  const left = run.outcomes.map(({ change, at, kind }) =>
    kind === 'landed'
      ? entry(change, { action: 'merged', at, code: null })
      : entry(change, { action: 'blocked', at, code: 107 }),
  );
  return {
    run,
    log: [...arrived, ...left].sort((a, b) => a.at - b.at),
    batches: builds.map((build) => toPastBatch(build, builds)),
  };
}

function noting(builds: Build[], rules: QueueRules): Policy {
  const policy = plannerPolicy({ rules });
  return {
    decide(queue, actions) {
      policy.decide(queue, {
        start: (content) => {
          const build = actions.start(content);
          builds.push(build);
          return build;
        },
        cancel: (build) => actions.cancel(build),
        land: (changes, restsOn) => actions.land(changes, restsOn),
        eject: (change) => actions.eject(change),
        wakeAt: (at) => actions.wakeAt(at),
      });
    },
  };
}

/** The line of the service is a chain, so the assumptions of a build are the content of its parent. */
function toPastBatch(
  { id, members, assumes, requestedAt, finishedAt, verdict }: Build,
  all: readonly Build[],
): PastBatch {
  const parent = all.findLast((other) => other.id < id && other.members.at(-1) === assumes.at(-1));
  return {
    id: String(id),
    members: members.map((n) => `p${n}`),
    assumes: [],
    parent: parent === undefined ? null : String(parent.id),
    isBuilt: true,
    startedAt: requestedAt,
    endedAt: finishedAt,
    verdict: verdict === 'pending' ? null : verdict,
  };
}
