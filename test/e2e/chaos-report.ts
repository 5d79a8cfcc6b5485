// What `npm run chaos` measured: how soon after a fault everything was ready, and how soon the next landing came.
import { faultKinds, type Fault, type FaultKind } from './chaos-faults.ts';

export interface Round {
  readonly fault: Pick<Fault, 'kind' | 'name'>;
  /** From the end of the fault until every process was ready. */
  readonly readyMs: number;
  /** From the end of the fault until the next pull request had landed. */
  readonly landedMs: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
}

export interface ChaosReport {
  readonly seed: number;
  readonly pullRequests: number;
  readonly faults: readonly {
    readonly kind: FaultKind;
    readonly count: number;
    readonly readyMs: Percentiles;
    readonly landedMs: Percentiles;
  }[];
  /** The aims of the 95th percentile after kills. Null: there were too few kills to judge them. */
  readonly aims: { readonly ready: Aim; readonly landed: Aim } | null;
  readonly rounds: readonly Round[];
}

export interface Aim {
  readonly atMostMs: number;
  readonly isReached: boolean;
}

/** From this number of kills on, the 95th percentile means something. */
const killsToJudge = 100;
const readyWithinMs = 10_000;
const landedWithinMs = 15_000;

export function reportOf(
  rounds: readonly Round[],
  { seed, pullRequests }: Pick<ChaosReport, 'seed' | 'pullRequests'>,
): ChaosReport {
  const faults = faultKinds.flatMap((kind) => {
    const ofKind = rounds.filter(({ fault }) => fault.kind === kind);
    if (ofKind.length === 0) return [];
    const readyMs = percentilesOf(ofKind.map((round) => round.readyMs));
    const landedMs = percentilesOf(ofKind.map((round) => round.landedMs));
    return [{ kind, count: ofKind.length, readyMs, landedMs }];
  });
  const kills = faults.find(({ kind }) => kind === 'kill');
  const judge = (measured: number, atMostMs: number): Aim => ({ atMostMs, isReached: measured <= atMostMs });
  const aims =
    kills === undefined || kills.count < killsToJudge
      ? null
      : { ready: judge(kills.readyMs.p95, readyWithinMs), landed: judge(kills.landedMs.p95, landedWithinMs) };
  return { seed, pullRequests, faults, aims, rounds };
}

const words = {
  kill: { one: 'kill', several: 'kills' },
  network: { one: 'fault of the network', several: 'faults of the network' },
  disk: { one: 'full disk', several: 'full disks' },
  clock: { one: 'wrong clock', several: 'wrong clocks' },
} as const satisfies Readonly<Record<FaultKind, unknown>>;

export function textOf({ seed, pullRequests, faults, aims }: ChaosReport): string {
  const lines = faults.map(
    ({ kind, count, readyMs, landedMs }) =>
      `${count} ${words[kind][count === 1 ? 'one' : 'several']}. Ready again: ${inSeconds(readyMs)}. The next landing: ${inSeconds(landedMs)}.`,
  );
  const say = (what: string, { atMostMs, isReached }: Aim): string =>
    `${isReached ? 'reached' : 'MISSED '}  after 95 of 100 kills, ${what} within ${atMostMs / 1000} s`;
  const judged =
    aims === null ? [] : [say('everything is ready', aims.ready), say('the next pull request lands', aims.landed)];
  return [`Seed ${seed}, ${pullRequests} pull requests.`, ...lines, ...judged].join('\n');
}

function percentilesOf(all: readonly number[]): Percentiles {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (part: number): number => Math.round(sorted[Math.ceil(part * sorted.length) - 1] ?? 0);
  return { p50: at(0.5), p95: at(0.95), most: at(1) };
}

function inSeconds({ p50, p95, most }: Percentiles): string {
  const text = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return `p50 ${text(p50)}, p95 ${text(p95)}, most ${text(most)}`;
}

/** The percentiles of durations in milliseconds, as text in seconds. */
export function percentiles(all: readonly number[]): string {
  return inSeconds(percentilesOf(all));
}
