// The figures of a bench with their aims, as one table or as JSON.
import { availableParallelism, cpus, loadavg } from 'node:os';
import { table } from './timing.ts';

export interface Figure {
  readonly what: string;
  readonly today: number;
  readonly unit: string;
  /** The figure of the rival, in the same unit. Null: there is no rival. */
  readonly rival: number | null;
  /** The ratio of today's figure and the rival's figure. Null: there is no rival. */
  readonly ratio: number | null;
  /** The aim. Null: the figure has no aim, and only explains another figure. */
  readonly aim: Aim | null;
  readonly isReached: boolean | null;
}

export interface Aim {
  /** Whether the aim is about the ratio or about today's figure. */
  readonly of: 'ratio' | 'today';
  readonly is: 'at most' | 'at least';
  readonly value: number;
}

interface Measured {
  readonly what: string;
  readonly today: number;
  readonly unit: string;
  readonly rival?: number;
  /**
   * Which figure is divided by the other one. `ours`: today's figure over the rival's, for figures of which less is
   * better. `rival`: the rival's figure over today's, so that a higher ratio is better.
   */
  readonly over?: 'ours' | 'rival';
  readonly atMost?: number;
  readonly atLeast?: number;
}

export function figure({ what, today, unit, rival, over = 'ours', atMost, atLeast }: Measured): Figure {
  const ratio = rival === undefined ? null : over === 'ours' ? today / rival : rival / today;
  const aim = aimOf(ratio === null ? 'today' : 'ratio', { atMost, atLeast });
  const judged = ratio ?? today;
  const isReached = aim === null ? null : aim.is === 'at most' ? judged <= aim.value : judged >= aim.value;
  return { what, today, unit, rival: rival ?? null, ratio, aim, isReached };
}

function aimOf(
  of: Aim['of'],
  { atMost, atLeast }: { readonly atMost: number | undefined; readonly atLeast: number | undefined },
): Aim | null {
  if (atMost !== undefined) return { of, is: 'at most', value: atMost };
  return atLeast === undefined ? null : { of, is: 'at least', value: atLeast };
}

export interface Machine {
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  /** How many processes were ready to run on average in the last minute (the load). */
  readonly load: number;
}

export function thisMachine(): Machine {
  return {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

export function tableOfFigures(figures: readonly Figure[]): string {
  return table(
    ['what', 'today', 'rival', 'ratio', 'aim', ''],
    figures.map(({ what, today, unit, rival, ratio, aim, isReached }) => [
      what,
      withUnit(today, unit),
      rival === null ? '' : withUnit(rival, unit),
      ratio === null ? '' : digits(ratio),
      aim === null
        ? ''
        : `${aim.is === 'at most' ? '≤' : '≥'} ${aim.of === 'ratio' ? `${aim.value} ×` : withUnit(aim.value, unit)}`,
      isReached === null ? '' : isReached ? 'reached' : 'missed',
    ]),
  );
}

function withUnit(value: number, unit: string): string {
  return unit === '' ? digits(value) : `${digits(value)} ${unit}`;
}

/** Rounds to three significant digits. */
function digits(value: number): string {
  if (!Number.isFinite(value)) return 'not known';
  if (value === 0 || Math.abs(value) >= 100) return value.toFixed(0);
  return Number(value.toPrecision(3)).toString();
}

/** The value that `percent` of the samples do not exceed. */
export function percentile(samples: readonly number[], percent: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? Number.NaN;
}
