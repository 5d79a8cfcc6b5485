// Forecasts when each pull request in line will land. The line is simulated many times, each time in a random world
// that agrees with the known facts. The planner decides as in production. Pull requests that arrive during a simulation
// get no forecast.
import { standstillTexts, type Standstill } from '../health/parts.ts';
import { buildsSpeculatively, type QueueRules } from '../queue/model/rules.ts';
import type { Targets } from '../queue/model/overlap.ts';
import type { Snapshot } from '../queue/model/snapshot.ts';
import { simulate } from './engine.ts';
import type { BuildStatistics } from './build-statistics.ts';
import { sampleWorld } from './sample-world.ts';
import { plannerPolicy } from './planner-policy.ts';
import type { Change } from './policy.ts';
import { sortAscending } from './quantile.ts';
import { simulatedRules } from './simulated-rules.ts';
import { initialLineOf, type InitialLine } from './initial-line.ts';

/** When a pull request is expected to land, in milliseconds since the epoch. */
export interface Eta {
  /** Half of the simulations that land the pull request have landed it by this instant. */
  readonly p50: number;
  /** Nine of ten simulations that land the pull request have landed it by this instant. */
  readonly p90: number;
}

export type NoEta =
  | 'halted'
  | 'paused'
  /** Landings are held by a merge window or a freeze whose end is not known. */
  | 'no_window'
  /** No build has ended yet. */
  | 'no_build_history'
  | 'too_far_back'
  /** In most simulations the pull request leaves the line without landing. */
  | 'likely_to_fail'
  | Standstill;

export interface Forecast {
  /** The forecast of each pull request of the snapshot, by its id. */
  readonly etas: ReadonlyMap<string, Eta | NoEta>;
  /** Why there is no forecast of pull requests behind those of the snapshot, if it has only the front of the line. */
  readonly behind: NoEta;
  /** The number of simulations. */
  readonly runs: number;
}

export interface ForecastOptions {
  /** Null: no build has ended yet. */
  readonly statistics: BuildStatistics | null;
  /**
   * Returns whether the time is over. It is called before each simulation after the ninth. If it returns true, no
   * further simulation starts.
   */
  readonly isOver: () => boolean;
  /** The greatest number of simulations. Left out: 99. */
  readonly runs?: number;
}

/**
 * Only this many pull requests of a line, the first ones, are simulated. Later pull requests hardly affect them, and the
 * forecast does not depend on them, except that those that were queued lately count as arrivals.
 */
const longestLine = 100;
const maxRuns = 99;
/**
 * The least number of simulations with a 90th percentile: the next value exceeds the k-th of n values with probability
 * 1 - k / (n + 1), which is 1/10 for the last of 9.
 */
const minRuns = 9;

export function forecast(snapshot: Snapshot, now: number, options: ForecastOptions): Forecast {
  const { statistics, isOver, runs: limit = maxRuns } = options;
  const hold = holdOfForecast(snapshot.queue);
  if (hold !== null || statistics === null) return noForecast(snapshot.pullRequests, hold ?? 'no_build_history');
  const line = initialLineOf(snapshot, now, longestLine);
  const endsByNumber = line.changes.map((): SimulatedEnds => ({ landings: [], ejected: 0 }));
  let runs = 0;
  for (; runs < limit && (runs < minRuns || !isOver()); runs += 1)
    simulateOnce(line, { snapshot, now, statistics, seed: runs + 1 }, endsByNumber);
  const from = snapshot.queue.landingsFrom ?? now;
  const etas = new Map<string, Eta | NoEta>(snapshot.pullRequests.map(({ id }) => [id, 'too_far_back']));
  for (const [number, ends] of endsByNumber.entries()) etas.set(line.ids[number] ?? '', etaOf(ends, from));
  return { etas, runs, behind: 'too_far_back' };
}

/** Why nothing lands until a person acts, so that nothing can be forecast. Null: there is no such reason. */
export function holdOfForecast({
  haltedReason,
  paused,
  landingsFrom,
}: Pick<Snapshot['queue'], 'haltedReason' | 'paused' | 'landingsFrom'>): NoEta | null {
  if (haltedReason !== null) return 'halted';
  if (paused) return 'paused';
  return landingsFrom === Infinity ? 'no_window' : null;
}

/** The forecast of a line whose landings are all unknown for the same reason. */
export function noForecast(line: readonly { readonly id: string }[], reason: NoEta): Forecast {
  return { runs: 0, etas: new Map(line.map(({ id }) => [id, reason])), behind: reason };
}

interface SimulationInput {
  readonly snapshot: Snapshot;
  readonly now: number;
  readonly statistics: BuildStatistics;
  readonly seed: number;
}

/** How often and when a pull request left the line in the simulations. It may never leave the line in a simulation. */
interface SimulatedEnds {
  readonly landings: number[];
  ejected: number;
}

function simulateOnce(
  line: InitialLine,
  { snapshot, now, statistics, seed }: SimulationInput,
  endsByNumber: readonly SimulatedEnds[],
): void {
  const arrivalsPerHour = isShortOfBuilds(snapshot) ? statistics.arrivalsPerHour : 0;
  const targets = targetsOf(snapshot, line);
  const flakeRate = flakeRateOf(snapshot, line, statistics);
  const { truth, builds, arrivals } = sampleWorld(line, {
    ...statistics,
    seed,
    now,
    arrivalsPerHour,
    flakeRate,
    targets,
  });
  const initial = line.builds.map(({ batch }, place) => ({ batch, build: builds[place] ?? null }));
  const changes = [...line.changes, ...arrivals.map(({ change }) => change)];
  const first = arrivals[0]?.change.number ?? Infinity;
  let pending: readonly Change[] | null = null;
  // `pending` is in order of arrival. If its first pull request arrived during the simulation, all forecast ones have
  // left the line.
  const isOver = (): boolean => pending !== null && (pending[0]?.number ?? first) >= first;
  const { outcomes } = simulate({ workers: Infinity, changes, truth, mayStay: true, isOver }, () => {
    const policy = plannerPolicy({
      rules: rulesAhead(snapshot),
      rowOf: ({ number }) => line.rows[number] ?? arrivals[number - first]?.row ?? {},
      initial,
      ...(snapshot.secondTries !== undefined && { past: { ends: [], secondTries: snapshot.secondTries } }),
    });
    return {
      knowsOutcomes: policy.knowsOutcomes,
      decide(queue, actions) {
        ({ pending } = queue);
        policy.decide(queue, actions);
      },
    };
  });
  for (const { change, at, kind } of outcomes) {
    const ends = endsByNumber[change.number];
    if (ends === undefined) continue;
    if (kind === 'landed') ends.landings.push(at);
    else ends.ejected += 1;
  }
}

/**
 * Second builds of red pull requests show which share of red builds are flakes. The flake rate follows from this share
 * and the failure rate.
 */
function flakeRateOf(
  { secondTries }: Snapshot,
  { rows }: Pick<InitialLine, 'rows'>,
  { flakeRate }: BuildStatistics,
): number {
  if (secondTries === undefined || secondTries.judged === 0 || rows.length === 0) return flakeRate;
  const ofReds = (secondTries.passed + 0.5) / (secondTries.judged + 5);
  const failing = rows.reduce((sum, { successProbability }) => sum + 1 - successProbability, 0) / rows.length;
  return (ofReds * failing) / (1 - ofReds);
}

/**
 * Whether later arrivals can get builds that earlier pull requests would get otherwise. In linear speculation they
 * cannot, because the first pull requests in line get the builds.
 */
export function isShortOfBuilds({ rules }: Pick<Snapshot, 'rules'>): boolean {
  return buildsSpeculatively(rules) && rules.maxParallelBuilds !== null;
}

/**
 * The rules of the simulation. The simulation assumes that other queues keep the number of builds that they run now.
 */
function rulesAhead({ rules, queue }: Snapshot): QueueRules {
  const { maxParallelBuilds } = rules;
  if (maxParallelBuilds === null) return simulatedRules(rules);
  return { ...simulatedRules(rules), maxParallelBuilds: Math.max(1, maxParallelBuilds - queue.buildsElsewhere) };
}

/** The targets of recent pull requests. */
function targetsOf({ landings }: Snapshot, { rows }: Pick<InitialLine, 'rows'>): readonly Targets[] {
  return [...landings.flatMap(({ members }) => members ?? []), ...rows].map(({ targets }) => targets);
}

function etaOf({ landings, ejected }: SimulatedEnds, from: number): Eta | NoEta {
  const ends = landings.length + ejected;
  if (ends < minRuns) return 'too_far_back';
  if (landings.length < ends / 2) return 'likely_to_fail';
  const sorted = sortAscending(landings);
  const instant = (share: number): number =>
    Math.max(from, sorted[Math.min(sorted.length, Math.ceil(share * (sorted.length + 1))) - 1] ?? from);
  return { p50: instant(0.5), p90: instant(0.9) };
}

/** Describes a forecast in one sentence, with instants in UTC. */
export function etaText(eta: Eta | NoEta, now: number): string {
  if (typeof eta === 'string') return unknownTexts[eta];
  const isToday = dayOf(eta.p90) === dayOf(now);
  const instantText = (at: number): string => (isToday ? timeOf(at) : `${dayOf(at)} ${timeOf(at)}`);
  return `It will probably be merged at about ${instantText(eta.p50)}, and in 9 of 10 cases by ${instantText(eta.p90)} UTC.`;
}

const unknownTexts = {
  halted: 'Interlock cannot say when it will be merged, because the queue is halted.',
  paused: 'Interlock cannot say when it will be merged, because the queue is paused.',
  no_window:
    'Interlock cannot say when it will be merged, because the opening of a merge window or the end of a freeze is not known.',
  no_build_history: 'Interlock cannot say when it will be merged, because no build of this queue has ended yet.',
  too_far_back: 'Interlock cannot say when it will be merged, because too many pull requests before it are undecided.',
  ...standstillTexts,
  likely_to_fail: 'It is more likely to be blocked than to be merged.',
} as const satisfies Record<NoEta, string>;

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}
