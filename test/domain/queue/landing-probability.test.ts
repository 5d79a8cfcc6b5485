// The estimated probability that each pull request in line lands, computed by hand from the rules of probability.
import { expect, test } from 'vitest';
import type { PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import { estimateLandingProbabilities } from '../../../src/domain/queue/speculation/landing-probability.ts';
import { viewGraph } from '../../../src/domain/queue/speculation/view-graph.ts';
import { now, pr, situation, type BatchSpec, type Situation } from './situation.ts';

const a = ['a'];
const on = (number: number, successProbability: number, change: Partial<PullRequestState> = {}) =>
  pr(number, { targets: a, successProbability, ...change });

function speculative(of: readonly number[], build: BatchSpec['build'], assumes: readonly number[] = []): BatchSpec {
  const pinned = assumes.map((number) => ({ pullRequest: `p${number}`, head: `h${number}` }));
  return { of, build, change: { sideBuild: 'speculative', assumes: pinned } };
}

// How often two overlapping pull requests that pass separately fail together: if they overlap, and if this is unknown.
const [clash, unknownClash] = [0.035, 0.008];
const two = [on(1, 0.9), on(2, 0.8)];
/** Good by itself, and together with an overlapping one that is good with the probability `before`. */
const behind = (before: number, own: number): number => own * (1 - clash * before);
// A single red build of a pull request that is good with the probability 0.8: Bayes' rule, with a flake in 100 builds.
const faultOfSecond = 0.2 / (1 - 0.8 * 0.99);
// A red build of both: two good pull requests fail together in 2 of 100 builds.
const redOfBoth = 1 - 0.9 * 0.8 * 0.99 * 0.98;

test.each<[string, Situation, readonly number[]]>([
  ['one alone: its success probability', { waiting: [on(1, 0.9)] }, [0.9]],
  ['disjoint ones: their success probabilities', { waiting: [on(1, 0.9), on(2, 0.8, { targets: ['b'] })] }, [0.9, 0.8]],
  ['one behind another that it overlaps: less', { waiting: two }, [0.9, behind(0.9, 0.8)]],
  [
    'one behind two: still less',
    { waiting: [...two, on(3, 0.7)] },
    [0.9, behind(0.9, 0.8), 0.7 * (1 - clash * 0.9) * (1 - clash * 0.8)],
  ],
  [
    'ones with unknown targets: a little less',
    { waiting: [on(1, 0.9, { targets: null }), on(2, 0.8, { targets: null })] },
    [0.9, 0.8 * (1 - unknownClash * 0.9)],
  ],
  [
    'ones whose targets are not used: a little less',
    { waiting: two, rules: { useAffectedTargets: false } },
    [0.9, 0.8 * (1 - unknownClash * 0.9)],
  ],
  ['one with a green build: nearly certain', { waiting: [on(1, 0.9)], line: [speculative([1], 'success')] }, [0.995]],
  ['one whose build runs: as without it', { waiting: [on(1, 0.9)], line: [speculative([1], 'pending')] }, [0.9]],
  ['one whose only build is red: hardly', { waiting: [on(1, 0.9)], line: [speculative([1], 'failure')] }, [0.005]],
  [
    'one whose only build took too long: hardly',
    { waiting: [on(1, 0.9)], line: [speculative([1], 'pending')], rules: { ciTimeoutMins: 1 } },
    [0.005],
  ],
  [
    'two in a red build: one of them is at fault',
    { waiting: two, line: [speculative([1, 2], 'failure')] },
    [1 - 0.1 / redOfBoth, behind(1 - 0.1 / redOfBoth, 1 - 0.2 / redOfBoth)],
  ],
  [
    'two in a red build of which one is green: the other is at fault',
    { waiting: two, line: [speculative([1, 2], 'failure'), speculative([1], 'success')] },
    [0.995, behind(0.995, 1 - faultOfSecond)],
  ],
  [
    'one in a green build without an earlier one: if that one does not land, or if it lands and both pass',
    { waiting: two, line: [speculative([2], 'success')] },
    [0.9, 0.1 * 0.995 + 0.9 * behind(0.9, 0.995)],
  ],
  [
    'one in a green build on an earlier one: both are good',
    { waiting: two, line: [speculative([2], 'success', [1])] },
    [0.995, 0.995 * 0.995 + 0.005 * behind(0.995, 0.995)],
  ],
  [
    'one that lands already: nearly certain',
    { waiting: [on(1, 0.3)], line: [{ of: [1], build: 'pending', change: { landingPlanned: true } }] },
    [0.995],
  ],
  ['one that skipped the line: very probable', { waiting: [on(1, 0.3, { skipLine: true })] }, [0.98]],
  ['one that skips validation: very probable', { waiting: [on(1, 0.3, { skipValidation: true })] }, [0.98]],
  [
    'one that conflicts with an earlier one: only if that one does not land',
    { waiting: [on(1, 0.3), on(2, 0.8, { conflict: { parent: 'tip', after: ['h1'] } })] },
    [0.3, behind(0.3, 0.8) - 0.3],
  ],
  [
    'one that conflicts with the tip: hardly',
    { waiting: [on(1, 0.8, { conflict: { parent: 'tip', after: [] } })] },
    [0.005],
  ],
  [
    'at most nearly certain, and at least possible',
    { waiting: [on(1, 1), on(2, 0, { targets: ['b'] })] },
    [0.995, 0.005],
  ],
])('the probability of a landing of %s', (_name, { rules, ...from }, expected) => {
  const view = viewLine(
    situation({ ...from, rules: { speculation: 'adaptive', useAffectedTargets: true, ...rules } }),
    now,
  );
  const rounded = (values: Iterable<number>): number[] => Array.from(values, (value) => Number(value.toFixed(6)));
  expect(rounded(estimateLandingProbabilities(viewGraph(view)))).toEqual(rounded(expected));
});

test('a smaller red build says more about its pull request than a larger one', () => {
  const line = [speculative([1, 2], 'failure'), speculative([2], 'failure')];
  const from = situation({ waiting: two, line, rules: { speculation: 'adaptive', useAffectedTargets: true } });
  const [first = 0] = estimateLandingProbabilities(viewGraph(viewLine(from, now)));
  const redOfLarger = 1 - 0.9 * (1 - faultOfSecond) * 0.99 * 0.98;
  expect(first).toBeCloseTo(1 - 0.1 / redOfLarger, 6);
});
