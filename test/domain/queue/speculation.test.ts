import { describe, expect, it } from 'vitest';
import type { BatchState, PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { planned as plannedLinearly, pr, now, minute, type BatchSpec, type Situation } from './situation.ts';

const adaptive = { speculation: 'adaptive', useAffectedTargets: true } as const;

function planned(situation: Situation): string[] {
  return plannedLinearly({ ...situation, rules: { ...adaptive, ...situation.rules } });
}

/** A pull request that affects `targets`. Without targets it overlaps everything. */
function on(number: number, targets: readonly string[] | null = null, change: Partial<PullRequestState> = {}) {
  return pr(number, { targets, ...change });
}

function speculative(
  of: readonly number[],
  build: BatchSpec['build'],
  assumes: readonly number[] = [],
  change: Partial<BatchState> = {},
): BatchSpec {
  const pinned = assumes.map((number) => ({ pullRequest: `p${number}`, head: `h${number}` }));
  return { of, build, change: { sideBuild: 'speculative', assumes: pinned, ...change } };
}

/** A batch of two on the commit before the tip. Its first member has landed on that commit. */
const halfLanded = {
  base: 'root',
  parentCommit: 'root',
  members: [1, 2].map((number) => ({ pullRequest: `p${number}`, head: `h${number}` })),
} as const;
function landed(number: number): Pick<Situation, 'queue' | 'change'> {
  const members = [{ pullRequest: `p${number}`, head: `h${number}`, targets: a }];
  return {
    queue: { lineage: ['tip', 'root'] },
    change: { landings: [{ commit: 'tip', firstParent: 'root', members }] },
  };
}

const a = ['a'];
const b = ['b'];
const start = (members: string, assumed = '') => `speculate new ${members} on ${assumed === '' ? 'tip' : assumed}`;

describe('the planner builds', () => {
  it.each<[string, Situation, string[]]>([
    ['one pull request alone on the tip', { waiting: [on(1, a)] }, [start('p1')]],
    ['disjoint pull requests alone, all at once', { waiting: [on(1, a), on(2, b)] }, [start('p1'), start('p2')]],
    [
      'a pull request on the earlier ones that it overlaps, in their most probable outcome, and then in the next one',
      { waiting: [on(1, a, { successProbability: 0.88 }), on(2, a)] },
      [start('p1'), start('p2', 'p1'), start('p2')],
    ],
    [
      'only what is probable enough to be needed',
      { waiting: [on(1, a, { successProbability: 0.99 }), on(2, a)] },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'the most probable builds first, if not all can run',
      { waiting: [on(1, a), on(2, a), on(3, b)], rules: { maxParallelBuilds: 2 } },
      [start('p1'), start('p3')],
    ],
    [
      'pull requests without targets as if they overlapped',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, b, { successProbability: 0.99 })],
        rules: { useAffectedTargets: false },
      },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'nothing on a pull request below that will hardly land',
      {
        waiting: [
          on(1, a, {
            successProbability: 0.02,
            stack: 'p1',
            bisection: { group: 'g', max: 1, attempts: 1, phase: 'in_place' },
          }),
          on(2, a, { stack: 'p1', below: 'p1' }),
        ],
        line: [speculative([1], 'pending')],
      },
      [],
    ],
    [
      'only on all earlier pull requests, with linear speculation',
      { waiting: [on(1, a), on(2, a)], rules: { speculation: 'linear' } },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'nothing behind a barrier',
      { waiting: [on(1, a, { successProbability: 0.88 }), on(2, b, { isBarrier: true }), on(3, ['c'])] },
      [start('p1'), start('p2', 'p1'), start('p2')],
    ],
    [
      'pull requests of a stack together, on nothing else',
      { waiting: [on(1, a, { stack: 'p1' }), on(2, a, { stack: 'p1', below: 'p1' }), on(3, b)] },
      [start('p1 p2'), start('p3')],
    ],
    [
      'no pull request without one that skipped the line',
      { waiting: [on(1, a), on(2, a, { skipLine: true })] },
      [start('p2'), start('p1', 'p2')],
    ],
    ['nothing during a pause', { waiting: [on(1, a)], queue: { paused: true } }, []],
    [
      'as many as allowed during a pause',
      { waiting: [on(1, a), on(2, b)], queue: { paused: true }, rules: { maxParallelPausedBuilds: 1 } },
      [start('p1')],
    ],
    [
      'nothing that is known to conflict',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a, { conflict: { parent: 'tip', after: ['h1'] } })],
      },
      [start('p1')],
    ],
    ['nothing twice', { waiting: [on(1, a)], line: [speculative([1], 'pending')] }, []],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('batches with short builds', () => {
  const line = (...numbers: readonly number[]) => numbers.map((number) => on(number, a));
  const short = { batchSize: 4, maxParallelBuilds: 1 } as const;
  const rare = { successProbability: 0.98 };

  it.each<[string, Situation, string[]]>([
    ['contain neighbours', { waiting: line(1, 2, 3), rules: short }, [start('p1 p2 p3')]],
    ['are at most of the batch size', { waiting: line(1, 2, 3, 4, 5), rules: short }, [start('p1 p2 p3 p4')]],
    [
      'are not made if builds are not short',
      { waiting: [on(1, a, { successProbability: 0.88 }), on(2, a)], rules: { ...short, maxParallelBuilds: 3 } },
      [start('p1'), start('p2', 'p1'), start('p2')],
    ],
    [
      'are not made with a batch size of 1',
      { waiting: line(1, 2, 3), rules: { ...short, batchSize: 1 } },
      [start('p1')],
    ],
    [
      'are smaller if more builds fail',
      { waiting: line(1, 2, 3, 4).map((row) => ({ ...row, successProbability: 0.75 })), rules: short },
      [start('p1 p2')],
    ],
    [
      'are not made if a third of the builds fails',
      { waiting: line(1, 2, 3, 4).map((row) => ({ ...row, successProbability: 0.67 })), rules: short },
      [start('p1')],
    ],
    [
      'are not made for reliable pull requests either, if a third of all builds fails',
      {
        waiting: [on(1, a, rare), on(2, a, rare), ...line(3, 4, 5).map((row) => ({ ...row, successProbability: 0.4 }))],
        rules: short,
      },
      [start('p1')],
    ],
    [
      'contain pull requests of one conflict component, with gaps in line',
      { waiting: [on(1, a), on(2, b), on(3, ['a', 'c']), on(4, ['c']), on(5, b)], rules: short },
      [start('p1 p3 p4')],
    ],
    [
      'are the line itself, if targets are unknown',
      { waiting: [on(1), on(2), on(3)], rules: short },
      [start('p1 p2 p3')],
    ],
    [
      'are not made in a component with several builds of its own',
      { waiting: [1, 2, 3, 4].map((number) => on(number, a, rare)), rules: { ...short, maxParallelBuilds: 2 } },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'contain no pull request that goes ahead, is a barrier, or has a build',
      { waiting: [...line(1, 2), on(3, a, { isBarrier: true }), ...line(4, 5)], rules: short },
      [start('p1 p2')],
    ],
    [
      'are not made if few pull requests without builds are left',
      {
        waiting: [on(1, a), on(2, a), on(3, b), on(4, b), on(5, b)],
        line: [speculative([1, 2], 'pending')],
        rules: { ...short, maxParallelBuilds: 2 },
      },
      [start('p3 p4 p5')],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('batches with linear speculation', () => {
  const pairs = { speculation: 'linear', batchSize: 2 } as const;
  const patient = { ...pairs, batchMaxWaitMinutes: 5 } as const;

  it.each<[string, Situation, string[]]>([
    [
      'contain neighbours of a conflict component, and later batches are built on them',
      { waiting: [on(1, a), on(2, b), on(3, a), on(4, a)], rules: pairs },
      [start('p1 p3'), start('p2'), start('p4', 'p1 p3')],
    ],
    [
      'wait for more pull requests',
      { waiting: [on(1, a), on(2, a), on(3, a)], rules: patient },
      [start('p1 p2'), 'look again in 4 min'],
    ],
    [
      'are built without more pull requests after the wait',
      { waiting: [on(1, a, { queuedAt: now - 5 * minute }), on(2, b)], rules: patient },
      [start('p1'), 'look again in 4 min'],
    ],
    [
      'are built at once if no pull request can join',
      { waiting: [on(1, a), on(2, a, { isBarrier: true })], rules: patient },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'contain no pull request that has a build',
      { waiting: [on(2, a)], line: [speculative([1], 'pending')], rules: pairs },
      [start('p2', 'p1')],
    ],
    [
      'are bisected if they are red',
      { line: [speculative([1, 2], 'failure')], rules: pairs },
      ['bisect b1 p1 | p2', 'speculate bisect p1 on tip', 'speculate bisect p2 on p1'],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('a landing has', () => {
  it.each<[string, Situation, string[]]>([
    [
      'a pull request that conflicted with one that has left, and that merges without it',
      {
        waiting: [
          on(1, a, { stack: 'p1' }),
          on(2, a, { stack: 'p1', below: 'p1', conflict: { parent: 'tip', after: ['left', 'h1'] } }),
        ],
        line: [speculative([1, 2], 'success')],
      },
      ['land b1 by commit of b1'],
    ],
    [
      'a speculative build on the tip without assumptions',
      { line: [speculative([1], 'success')] },
      ['land b1 by commit of b1'],
    ],
    [
      'all pull requests in a green speculative build',
      { line: [speculative([1], 'pending'), speculative([2], 'success', [1])] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'disjoint pull requests, each with its own speculative build',
      { waiting: [on(1, a), on(2, b)], line: [speculative([1], 'success'), speculative([2], 'success')] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'no pull request before an undecided one that it overlaps',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a)],
        line: [speculative([1], 'pending'), speculative([2], 'pending', [1]), speculative([2], 'success')],
      },
      [],
    ],
    [
      'beside a pull request with unknown targets, only what one build contains together with it',
      {
        waiting: [on(1), on(2, a), on(3, b)],
        line: [speculative([1], 'success'), speculative([2], 'success', [1]), speculative([3], 'success', [1])],
      },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'a pull request before an earlier one that it does not overlap',
      { waiting: [on(1, a), on(2, b)], line: [speculative([1], 'pending'), speculative([2], 'success')] },
      ['land b2 by commit of b2'],
    ],
    [
      'a build on whose base something disjoint has landed',
      {
        waiting: [on(2, b)],
        line: [speculative([2], 'success', [], { base: 'root', parentCommit: 'root' })],
        queue: { lineage: ['tip', 'root'] },
        change: {
          landings: [{ commit: 'tip', firstParent: 'root', members: [{ pullRequest: 'p1', head: 'h1', targets: a }] }],
        },
      },
      ['start optimistic p2 on tip'],
    ],
    [
      'a pull request with skipped validation, alone and without a build',
      { waiting: [on(1, a, { skipValidation: true })] },
      ['start optimistic p1 on tip'],
    ],
    ['nothing during a pause', { line: [speculative([1], 'success')], queue: { paused: true } }, []],
    [
      'nothing before the merge window',
      { line: [speculative([1], 'success')], queue: { landingsFrom: now + 5 * minute } },
      ['look again in 5 min'],
    ],
    [
      'no pull request whose own checks run',
      {
        waiting: [on(1, a, { ownVerdict: 'pending', status: 'tagged' })],
        line: [speculative([1], 'success')],
        rules: { ownRequiredChecks: null },
      },
      [],
    ],
    [
      'no assumption, if validation is not optimistic',
      {
        waiting: [on(1, a), on(2, a)],
        line: [speculative([1], 'pending'), speculative([2], 'success', [1]), speculative([2], 'pending')],
        rules: { useOptimisticValidation: false },
      },
      [],
    ],
    [
      'nothing, and awaits no merge window, before a build is green',
      { waiting: [on(1, a)], line: [speculative([1], 'pending')], queue: { landingsFrom: now + 5 * minute } },
      [],
    ],
    [
      'a green build before a pull request that skips validation',
      { waiting: [on(1, a), on(2, b, { skipValidation: true })], line: [speculative([1], 'success')] },
      ['land b1 by commit of b1'],
    ],
    [
      'nothing before the build of its own commit has ended',
      { waiting: [on(1, a), on(2, b)], line: [{ of: [1, 2], build: 'pending' }] },
      [],
    ],
    [
      'nothing while its commit is being made',
      { waiting: [on(1, a, { skipValidation: true })], line: [{ of: [1], build: 'making' }] },
      [],
    ],
    [
      'nothing while another landing is planned',
      {
        waiting: [on(1, a), on(2, b)],
        line: [speculative([1], 'success', [], { landingPlanned: true }), speculative([2], 'success')],
      },
      [],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('red builds block', () => {
  it.each<[string, Situation, string[]]>([
    [
      'no pull request after the first red build: it is built once more',
      { line: [speculative([1], 'failure')] },
      ['speculate retry p1 on tip'],
    ],
    [
      'a pull request that is red twice alone',
      { line: [speculative([1], 'failure'), speculative([1], 'failure')] },
      ['supersede b2 301 by p1', 'fail b1', 'block p1 107'],
    ],
    [
      'a pull request that is red once, if second builds have never been green',
      { line: [speculative([1], 'failure')], change: { secondTries: { passed: 0, judged: 20 } } },
      ['fail b1', 'block p1 107'],
    ],
    [
      'no pull request while an earlier one is undecided: its probable build is made once more',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a)],
        line: [speculative([1], 'pending'), speculative([2], 'failure', [1]), speculative([2], 'failure')],
      },
      ['speculate retry p2 on p1'],
    ],
    [
      'no pull request that is red twice alone, while an earlier one is undecided',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a)],
        line: [
          speculative([1], 'pending'),
          speculative([2], 'pending', [1]),
          speculative([2], 'failure'),
          speculative([2], 'failure'),
        ],
      },
      [],
    ],
    [
      'no member of several, while one of their assumptions is undecided',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a), on(3, a)],
        line: [speculative([1], 'pending'), speculative([2, 3], 'failure', [1])],
        rules: { batchSize: 2 },
      },
      ['speculate bisect p2 on p1', 'speculate retry p3 on p1 p2', 'speculate bisect p3 on p1'],
    ],
    [
      'no pull request in a green speculative build',
      { line: [speculative([1], 'failure'), speculative([1], 'failure'), speculative([2], 'success', [1])] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'no member of a batch before it was built alone: the batch is searched by halves',
      {
        waiting: [on(1, a, { successProbability: 0.8 }), on(2, a), on(3, a), on(4, a, { successProbability: 0.8 })],
        line: [speculative([1, 2, 3, 4], 'failure')],
        rules: { batchSize: 4, maxParallelBuilds: 1 },
      },
      ['speculate bisect p1 p2 on tip'],
    ],
    [
      'not the last candidate of a batch, before it was built alone',
      { waiting: [on(2, a)], line: [speculative([2], 'failure', [], halfLanded)], ...landed(1) },
      ['speculate retry p2 on tip'],
    ],
    [
      'the last candidate of a red batch, if it is red alone',
      {
        waiting: [on(2, a)],
        line: [speculative([2], 'failure', [], halfLanded), speculative([2], 'failure')],
        ...landed(1),
      },
      ['supersede b1 301 by p2', 'fail b2', 'block p2 107'],
    ],
    [
      'no member of a bisected batch or a stack: it is bisected again',
      {
        waiting: [on(1, a, { stack: 'p1' }), on(2, a, { stack: 'p1', below: 'p1' })],
        line: [speculative([1, 2], 'failure')],
      },
      ['bisect b1 p1 | p2', 'speculate bisect p1 on tip', 'speculate bisect p2 on p1'],
    ],
    [
      'no pull request that may be requeued',
      { line: [speculative([1], 'failure'), speculative([1], 'failure')], rules: { maxRequeueAttempts: 1 } },
      ['supersede b2 301 by p1', 'fail b1', 'requeue p1', 'speculate retry p1 on tip'],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('a failed pull request lets others pass', () => {
  const behind = { waiting: [on(1, a), on(2, a)] };
  it.each<[string, Situation, string[]]>([
    [
      'if no other is before it, those behind it are built without it, and it is built once more alone',
      { ...behind, line: [speculative([1], 'failure')] },
      ['reorder p1', start('p2'), 'speculate retry p1 on tip'],
    ],
    [
      'and those that are green without it land',
      { ...behind, line: [speculative([1], 'failure'), speculative([2], 'success')] },
      ['reorder p1', start('p1', 'p2'), 'land b2 by commit of b2'],
    ],
    [
      'but not while an earlier one is undecided',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a), on(3, a)],
        line: [
          speculative([1], 'pending'),
          speculative([2], 'failure', [1]),
          speculative([2], 'failure'),
          speculative([3], 'pending', [1]),
        ],
      },
      ['speculate retry p2 on p1'],
    ],
    [
      'but not twice',
      {
        waiting: [on(1, a, { reorderedForFailure: true }), on(2, a)],
        line: [speculative([1], 'failure'), speculative([2], 'pending')],
      },
      ['speculate retry p1 on tip'],
    ],
    [
      'but not if it is disjoint from all behind it',
      { waiting: [on(1, a), on(2, b)], line: [speculative([1], 'failure'), speculative([2], 'pending')] },
      ['speculate retry p1 on tip'],
    ],
    [
      'but not if its targets are unknown',
      { line: [speculative([1], 'failure'), speculative([2], 'pending')] },
      ['speculate retry p1 on tip'],
    ],
    [
      'but not if it skipped the line',
      {
        waiting: [on(1, a, { skipLine: true }), on(2, a)],
        line: [speculative([1], 'failure'), speculative([2], 'pending', [1])],
      },
      ['speculate retry p1 on tip'],
    ],
    [
      'but not if one failed build is enough to block it',
      {
        ...behind,
        line: [speculative([1], 'failure'), speculative([2], 'pending')],
        change: { secondTries: { passed: 0, judged: 20 } },
      },
      ['fail b1', 'block p1 107'],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('a ready pull request passes', () => {
  const [running, ready] = [speculative([1], 'pending'), speculative([2], 'success')];
  const line = [running, ready];
  const unlikely = (change: Partial<PullRequestState> = {}) =>
    on(1, a, { successProbability: 0.7, status: 'tagged', ...change });
  const second = on(2, a, { status: 'tagged' });
  it.each<[string, Situation, string[]]>([
    [
      'one that is unlikely to land',
      { waiting: [unlikely(), second], line },
      ['reorder p1 unlikely', 'land b2 by commit of b2'],
    ],
    [
      'one for the third time',
      { waiting: [unlikely({ timesPassed: 2 }), second], line },
      ['reorder p1 unlikely', 'land b2 by commit of b2'],
    ],
    ['none a fourth time', { waiting: [unlikely({ timesPassed: 3 }), second], line }, []],
    ['none that is likely to land', { waiting: [unlikely({ successProbability: 0.85 }), second], line }, []],
    [
      'one in its isolated retry, whatever its probability',
      { waiting: [unlikely({ successProbability: 0.99, reorderedForFailure: true, timesPassed: 2 }), second], line },
      ['reorder p1 isolated_retry', 'land b2 by commit of b2'],
    ],
    [
      'none a fourth time in its isolated retry',
      { waiting: [unlikely({ successProbability: 0.99, reorderedForFailure: true, timesPassed: 3 }), second], line },
      [],
    ],
    [
      'several at once, in their order',
      {
        waiting: [unlikely(), on(3, a, { successProbability: 0.7, status: 'tagged' }), on(4, a, { status: 'tagged' })],
        line: [running, speculative([3], 'pending'), speculative([4], 'success')],
      },
      ['reorder p1 unlikely', 'reorder p3 unlikely', 'land b3 by commit of b3'],
    ],
    [
      'none, if one of several is likely to land',
      {
        waiting: [unlikely(), on(3, a, { successProbability: 0.99, status: 'tagged' }), on(4, a, { status: 'tagged' })],
        line: [running, speculative([3], 'pending', [1]), speculative([3], 'pending'), speculative([4], 'success')],
      },
      [],
    ],
    [
      'none that lands with it',
      { waiting: [unlikely(), second], line: [speculative([1], 'success'), speculative([2], 'success', [1])] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'none while another pull request lands',
      { waiting: [unlikely(), second, on(3, b)], line: [...line, speculative([3], 'success')] },
      ['land b3 by commit of b3'],
    ],
    [
      'none while a landing runs',
      {
        waiting: [unlikely(), second, on(3, b)],
        line: [...line, speculative([3], 'success', [], { landingPlanned: true })],
      },
      [],
    ],
    [
      'none while its own checks run',
      {
        waiting: [unlikely(), on(2, a, { ownVerdict: 'pending', status: 'tagged' })],
        line,
        rules: { ownRequiredChecks: null },
      },
      [],
    ],
    ['none during a pause', { waiting: [unlikely(), second], line, queue: { paused: true } }, []],
    [
      'none outside of the merge windows',
      { waiting: [unlikely(), second], line, queue: { landingsFrom: now + 5 * minute } },
      ['look again in 5 min'],
    ],
    [
      'none that skipped the line',
      { waiting: [unlikely({ skipLine: true }), second], line: [running, speculative([2], 'pending', [1])] },
      [],
    ],
    [
      'none of a stack',
      {
        waiting: [unlikely({ stack: 'p1' }), on(3, b, { stack: 'p1', below: 'p1' }), second],
        line: [...line, speculative([3], 'pending', [1])],
      },
      [],
    ],
    [
      'none of a bisected batch',
      { waiting: [unlikely({ bisection: { group: 'g', max: 1, attempts: 1, phase: 'in_place' } }), second], line },
      [],
    ],
    ['none with unknown targets', { waiting: [unlikely({ targets: null }), second], line }, []],
    ['no barrier', { waiting: [unlikely({ isBarrier: true }), second], line }, []],
    [
      'none, if builds are not speculative on targets',
      { waiting: [unlikely(), second], line, rules: { useAffectedTargets: false } },
      [],
    ],
  ])('%s', (_name, situation, decisions) =>
    expect(planned(situation).filter((decision) => !decision.startsWith('speculate'))).toEqual(decisions),
  );
});

describe('a pull request that let others pass', () => {
  const retried = on(1, a, { reorderedForFailure: true, rank: 9, status: 'tagged' });
  const [red, green] = [speculative([1], 'failure'), speculative([1], 'success')];
  const passing = speculative([2], 'pending');
  it.each<[string, Situation, string[]]>([
    [
      'is built once more alone, even if little is known about those that passed',
      {
        waiting: [retried, ...[2, 3, 4, 5, 6].map((number) => on(number, a, { successProbability: 0.5 }))],
        line: [red],
        rules: { maxParallelBuilds: 2 },
      },
      [start('p2'), 'speculate retry p1 on tip'],
    ],
    [
      'is blocked if it is red once more',
      { waiting: [retried], line: [red, red, passing] },
      ['fail b1', 'block p1 107'],
    ],
    ['goes behind them if it is green', { waiting: [retried], line: [red, green, passing] }, [start('p1', 'p2')]],
    [
      'is built on pull requests that skip the line',
      { waiting: [retried, on(2, a, { skipLine: true, status: 'tagged' })], line: [passing] },
      [start('p1', 'p2')],
    ],
    [
      'goes on being built while others land',
      {
        ...landed(2),
        waiting: [retried],
        line: [speculative([1], 'pending', [], { base: 'root', parentCommit: 'root' })],
      },
      [],
    ],
    [
      'is built again at once if it has skipped the line since, because all wait for it',
      {
        ...landed(2),
        waiting: [on(1, a, { reorderedForFailure: true, skipLine: true, status: 'tagged' })],
        line: [speculative([1], 'pending', [], { base: 'root', parentCommit: 'root' })],
      },
      ['return b1', start('p1')],
    ],
    [
      'is built again if it was green, because it was not built with what landed since',
      {
        ...landed(2),
        waiting: [retried],
        line: [speculative([1], 'success', [], { base: 'root', parentCommit: 'root' })],
      },
      ['return b1', start('p1')],
    ],
    [
      'is blocked if it was red, and is red once more on what landed',
      {
        ...landed(2),
        waiting: [retried],
        line: [speculative([1], 'failure', [], { base: 'root', parentCommit: 'root' }), red],
      },
      ['fail b2', 'block p1 107'],
    ],
    [
      'loses its build like any other when it is behind them',
      {
        ...landed(2),
        waiting: [retried, on(3, a, { status: 'tagged' }), on(4, a, { status: 'tagged' })],
        line: [
          speculative([1], 'pending', [], { base: 'root', parentCommit: 'root' }),
          speculative([3], 'pending'),
          speculative([1], 'success', [3]),
        ],
      },
      ['return b1', start('p4', 'p3'), start('p1', 'p3 p4')],
    ],
    [
      'is never in a batch',
      {
        waiting: [retried, on(3, a), on(4, a), on(5, a)],
        line: [red, passing],
        rules: { batchSize: 4, maxParallelBuilds: 2 },
      },
      ['speculate retry p1 on tip'],
    ],
  ])('%s', (_name, situation, decisions) =>
    expect(planned(situation).filter((decision) => !decision.startsWith('supersede'))).toEqual(decisions),
  );
});

describe('a speculative build ends', () => {
  const left = (code: 301 | 303) => ({ departures: [{ pullRequest: 'p1', code }] });
  it.each<[string, Situation, string]>([
    [
      'on a pull request that left',
      { waiting: [on(2, a)], line: [speculative([2], 'pending', [1])], change: left(303) },
      'supersede b1 303 by p1',
    ],
    [
      'on a pull request that failed',
      { waiting: [on(2, a)], line: [speculative([2], 'pending', [1])], change: left(301) },
      'supersede b1 301 by p1',
    ],
    [
      'on an older head',
      { waiting: [on(1, a, { head: 'new' })], line: [speculative([1], 'pending')] },
      'supersede b1 310 by p1',
    ],
    [
      'without a pull request that skipped the line and that it overlaps',
      { waiting: [on(1, a, { status: 'tagged' }), on(2, a, { skipLine: true })], line: [speculative([1], 'pending')] },
      'supersede b1 302 by p2',
    ],
    [
      'on a base to which somebody else has pushed',
      {
        line: [speculative([1], 'pending', [], { base: 'root', parentCommit: 'root' })],
        change: { landings: [{ commit: 'tip', firstParent: 'root', members: null }] },
      },
      'supersede b1 305',
    ],
    [
      'made by other rules',
      { line: [speculative([1], 'pending', [], { buildKeysHash: 'others' })] },
      'supersede b1 307',
    ],
    ['if it does not merge', { line: [speculative([1], 'making', [], { givenUp: true })] }, 'return b1'],
    [
      'against a pull request that landed',
      {
        waiting: [on(2, a)],
        line: [speculative([2], 'pending', [], { base: 'root', parentCommit: 'root' })],
        change: {
          landings: [{ commit: 'tip', firstParent: 'root', members: [{ pullRequest: 'p1', head: 'h1', targets: a }] }],
        },
      },
      'return b1',
    ],
  ])('%s', (_name, situation, decision) => expect(planned(situation)).toContain(decision));

  describe('if it is red, and its assumptions landed together with another pull request that it overlaps', () => {
    const landed = (number: number, targets: readonly string[]) => ({
      pullRequest: `p${number}`,
      head: `h${number}`,
      targets,
    });
    const onRoot = { base: 'root', parentCommit: 'root' } as const;
    const assumed = landed(2, ['a', 'b', 'c']);
    const members = [landed(1, a), assumed];
    const red = speculative([3], 'failure', [2], onRoot);
    const together = { change: { landings: [{ commit: 'tip', firstParent: 'root', members }] } };
    const apart = {
      change: {
        landings: [
          { commit: 'tip1', firstParent: 'root', members: [landed(5, ['c'])] },
          { commit: 'tip', firstParent: 'tip1', members: [assumed, landed(1, a)] },
        ],
      },
    };
    it.each<[string, Situation, string[]]>([
      [
        'it is built again, and the red build counts for later pull requests',
        { waiting: [on(3, b)], line: [red], ...together },
        [start('p3')],
      ],
      [
        'those behind it pass, and then it ends',
        { waiting: [on(3, b), on(7, b)], line: [red], ...together },
        ['reorder p3', 'return b1', start('p7'), start('p3')],
      ],
      [
        'it ends at once if it may not be reordered',
        { waiting: [on(3, b, { reorderedForFailure: true }), on(7, b)], line: [red], ...together },
        ['return b1', start('p3'), start('p7', 'p3')],
      ],
      [
        'no pull request is blocked for it, if one red build is enough',
        {
          waiting: [on(3, b)],
          line: [red],
          change: { ...together.change, secondTries: { passed: 0, judged: 20 } },
        },
        [start('p3')],
      ],
      [
        'no pull request is blocked for it and another red one',
        { waiting: [on(3, b)], line: [red, speculative([3], 'failure')], ...together },
        ['speculate retry p3 on tip'],
      ],
      [
        'it ends with the other builds of an ejected pull request',
        { waiting: [on(3, b)], line: [red, speculative([3], 'failure'), speculative([3], 'failure')], ...together },
        ['supersede b3 301 by p3', 'supersede b1 301 by p3', 'fail b2', 'block p3 107'],
      ],
      [
        'it does not end if a green build did without the other pull request',
        { waiting: [on(3, b), on(4, ['d'])], line: [red, speculative([4], 'success', [2], onRoot)], ...together },
        ['start optimistic p4 on tip', 'speculate retry p3 on tip'],
      ],
      [
        'it is weak evidence if a green build did without, because other members may have helped: it is built again',
        { waiting: [on(3, b), on(4, ['c'])], line: [red, speculative([4], 'success', [2], onRoot)], ...together },
        ['start optimistic p4 on tip', start('p3')],
      ],
      [
        'no pull request is blocked for two weak ones',
        { waiting: [on(3, b), on(4, ['c'])], line: [red, red, speculative([4], 'success', [2], onRoot)], ...together },
        ['start optimistic p4 on tip', start('p3')],
      ],
      [
        'a pull request is blocked for a weak one and one on what landed',
        {
          waiting: [on(3, b), on(4, ['c'])],
          line: [red, speculative([3], 'failure'), speculative([4], 'success', [2], onRoot)],
          ...together,
        },
        ['supersede b1 301 by p3', 'fail b2', 'block p3 107', 'start optimistic p4 on tip'],
      ],
      [
        'those behind it pass after a weak one',
        {
          waiting: [on(3, b), on(4, ['c']), on(7, b)],
          line: [red, speculative([4], 'success', [2], onRoot)],
          ...together,
        },
        ['reorder p3', 'start optimistic p4 on tip', start('p7'), start('p3')],
      ],
      [
        'the same holds for two green builds that each did without something else',
        {
          waiting: [on(3, b), on(4, ['d']), on(6, ['e'])],
          line: [
            red,
            speculative([4], 'success', [2], { base: 'tip1', parentCommit: 'tip1' }),
            speculative([6], 'success', [2, 1], onRoot),
          ],
          ...apart,
        },
        ['start optimistic p4 p6 on tip', start('p3')],
      ],
    ])('%s', (_name, situation, decisions) =>
      expect(planned({ queue: { lineage: ['tip', 'tip1', 'root'] }, ...situation })).toEqual(decisions),
    );
  });

  it('if it does not contain a disjoint pull request that skipped the line', () => {
    const waiting = [on(1, a, { status: 'tagged' }), on(2, b, { skipLine: true })];
    expect(planned({ waiting, line: [speculative([1], 'pending')] })).toEqual([start('p2')]);
  });

  it('but not while a landing runs, in which none is built again either', () => {
    const line = [
      speculative([1], 'success', [], { landingStarted: true, landingPlanned: true }),
      speculative([2], 'pending', [1]),
    ];
    const waiting = [on(1, a), on(2, a, { head: 'new', successProbability: 0.99 })];
    expect(planned({ waiting, line })).toEqual([]);
  });

  it('if it was made by another planner', () => {
    expect(plannedLinearly({ line: [speculative([1], 'pending')] })).toContain('supersede b1 307');
    const part: BatchSpec = { of: [1], build: 'pending', change: { sideBuild: 'part' } };
    expect(planned({ line: [part] })).toContain('supersede b1 307');
  });
});

describe('a build for the pull requests that passed one', () => {
  const enough = { secondTries: { passed: 0, judged: 20 } };
  const first = on(1, a, { successProbability: 0.7, status: 'tagged' });
  const second = on(2, a, { status: 'tagged' });
  const line = [speculative([1], 'pending'), speculative([2], 'failure', [1]), speculative([2], 'success')];
  const onRoot = { base: 'root', parentCommit: 'root' };
  const asidePlace = on(1, a, { reorderedForFailure: true, rank: 9 });
  /** A build of only the first pull request in line. */
  const overtaken = speculative([], 'failure', [1], { ...onRoot, members: [{ pullRequest: 'p2', head: 'h2' }] });
  const after = (change: Partial<Situation> = {}): Situation => ({
    waiting: [asidePlace],
    line: [overtaken],
    ...landed(2),
    ...change,
  });
  it.each<[string, Situation, string[]]>([
    [
      'shows that it failed with all that passed it, and is not repeated',
      { waiting: [first, second], line, change: enough },
      ['reorder p1', 'land b3 by commit of b3'],
    ],
    [
      'is repeated if one failed build is not enough',
      { waiting: [first, second], line },
      ['reorder p1', 'speculate retry p1 on p2', 'land b3 by commit of b3'],
    ],
    [
      'shows nothing while another pull request is before it',
      {
        waiting: [on(0, a, { successProbability: 0.7, status: 'tagged' }), first, second],
        line: [speculative([0], 'pending'), speculative([2], 'failure', [1]), speculative([2], 'success')],
        change: enough,
      },
      [
        'reorder p0 unlikely',
        'reorder p1 unlikely',
        'speculate new p0 on p2',
        'speculate new p1 on p2 p0',
        'speculate new p1 on p2',
        'land b3 by commit of b3',
      ],
    ],
    [
      'shows nothing about other pull requests that passed it',
      {
        waiting: [first, second, on(3, a, { status: 'tagged' })],
        line: [...line, speculative([3], 'success', [2])],
        change: enough,
      },
      ['reorder p1 unlikely', 'start optimistic p2 p3 on tip', 'speculate new p1 on p2 p3'],
    ],
    [
      'blocks the pull request when they have landed',
      after({ change: { ...landed(2).change, ...enough } }),
      ['return b1', 'block p1 107'],
    ],
    ['is one of two failures if one is not enough', after(), ['speculate retry p1 on tip']],
    [
      'blocks no pull request after an overlapping one has landed',
      after({
        queue: { lineage: ['tip', 'middle', 'root'] },
        change: {
          landings: [
            { commit: 'middle', firstParent: 'root', members: [{ pullRequest: 'p2', head: 'h2', targets: a }] },
            { commit: 'tip', firstParent: 'middle', members: [{ pullRequest: 'p3', head: 'h3', targets: a }] },
          ],
          ...enough,
        },
      }),
      ['speculate new p1 on tip'],
    ],
    [
      'ends if no pull request has passed it',
      after({ waiting: [on(1, a)], change: { ...landed(2).change, ...enough } }),
      ['return b1', 'speculate new p1 on tip'],
    ],
    [
      'ends if its targets are unknown now',
      after({
        waiting: [on(1, null, { reorderedForFailure: true, rank: 9 })],
        change: { ...landed(2).change, ...enough },
      }),
      ['return b1', 'speculate new p1 on tip'],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});
