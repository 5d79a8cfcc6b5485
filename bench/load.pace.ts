// Sends work at a steady rate, whether or not earlier work has ended, and keeps how long it took and why it failed.
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from './figures.ts';

export interface Outcomes {
  /** Milliseconds from the instant at which a request was due to the end of its answer. */
  readonly took: number[];
  readonly tookOf: ReadonlyMap<string, number[]>;
  /** Seconds until all answers were there. If the machine keeps the pace, this is how long the load lasts. */
  readonly seconds: number;
  /** How often each reason occurred. */
  readonly failures: ReadonlyMap<string, number>;
}

export interface Sent {
  readonly kind: string;
  /** Null: it succeeded. */
  readonly failure: string | null;
}

/**
 * Starts `work` for each instant that is due until `endsAt`, by `performance.now()`. A slow answer does not delay the
 * next request, and the time of a late request counts from the instant at which it was due.
 */
export async function keepPace(
  perSecond: number,
  endsAt: number,
  work: (n: number) => Promise<Sent>,
): Promise<Outcomes> {
  const took: number[] = [];
  const tookOf = new Map<string, number[]>();
  const failures = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const began = performance.now();
  const start = async (n: number, dueAt: number): Promise<void> => {
    const { kind, failure } = await work(n);
    const ms = performance.now() - dueAt;
    took.push(ms);
    const ofKind = tookOf.get(kind);
    if (ofKind === undefined) tookOf.set(kind, [ms]);
    else ofKind.push(ms);
    if (failure === null) return;
    const reason = `${kind}: ${failure}`;
    failures.set(reason, (failures.get(reason) ?? 0) + 1);
  };
  for (let n = 0; perSecond > 0; n += 1) {
    const dueAt = began + (n * 1_000) / perSecond;
    if (dueAt >= endsAt) break;
    const waitMs = dueAt - performance.now();
    if (waitMs > 1) await delay(waitMs);
    const started = start(n, dueAt).finally(() => running.delete(started));
    running.add(started);
  }
  await Promise.all(running);
  return { took, tookOf, seconds: (performance.now() - began) / 1_000, failures };
}

export function percentiles(samples: readonly number[]): string {
  const [p50, p95, p99] = [50, 95, 99].map((percent) => percentile(samples, percent).toFixed(1));
  return `p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`;
}
