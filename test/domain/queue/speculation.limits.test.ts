// Limits of the planner with speculative builds: its time, and builds that other pull requests need.
import { describe, expect, it } from 'vitest';
import { cpuMsSince } from '../../support/cpu.ts';
import { plan } from '../../../src/domain/queue/plan.ts';
import { now, planned, pr, situation } from './situation.ts';

const targeted = { useAffectedTargets: true } as const;

describe('a pull request that does not merge', () => {
  it.each([['linear'], ['adaptive']] as const)(
    'is not tried with every combination of the earlier pull requests, with %s speculation',
    (speculation) => {
      const before = Array.from({ length: 24 }, (_, index) => pr(index + 2, { successProbability: 0.5 }));
      const last = pr(99, { conflict: { parent: 'tip', after: ['h1'] } });
      const cpu = process.cpuUsage();
      const decisions = planned({
        waiting: [pr(1, { status: 'tagged' }), ...before, last],
        line: [{ of: [1], build: 'success', change: { landingPlanned: true } }],
        rules: { ...targeted, speculation, maxParallelBuilds: null },
      });
      expect(cpuMsSince(cpu)).toBeLessThan(1_000);
      expect(decisions.filter((decision) => decision.includes('p99'))).toEqual([]);
    },
  );
});

it('a long line whose targets are unknown is built to a limited depth, with linear speculation', () => {
  const waiting = Array.from({ length: 1000 }, (_, index) => pr(index + 1));
  const cpu = process.cpuUsage();
  const decisions = plan(
    situation({ waiting, rules: { ...targeted, speculation: 'linear', maxParallelBuilds: null } }),
    now,
  );
  expect(cpuMsSince(cpu)).toBeLessThan(1_000);
  const starts = decisions.filter((decision) => decision.kind === 'StartBatch');
  expect(starts).toHaveLength(101);
  expect(Math.max(...starts.map(({ assumes }) => assumes.length))).toBe(100);
});

describe('a stack whose upper part does not merge', () => {
  it.each([['linear'], ['adaptive']] as const)('is built below it, with %s speculation', (speculation) => {
    const decisions = planned({
      waiting: [
        pr(1, { stack: 'p1' }),
        pr(2, { stack: 'p1', below: 'p1', conflict: { parent: 'tip', after: ['h1'] } }),
        pr(3),
      ],
      rules: { ...targeted, speculation, maxParallelBuilds: null },
    });
    expect(decisions[0]).toBe('speculate new p1 on tip');
  });

  it('after a failure together is built one pull request at a time', () => {
    const bisection = { group: 'g', max: 2, attempts: 1, phase: 'in_place' } as const;
    const decisions = planned({
      waiting: [pr(1, { bisection }), pr(2, { bisection, conflict: { parent: 'tip', after: ['h1'] } })],
      rules: { ...targeted, batchSize: 4 },
    });
    expect(decisions[0]).toBe('speculate bisect p1 on tip');
  });
});

describe('a stack larger than the batch size that failed a gate', () => {
  const bisection = { group: 'gate:b9', max: 3, attempts: 1, phase: 'in_place' } as const;
  const parted = [pr(1, { targets: ['a'] }), pr(2, { targets: ['b'] }), pr(3, { targets: ['c'] })];
  const waiting = parted.map((row) => ({ ...row, bisection, status: 'tagged' as const }));
  const builds = [[1, 2, 3], [2]].map(
    (of) => ({ of, build: 'success', change: { sideBuild: 'speculative' } }) as const,
  );
  const rules = { ...targeted, useOptimisticValidation: false };

  it('is divided into parts of the batch size, although an older build contains all of it', () => {
    const decisions = planned({ waiting, line: builds, rules });
    expect(decisions).toEqual(['speculate bisect p1 on tip', 'speculate bisect p3 on tip', 'land b2 by commit of b2']);
  });

  it('is divided into larger parts if the batch size allows them', () => {
    const decisions = planned({ waiting, line: builds, rules: { ...rules, batchSize: 2 } });
    expect(decisions).toEqual(['speculate bisect p1 p3 on tip', 'land b2 by commit of b2']);
  });
});

describe('a build that is hardly needed', () => {
  const assumes = [{ pullRequest: 'p1', head: 'h1' }];
  const line = [
    { of: [1], build: 'failure', change: { sideBuild: 'speculative' } },
    { of: [2], build: 'pending', change: { sideBuild: 'speculative', assumes } },
    { of: [3], build: 'pending', change: { sideBuild: 'speculative', assumes } },
  ] as const;
  const careless = { status: 'tagged', successProbability: 0.3, reorderedForFailure: true } as const;
  const waiting = [pr(1, { ...careless, targets: ['a', 'b'] }), pr(2, { targets: ['a'] }), pr(3, { targets: ['b'] })];
  const rules = { ...targeted, speculation: 'adaptive' } as const;

  it('is replaced by a more probable one', () => {
    const decisions = planned({ waiting, line, rules: { ...rules, maxParallelBuilds: 2 } });
    expect(decisions.slice(0, 3)).toEqual(['return b2', 'return b3', 'speculate retry p1 on tip']);
  });

  it('is not replaced if more builds run than allowed, as after the start of a pause', () => {
    const decisions = planned({
      ...{ waiting, line },
      rules: { ...rules, maxParallelBuilds: 2, maxParallelPausedBuilds: 1 },
      queue: { paused: true },
    });
    expect(decisions).toEqual([]);
  });
});

describe('after a change of the mode', () => {
  const landing = { sideBuild: 'speculative', landingPlanned: true, landingStarted: true } as const;

  it.each([
    ['to linear speculation', {}],
    ['to serial mode', { mode: 'serial', useOptimisticValidation: false }],
  ] as const)(
    'by %s: a speculative build whose landing is started stays, and nothing lands beside it',
    (_name, rules) => {
      const line = [
        { of: [1], build: 'success', change: landing },
        { of: [2], build: 'success', change: { position: 1 } },
      ] as const;
      expect(planned({ line, rules })).toEqual([]);
    },
  );

  it('by speculative builds: green builds of a chain that wait for own checks do not count as builds', () => {
    const line = [
      { of: [1], build: 'success', change: { landingPlanned: true, landingStarted: true } },
      { of: [2], build: 'success' },
    ] as const;
    const waiting = [pr(2, { status: 'tagged', ownVerdict: 'pending' }), pr(3)];
    const rules = { ownRequiredChecks: null, speculation: 'adaptive', maxParallelBuilds: 1 } as const;
    expect(planned({ line, waiting, rules })).toEqual(['speculate new p2 on p1']);
  });
});

describe('a green speculative build that waits for own checks', () => {
  const held = { status: 'tagged', ownVerdict: 'pending' } as const;
  const rules = { speculation: 'adaptive', ownRequiredChecks: null, maxParallelBuilds: 1 } as const;
  const green = { of: [2], build: 'success', change: { sideBuild: 'speculative' } } as const;

  it.each([
    ['counts as a build', 0, []],
    ['does not count within max_topup_builds', 1, ['speculate new p3 on p2']],
  ])('%s', (_name, maxTopupBuilds, decisions) => {
    const waiting = [pr(2, held), pr(3)];
    expect(planned({ line: [green], waiting, rules: { ...rules, maxTopupBuilds } })).toEqual(decisions);
  });

  it('does not count while it also waits for a second build of an earlier pull request', () => {
    const line = [{ ...green, of: [1], build: 'failure' }, green] as const;
    const waiting = [pr(1, { status: 'tagged', reorderedForFailure: true }), pr(2, held)];
    expect(planned({ line, waiting, rules })).toEqual(['speculate retry p1 on tip']);
  });
});

describe('a head that the host does not show yet', () => {
  const unseen = { isHeadUnseen: true, targets: ['a'], status: 'tagged' } as const;

  it.each([
    ['by its green build', [{ of: [1], build: 'success', change: { sideBuild: 'speculative' } }]],
    ['by a landing that is in line', [{ of: [1], build: 'success' }]],
  ] as const)('does not land %s', (_name, line) => {
    const decisions = planned({ line, waiting: [pr(1, unseen)], rules: targeted });
    expect(decisions.filter((text) => text.startsWith('land'))).toEqual([]);
  });

  it('does not land without validation, and disjoint pull requests behind it land', () => {
    const line = [{ of: [2], build: 'success', change: { sideBuild: 'speculative' } }] as const;
    const waiting = [pr(1, { ...unseen, skipValidation: true }), pr(2, { targets: ['b'], status: 'tagged' })];
    expect(planned({ line, waiting, rules: targeted })).toEqual(['land b1 by commit of b1']);
    expect(planned({ waiting: waiting.slice(0, 1), rules: targeted })).toEqual([]);
  });
});

describe('a landing of several pull requests', () => {
  const parts = { restsOn: ['commit of b2', 'commit of b3'] };
  const builds = [1, 2].map(
    (number) => ({ of: [number], build: 'success', change: { sideBuild: 'speculative' } }) as const,
  );
  const waiting = (ownVerdict: 'green' | 'pending') => [
    pr(1, { targets: ['a'], status: 'tagged', ownVerdict }),
    pr(2, { targets: ['b'], status: 'tagged' }),
  ];
  const rules = { ...targeted, ownRequiredChecks: null };

  it('happens when the own checks of all are green', () => {
    const line = [{ of: [1, 2], build: 'unstarted', change: parts }, ...builds] as const;
    expect(planned({ waiting: waiting('green'), line, rules })).toEqual(['land b1 by commit of b2']);
  });

  it('gives way to the others if the own checks of one run again', () => {
    const line = [{ of: [1, 2], build: 'unstarted', change: parts }, ...builds] as const;
    expect(planned({ waiting: waiting('pending'), line, rules })).toEqual([
      'supersede b1 309 by p1',
      'land b3 by commit of b3',
    ]);
  });

  it('does not happen if the whole was red, whatever the builds of its parts say', () => {
    const line = [{ of: [1, 2], build: 'failure', change: parts }, ...builds] as const;
    expect(planned({ waiting: waiting('green'), line, rules })[0]).toBe('bisect b1 p1 | p2');
  });

  it('does not happen one by one after that: the tree is built again', () => {
    const line = [
      { of: [2], build: 'unstarted', change: { restsOn: ['commit of b2'], tree: 'tree of both' } },
      { of: [2], build: 'success', change: { sideBuild: 'speculative' } },
      { of: [], build: 'failure', change: { sideBuild: 'speculative', tree: 'tree of both' } },
    ] as const;
    const decisions = planned({ waiting: [pr(2, { targets: ['b'], status: 'tagged' })], line, rules });
    expect(decisions.filter((decision) => decision.startsWith('land'))).toEqual([]);
  });
});
