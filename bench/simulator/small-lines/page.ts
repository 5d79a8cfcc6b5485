// Writes docs/planner/small-lines.md.
import { markdownTable, show } from '../figures.ts';
import type { Effort, SmallLineFigures, SmallLineRow } from './comparison.ts';

export function smallLinesPage(rows: readonly SmallLineRow[], effort: Effort): string {
  const distances = rows.map(
    ({ policies }) => (policies['interlock']?.meanWait ?? NaN) / (policies['optimum']?.meanWait ?? NaN) - 1,
  );
  // The order costs as much on the simulated days as in the search.
  const inOrder = rows.map(({ exact, exactInOrder }, at) => (1 + (distances[at] ?? NaN)) / (exactInOrder / exact) - 1);
  const harder = rows.filter(
    ({ policies }) => (policies['optimum']?.work ?? NaN) > (policies['interlock']?.work ?? NaN),
  );
  const range = (shares: readonly number[]): string =>
    `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`;
  return (
    [
      '# Small lines: the best policy that knows no outcomes',
      'The oracles of [the comparison](README.md) know outcomes, so no policy can reach them. This page has a bound that a policy can reach: the policy with the shortest mean wait that knows, for each change, how probably it is bad, and how changes arrive and builds take time, but no outcome. A search over everything that can be known finds it. The search is possible only for lines of five changes.',
      `\`node bench/simulator/small-lines/main.ts --out docs/planner\` made this page, from ${effort.lines} lines of each kind with ${effort.days} days each.`,
      '## What a small line is',
      'Five changes, which all overlap. Each is bad with the probability of its author, as on [simulated days](../simulator.md#what-is-modelled), and the policies know this probability. No two changes clash, and no build flakes. The time of each build is drawn from an exponential distribution, so a new build ends as soon as one that has run for an hour, and stopping a build costs nothing. These simplifications make the search possible. So the page says how well builds are chosen, and nothing about flakes, targets or slow changes.',
      '## Results',
      'Waits and work are in mean times of a build. *Work* is the time for which workers are busy, for each change.',
      tableOf(rows),
      [
        `- **What can still be had.** On the same days, the mean wait of \`interlock\` is ${range(distances)} longer than that of the best policy. In ${rows.length - harder.length} of ${rows.length} kinds of lines the best policy also needs no more work.`,
        `- **What the order costs.** The best policy lets good changes pass undecided ones. Interlock promises that changes that overlap land in the order of the line. *Best in order* lands a change only after every earlier one has landed or is known to be bad. Compared with this policy, the mean wait of \`interlock\` is ${range(inOrder)} longer. *Best in order* may land changes that are good by several builds together, without one build of all of them, so that its waits are a lower limit.`,
        '- **How the best policy does so.** It often builds all changes together, and at the same time smaller sets that are more probably good. Whichever green build ends first lands. It stops builds freely, so that it starts more builds than it needs workers for. In a line whose builds take longer the more changes they have, less can be had.',
        '- **The search is right.** *Best* is the result of the search, and the last column has the same policy on the simulated days.',
        '- **The in-order oracle is no bound for the mean wait here**, because the build of a later change may land earlier ones.',
      ].join('\n'),
    ].join('\n\n') + '\n'
  );
}

function tableOf(rows: readonly SmallLineRow[]): string {
  const lines = rows.map(({ name, exact, exactInOrder, policies }) => {
    const { interlock, submitqueue, 'one-at-a-time': single, optimum } = policies;
    return [
      name,
      show(exact),
      show(exactInOrder),
      figures(interlock),
      figures(submitqueue),
      figures(single),
      figures(optimum),
    ];
  });
  return markdownTable([
    [
      'line',
      'best',
      'best in order',
      '`interlock`: mean / P95, builds, work',
      '`submitqueue`',
      '`one-at-a-time`',
      'best, simulated',
    ],
    ...lines,
  ]);
}

function figures(of: SmallLineFigures | undefined): string {
  if (of === undefined) return '';
  return `${show(of.meanWait)} / ${show(of.p95)}, ${show(of.buildsPerChange)}, ${show(of.work)}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
