// Which pull requests the planner of speculative builds builds together.
import { expect, test } from 'vitest';
import type { Batches } from '../../../src/domain/queue/speculation/batches.ts';
import { unitsOf } from '../../../src/domain/queue/speculation/build-units.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import { viewGraph } from '../../../src/domain/queue/speculation/view-graph.ts';
import type { PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { now, pr, situation, type BatchSpec, type Situation } from './situation.ts';

const adaptive = { speculation: 'adaptive', useAffectedTargets: true, batchSize: 3 } as const;
const on = (number: number, change: Partial<PullRequestState> = {}) => pr(number, { targets: ['a'], ...change });
const four = [on(1), on(2), on(3), on(4)];
const built = (build: BatchSpec['build'], ...of: readonly number[]): BatchSpec => ({
  of,
  build,
  change: { sideBuild: 'speculative' },
});
const part = (group: string, max = 3) => ({ bisection: { group, max, attempts: 1, phase: 'in_place' } }) as const;
const conflict = { parent: 'tip', after: [] };

interface Row extends Situation {
  readonly name: string;
  readonly formed?: Partial<Batches>;
  readonly units: readonly (readonly number[])[];
}

const rows: readonly Row[] = [
  { name: 'a pull request without a build is a unit by itself', units: [[0], [1], [2], [3]] },
  { name: 'the members of a running build stay together', line: [built('pending', 1, 2)], units: [[0, 1], [2], [3]] },
  {
    name: 'the members of a running build are in line order',
    waiting: [on(1), on(2, { targets: ['b'] }), on(3)],
    line: [built('pending', 2, 1)],
    units: [[0, 1], [2]],
  },
  {
    name: 'a running build of one pull request joins no others',
    line: [built('pending', 1)],
    units: [[0], [1], [2], [3]],
  },
  {
    name: 'of two builds that share a member, only the first is a unit',
    line: [built('pending', 1, 2), built('pending', 2, 3)],
    units: [[0, 1], [2], [3]],
  },
  {
    name: 'a red batch is halved',
    line: [built('failure', 1, 2, 3, 4)],
    units: [
      [0, 1],
      [2, 3],
    ],
  },
  {
    name: 'a red batch is not halved if a member is red by itself',
    line: [built('failure', 1, 2), built('failure', 1)],
    units: [[0], [1], [2], [3]],
  },
  { name: 'a batch is a unit, in the order of the line', formed: { batches: [[1, 2]] }, units: [[0], [1, 2], [3]] },
  {
    name: 'a batch of the last pull requests is the last unit',
    formed: { batches: [[2, 3]] },
    units: [[0], [1], [2, 3]],
  },
  {
    name: 'a batch is not formed if a member is built already',
    line: [built('pending', 1, 2)],
    formed: { batches: [[1, 2]] },
    units: [[0, 1], [2], [3]],
  },
  {
    name: 'a pull request that waits for further members is in no unit',
    formed: { held: [2] },
    units: [[0], [1], [3]],
  },
  {
    name: 'a pull request that skips validation is in no unit',
    waiting: [on(1), on(2, { skipValidation: true }), on(3)],
    units: [[0], [2]],
  },
  {
    name: 'a pull request that lands is in no unit',
    line: [{ ...built('success', 1), change: { sideBuild: 'speculative', landingPlanned: true } }],
    units: [[1], [2], [3]],
  },
  {
    name: 'a stack is a unit',
    waiting: [on(1, { stack: 'p1' }), on(2, { stack: 'p1' }), on(3)],
    units: [[0, 1], [2]],
  },
  {
    name: 'a stack ends before a member that waits for further members of a batch',
    waiting: [on(1, { stack: 'p1' }), on(2, { stack: 'p1' }), on(3, { stack: 'p1' })],
    formed: { held: [1] },
    units: [[0], [2]],
  },
  {
    name: 'parts of a failed batch are at most as large as the bisection says',
    waiting: four.map((each) => ({ ...each, ...part('g', 2) })),
    units: [
      [0, 1],
      [2, 3],
    ],
  },
  {
    name: 'parts of a failed batch are at most as large as a batch',
    waiting: four.map((each) => ({ ...each, ...part('g', 4) })),
    units: [[0, 1, 2], [3]],
  },
  {
    name: 'parts of two failed batches are not mixed',
    waiting: [on(1, part('g')), on(2, { ...part('h'), targets: ['b'] }), on(3, part('g')), on(4, part('h'))],
    units: [[0, 2], [1], [3]],
  },
  {
    name: 'a part is divided if it overlaps a pull request between its members',
    waiting: [on(1, part('g')), on(2), on(3, part('g'))],
    units: [[0], [1], [2]],
  },
  {
    name: 'a part is not divided by a pull request before its members',
    waiting: [on(1), on(2, part('g')), on(3, part('g'))],
    units: [[0], [1, 2]],
  },
  {
    name: 'a suspended pull request is in no part',
    waiting: [on(1, part('g')), on(2, part('g')), on(3, { ...part('g'), conflict })],
    units: [[0, 1], [2]],
  },
  {
    name: 'a pull request that skips validation is in no part',
    waiting: [on(1, part('g')), on(2, { ...part('g'), targets: ['b'], skipValidation: true }), on(3, part('g'))],
    units: [[0, 2]],
  },
  {
    name: 'a pull request that was built alone is in no part',
    waiting: [on(1, part('g')), on(2, part('g')), on(3, part('g'))],
    line: [built('failure', 1)],
    units: [[0], [1, 2]],
  },
  {
    name: 'a part that is built stays together, and the rest is another part',
    waiting: four.map((each) => ({ ...each, ...part('g') })),
    line: [built('pending', 1, 2)],
    units: [
      [0, 1],
      [2, 3],
    ],
  },
  {
    name: 'the members of a build are no unit if one of them is now a part of a failed batch',
    waiting: [on(1, part('g')), on(2), on(3)],
    line: [built('pending', 1, 2)],
    units: [[0], [1], [2]],
  },
  {
    name: 'the members of a build are no unit if they are too many for a part',
    waiting: [on(1, part('g')), on(2, part('g'))],
    line: [built('pending', 1, 2)],
    rules: { batchSize: 1 },
    units: [[0], [1]],
  },
  {
    name: 'the members of a build are a unit although batches are smaller now',
    line: [built('pending', 1, 2)],
    rules: { batchSize: 1 },
    units: [[0, 1], [2], [3]],
  },
  {
    name: 'a barrier is built alone',
    waiting: [on(1), on(2, { isBarrier: true }), on(3)],
    line: [built('pending', 1, 2)],
    units: [[0], [1], [2]],
  },
  {
    name: 'a pull request that skips the line is built alone',
    waiting: [on(1), on(2), on(3, { skipLine: true, rank: 0 })],
    line: [built('pending', 1, 3)],
    units: [[0], [1], [2]],
  },
];

test.each(rows)('$name', ({ formed, units, name: _name, ...from }) => {
  const of = { waiting: four, ...from, rules: { ...adaptive, ...from.rules } };
  const graph = viewGraph(viewLine(situation(of), now));
  expect(unitsOf(graph, { batches: [], held: [], until: null, ...formed })).toEqual(units);
});
