// The section that compares adaptive speculation with linear speculation, the default of parallel mode.
import { markdownTable, nameDay, show } from './figures.ts';
import type { Figures, Row } from './measurement.ts';

const single = 'interlock-linear';
const batches = 'interlock-linear-batches';
const waits = ['p50', 'p95', 'p99'] as const;
const names = { p50: 'P50', p95: 'P95', p99: 'P99', buildsPerChange: 'builds a change' } as const;

/** Returns the empty text if linear speculation did not run. */
export function linearSection(rows: readonly Row[]): string {
  const compared = rows.flatMap((row) =>
    (row.policy === single || row.policy === batches) && row.interlock !== null
      ? [{ row, adaptive: row.interlock }]
      : [],
  );
  if (compared.length === 0) return '';
  const slower = compared.filter(({ row, adaptive }) => waits.some((wait) => adaptive[wait] > row[wait]));
  const dearer = compared.filter(({ row, adaptive }) => adaptive.buildsPerChange > row.buildsPerChange);
  const days = new Set(compared.map(({ row }) => row.cell));
  return [
    `\`${single}\` is our planner with linear speculation and a build for each pull request, \`${batches}\` the same with batches of at most four. Both use targets where these are known. The table has P50 / P95 / P99 and builds a change, of each on the same days.`,
    tableOf(compared),
    verdict({ days: days.size, slower, dearer }),
  ].join('\n\n');
}

interface Compared {
  readonly row: Row;
  readonly adaptive: Figures;
}

function tableOf(compared: readonly Compared[]): string {
  const lines = [...Map.groupBy(compared, ({ row }) => row.cell)].map(([cell, group]) => {
    const of = (policy: string): Compared | undefined => group.find(({ row }) => row.policy === policy);
    const [first] = group;
    return [
      nameDay(cell),
      first === undefined ? '' : figuresOf(first.adaptive),
      ...[single, batches].map((policy) => {
        const found = of(policy);
        return found === undefined ? '' : figuresOf(found.row);
      }),
    ];
  });
  return markdownTable([['day', '`interlock`', `\`${single}\``, `\`${batches}\``], ...lines]);
}

function figuresOf({ p50, p95, p99, buildsPerChange }: Figures): string {
  return `${show(p50)} / ${show(p95)} / ${show(p99)}, ${show(buildsPerChange)}`;
}

function verdict({
  days,
  slower,
  dearer,
}: {
  readonly days: number;
  readonly slower: readonly Compared[];
  readonly dearer: readonly Compared[];
}): string {
  const cellsOf = (of: readonly Compared[]): number => new Set(of.map(({ row }) => row.cell)).size;
  if (slower.length + dearer.length === 0)
    return `On none of the ${days} kinds of days adaptive speculation has longer waits or more builds than linear speculation.`;
  return [
    'Linear speculation stays the default, because adaptive speculation is worse on some kinds of days.',
    slower.length === 0
      ? `On none of the ${days} kinds of days does adaptive speculation have longer waits.`
      : `On ${cellsOf(slower)} of ${days} kinds of days adaptive speculation has longer waits: ${slower.map(describeWaits).join('; ')}.`,
    dearer.length === 0
      ? `On none of the ${days} does it make more builds a change.`
      : `On ${cellsOf(dearer)} of ${days} it makes more builds a change: ${dearer.map(describeBuilds).join('; ')}.`,
  ].join(' ');
}

function describeWaits({ row, adaptive }: Compared): string {
  const longer = waits.filter((wait) => adaptive[wait] > row[wait]);
  const figures = longer.map((wait) => `${names[wait]} ${show(adaptive[wait])} instead of ${show(row[wait])}`);
  return `with ${nameDay(row.cell)}, ${figures.join(' and ')} (\`${row.policy}\`)`;
}

function describeBuilds({ row, adaptive }: Compared): string {
  const [ours, theirs] = [adaptive.buildsPerChange, row.buildsPerChange].map(show);
  return `with ${nameDay(row.cell)}, ${ours} instead of ${theirs} (\`${row.policy}\`)`;
}
