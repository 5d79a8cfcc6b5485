// Writes the page that describes the results of a grid in words. The page compares the rounded values that the tables
// show, so that a reader finds the same order in the tables.
import { parseCell } from './cell.ts';
import type { FullRow } from './measurement.ts';
import { policies } from './policies/index.ts';

export interface Effort {
  readonly seeds: string;
  readonly changes: number;
  readonly past: number;
}

const own = 'interlock';
const trained = 'interlock-trained';
const bound = 'reordering-bound';
const isRival = (policy: string): boolean =>
  !policy.startsWith(own) && policy !== 'in-order-oracle' && policy !== bound;

/** A kind of day on which our planner ran, with the policies that it is compared with. */
interface Day {
  readonly name: string;
  readonly interlock: FullRow;
  readonly trained: FullRow | undefined;
  readonly bound: FullRow | undefined;
  /** The policy with the lowest P95 among the other policies that do not know outcomes. */
  readonly best: FullRow | undefined;
  /** The other policies that do not know outcomes. */
  readonly rivals: readonly FullRow[];
}

const title = '# The planner compared with other policies';

/** Returns the text of docs/planner/README.md. */
export function summarize(rows: readonly FullRow[], effort: Effort): string {
  const shown = rows.map(roundRow);
  const days = daysOf(shown);
  if (days.length === 0) return `${title}\n\n${introduction(effort)} \`${own}\` did not run, so nothing is compared.\n`;
  return [
    title,
    introduction(effort),
    '## What was compared',
    comparison(days),
    '## Results',
    ...results(days, shown),
    '## Where the long waits come from',
    causes,
    '## What is not reached',
    notReached(days),
  ].join('\n\n');
}

function roundRow(row: FullRow): FullRow {
  const round = (value: number): number => Number(value.toFixed(2));
  return {
    ...row,
    ...{ p50: round(row.p50), p95: round(row.p95), p99: round(row.p99) },
    ...{ longest: round(row.longest), buildsPerChange: round(row.buildsPerChange) },
  };
}

function daysOf(rows: readonly FullRow[]): readonly Day[] {
  return [...Map.groupBy(rows, (row) => row.cell)].flatMap(([cell, group]) => {
    const of = (policy: string): FullRow | undefined => group.find((row) => row.policy === policy);
    const interlock = of(own);
    if (interlock === undefined) return [];
    const rivals = group.filter((row) => isRival(row.policy)).toSorted((a, b) => a.p95 - b.p95);
    return [{ name: nameDay(cell), interlock, trained: of(trained), bound: of(bound), best: rivals[0], rivals }];
  });
}

/** The cell as text, such as `500 an hour, 500 workers, overlap 0.5`, and what is unusual about the day. */
function nameDay(text: string): string {
  const cell = parseCell(text);
  const usual = parseCell('');
  return [
    `${cell.rate} an hour`,
    cell.workers === 1 ? 'one worker' : `${cell.workers} workers`,
    cell.overlap === 1 ? 'targets unknown' : `overlap ${cell.overlap}`,
    ...(cell.failure === usual.failure ? [] : [`${percent(cell.failure)} failures`]),
    ...(cell.flake === usual.flake ? [] : [`${percent(cell.flake)} flakes`]),
    ...(cell.median === usual.median ? [] : [`builds of ${cell.median} minutes`]),
    ...(cell.zipf === usual.zipf ? [] : [`Zipf ${cell.zipf}`]),
    ...(cell.burst === usual.burst ? [] : ['bursts']),
    ...(cell.draw === usual.draw ? [] : ['a time for each build']),
  ].join(', ');
}

function introduction({ seeds, changes, past }: Effort): string {
  return `\`npm run bench:planner\` made this page and [the tables](tables.md) of all policies, which have a plot for each kind of day. Seeds ${seeds}, ${changes} changes a day. Policies that learn know the outcomes of ${past} earlier changes. [The simulator](../simulator.md) says what is modelled, and describes each policy.`;
}

function comparison(days: readonly Day[]): string {
  return `Our planner (\`${own}\`) and ${Object.keys(policies).filter(isRival).length} other policies ran on ${days.length} kinds of days. A kind of day is given by the changes that arrive in an hour, the number of workers of CI, and the share of changes that overlap another change in flight. Unless the name of a day says otherwise, 8 % of the changes are bad, no build flakes, half of the builds take less than 30 minutes, and the popularity of targets follows a power law with the exponent 0.8 (Zipf). \`${trained}\` is our planner with the success probabilities of a trained model. Waits are ratios to the *in-order oracle*, which knows all outcomes and keeps the order. A wait below 1 is shorter than the oracle's. \`${bound}\` knows all outcomes too and may change the order. If every build has a worker, no policy that builds each change separately is faster.`;
}

function results(days: readonly Day[], rows: readonly FullRow[]): readonly string[] {
  const rivals = rows.filter((row) => isRival(row.policy));
  const red = rows.reduce((sum, row) => sum + row.red, 0);
  const fastest = days.filter(({ interlock, best }) => best === undefined || interlock.p95 <= best.p95);
  const beaten = days.filter((day) => betterWithoutMoreBuilds(day).length > 0);
  const findings = [
    `- **Waits.** On ${fastest.length} of ${days.length} kinds of days no other policy that does not know outcomes has a lower P95 than \`${own}\`. On ${days.length - beaten.length} none has a lower P95 with as many builds or fewer.${beaten.map(describeBetterPolicy).join('')}`,
    `- **Builds.** \`${own}\` makes ${range(days.map(({ interlock }) => interlock.buildsPerChange))} builds a change, and the oracle 1.00.`,
    `- **Red commits.** All policies together made ${red}.`,
    `- **Unjust ejections.** \`${own}\` ejected at most ${percent(most(days.map(({ interlock }) => interlock.ejectedUnjustly)))} of the changes of a day although they were good, the other policies at most ${percent(most(rivals.map((row) => row.ejectedUnjustly)))}.`,
  ];
  return [
    findings.join('\n'),
    'The table has percentiles of the waits, and the builds a change. *Best other* is the policy with the lowest P95 that does not know outcomes.',
    tableOf(days),
  ];
}

function betterWithoutMoreBuilds({ interlock, rivals }: Day): readonly FullRow[] {
  return rivals.filter((row) => row.p95 < interlock.p95 && row.buildsPerChange <= interlock.buildsPerChange);
}

function describeBetterPolicy(day: Day): string {
  const [first] = betterWithoutMoreBuilds(day);
  if (first === undefined) return '';
  return ` On the day with ${day.name}, \`${first.policy}\` has a P95 of ${show(first.p95)} with ${show(first.buildsPerChange)} builds a change, and \`${own}\` one of ${show(day.interlock.p95)} with ${show(day.interlock.buildsPerChange)}.`;
}

function tableOf(days: readonly Day[]): string {
  const header = [
    'day',
    `\`${own}\`: P50 / P95 / P99, builds`,
    `\`${trained}\`: P95, builds`,
    'best other: P95, builds',
    `\`${bound}\`: P95`,
  ];
  const lines = days.map(({ name, interlock, trained: model, best, bound: limit }) => [
    name,
    `${show(interlock.p50)} / ${show(interlock.p95)} / ${show(interlock.p99)}, ${show(interlock.buildsPerChange)}`,
    model === undefined ? '' : costOf(model),
    best === undefined ? '' : `${best.policy}: ${costOf(best)}`,
    limit === undefined ? '' : show(limit.p95),
  ]);
  return [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const causes = [
  '- **Chains at popular targets.** Where many changes affect the same few targets, they wait for each other in a chain, and one bad change delays all behind it. The lower the exponent of the power law, the shorter the chains and the waits.',
  '- **Second builds.** A red build may be a flake, or the fault of another change. So a bad change is usually built twice before it leaves, and the changes behind it wait. Where half of the changes overlap at popular targets, [no policy](../simulator.md#bounds-for-every-policy) that builds a red change twice and keeps the order is as fast as the oracle.',
  '- **Reordered changes.** An inconclusive change is moved behind the others, so that they can land. The changes that wait longest were moved themselves, or wait for a bad change with a slow build that others have passed ([measured](../simulator.md#builds-for-reordered-changes)).',
  '- **Unknown targets.** If targets are unknown, everything overlaps, and the whole team waits in one chain. Here better probabilities gain most, as the two columns of our planner show.',
  '- **Few workers.** If builds wait for workers, each unnecessary build delays a necessary one. Batches then help, because they need less than one build for each change.',
].join('\n');

function notReached(days: readonly Day[]): string {
  const slower = days.filter(({ interlock }) => interlock.p95 > 1);
  const far = days
    .flatMap(({ name, interlock, bound: limit }) =>
      limit === undefined ? [] : [{ name, ratio: interlock.p95 / limit.p95 }],
    )
    .toSorted((a, b) => b.ratio - a.ratio)[0];
  const findings = [
    `- **The oracle.** On ${slower.length} of ${days.length} kinds of days the P95 of \`${own}\` is longer than the oracle's.`,
    ...(far === undefined
      ? []
      : [
          `- **The bound for any order.** On the day with ${far.name}, the P95 of \`${own}\` is ${far.ratio.toFixed(1)} times the P95 of \`${bound}\`. On every other day the ratio is lower.`,
        ]),
    '- **One build a change.** Most of the additional builds are stopped because their assumption cannot come true any more ([where the builds go](../simulator.md#builds-for-reordered-changes)). For this reason linear speculation is the default.',
    '- **Long days.** On [days of 2,000 changes](../simulator.md#a-day-of-2000-changes) the lines of the busiest targets grow for hours, and all policies have longer waits than on the days of this page.',
  ];
  return `${findings.join('\n')}\n`;
}

function costOf(row: FullRow): string {
  return `${show(row.p95)}, ${show(row.buildsPerChange)}`;
}

function range(values: readonly number[]): string {
  return `${show(Math.min(...values))} to ${show(Math.max(...values))}`;
}

const most = (values: readonly number[]): number => Math.max(0, ...values);
const show = (value: number): string => value.toFixed(2);
const percent = (share: number): string => `${Number((share * 100).toFixed(2))} %`;
