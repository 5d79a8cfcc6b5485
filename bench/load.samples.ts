// Measures a running Interlock from outside, again and again: memory and CPU of each program, the delay of the event
// loop, and the heap after a garbage collection.
import { setTimeout as delay } from 'node:timers/promises';
import type { Inspector } from './inspector.ts';
import type { Program } from './program.ts';

export const programs = ['service and worker', 'postgres', 'temporal', 'others'] as const;
export type ProgramName = (typeof programs)[number];

export interface Sample {
  /** Minutes since the first sample. */
  readonly minutes: number;
  readonly megabytes: Readonly<Record<ProgramName, number>>;
  /** Cores that each program used since the sample before. */
  readonly cores: Readonly<Record<ProgramName, number>>;
  /** The service after a garbage collection. Null: none was made at this sample. */
  readonly collected: Collected | null;
  /**
   * How late timers of the service were since the sample before, in milliseconds: 99 of 100 at most, and the latest.
   */
  readonly lagMs: { readonly p99: number; readonly most: number };
}

export interface Collected {
  /** The heap of the main thread. */
  readonly heapMegabytes: number;
  /** All memory of the process. Between two collections it grows by garbage, by hundreds of megabytes under load. */
  readonly megabytes: number;
}

export interface Sampling {
  readonly everySec: number;
  /** A garbage collection stops the service, so the heap is measured less often. */
  readonly heapEverySec: number;
  readonly inspector: Inspector;
  readonly onSample: (sample: Sample) => void;
}

/** V8 gives memory back to the system some time after a garbage collection. */
const releasedAfterMs = 1_000;

/** Takes samples until `endsAt`, by `performance.now()`. */
export async function takeSamples(program: Program, endsAt: number, sampling: Sampling): Promise<Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  let before = { at: began, seconds: byName(await program.cpu()) };
  await readLag(program);
  const count = Math.round((endsAt - began) / 1_000 / sampling.everySec);
  for (let n = 1; n <= count; n += 1) {
    await delay(Math.max(0, began + n * sampling.everySec * 1_000 - performance.now()));
    const now = { at: performance.now(), seconds: byName(await program.cpu()) };
    const megabytes = mapped(byName(await program.memoryByProgram()), (bytes) => bytes / 1_000_000);
    const lagMs = await readLag(program);
    const isHeapDue = (n * sampling.everySec) % sampling.heapEverySec === 0;
    const sample: Sample = {
      minutes: (now.at - began) / 60_000,
      megabytes,
      cores: mapped(now.seconds, (sec, name) => ((sec - before.seconds[name]) * 1_000) / (now.at - before.at)),
      collected: isHeapDue ? await collect(program, sampling.inspector) : null,
      lagMs,
    };
    before = now;
    samples.push(sample);
    sampling.onSample(sample);
  }
  return samples;
}

async function collect(program: Program, inspector: Inspector): Promise<Collected> {
  const heapMegabytes = (await inspector.heapBytes()) / 1_000_000;
  await delay(releasedAfterMs);
  return { heapMegabytes, megabytes: byName(await program.memoryByProgram())['service and worker'] / 1_000_000 };
}

function byName(values: ReadonlyMap<string, number>): Record<ProgramName, number> {
  const sums = { 'service and worker': 0, postgres: 0, temporal: 0, others: 0 };
  for (const [name, value] of values) {
    const known = programs.find((each) => each === name) ?? 'others';
    sums[known] += value;
  }
  return sums;
}

function mapped(
  values: Readonly<Record<ProgramName, number>>,
  map: (value: number, name: ProgramName) => number,
): Record<ProgramName, number> {
  return {
    'service and worker': map(values['service and worker'], 'service and worker'),
    postgres: map(values.postgres, 'postgres'),
    temporal: map(values.temporal, 'temporal'),
    others: map(values.others, 'others'),
  };
}

/** Each reading of /metrics begins a new measurement of the delay of the event loop. */
async function readLag({ client }: Program): Promise<Sample['lagMs']> {
  const text = await (await fetch(`${client.url}/metrics`)).text();
  const ms = (name: string): number =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN) * 1_000;
  return { p99: ms('p99'), most: ms('max') };
}

/** The slope of the values in the second half of the samples, by least squares, for each minute. */
export function slopeOf(samples: readonly Sample[], valueOf: (sample: Sample) => number | null): number {
  const points = samples.flatMap((sample) => {
    const y = valueOf(sample);
    return y === null ? [] : [{ x: sample.minutes, y }];
  });
  const half = points.slice(Math.floor(points.length / 2));
  const mean = (pick: (point: { x: number; y: number }) => number): number =>
    half.reduce((sum, point) => sum + pick(point), 0) / half.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const above = half.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  return above / half.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
}

export function lineOf({ minutes, megabytes, cores, collected, lagMs }: Sample): string {
  const mb = programs.map((name) => megabytes[name].toFixed(0).padStart(5)).join(' ');
  const used = programs.map((name) => cores[name].toFixed(2).padStart(5)).join(' ');
  const heap =
    collected === null
      ? ''
      : `  after GC: heap ${collected.heapMegabytes.toFixed(1)} MB, service ${collected.megabytes.toFixed(0)} MB`;
  return `${minutes.toFixed(1).padStart(6)} min  MB ${mb}  cores ${used}  lag ${lagMs.p99.toFixed(0)}, ${lagMs.most.toFixed(0)} ms${heap}`;
}
