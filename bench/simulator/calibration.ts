// Compares ETAs with landings. A simulated queue is asked for its ETAs when some of the changes arrive, right after the
// plan. The queue knows the builds of the day before.
import type { QueueRules } from '../../src/domain/queue/model/rules.ts';
import type { Snapshot } from '../../src/domain/queue/model/snapshot.ts';
import { simulate } from '../../src/domain/simulation/engine.ts';
import {
  buildStatisticsOf,
  type BuildStatistics,
  type ObservedBuild,
} from '../../src/domain/simulation/build-statistics.ts';
import { forecast, type Eta, type NoEta } from '../../src/domain/simulation/forecast.ts';
import { plannerPolicy, type PlannerPolicy } from '../../src/domain/simulation/planner-policy.ts';
import type { Policy, PolicySetup, QueueView } from '../../src/domain/simulation/policy.ts';
import { draw } from '../../src/domain/simulation/randomness.ts';
import type { Cell } from './cell.ts';
import { rulesOfPlanner } from './policies/rules.ts';
import { drawDay } from './workload.ts';

/** The rules by which each kind of queue chooses its builds. */
export const kinds = {
  speculative: { speculation: 'adaptive', useAffectedTargets: true, batchSize: 4 },
  line: {},
  batches: { batchSize: 4 },
} as const satisfies Record<string, Partial<QueueRules>>;

export type Kind = keyof typeof kinds;

export interface Experiment {
  readonly cell: Cell;
  readonly kind: Kind;
  readonly seed: number;
  readonly changes: number;
  /** About how many times a day the queue is asked. */
  readonly samples: number;
  /** From how many simulations each answer is made. */
  readonly runs: number;
}

/** The stage of a pull request when the queue is asked. `arriving`: it was just queued. `building`: it is tagged. */
export type Stage = 'arriving' | 'waiting' | 'building';

export interface Estimate {
  readonly stage: Stage;
  readonly eta: Eta | NoEta;
  /** When the pull request landed. Null: it never landed. */
  readonly landedAt: number | null;
}

const lastBuilds = 1_000;
const changesBefore = 200;
const streamOfSamples = 60;
const dayBefore = 1_000;

export function estimateLandings({ cell, kind, seed, changes, samples, runs }: Experiment): Estimate[] {
  const rules: QueueRules = { ...rulesOfPlanner, maxParallelBuilds: cell.workers, ...kinds[kind] };
  const flakeRate = kind === 'speculative' ? 0 : cell.flake;
  const past = buildsBefore(drawDay(cell, { seed: seed + dayBefore, changes: changesBefore, past: 2_000 }), rules);
  const day = drawDay(cell, { seed, changes, past: 2_000 });
  const estimates: { readonly id: string; readonly stage: Stage; readonly eta: Eta | NoEta }[] = [];
  const recordEtas = (snapshot: Snapshot, now: number, statistics: BuildStatistics | null): void => {
    const { etas } = forecast(snapshot, now, { statistics, isOver: afterRuns(runs) });
    for (const { id, queuedAt, status } of snapshot.pullRequests) {
      const stage = queuedAt === now ? 'arriving' : status === 'tagged' ? 'building' : 'waiting';
      estimates.push({ id, stage, eta: etas.get(id) ?? 'too_far_back' });
    }
  };
  const { outcomes } = simulate(day, () => {
    const builds = new BuildRecords();
    const planner = plannerOf(day, rules);
    const policy = builds.of(planner);
    return {
      decide(queue, actions) {
        policy.decide(queue, actions);
        if (!isAsked(queue, { seed, share: samples / changes })) return;
        const { now } = queue;
        const snapshot = planner.snapshot(now);
        const known = [...past, ...builds.at(now)].slice(-lastBuilds);
        recordEtas(snapshot, now, buildStatisticsOf(known, { now, line: snapshot.pullRequests, flakeRate }));
      },
    };
  });
  const landed = outcomes.filter((outcome) => outcome.kind === 'landed');
  const landedAt = new Map(landed.map(({ change, at }): [string, number] => [`p${change.number}`, at]));
  return estimates.map(({ id, stage, eta }) => ({ stage, eta, landedAt: landedAt.get(id) ?? null }));
}

/** Returns false `max` times, and then true. */
export function afterRuns(max: number): () => boolean {
  let runs = 0;
  return () => {
    runs += 1;
    return runs > max;
  };
}

function plannerOf({ past }: PolicySetup, rules: QueueRules): PlannerPolicy {
  return plannerPolicy({ rules, ...(past !== undefined && { past }) });
}

function isAsked({ news }: QueueView, of: { readonly seed: number; readonly share: number }): boolean {
  return news.arrived.some(({ number }) => draw(streamOfSamples, of.seed, number) < of.share);
}

/**
 * The builds of the day before, with instants before the measured day. Their pull requests get ids that no pull request
 * of the measured day has.
 */
function buildsBefore(day: PolicySetup, rules: QueueRules): ObservedBuild[] {
  const builds = new BuildRecords();
  const { until } = simulate(day, () => builds.of(plannerOf(day, rules)));
  return builds.at(until).map(({ members, startedAt, ...build }) => ({
    ...build,
    startedAt: startedAt - until,
    members: members.map((id) => `${id} of the day before`),
  }));
}

/** Records the facts about a policy's builds that the service would have in its rows. */
class BuildRecords {
  readonly #builds = new Map<number, Omit<ObservedBuild, 'lastedMs'> & { readonly endedAt: number | null }>();

  of(policy: Policy): Policy {
    return {
      decide: (queue, actions) => {
        for (const { id, finishedAt } of queue.news.finished) this.#end(id, { endedAt: finishedAt, hasEnded: true });
        policy.decide(queue, {
          start: (content) => {
            const build = actions.start(content);
            const members = content.members.map((number) => `p${number}`);
            this.#builds.set(build.id, { members, startedAt: build.requestedAt, endedAt: null, hasEnded: false });
            return build;
          },
          cancel: (build) => {
            this.#end(build, { endedAt: queue.now, hasEnded: false });
            actions.cancel(build);
          },
          land: (changes, restsOn) => actions.land(changes, restsOn),
          eject: (change) => actions.eject(change),
          wakeAt: (at) => actions.wakeAt(at),
        });
      },
    };
  }

  /** The builds so far, the oldest first. */
  at(now: number): ObservedBuild[] {
    return [...this.#builds.values()].map(({ endedAt, ...build }) => ({
      ...build,
      lastedMs: (endedAt ?? now) - build.startedAt,
    }));
  }

  #end(id: number, end: { readonly endedAt: number | null; readonly hasEnded: boolean }): void {
    const build = this.#builds.get(id);
    if (build !== undefined && build.endedAt === null) this.#builds.set(id, { ...build, ...end });
  }
}

export interface Calibration {
  /** The number of answers with an ETA, about pull requests that landed. */
  readonly landings: number;
  /** The share of these pull requests that landed by their p50, and by their p90. */
  readonly byP50: number;
  readonly byP90: number;
  /** The share of answers without an ETA, of all answers about pull requests that landed. */
  readonly unknown: number;
}

export function calibrationOf(estimates: readonly Estimate[]): Calibration {
  const landings = estimates.flatMap(({ eta, landedAt }) => (landedAt === null ? [] : { eta, landedAt }));
  const known = landings.flatMap(({ eta, landedAt }) => (typeof eta === 'string' ? [] : { eta, landedAt }));
  const by = (which: keyof Eta): number =>
    known.filter(({ eta, landedAt }) => landedAt <= eta[which]).length / known.length;
  return {
    landings: known.length,
    byP50: by('p50'),
    byP90: by('p90'),
    unknown: 1 - known.length / landings.length,
  };
}
