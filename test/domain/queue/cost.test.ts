// The cost of a plan for a long line: the least CPU of several plans, because other work on the machine can only add to
// it. It is compared with the cost of sorting ten thousand texts, because machines differ.
import { expect, it } from 'vitest';
import { plan } from '../../../src/domain/queue/plan.ts';
import type { Targets } from '../../../src/domain/queue/model/overlap.ts';
import type { Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import { now, parallel, pr, situation, type BatchSpec } from './situation.ts';

const rules = { ...parallel, speculation: 'adaptive', useAffectedTargets: true, maxParallelBuilds: 500 } as const;

function leastMs(pending: number, targetsOf: (number: number) => Targets): number {
  const waiting = Array.from({ length: pending }, (_, number) => pr(number + 1, { targets: targetsOf(number) }));
  return leastMsOf(situation({ rules, waiting }));
}

function leastMsOf(snapshot: Snapshot): number {
  return leastMsFor(() => plan(snapshot, now));
}

function leastMsOfSorting(): number {
  const texts = Array.from({ length: 10_000 }, (_, number) => String((number * 7_919) % 10_007));
  return leastMsFor(() => [...texts].sort());
}

function leastMsFor(work: () => unknown): number {
  // The least of many runs counts, because the machine may be busy, and the code may not be compiled yet.
  const times = Array.from({ length: 40 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

it.each<[string, (number: number) => Targets]>([
  ['that overlap no other', (number) => [`${number}`]],
  ['of which every second one overlaps the one before', (number) => [`${number >> 1}`]],
  ['that all share a target', (number) => ['hot', `${number}`]],
  ['with unknown targets', () => null],
])('a plan of a thousand pull requests %s costs at most ten times as much as the sorting', (_, targetsOf) => {
  expect(leastMs(1000, targetsOf) / leastMsOfSorting()).toBeLessThan(10);
});

it('a plan of two hundred pull requests with thousands of targets each costs at most ten times as much as the sorting after the targets were compared', () => {
  const sets = Array.from({ length: 200 }, (_, number) => Array.from({ length: 2000 }, (__, of) => `${number}/${of}`));
  expect(leastMs(200, (number) => sets[number] ?? null) / leastMsOfSorting()).toBeLessThan(10);
});

it('a plan of three thousand pull requests that share a target, behind a failed one that is disjoint, takes at most 30 ms', () => {
  const waiting = Array.from({ length: 3000 }, (_, number) => pr(number + 1, { targets: [number === 0 ? 'a' : 'b'] }));
  const line: BatchSpec[] = [{ of: [1], build: 'failure', change: { sideBuild: 'speculative' } }];
  expect(leastMsOf(situation({ rules, waiting, line }))).toBeLessThan(30);
});

it.each([
  ['linear builds', { ...parallel, maxParallelBuilds: 500 }],
  ['serial mode', { ...parallel, mode: 'serial' }],
] as const)(
  'a plan that ends four hundred speculative builds after a change to %s costs at most ten times as much as the sorting',
  (_, changed) => {
    const waiting = Array.from({ length: 1000 }, (__, number) => pr(number + 1, { status: 'tagged' }));
    const line = waiting.slice(0, 400).map(
      ({ number }): BatchSpec => ({
        of: [number],
        build: 'pending',
        change: { sideBuild: 'speculative' },
      }),
    );
    expect(leastMsOf(situation({ rules: changed, waiting, line })) / leastMsOfSorting()).toBeLessThan(10);
  },
);

it('a plan that returns two hundred green parts of bisections costs at most ten times as much as the sorting', () => {
  const bisection = (group: string) => ({ group, max: 2, attempts: 1, phase: 'side_build' }) as const;
  const waiting = Array.from({ length: 400 }, (__, number) =>
    pr(number + 1, { status: 'tagged', bisection: bisection(`g${number >> 1}`) }),
  );
  const line = Array.from(
    { length: 200 },
    (__, part): BatchSpec => ({ of: [2 * part + 1, 2 * part + 2], build: 'success', change: { sideBuild: 'part' } }),
  );
  const bisecting = { ...parallel, useParallelBisection: true, batchSize: 4 };
  expect(leastMsOf(situation({ rules: bisecting, waiting, line })) / leastMsOfSorting()).toBeLessThan(10);
});

it.each([
  ['fifty pass the one before them', 0.7, 50],
  ['every second one is ready and waits for the one before it', 0.85, 500],
])(
  'a plan of a thousand pull requests, of which %s, costs at most ten times as much as the sorting',
  (_, successProbability, ready) => {
    const waiting = Array.from({ length: 1000 }, (__, number) =>
      pr(number + 1, { targets: [`${number >> 1}`], ...(number % 2 === 0 && { successProbability }) }),
    );
    const line = waiting.slice(0, 500).map(
      ({ number }): BatchSpec => ({
        of: [number],
        build: number % 2 === 0 && number <= 2 * ready ? 'success' : 'pending',
        change: { sideBuild: 'speculative' },
      }),
    );
    expect(leastMsOf(situation({ rules, waiting, line })) / leastMsOfSorting()).toBeLessThan(10);
  },
);
