import { describe, expect, it } from 'vitest';
import type { BatchState, PullRequestState } from '../../../src/domain/queue/snapshot.ts';
import { planned as plannedLinearly, pr, now, minute, type BatchSpec, type Situation } from './situation.ts';

const adaptive = { speculation: 'adaptive', useAffectedTargets: true } as const;

function planned(situation: Situation): string[] {
  return plannedLinearly({ ...situation, rules: { ...adaptive, ...situation.rules } });
}

/** One that affects `targets`; without any it overlaps everything. */
function on(number: number, targets: readonly string[] | null = null, change: Partial<PullRequestState> = {}) {
  return pr(number, { targets, ...change });
}

function bet(
  of: readonly number[],
  build: BatchSpec['build'],
  assumes: readonly number[] = [],
  change: Partial<BatchState> = {},
): BatchSpec {
  const pinned = assumes.map((number) => ({ pullRequest: `p${number}`, head: `h${number}` }));
  return { of, build, change: { beside: 'bet', assumes: pinned, ...change } };
}

const a = ['a'];
const b = ['b'];
const start = (members: string, assumed = '') => `bet new ${members} on ${assumed === '' ? 'tip' : assumed}`;

describe('what is built', () => {
  it.each<[string, Situation, string[]]>([
    ['one by itself on the tip', { waiting: [on(1, a)] }, [start('p1')]],
    ['disjoint ones by themselves, all at once', { waiting: [on(1, a), on(2, b)] }, [start('p1'), start('p2')]],
    [
      'one on those before it that it overlaps, as they are most likely to fare, and then as they are next',
      { waiting: [on(1, a), on(2, a)] },
      [start('p1'), start('p2', 'p1'), start('p2')],
    ],
    [
      'only what is likely enough to be needed',
      { waiting: [on(1, a, { chance: 0.99 }), on(2, a)] },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'the likeliest first, where not all can be',
      { waiting: [on(1, a), on(2, a), on(3, b)], rules: { maxParallelBuilds: 2 } },
      [start('p1'), start('p3')],
    ],
    [
      'everything overlapping everything without targets',
      { waiting: [on(1, a, { chance: 0.99 }), on(2, b, { chance: 0.99 })], rules: { useAffectedTargets: false } },
      [start('p1'), start('p2', 'p1')],
    ],
    [
      'nothing on one it stands on that will hardly land, as likely as that not landing is',
      {
        waiting: [
          on(1, a, { chance: 0.02, stack: 'p1', bisection: { group: 'g', max: 1, attempts: 1, stand: 'in_place' } }),
          on(2, a, { stack: 'p1', below: 'p1' }),
        ],
        line: [bet([1], 'pending')],
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
      { waiting: [on(1, a), on(2, b, { isBarrier: true }), on(3, ['c'])] },
      [start('p1'), start('p2', 'p1'), start('p2')],
    ],
    [
      'neighbours of a stack together, on nothing else',
      { waiting: [on(1, a, { stack: 'p1' }), on(2, a, { stack: 'p1', below: 'p1' }), on(3, b)] },
      [start('p1 p2'), start('p3')],
    ],
    [
      'nobody without one that skipped the line',
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
        waiting: [on(1, a, { chance: 0.99 }), on(2, a, { conflict: { parent: 'tip', after: ['h1'] } })],
      },
      [start('p1')],
    ],
    ['nothing twice', { waiting: [on(1, a)], line: [bet([1], 'pending')] }, []],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('what lands', () => {
  it.each<[string, Situation, string[]]>([
    [
      'what conflicted behind one that has left since, and merges without it',
      {
        waiting: [
          on(1, a, { stack: 'p1' }),
          on(2, a, { stack: 'p1', below: 'p1', conflict: { parent: 'tip', after: ['left', 'h1'] } }),
        ],
        line: [bet([1, 2], 'success')],
      },
      ['land b1 by commit of b1'],
    ],
    ['a bet on the tip with nothing assumed, itself', { line: [bet([1], 'success')] }, ['land b1 by commit of b1']],
    [
      'all that a green bet holds, in one landing',
      { line: [bet([1], 'pending'), bet([2], 'success', [1])] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'disjoint ones together, each by its own bet',
      { waiting: [on(1, a), on(2, b)], line: [bet([1], 'success'), bet([2], 'success')] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'nothing before one that it overlaps and that is undecided',
      {
        waiting: [on(1, a, { chance: 0.99 }), on(2, a)],
        line: [bet([1], 'pending'), bet([2], 'pending', [1]), bet([2], 'success')],
      },
      [],
    ],
    [
      'with one that may affect anything only what one build holds together with it',
      {
        waiting: [on(1), on(2, a), on(3, b)],
        line: [bet([1], 'success'), bet([2], 'success', [1]), bet([3], 'success', [1])],
      },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'one ahead of what it does not overlap',
      { waiting: [on(1, a), on(2, b)], line: [bet([1], 'pending'), bet([2], 'success')] },
      ['land b2 by commit of b2'],
    ],
    [
      'one that something disjoint has landed under',
      {
        waiting: [on(2, b)],
        line: [bet([2], 'success', [], { base: 'root', parentCommit: 'root' })],
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
    ['nothing while paused', { line: [bet([1], 'success')], queue: { paused: true } }, []],
    [
      'nothing before the window opens',
      { line: [bet([1], 'success')], queue: { landingsFrom: now + 5 * minute } },
      ['look again in 5 min'],
    ],
    [
      'nothing whose own checks run',
      {
        waiting: [on(1, a, { ownVerdict: 'pending', status: 'tagged' })],
        line: [bet([1], 'success')],
        rules: { ownRequiredChecks: null },
      },
      [],
    ],
    [
      'nothing assumed, where builds are not optimistic',
      {
        waiting: [on(1, a), on(2, a)],
        line: [bet([1], 'pending'), bet([2], 'success', [1]), bet([2], 'pending')],
        rules: { useOptimisticValidation: false },
      },
      [],
    ],
    [
      'nothing beside a landing that is planned',
      {
        waiting: [on(1, a), on(2, b)],
        line: [bet([1], 'success', [], { landingPlanned: true }), bet([2], 'success')],
      },
      [],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('whom red builds blame', () => {
  it.each<[string, Situation, string[]]>([
    ['nobody the first time: it is built once more', { line: [bet([1], 'failure')] }, ['bet retry p1 on tip']],
    [
      'one that is red twice by itself',
      { line: [bet([1], 'failure'), bet([1], 'failure')] },
      ['supersede b2 301 by p1', 'fail b1', 'block p1 107'],
    ],
    [
      'one that is red once, where a second build has never said otherwise',
      { line: [bet([1], 'failure')], change: { secondTries: { passed: 0, judged: 20 } } },
      ['fail b1', 'block p1 107'],
    ],
    [
      'nobody while one before it is undecided: what is likely to come true is built once more meanwhile',
      {
        waiting: [on(1, a, { chance: 0.99 }), on(2, a)],
        line: [bet([1], 'pending'), bet([2], 'failure', [1]), bet([2], 'failure')],
      },
      ['bet retry p2 on p1'],
    ],
    [
      'nobody twice red on nothing, while one before it is undecided',
      {
        waiting: [on(1, a, { chance: 0.99 }), on(2, a)],
        line: [bet([1], 'pending'), bet([2], 'pending', [1]), bet([2], 'failure'), bet([2], 'failure')],
      },
      [],
    ],
    [
      'nobody of several, while one they assume is undecided',
      {
        waiting: [on(1, a, { chance: 0.99 }), on(2, a), on(3, a)],
        line: [bet([1], 'pending'), bet([2, 3], 'failure', [1])],
        rules: { batchSize: 2 },
      },
      [],
    ],
    [
      'nobody that a green bet justifies',
      { line: [bet([1], 'failure'), bet([1], 'failure'), bet([2], 'success', [1])] },
      ['start optimistic p1 p2 on tip'],
    ],
    [
      'of several asked together none before they were halved',
      { line: [bet([1, 2], 'failure')], rules: { batchSize: 2 } },
      ['bisect b1 p1 | p2', 'bet bisect p1 on tip', 'bet bisect p2 on p1', 'bet bisect p2 on tip'],
    ],
    [
      'nobody, where it may go back in line',
      { line: [bet([1], 'failure'), bet([1], 'failure')], rules: { maxRequeueAttempts: 1 } },
      ['supersede b2 301 by p1', 'fail b1', 'requeue p1', 'bet retry p1 on tip'],
    ],
  ])('%s', (_name, situation, decisions) => expect(planned(situation)).toEqual(decisions));
});

describe('which bets are over', () => {
  const left = (code: 301 | 303) => ({ departures: [{ pullRequest: 'p1', code }] });
  it.each<[string, Situation, string]>([
    [
      'on one that left',
      { waiting: [on(2, a)], line: [bet([2], 'pending', [1])], change: left(303) },
      'supersede b1 303 by p1',
    ],
    [
      'on one that failed',
      { waiting: [on(2, a)], line: [bet([2], 'pending', [1])], change: left(301) },
      'supersede b1 301 by p1',
    ],
    [
      'on an older head',
      { waiting: [on(1, a, { head: 'new' })], line: [bet([1], 'pending')] },
      'supersede b1 310 by p1',
    ],
    [
      'without one that skipped the line and overlaps',
      { waiting: [on(1, a, { status: 'tagged' }), on(2, a, { skipLine: true })], line: [bet([1], 'pending')] },
      'supersede b1 302 by p2',
    ],
    [
      'on a base that somebody else has pushed to',
      {
        line: [bet([1], 'pending', [], { base: 'root', parentCommit: 'root' })],
        change: { landings: [{ commit: 'tip', firstParent: 'root', members: null }] },
      },
      'supersede b1 305',
    ],
    ['made by other rules', { line: [bet([1], 'pending', [], { buildKeysHash: 'others' })] }, 'supersede b1 307'],
    ['that do not merge', { line: [bet([1], 'making', [], { givenUp: true })] }, 'return b1'],
    [
      'against one that landed',
      {
        waiting: [on(2, a)],
        line: [bet([2], 'pending', [], { base: 'root', parentCommit: 'root' })],
        change: {
          landings: [{ commit: 'tip', firstParent: 'root', members: [{ pullRequest: 'p1', head: 'h1', targets: a }] }],
        },
      },
      'return b1',
    ],
  ])('%s', (_name, situation, decision) => expect(planned(situation)).toContain(decision));

  it('red ones whose assumed landed with something more that it overlaps', () => {
    const landed = (number: number, targets: readonly string[]) => ({
      pullRequest: `p${number}`,
      head: `h${number}`,
      targets,
    });
    const situation: Situation = {
      waiting: [on(3, b)],
      line: [bet([3], 'failure', [2], { base: 'root', parentCommit: 'root' })],
      change: { landings: [{ commit: 'tip', firstParent: 'root', members: [landed(1, a), landed(2, ['a', 'b'])] }] },
    };
    expect(planned(situation)).toEqual(['return b1', start('p3')]);
  });

  it('and not without one that skipped the line and is disjoint', () => {
    const waiting = [on(1, a, { status: 'tagged' }), on(2, b, { skipLine: true })];
    expect(planned({ waiting, line: [bet([1], 'pending')] })).toEqual([start('p2')]);
  });

  it('and none is ended or asked anew while a landing is begun', () => {
    const line = [bet([1], 'success', [], { landingBegun: true, landingPlanned: true }), bet([2], 'pending', [1])];
    const waiting = [on(1, a), on(2, a, { head: 'new', chance: 0.99 })];
    expect(planned({ waiting, line })).toEqual([]);
  });

  it('of another planner: each ends what it does not know', () => {
    expect(plannedLinearly({ line: [bet([1], 'pending')] })).toContain('supersede b1 307');
    const part: BatchSpec = { of: [1], build: 'pending', change: { beside: 'part' } };
    expect(planned({ line: [part] })).toContain('supersede b1 307');
  });
});
