import { describe, expect, it } from 'vitest';
import type { BatchState, PullRequestState } from '../../../src/domain/queue/model/snapshot.ts';
import { planned as plannedLinearly, pr, now, minute, type BatchSpec, type Situation } from './situation.ts';

const adaptive = { speculation: 'adaptive', useAffectedTargets: true } as const;

function planned(situation: Situation): string[] {
  return plannedLinearly({ ...situation, rules: { ...adaptive, ...situation.rules } });
}

/** A pull request that affects `targets`; without any it overlaps everything. */
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

/** A batch of two on the commit before the tip, and the first of them, which landed on that. */
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

describe('what is built', () => {
  it.each<[string, Situation, string[]]>([
    ['one by itself on the tip', { waiting: [on(1, a)] }, [start('p1')]],
    ['disjoint ones by themselves, all at once', { waiting: [on(1, a), on(2, b)] }, [start('p1'), start('p2')]],
    [
      'one on those before it that it overlaps, as they are most likely to fare, and then as they are next',
      { waiting: [on(1, a, { successProbability: 0.88 }), on(2, a)] },
      [start('p1'), start('p2', 'p1'), start('p2')],
    ],
    [
      'only what is likely enough to be needed',
      { waiting: [on(1, a, { successProbability: 0.99 }), on(2, a)] },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'the most probable first, where not all can be',
      { waiting: [on(1, a), on(2, a), on(3, b)], rules: { maxParallelBuilds: 2 } },
      [start('p1'), start('p3')],
    ],
    [
      'everything overlapping everything without targets',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, b, { successProbability: 0.99 })],
        rules: { useAffectedTargets: false },
      },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'nothing on one it stands on that will hardly land, as likely as that not landing is',
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
      'with linear speculation on all before it alone',
      { waiting: [on(1, a), on(2, a)], rules: { speculation: 'linear' } },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'nothing behind a barrier',
      { waiting: [on(1, a, { successProbability: 0.88 }), on(2, b, { isBarrier: true }), on(3, ['c'])] },
      [start('p1'), start('p2', 'p1'), start('p2')],
    ],
    [
      'neighbours of a stack together, on nothing else',
      { waiting: [on(1, a, { stack: 'p1' }), on(2, a, { stack: 'p1', below: 'p1' }), on(3, b)] },
      [start('p1 p2'), start('p3')],
    ],
    [
      'nobody without a pull request that skipped the line',
      { waiting: [on(1, a), on(2, a, { skipLine: true })] },
      [start('p2'), start('p1', 'p2')],
    ],
    ['nothing while paused', { waiting: [on(1, a)], queue: { paused: true } }, []],
    [
      'as many as are allowed while paused',
      { waiting: [on(1, a), on(2, b)], queue: { paused: true }, rules: { maxParallelPausedBuilds: 1 } },
      [start('p1')],
    ],
    [
      'nothing that is known not to merge',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a, { conflict: { parent: 'tip', after: ['h1'] } })],
      },
      [start('p1')],
    ],
    ['nothing twice', { waiting: [on(1, a)], line: [speculative([1], 'pending')] }, []],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('batches, where builds are short', () => {
  const line = (...numbers: readonly number[]) => numbers.map((number) => on(number, a));
  const short = { batchSize: 4, maxParallelBuilds: 1 } as const;
  const rare = { successProbability: 0.98 };

  it.each<[string, Situation, string[]]>([
    ['neighbours are asked together', { waiting: line(1, 2, 3), rules: short }, [start('p1 p2 p3')]],
    ['as many as the batch size', { waiting: line(1, 2, 3, 4, 5), rules: short }, [start('p1 p2 p3 p4')]],
    [
      'none, where builds are not short',
      { waiting: [on(1, a, { successProbability: 0.88 }), on(2, a)], rules: { ...short, maxParallelBuilds: 3 } },
      [start('p1'), start('p2', 'p1'), start('p2')],
    ],
    ['none with a batch size of 1', { waiting: line(1, 2, 3), rules: { ...short, batchSize: 1 } }, [start('p1')]],
    [
      'fewer where more fail',
      { waiting: line(1, 2, 3, 4).map((row) => ({ ...row, successProbability: 0.75 })), rules: short },
      [start('p1 p2')],
    ],
    [
      'none where a third fails',
      { waiting: line(1, 2, 3, 4).map((row) => ({ ...row, successProbability: 0.67 })), rules: short },
      [start('p1')],
    ],
    [
      'none of the careful either, where a third of all fail',
      {
        waiting: [on(1, a, rare), on(2, a, rare), ...line(3, 4, 5).map((row) => ({ ...row, successProbability: 0.4 }))],
        rules: short,
      },
      [start('p1')],
    ],
    [
      'of one conflict component, whatever stands between',
      { waiting: [on(1, a), on(2, b), on(3, ['a', 'c']), on(4, ['c']), on(5, b)], rules: short },
      [start('p1 p3 p4')],
    ],
    ['of what nobody knows, the line itself', { waiting: [on(1), on(2), on(3)], rules: short }, [start('p1 p2 p3')]],
    [
      'one by one in a component that has several builds to itself',
      { waiting: [1, 2, 3, 4].map((number) => on(number, a, rare)), rules: { ...short, maxParallelBuilds: 2 } },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'of those before what goes ahead, holds all up, or was asked of',
      { waiting: [...line(1, 2), on(3, a, { isBarrier: true }), ...line(4, 5)], rules: short },
      [start('p1 p2')],
    ],
    [
      'until few are left that nobody asks of',
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
      'neighbours of a conflict component together, and what stands behind on them',
      { waiting: [on(1, a), on(2, b), on(3, a), on(4, a)], rules: pairs },
      [start('p1 p3'), start('p2'), start('p4', 'p1 p3')],
    ],
    [
      'a pull request that may still get company waits for it',
      { waiting: [on(1, a), on(2, a), on(3, a)], rules: patient },
      [start('p1 p2'), 'look again in 4 min'],
    ],
    [
      'and then is built without',
      { waiting: [on(1, a, { queuedAt: now - 5 * minute }), on(2, b)], rules: patient },
      [start('p1'), 'look again in 4 min'],
    ],
    [
      'at once, where nobody can join it any more',
      { waiting: [on(1, a), on(2, a, { isBarrier: true })], rules: patient },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'nobody who is asked of already',
      { waiting: [on(2, a)], line: [speculative([1], 'pending')], rules: pairs },
      [start('p2', 'p1')],
    ],
    [
      'a red one is bisected',
      { line: [speculative([1, 2], 'failure')], rules: pairs },
      ['bisect b1 p1 | p2', 'speculate bisect p1 on tip', 'speculate bisect p2 on p1'],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('what lands', () => {
  it.each<[string, Situation, string[]]>([
    [
      'what conflicted behind a pull request that has left since, and merges without it',
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
      'a speculative build on the tip with nothing assumed, itself',
      { line: [speculative([1], 'success')] },
      ['land b1 by commit of b1'],
    ],
    [
      'all that a green speculative build holds, in one landing',
      { line: [speculative([1], 'pending'), speculative([2], 'success', [1])] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'disjoint ones together, each by its own speculative build',
      { waiting: [on(1, a), on(2, b)], line: [speculative([1], 'success'), speculative([2], 'success')] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'nothing before an undecided pull request that it overlaps',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a)],
        line: [speculative([1], 'pending'), speculative([2], 'pending', [1]), speculative([2], 'success')],
      },
      [],
    ],
    [
      'beside a pull request that may affect anything, only what one build holds together with it',
      {
        waiting: [on(1), on(2, a), on(3, b)],
        line: [speculative([1], 'success'), speculative([2], 'success', [1]), speculative([3], 'success', [1])],
      },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'one ahead of what it does not overlap',
      { waiting: [on(1, a), on(2, b)], line: [speculative([1], 'pending'), speculative([2], 'success')] },
      ['land b2 by commit of b2'],
    ],
    [
      'a build under which something disjoint has landed',
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
      'what skips validation, by itself and without a build',
      { waiting: [on(1, a, { skipValidation: true })] },
      ['start optimistic p1 on tip'],
    ],
    ['nothing while paused', { line: [speculative([1], 'success')], queue: { paused: true } }, []],
    [
      'nothing before the window opens',
      { line: [speculative([1], 'success')], queue: { landingsFrom: now + 5 * minute } },
      ['look again in 5 min'],
    ],
    [
      'nothing whose own checks run',
      {
        waiting: [on(1, a, { ownVerdict: 'pending', status: 'tagged' })],
        line: [speculative([1], 'success')],
        rules: { ownRequiredChecks: null },
      },
      [],
    ],
    [
      'nothing assumed, where builds are not optimistic',
      {
        waiting: [on(1, a), on(2, a)],
        line: [speculative([1], 'pending'), speculative([2], 'success', [1]), speculative([2], 'pending')],
        rules: { useOptimisticValidation: false },
      },
      [],
    ],
    [
      'nothing beside a landing that is planned',
      {
        waiting: [on(1, a), on(2, b)],
        line: [speculative([1], 'success', [], { landingPlanned: true }), speculative([2], 'success')],
      },
      [],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('which pull requests red builds blame', () => {
  it.each<[string, Situation, string[]]>([
    [
      'nobody the first time: it is built once more',
      { line: [speculative([1], 'failure')] },
      ['speculate retry p1 on tip'],
    ],
    [
      'a pull request that is red twice by itself',
      { line: [speculative([1], 'failure'), speculative([1], 'failure')] },
      ['supersede b2 301 by p1', 'fail b1', 'block p1 107'],
    ],
    [
      'a pull request that is red once, where a second build has never said otherwise',
      { line: [speculative([1], 'failure')], change: { secondTries: { passed: 0, judged: 20 } } },
      ['fail b1', 'block p1 107'],
    ],
    [
      'nobody while one before it is undecided: what is likely to come true is built once more meanwhile',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a)],
        line: [speculative([1], 'pending'), speculative([2], 'failure', [1]), speculative([2], 'failure')],
      },
      ['speculate retry p2 on p1'],
    ],
    [
      'nobody twice red on nothing, while one before it is undecided',
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
      'nobody of several, while one they assume is undecided',
      {
        waiting: [on(1, a, { successProbability: 0.99 }), on(2, a), on(3, a)],
        line: [speculative([1], 'pending'), speculative([2, 3], 'failure', [1])],
        rules: { batchSize: 2 },
      },
      ['speculate bisect p2 on p1', 'speculate retry p3 on p1 p2', 'speculate bisect p3 on p1'],
    ],
    [
      'nobody that a green speculative build justifies',
      { line: [speculative([1], 'failure'), speculative([1], 'failure'), speculative([2], 'success', [1])] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'of several asked together none before it was built by itself: the red build is searched by halves',
      {
        waiting: [on(1, a, { successProbability: 0.8 }), on(2, a), on(3, a), on(4, a, { successProbability: 0.8 })],
        line: [speculative([1, 2, 3, 4], 'failure')],
        rules: { batchSize: 4, maxParallelBuilds: 1 },
      },
      ['speculate bisect p1 p2 on tip'],
    ],
    [
      'of several asked together not the last that is left: it is built by itself',
      { waiting: [on(2, a)], line: [speculative([2], 'failure', [], halfLanded)], ...landed(1) },
      ['speculate retry p2 on tip'],
    ],
    [
      'the last that is left of a red batch, and is red by itself',
      {
        waiting: [on(2, a)],
        line: [speculative([2], 'failure', [], halfLanded), speculative([2], 'failure')],
        ...landed(1),
      },
      ['supersede b1 301 by p2', 'fail b2', 'block p2 107'],
    ],
    [
      'what was bisected is halved by decision, and so is a stack',
      {
        waiting: [on(1, a, { stack: 'p1' }), on(2, a, { stack: 'p1', below: 'p1' })],
        line: [speculative([1, 2], 'failure')],
      },
      ['bisect b1 p1 | p2', 'speculate bisect p1 on tip', 'speculate bisect p2 on p1'],
    ],
    [
      'nobody, where it may go back in line',
      { line: [speculative([1], 'failure'), speculative([1], 'failure')], rules: { maxRequeueAttempts: 1 } },
      ['supersede b2 301 by p1', 'fail b1', 'requeue p1', 'speculate retry p1 on tip'],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('who lets others pass', () => {
  const behind = { waiting: [on(1, a), on(2, a)] };
  it.each<[string, Situation, string[]]>([
    [
      'a pull request that failed with nothing before it: those behind it are built without it, and it once more by itself',
      { ...behind, line: [speculative([1], 'failure')] },
      ['reorder p1', start('p2'), 'speculate retry p1 on tip'],
    ],
    [
      'and those land that were green without it',
      { ...behind, line: [speculative([1], 'failure'), speculative([2], 'success')] },
      ['reorder p1', start('p1', 'p2'), 'land b2 by commit of b2'],
    ],
    [
      'nobody, while one before it is undecided',
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
      'nobody twice',
      {
        waiting: [on(1, a, { reorderedForFailure: true }), on(2, a)],
        line: [speculative([1], 'failure'), speculative([2], 'pending')],
      },
      ['speculate retry p1 on tip'],
    ],
    [
      'nobody that leaves all behind it alone',
      { waiting: [on(1, a), on(2, b)], line: [speculative([1], 'failure'), speculative([2], 'pending')] },
      ['speculate retry p1 on tip'],
    ],
    [
      'nobody that may affect anything',
      { line: [speculative([1], 'failure'), speculative([2], 'pending')] },
      ['speculate retry p1 on tip'],
    ],
    [
      'nobody that skipped the line',
      {
        waiting: [on(1, a, { skipLine: true }), on(2, a)],
        line: [speculative([1], 'failure'), speculative([2], 'pending', [1])],
      },
      ['speculate retry p1 on tip'],
    ],
    [
      'nobody where one failed build is enough',
      {
        ...behind,
        line: [speculative([1], 'failure'), speculative([2], 'pending')],
        change: { secondTries: { passed: 0, judged: 20 } },
      },
      ['fail b1', 'block p1 107'],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('who is passed by what is ready', () => {
  const [running, ready] = [speculative([1], 'pending'), speculative([2], 'success')];
  const line = [running, ready];
  const unlikely = (change: Partial<PullRequestState> = {}) =>
    on(1, a, { successProbability: 0.7, status: 'tagged', ...change });
  const second = on(2, a, { status: 'tagged' });
  it.each<[string, Situation, string[]]>([
    [
      'a pull request that is unlikely to land',
      { waiting: [unlikely(), second], line },
      ['reorder p1 unlikely', 'land b2 by commit of b2'],
    ],
    [
      'for the third time',
      { waiting: [unlikely({ timesPassed: 2 }), second], line },
      ['reorder p1 unlikely', 'land b2 by commit of b2'],
    ],
    ['nobody a fourth time', { waiting: [unlikely({ timesPassed: 3 }), second], line }, []],
    ['nobody who is likely to land', { waiting: [unlikely({ successProbability: 0.85 }), second], line }, []],
    [
      'one in its isolated retry, however likely',
      { waiting: [unlikely({ successProbability: 0.99, reorderedForFailure: true, timesPassed: 2 }), second], line },
      ['reorder p1 isolated_retry', 'land b2 by commit of b2'],
    ],
    [
      'nobody a fourth time in an isolated retry either',
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
      'nobody by several of which one is likely before the others',
      {
        waiting: [unlikely(), on(3, a, { successProbability: 0.99, status: 'tagged' }), on(4, a, { status: 'tagged' })],
        line: [running, speculative([3], 'pending', [1]), speculative([3], 'pending'), speculative([4], 'success')],
      },
      [],
    ],
    [
      'nobody who lands with it',
      { waiting: [unlikely(), second], line: [speculative([1], 'success'), speculative([2], 'success', [1])] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'nobody while something else lands',
      { waiting: [unlikely(), second, on(3, b)], line: [...line, speculative([3], 'success')] },
      ['land b3 by commit of b3'],
    ],
    [
      'nobody while something is being landed',
      {
        waiting: [unlikely(), second, on(3, b)],
        line: [...line, speculative([3], 'success', [], { landingPlanned: true })],
      },
      [],
    ],
    [
      'nobody by one whose own checks run',
      {
        waiting: [unlikely(), on(2, a, { ownVerdict: 'pending', status: 'tagged' })],
        line,
        rules: { ownRequiredChecks: null },
      },
      [],
    ],
    ['nobody while paused', { waiting: [unlikely(), second], line, queue: { paused: true } }, []],
    [
      'nobody outside of the merge windows',
      { waiting: [unlikely(), second], line, queue: { landingsFrom: now + 5 * minute } },
      ['look again in 5 min'],
    ],
    [
      'nobody that skipped the line',
      { waiting: [unlikely({ skipLine: true }), second], line: [running, speculative([2], 'pending', [1])] },
      [],
    ],
    [
      'nobody of a stack',
      {
        waiting: [unlikely({ stack: 'p1' }), on(3, b, { stack: 'p1', below: 'p1' }), second],
        line: [...line, speculative([3], 'pending', [1])],
      },
      [],
    ],
    [
      'nobody of a halved batch',
      { waiting: [unlikely({ bisection: { group: 'g', max: 1, attempts: 1, phase: 'in_place' } }), second], line },
      [],
    ],
    ['nobody that may affect anything', { waiting: [unlikely({ targets: null }), second], line }, []],
    ['no barrier', { waiting: [unlikely({ isBarrier: true }), second], line }, []],
    [
      'nobody where builds are not speculative on targets',
      { waiting: [unlikely(), second], line, rules: { useAffectedTargets: false } },
      [],
    ],
  ])('%s', (_name, situation, decisions) =>
    expect(planned(situation).filter((decision) => !decision.startsWith('speculate'))).toEqual(decisions),
  );
});

describe('who let others pass', () => {
  const retried = on(1, a, { reorderedForFailure: true, rank: 9, status: 'tagged' });
  const [red, green] = [speculative([1], 'failure'), speculative([1], 'success')];
  const passing = speculative([2], 'pending');
  it.each<[string, Situation, string[]]>([
    [
      'is built once more by itself, however little is known of the pull requests that passed',
      {
        waiting: [retried, ...[2, 3, 4, 5, 6].map((number) => on(number, a, { successProbability: 0.5 }))],
        line: [red],
        rules: { maxParallelBuilds: 2 },
      },
      [start('p2'), 'speculate retry p1 on tip'],
    ],
    ['is out when it is red once more', { waiting: [retried], line: [red, red, passing] }, ['fail b1', 'block p1 107']],
    ['stands behind them when it is green', { waiting: [retried], line: [red, green, passing] }, [start('p1', 'p2')]],
    [
      'takes for granted what skips the line',
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
      'but is built again at once where it skips the line since: then all wait for it',
      {
        ...landed(2),
        waiting: [on(1, a, { reorderedForFailure: true, skipLine: true, status: 'tagged' })],
        line: [speculative([1], 'pending', [], { base: 'root', parentCommit: 'root' })],
      },
      ['return b1', start('p1')],
    ],
    [
      'is built again when that was green: it was not built with what landed meanwhile',
      {
        ...landed(2),
        waiting: [retried],
        line: [speculative([1], 'success', [], { base: 'root', parentCommit: 'root' })],
      },
      ['return b1', start('p1')],
    ],
    [
      'is out when that was red, and it is so once more on what landed',
      {
        ...landed(2),
        waiting: [retried],
        line: [speculative([1], 'failure', [], { base: 'root', parentCommit: 'root' }), red],
      },
      ['fail b2', 'block p1 107'],
    ],
    [
      'and its build is over as that of any other once it stands behind them',
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
      'is asked together with nobody',
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

describe('which speculative builds are over', () => {
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
      'without a pull request that skipped the line and overlaps',
      { waiting: [on(1, a, { status: 'tagged' }), on(2, a, { skipLine: true })], line: [speculative([1], 'pending')] },
      'supersede b1 302 by p2',
    ],
    [
      'on a base that somebody else has pushed to',
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
    ['that do not merge', { line: [speculative([1], 'making', [], { givenUp: true })] }, 'return b1'],
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

  describe('red ones whose assumed landed with something more that it overlaps', () => {
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
        'with nothing to say that it did not need that: it is built again, and the red build is kept for later pull requests',
        { waiting: [on(3, b)], line: [red], ...together },
        [start('p3')],
      ],
      [
        'those behind it pass all the same, and then it is over',
        { waiting: [on(3, b), on(7, b)], line: [red], ...together },
        ['reorder p3', 'return b1', start('p7'), start('p3')],
      ],
      [
        'it is over at once where it may not be reordered',
        { waiting: [on(3, b, { reorderedForFailure: true }), on(7, b)], line: [red], ...together },
        ['return b1', start('p3'), start('p7', 'p3')],
      ],
      [
        'nobody is blamed for it where one red build is enough',
        {
          waiting: [on(3, b)],
          line: [red],
          change: { ...together.change, secondTries: { passed: 0, judged: 20 } },
        },
        [start('p3')],
      ],
      [
        'nor for it and another one',
        { waiting: [on(3, b)], line: [red, speculative([3], 'failure')], ...together },
        ['speculate retry p3 on tip'],
      ],
      [
        'it is over with the other builds of an ejected pull request',
        { waiting: [on(3, b)], line: [red, speculative([3], 'failure'), speculative([3], 'failure')], ...together },
        ['supersede b3 301 by p3', 'supersede b1 301 by p3', 'fail b2', 'block p3 107'],
      ],
      [
        'not where a green one did without',
        { waiting: [on(3, b), on(4, ['d'])], line: [red, speculative([4], 'success', [2], onRoot)], ...together },
        ['start optimistic p4 on tip', 'speculate retry p3 on tip'],
      ],
      [
        'weakly, where a green build did without it, because its other members may have stood in: it is built again',
        { waiting: [on(3, b), on(4, ['c'])], line: [red, speculative([4], 'success', [2], onRoot)], ...together },
        ['start optimistic p4 on tip', start('p3')],
      ],
      [
        'nobody is blamed for two of those',
        { waiting: [on(3, b), on(4, ['c'])], line: [red, red, speculative([4], 'success', [2], onRoot)], ...together },
        ['start optimistic p4 on tip', start('p3')],
      ],
      [
        'except for one of them, and one on what landed',
        {
          waiting: [on(3, b), on(4, ['c'])],
          line: [red, speculative([3], 'failure'), speculative([4], 'success', [2], onRoot)],
          ...together,
        },
        ['supersede b1 301 by p3', 'fail b2', 'block p3 107', 'start optimistic p4 on tip'],
      ],
      [
        'those behind one of those pass meanwhile',
        {
          waiting: [on(3, b), on(4, ['c']), on(7, b)],
          line: [red, speculative([4], 'success', [2], onRoot)],
          ...together,
        },
        ['reorder p3', 'start optimistic p4 on tip', start('p7'), start('p3')],
      ],
      [
        'the same of two green ones that each did without something else, one with that on its base already',
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

  it('and not without a disjoint pull request that skipped the line', () => {
    const waiting = [on(1, a, { status: 'tagged' }), on(2, b, { skipLine: true })];
    expect(planned({ waiting, line: [speculative([1], 'pending')] })).toEqual([start('p2')]);
  });

  it('and none is ended or built again while a landing is started', () => {
    const line = [
      speculative([1], 'success', [], { landingStarted: true, landingPlanned: true }),
      speculative([2], 'pending', [1]),
    ];
    const waiting = [on(1, a), on(2, a, { head: 'new', successProbability: 0.99 })];
    expect(planned({ waiting, line })).toEqual([]);
  });

  it('of another planner: each ends what it does not know', () => {
    expect(plannedLinearly({ line: [speculative([1], 'pending')] })).toContain('supersede b1 307');
    const part: BatchSpec = { of: [1], build: 'pending', change: { sideBuild: 'part' } };
    expect(planned({ line: [part] })).toContain('supersede b1 307');
  });
});

describe('a build made for the pull requests that passed one', () => {
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
      'says that it failed with all that pass it, and is not made once more',
      { waiting: [first, second], line, change: enough },
      ['reorder p1', 'land b3 by commit of b3'],
    ],
    [
      'is made once more where one failed build is not enough',
      { waiting: [first, second], line },
      ['reorder p1', 'speculate retry p1 on p2', 'land b3 by commit of b3'],
    ],
    [
      'says nothing while something else is before it',
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
      'says nothing of it with others that pass it besides',
      {
        waiting: [first, second, on(3, a, { status: 'tagged' })],
        line: [...line, speculative([3], 'success', [2])],
        change: enough,
      },
      ['reorder p1 unlikely', 'start optimistic p2 p3 on tip', 'speculate new p1 on p2 p3'],
    ],
    [
      'takes it out when they have landed',
      after({ change: { ...landed(2).change, ...enough } }),
      ['return b1', 'block p1 107'],
    ],
    ['is one of two where one is not enough', after(), ['speculate retry p1 on tip']],
    [
      'takes nobody out once something else has landed that it overlaps',
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
      'is over where nobody passed it',
      after({ waiting: [on(1, a)], change: { ...landed(2).change, ...enough } }),
      ['return b1', 'speculate new p1 on tip'],
    ],
    [
      'is over where its targets are not known any more',
      after({
        waiting: [on(1, null, { reorderedForFailure: true, rank: 9 })],
        change: { ...landed(2).change, ...enough },
      }),
      ['return b1', 'speculate new p1 on tip'],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});
