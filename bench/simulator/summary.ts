// Writes the page that describes the results of a grid in words. The page compares the rounded values that the tables
// show, so that a reader finds the same order in the tables.
import { markdownTable, nameDay, percent, roundRow, show } from './figures.ts';
import { linearSection } from './linear-section.ts';
import type { Figures, Row } from './measurement.ts';
import { tailTable } from './tail-table.ts';

export interface Effort {
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
  readonly interlock: Row;
  readonly trained: Row | undefined;
  readonly bound: Row | undefined;
  /** Of the other policies that do not know outcomes, the one with the lowest P95, compared with ours on its days. */
  readonly best: Rival | undefined;
  /** The other policies that do not know outcomes. */
  readonly rivals: readonly Rival[];
}

interface Rival extends Row {
  /** The figures of our planner on the same days. */
  readonly ours: Figures;
}

const title = '# The planner compared with other policies';

/** Returns the text of docs/planner/README.md. */
export function summarize(rows: readonly Row[], effort: Effort): string {
  const shown = rows.map(roundRow);
  const days = daysOf(shown);
  if (days.length === 0) return `${title}\n\n${introduction(effort)} \`${own}\` did not run, so nothing is compared.\n`;
  return [
    title,
    introduction(effort),
    '## What was compared',
    comparison(days, shown),
    amount(shown),
    '## Results',
    ...results(days, shown),
    '## Where the long waits come from',
    causes,
    ...tail(days),
    ...linear(shown),
    '## What is not reached',
    notReached(days),
  ].join('\n\n');
}

function tail(days: readonly Day[]): readonly string[] {
  const table = tailTable(days.map(({ interlock }) => interlock));
  if (table === '') return [];
  return [
    'The table has the landed changes of `interlock` that waited longer than the P95 of their day. Each minute of their waits has one cause: the first one in the table that applies. *Were moved* is the share of these changes that were moved behind others.',
    table,
  ];
}

function linear(rows: readonly Row[]): readonly string[] {
  const section = linearSection(rows);
  return section === '' ? [] : ['## Adaptive and linear speculation', section];
}

function daysOf(rows: readonly Row[]): readonly Day[] {
  return [...Map.groupBy(rows, (row) => row.cell)].flatMap(([cell, group]) => {
    const of = (policy: string): Row | undefined => group.find((row) => row.policy === policy);
    const interlock = of(own);
    if (interlock === undefined) return [];
    const rivals = group
      .flatMap((row) => (isRival(row.policy) && row.interlock !== null ? [{ ...row, ours: row.interlock }] : []))
      .toSorted((a, b) => a.p95 / a.ours.p95 - b.p95 / b.ours.p95);
    return [{ name: nameDay(cell), interlock, trained: of(trained), bound: of(bound), best: rivals[0], rivals }];
  });
}

function introduction({ changes, past }: Effort): string {
  return `\`npm run bench:planner\` made this page and [the tables](tables.md) of all policies, which have a plot for each kind of day. A day has ${changes} changes. Policies that learn know the outcomes of ${past} earlier changes. [The simulator](../simulator.md) says what is modelled, and describes each policy.`;
}

function comparison(days: readonly Day[], rows: readonly Row[]): string {
  return `Our planner (\`${own}\`) and ${new Set(rows.map(({ policy }) => policy).filter(isRival)).size} other policies ran on ${days.length} kinds of days. A kind of day is given by the changes that arrive in an hour, the number of workers of CI, and the share of changes that overlap another change in flight. Unless the name of a day says otherwise, 8 % of the changes are bad, no build flakes, half of the builds take less than 30 minutes, and the popularity of targets follows a power law with the exponent 0.8 (Zipf). \`${trained}\` is our planner with the success probabilities of a trained model. Waits are ratios to the *in-order oracle*, which knows all outcomes and keeps the order. A wait below 1 is shorter than the oracle's. \`${bound}\` knows all outcomes too and may change the order. If every build has a worker, no policy that builds each change separately is faster.`;
}

/** On how many days the figures rest, and which versions of our planner made them. The tables say both for each row. */
function amount(rows: readonly Row[]): string {
  const days = rangeOf(rows.map((row) => row.days));
  const versions = rangeOf(rows.flatMap(({ plannerVersions }) => plannerVersions ?? []));
  const kinds = new Set(rows.map(({ cell }) => cell)).size;
  const isPartial = [...Map.groupBy(rows, ({ policy }) => policy).values()].some((group) => group.length < kinds);
  return [
    `Figures are means over ${days} ${days === '1' ? 'day' : 'days'} of each kind, each with other random numbers. Our planner is compared with each policy on the same days.`,
    ...(versions === ''
      ? []
      : [`It was measured with ${versions.includes(' ') ? 'versions' : 'version'} ${versions} of its rules.`]),
    ...(isPartial ? [`Not all policies ran on all ${kinds} kinds of days.`] : []),
    '[The tables](tables.md) have the days and the version of each figure.',
  ].join(' ');
}

/** Such as `7 to 9`, or `9` if all are equal. Empty if there are none. */
function rangeOf(counts: readonly number[]): string {
  if (counts.length === 0) return '';
  const [least, greatest] = [Math.min(...counts), Math.max(...counts)];
  return least === greatest ? `${least}` : `${least} to ${greatest}`;
}

function results(days: readonly Day[], rows: readonly Row[]): readonly string[] {
  const rivals = rows.filter((row) => isRival(row.policy));
  const red = rows.reduce((sum, row) => sum + row.red, 0);
  const fastest = days.filter(({ best }) => best === undefined || best.ours.p95 <= best.p95);
  const beaten = days.filter((day) => betterWithoutMoreBuilds(day).length > 0);
  const findings = [
    `- **Waits.** On ${fastest.length} of ${days.length} kinds of days no other policy that does not know outcomes has a lower P95 than \`${own}\`. On ${days.length - beaten.length} none has a lower P95 with as many builds or fewer.${beaten.map(describeBetterPolicy).join('')}`,
    `- **Builds.** \`${own}\` makes ${range(days.map(({ interlock }) => interlock.buildsPerChange))} builds a change, and the oracle 1.00.`,
    `- **Red commits.** All policies together made ${red}.`,
    `- **Unjust ejections.** \`${own}\` ejected at most ${percent(most(days.map(({ interlock }) => interlock.ejectedUnjustly)))} of the changes of a day although they were good, the other policies at most ${percent(most(rivals.map((row) => row.ejectedUnjustly)))}.`,
  ];
  return [
    findings.join('\n'),
    'The table has percentiles of the waits, and the builds a change. The P95 of the worst day is in parentheses. *Best other* is the policy with the lowest P95 that does not know outcomes.',
    tableOf(days),
  ];
}

function betterWithoutMoreBuilds({ rivals }: Day): readonly Rival[] {
  return rivals.filter((row) => row.p95 < row.ours.p95 && row.buildsPerChange <= row.ours.buildsPerChange);
}

function describeBetterPolicy(day: Day): string {
  const [first] = betterWithoutMoreBuilds(day);
  if (first === undefined) return '';
  return ` On the day with ${day.name}, \`${first.policy}\` has a P95 of ${show(first.p95)} with ${show(first.buildsPerChange)} builds a change, and \`${own}\` one of ${show(first.ours.p95)} with ${show(first.ours.buildsPerChange)}.`;
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
    `${show(interlock.p50)} / ${p95Of(interlock)} / ${show(interlock.p99)}, ${show(interlock.buildsPerChange)}`,
    model === undefined ? '' : costOf(model),
    best === undefined ? '' : `${best.policy}: ${costOf(best)}`,
    limit === undefined ? '' : show(limit.p95),
  ]);
  return markdownTable([header, ...lines]);
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
    '- **One build a change.** Most of the additional builds are stopped because their assumption cannot come true any more ([where the builds go](../simulator.md#builds-for-reordered-changes)).',
    '- **The best policy that knows no outcomes.** Both oracles know outcomes. [Small lines](small-lines.md) compares our planner with the best policy that knows only probabilities, for lines of five changes.',
    '- **Long days.** The longer the day, the longer the lines of the busiest targets and the waits of all policies. Days of 500 changes have shorter waits than the days of this page, and [days of 2,000 changes](../simulator.md#a-day-of-2000-changes) longer ones.',
  ];
  return `${findings.join('\n')}\n`;
}

function p95Of({ p95, worst, days }: Row): string {
  return days === 1 ? show(p95) : `${show(p95)} (${show(worst.p95)})`;
}

function costOf(row: Row): string {
  return `${p95Of(row)}, ${show(row.buildsPerChange)}`;
}

function range(values: readonly number[]): string {
  return `${show(Math.min(...values))} to ${show(Math.max(...values))}`;
}

const most = (values: readonly number[]): number => Math.max(0, ...values);
