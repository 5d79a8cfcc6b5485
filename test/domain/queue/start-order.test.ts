// Which of two possible builds starts first.
import { expect, test } from 'vitest';
import type { Candidate } from '../../../src/domain/queue/speculation/assumptions.ts';
import { startOrderOf } from '../../../src/domain/queue/speculation/start-order.ts';
import { viewGraph } from '../../../src/domain/queue/speculation/view-graph.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';
import type { PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now, pr, situation } from './situation.ts';

interface Row {
  readonly name: string;
  /** How many minutes ago each pull request in line was queued. Their builds are needed with the `probabilities`. */
  readonly waited: readonly number[];
  readonly probabilities: readonly number[];
  /** The places in line, in the order in which the builds start. */
  readonly order: readonly number[];
  readonly skipping?: readonly number[];
  readonly speculation?: QueueRules['speculation'];
}

const rows: readonly Row[] = [
  { name: 'of equal waits, the more probable one', waited: [5, 5], probabilities: [0.4, 0.5], order: [1, 0] },
  { name: 'of equal worth, the first in line', waited: [5, 5], probabilities: [0.5, 0.5], order: [0, 1] },
  {
    name: 'of equal probabilities, the one that has waited longer, wherever it is in line',
    waited: [5, 6],
    probabilities: [0.5, 0.5],
    order: [1, 0],
  },
  {
    name: 'a probability of 61 % and three times the wait, and not a probability of 100 %',
    waited: [90, 30],
    probabilities: [0.61, 1],
    order: [0, 1],
  },
  {
    name: 'a probability of 100 %, and not one of 59 % and three times the wait',
    waited: [90, 30],
    probabilities: [0.59, 1],
    order: [1, 0],
  },
  {
    name: 'if all were just queued, the most probable one',
    waited: [0, 0, 0],
    probabilities: [0.2, 0.9, 0.5],
    order: [1, 2, 0],
  },
  {
    name: 'an instant in the future counts as no wait',
    waited: [-5, 0, 10],
    probabilities: [0.6, 0.5, 0.1],
    order: [0, 1, 2],
  },
  {
    name: 'pull requests that skipped the line, whatever the others are',
    waited: [0, 0, 90],
    probabilities: [0.3, 0.9, 1],
    skipping: [0, 1],
    order: [1, 0, 2],
  },
  {
    name: 'with linear speculation the first in line, whatever the rest is',
    waited: [0, 90],
    probabilities: [0.1, 1],
    speculation: 'linear',
    order: [0, 1],
  },
];

test.each(rows)('first starts $name', ({ waited, probabilities, order, skipping = [], speculation = 'adaptive' }) => {
  const waiting = waited.map(
    (minutes, place): PullRequestState =>
      pr(place + 1, { queuedAt: now - minutes * minute, skipLine: skipping.includes(place) }),
  );
  const graph = viewGraph(viewLine(situation({ waiting, rules: { speculation, useAffectedTargets: true } }), now));
  const candidates = probabilities.map(
    (probability, place): Candidate => ({
      members: [place],
      certain: [],
      undecided: [],
      next: { probability, flipped: [] },
    }),
  );
  expect(
    candidates
      .toReversed()
      .toSorted(startOrderOf(graph))
      .map(({ members }) => members[0]),
  ).toEqual(order);
});
