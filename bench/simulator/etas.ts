// Measures how often ETAs come true, or with `--cost` how much CPU they take. `node bench/simulator/etas.ts` runs all
// cells in this file, and `--cell "line rate=20,workers=20"` runs the named cells. No database is needed. Two runs
// differ only in the cost.
import { parseArgs } from 'node:util';
import type { Snapshot } from '../../src/domain/queue/model/snapshot.ts';
import { simulate } from '../../src/domain/simulation/engine.ts';
import { buildStatisticsOf } from '../../src/domain/simulation/build-statistics.ts';
import { forecast } from '../../src/domain/simulation/forecast.ts';
import { plannerPolicy } from '../../src/domain/simulation/planner-policy.ts';
import { afterRuns, calibrationOf, kinds, estimateLandings, type Kind, type Estimate } from './calibration.ts';
import { nameCell, parseCell, type Cell } from './cell.ts';
import { rulesOfPlanner } from './policies/rules.ts';
import { drawDay } from './workload.ts';

const { values } = parseArgs({
  options: {
    cell: { type: 'string', multiple: true, default: [] },
    seeds: { type: 'string', default: '6' },
    changes: { type: 'string', default: '150' },
    samples: { type: 'string', default: '5' },
    runs: { type: 'string', default: '19' },
    cost: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const usual = [
  'speculative rate=500,workers=500',
  'speculative rate=300,workers=200',
  'speculative rate=100,workers=50',
  'speculative rate=100,workers=10',
  'speculative rate=100,workers=100,overlap=0.72,median=10',
  'speculative rate=20,workers=20,overlap=1',
  'speculative rate=20,workers=20,overlap=1,flake=0.05',
  'speculative rate=20,workers=20,overlap=1,draw=build',
  'line rate=6,workers=20,overlap=1',
  'line rate=20,workers=20,overlap=1,median=10',
  'batches rate=20,workers=2,overlap=1,median=10',
];

interface Place {
  readonly kind: Kind;
  readonly cell: Cell;
}

function parsePlace(text: string): Place {
  const [kind = '', cell = ''] = text.split(' ');
  if (!Object.hasOwn(kinds, kind))
    throw new Error(`--cell "${text}": must begin with a kind of queue, ${Object.keys(kinds).join(', ')}.`);
  return { kind: kind as Kind, cell: parseCell(cell) };
}

const stages = ['arriving', 'waiting', 'building', 'all'] as const;

function measure({ kind, cell }: Place): Estimate[] {
  const [seeds, changes, samples, runs] = [values.seeds, values.changes, values.samples, values.runs].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  return Array.from({ length: seeds }, (_, day) =>
    estimateLandings({ kind, cell, seed: day + 1, changes, samples, runs }),
  ).flat();
}

function percent(share: number): string {
  return Number.isNaN(share) ? '–' : `${Math.round(share * 100)} %`;
}

/**
 * The CPU in milliseconds of one answer about `waiting` pull requests in line. The answer is made from nine
 * simulations, the smallest number from which the service makes an answer.
 */
function costOf(kind: Kind, waiting: number): number {
  const cell = parseCell('rate=100,workers=50');
  const day = drawDay(cell, { seed: 1, changes: waiting, past: 2_000 });
  const rules = { ...rulesOfPlanner, maxParallelBuilds: cell.workers, ...kinds[kind] };
  let snapshot: Snapshot | null = null;
  const changes = day.changes.map((change) => ({ ...change, arrivedAt: 0 }));
  simulate({ ...day, changes, isOver: () => snapshot !== null }, () => {
    const planner = plannerPolicy({ rules, ...(day.past !== undefined && { past: day.past }) });
    return {
      decide(queue, actions) {
        planner.decide(queue, actions);
        snapshot ??= planner.snapshot(queue.now);
      },
    };
  });
  if (snapshot === null) return Number.NaN;
  const hour = 3_600_000;
  const builds = changes.map(({ number }) => ({
    members: [`b${number}`],
    startedAt: -hour,
    hasEnded: true,
    lastedMs: (0.25 + (number % 10) / 10) * hour,
  }));
  const statistics = buildStatisticsOf(builds, { now: 0, line: snapshot['pullRequests'], flakeRate: 0 });
  const begin = process.cpuUsage();
  forecast(snapshot, 0, { statistics, isOver: afterRuns(9) });
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const [header = []] = rows;
  const lines = [header, header.map(() => '---'), ...rows.slice(1)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

if (values.cost) {
  const sizes = [10, 100, 1_000];
  const rows = (Object.keys(kinds) as Kind[]).map((kind) => [
    kind,
    ...sizes.map((size) => `${Math.round(costOf(kind, size))} ms`),
  ]);
  console.log(tableOf([['CPU of an answer', ...sizes.map((size) => `${size} in line`)], ...rows]));
} else {
  const places = (values.cell.length === 0 ? usual : values.cell).map(parsePlace);
  const measured = places.map((place) => {
    const estimates = measure(place);
    const row = { kind: place.kind, cell: nameCell(place.cell), ...calibrationsOf(estimates) };
    if (!values.json) console.error(`${row.kind} ${row.cell}: ${percent(row.all.byP90)} by p90`);
    return row;
  });
  if (values.json) console.log(JSON.stringify(measured, null, 2));
  else
    console.log(
      tableOf([
        ['queue', ...stages.map((stage) => `${stage}: by p50, by p90`), 'landings', 'no ETA'],
        ...measured.map((row) => [
          `${row.kind}, ${row.cell}`,
          ...stages.map((stage) => `${percent(row[stage].byP50)}, ${percent(row[stage].byP90)}`),
          String(row.all.landings),
          percent(row.all.unknown),
        ]),
      ]),
    );
}

function calibrationsOf(estimates: readonly Estimate[]) {
  const of = (stage: (typeof stages)[number]) =>
    calibrationOf(estimates.filter((each) => stage === 'all' || each.stage === stage));
  return { arriving: of('arriving'), waiting: of('waiting'), building: of('building'), all: of('all') };
}
