// Draws the unknown facts about a line at random: which pull requests fail, how long builds still take, and which pull
// requests arrive. The drawn facts agree with the known results. Each seed gives another world.
import type { Targets } from '../queue/model/overlap.ts';
import type { PullRequestState } from '../queue/model/snapshot.ts';
import { durationAt, shareWithin } from './durations.ts';
import type { BuildStatistics } from './build-statistics.ts';
import type { BuildContent, Change, GroundTruth } from './policy.ts';
import { draw, drawLognormal, drawWait, streams } from './randomness.ts';
import type { InitialBuild, InitialLine } from './initial-line.ts';

export interface SampledWorld {
  readonly truth: GroundTruth;
  /**
   * For each build of the initial line: how long it still takes, and whether it passes. Null: the commit of its batch
   * is not made yet.
   */
  readonly builds: readonly (NonNullable<BuildContent['resumed']> | null)[];
  /** Pull requests that are queued from now on. */
  readonly arrivals: readonly Arrival[];
}

interface Arrival {
  readonly change: Change;
  readonly row: Pick<PullRequestState, 'successProbability'>;
}

interface Seeded extends BuildStatistics {
  /** The targets of earlier pull requests. An arriving pull request gets those of an earlier one, chosen at random. */
  readonly targets: readonly Targets[];
  readonly seed: number;
  readonly now: number;
}

export function sampleWorld(line: InitialLine, known: Seeded): SampledWorld {
  const { seed, now, flakeRate } = known;
  const arrivals = sampleArrivals(line, known);
  const bad = sampleFailing(line.rows, line.builds, known);
  for (const { change, row } of arrivals)
    if (draw(seed, streams.outcome, change.number) >= row.successProbability) bad.add(change.number);
  const durationOf = sampleDurations(line, known);
  const stepMs = stepOf(known);
  return {
    truth: {
      isGreen: (_, added) => !added.some((change) => bad.has(change)),
      isFlake: ({ tree, attempt }) => flakeRate > 0 && draw(seed, streams.flake, tree, attempt) < flakeRate,
      durationOf: ({ members, tree, attempt }) =>
        inSteps(durationOf({ members, ageMs: 0, keys: [tree, attempt] }), stepMs),
    },
    builds: line.builds.map(({ verdict, since, members }, place) => {
      if (verdict === 'making') return null;
      if (verdict !== 'running') return { remainingMs: 0, passes: verdict === 'green' };
      const ageMs = now - since;
      return { remainingMs: inSteps(durationOf({ members, ageMs, keys: [-1, place] }) - ageMs, stepMs), passes: null };
    }),
    arrivals,
  };
}

/**
 * Returns the length of a step. All events within one step happen at the same instant. This saves plans, because a plan
 * after ten ended builds costs as much as a plan after one.
 */
function stepOf({ durations }: BuildStatistics): number {
  return Math.max(1, Math.round(durationAt(durations, 0.5) / stepsOfBuild));
}

const stepsOfBuild = 12;

function inSteps(ms: number, stepMs: number): number {
  return Math.ceil(ms / stepMs) * stepMs;
}

/**
 * The number of simulated arrivals. They matter for the present line, because they compete for builds, and because a
 * reordered pull request moves behind them.
 */
const maxArrivals = 50;

function sampleArrivals({ rows }: InitialLine, known: Seeded): Arrival[] {
  const { seed, now, arrivalsPerHour, targets } = known;
  if (arrivalsPerHour === 0) return [];
  const stepMs = stepOf(known);
  let due = 0;
  return Array.from({ length: maxArrivals }, (_, place) => {
    const number = rows.length + place;
    due += (drawWait(seed, streams.arrival, place) * 3_600_000) / arrivalsPerHour;
    const like = (count: number, what: number): number => Math.floor(draw(seed, streams.author, what, place) * count);
    return {
      change: {
        number,
        arrivedAt: now + inSteps(due, stepMs),
        author: 0,
        targets: targets[like(targets.length, 1)] ?? null,
      },
      row: { successProbability: rows[like(rows.length, 2)]?.successProbability ?? 0.9 },
    };
  });
}

/**
 * Draws one of two rules for this world. With the probability `stability`, a build takes as long as its slowest member
 * always takes. Otherwise each build takes a random time.
 */
function sampleDurations(
  line: InitialLine,
  known: Seeded,
): (build: {
  readonly members: readonly number[];
  readonly ageMs: number;
  readonly keys: readonly number[];
}) => number {
  const { seed, durations, stability, meanSize } = known;
  const paces = draw(seed, streams.duration, 0) < stability ? samplePaces(line, known) : null;
  const speed = lognormalFactor(durationSpread, seed, streams.duration);
  return ({ members, ageMs, keys }) => {
    if (paces === null) {
      const min = ageMs > 0 ? shareWithin(durations, ageMs / speed) : 0;
      return speed * durationAt(durations, min + (1 - min) * draw(seed, streams.duration, 1, ...keys));
    }
    const slowest = members.reduce((max, member) => Math.max(max, paces[member] ?? paceOf(member, seed)), 0);
    return Math.max(ageMs + 1, speed * durationAt(durations, slowest ** meanSize));
  };
}

/** Draws the pace of a change: the share of all pull requests whose builds take no longer. */
function paceOf(change: number, seed: number): number {
  return draw(seed, streams.duration, 2, change);
}

/**
 * Draws the pace of each pull request in line so that it agrees with the builds of the pull request so far. The
 * duration of a build with several members is taken as that of one member, drawn at random as the slowest.
 */
function samplePaces({ ids, rows, builds }: InitialLine, { seed, now, durations, meanSize, seen }: Seeded): number[] {
  const paces = rows.map((_, number) => paceOf(number, seed));
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const past = seen
    .filter(({ members }) => members.some((id) => numbers.has(id)))
    .map((build) => ({ ...build, members: build.members.map((id) => numbers.get(id) ?? -1) }));
  const running = builds.flatMap(({ verdict, since, members }) =>
    verdict === 'running' ? { members, lastedMs: now - since, hasEnded: false } : [],
  );
  const settled = new Set<number>();
  for (const [place, { members, lastedMs, hasEnded }] of past.entries()) {
    const slowest = members[Math.floor(draw(seed, streams.duration, 3, place) * members.length)] ?? -1;
    if (!hasEnded) continue;
    const pace = shareWithin(durations, lastedMs - 1) ** (1 / meanSize);
    for (const member of members) {
      if (settled.has(member) || paces[member] === undefined) continue;
      settled.add(member);
      paces[member] = member === slowest ? pace : paces[member] * pace;
    }
  }
  for (const [place, { members, lastedMs, hasEnded }] of [...past, ...running].entries()) {
    if (hasEnded) continue;
    const min = shareWithin(durations, lastedMs) ** (1 / meanSize);
    if (members.some((member) => settled.has(member) || (paces[member] ?? 0) >= min)) continue;
    const slowest = members[Math.floor(draw(seed, streams.duration, 3, place) * members.length)] ?? -1;
    if (paces[slowest] !== undefined) paces[slowest] = min + (1 - min) * paces[slowest];
  }
  return paces;
}

/** How much the learned failure rate varies between simulations, because it varies between days. */
const failureSpread = 0.3;
const durationSpread = 0.1;

function lognormalFactor(spread: number, seed: number, stream: number): number {
  return drawLognormal({ median: 1, spread }, seed, stream, spreads);
}

const spreads = 99;

function sampleFailing(rows: readonly PullRequestState[], builds: readonly InitialBuild[], known: Seeded): Set<number> {
  const { seed, flakeRate } = known;
  const proven = new Set(builds.flatMap(({ verdict, content }) => (verdict === 'green' ? content : [])));
  const failureFactor = lognormalFactor(failureSpread, seed, streams.outcome);
  const failing = rows.map((row, number) => (proven.has(number) ? 0 : failureOf(row, { failureFactor, flakeRate })));
  const bad = new Set(failing.flatMap((share, number) => (draw(seed, streams.outcome, number) < share ? number : [])));
  for (const [place, { verdict, content }] of builds.entries()) {
    if (verdict !== 'red' || content.some((number) => bad.has(number))) continue;
    const suspicion = 1 - content.reduce((all, number) => all * (1 - (failing[number] ?? 0)), 1);
    const isFlake = draw(seed, streams.flake, 1, place) < flakeRate / (flakeRate + suspicion);
    const culprit = isFlake ? null : pick(content, failing, draw(seed, streams.outcome, 1, place));
    if (culprit !== null) bad.add(culprit);
  }
  return bad;
}

/**
 * The probability that the pull request fails. The estimate begins with the success probability. A reorder because of a
 * red build raises it, and so does a reorder because others were ready to land.
 */
function failureOf(
  { successProbability, reorderedForFailure, timesPassed }: PullRequestState,
  { failureFactor, flakeRate }: { readonly failureFactor: number; readonly flakeRate: number },
): number {
  const usual = Math.min(1, (1 - successProbability) * failureFactor);
  const red = reorderedForFailure ? usual / (usual + (1 - usual) * flakeRate) : usual;
  return timesPassed > 0 ? Math.max(red, minFailureOfPassed) : red;
}

/**
 * The assumed least probability of failure of a pull request that others have passed, because they were ready to land.
 * On simulated days about three quarters of these pull requests fail. This is not the threshold in
 * speculation/reorder.ts, by which a pull request may be passed if it lands with a probability below 0.8.
 */
const minFailureOfPassed = 0.8;

/** Returns an element, chosen by the weights. `share` is a random number in [0, 1). Null: all weights are 0. */
function pick(among: readonly number[], weights: readonly number[], share: number): number | null {
  let left = share * among.reduce((sum, number) => sum + (weights[number] ?? 0), 0);
  for (const number of among) {
    left -= weights[number] ?? 0;
    if (left < 0) return number;
  }
  return null;
}
