import { describe, expect, it } from 'vitest';
import { calibrationOf, estimateLandings, type Kind } from '../../../bench/simulator/calibration.ts';
import { parseCell } from '../../../bench/simulator/cell.ts';
import { among } from '../../support/tier.ts';

interface Queue {
  readonly name: string;
  readonly kind: Kind;
  readonly cell: string;
  readonly days: number;
  readonly changes: number;
}

const queues: readonly Queue[] = [
  { name: 'a quiet line', kind: 'line', cell: 'rate=6,workers=20,overlap=1', days: 4, changes: 60 },
  { name: 'a busy line', kind: 'line', cell: 'rate=20,workers=20,overlap=1,median=10', days: 4, changes: 60 },
  {
    name: 'few builds, in batches',
    kind: 'batches',
    cell: 'rate=20,workers=2,overlap=1,median=10',
    days: 4,
    changes: 60,
  },
  {
    name: 'speculative of one team',
    kind: 'speculative',
    cell: 'rate=12,workers=20,overlap=1,median=20',
    days: 4,
    changes: 60,
  },
  {
    name: 'speculative by targets',
    kind: 'speculative',
    cell: 'rate=40,workers=6,overlap=0.5,median=10',
    days: 4,
    changes: 40,
  },
];

// The same days each time. bench/simulator/etas.ts measures ETAs on many more days.
describe('80 to 98 of 100 landing changes land by their p90, and about half by their p50', {
  timeout: 300_000,
}, () => {
  it.each(
    among(
      queues,
      queues.filter(({ name }) => name === 'speculative of one team'),
    ),
  )('in $name', ({ kind, cell, days, changes }) => {
    const estimates = Array.from({ length: days }, (_, day) =>
      estimateLandings({ kind, cell: parseCell(cell), seed: day + 1, changes, samples: 6, runs: 9 }),
    ).flat();
    const { landings, byP50, byP90 } = calibrationOf(estimates);
    expect(landings).toBeGreaterThan(50);
    expect(byP50).toBeGreaterThan(0.35);
    expect(byP50).toBeLessThan(0.7);
    expect(byP90).toBeGreaterThanOrEqual(0.8);
    expect(byP90).toBeLessThanOrEqual(0.98);
  });
});
