// Where the planner that bets must not lose itself, or let go of what others wait for.
import { describe, expect, it } from 'vitest';
import { planned, pr } from './situation.ts';

const targeted = { useAffectedTargets: true } as const;

describe('what does not merge', () => {
  it.each([['linear'], ['adaptive']] as const)(
    'with %s speculation is not tried in all the ways in which those before it may fare',
    (speculation) => {
      const before = Array.from({ length: 24 }, (_, index) => pr(index + 2, { chance: 0.5 }));
      const last = pr(99, { conflict: { parent: 'tip', after: ['h1'] } });
      const began = performance.now();
      const decisions = planned({
        waiting: [pr(1, { status: 'tagged' }), ...before, last],
        line: [{ of: [1], build: 'success', change: { landingPlanned: true } }],
        rules: { ...targeted, speculation, maxParallelBuilds: null },
      });
      expect(performance.now() - began).toBeLessThan(1_000);
      expect(decisions.filter((decision) => decision.includes('p99'))).toEqual([]);
    },
  );
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
    expect(decisions[0]).toBe('bet new p1 on tip');
  });

  it('a part of what failed together: each is built by itself', () => {
    const bisection = { group: 'g', max: 2, attempts: 1, stand: 'in_place' } as const;
    const decisions = planned({
      waiting: [pr(1, { bisection }), pr(2, { bisection, conflict: { parent: 'tip', after: ['h1'] } })],
      rules: { ...targeted, batchSize: 4 },
    });
    expect(decisions[0]).toBe('bet bisect p1 on tip');
  });
});

describe('told to work another way', () => {
  const landing = { beside: 'bet', landingPlanned: true, landingBegun: true } as const;

  it.each([
    ['linear speculation', {}],
    ['one after the other', { mode: 'serial', useOptimisticValidation: false }],
  ] as const)('by %s: a bet whose landing is begun stays, and nothing lands beside it', (_name, rules) => {
    const line = [
      { of: [1], build: 'success', change: landing },
      { of: [2], build: 'success', change: { position: 1 } },
    ] as const;
    expect(planned({ line, rules })).toEqual([]);
  });
});

describe('a landing of several', () => {
  const parts = { restsOn: ['commit of b2', 'commit of b3'] };
  const bets = [1, 2].map((number) => ({ of: [number], build: 'success', change: { beside: 'bet' } }) as const);
  const waiting = (ownVerdict: 'green' | 'pending') => [
    pr(1, { targets: ['a'], status: 'tagged', ownVerdict }),
    pr(2, { targets: ['b'], status: 'tagged' }),
  ];
  const rules = { ...targeted, ownRequiredChecks: null };

  it('lands when the own checks of all agree', () => {
    const line = [{ of: [1, 2], build: 'unstarted', change: parts }, ...bets] as const;
    expect(planned({ waiting: waiting('green'), line, rules })).toEqual(['land b1 by commit of b2']);
  });

  it('does not hold up the others when those of one run again', () => {
    const line = [{ of: [1, 2], build: 'unstarted', change: parts }, ...bets] as const;
    expect(planned({ waiting: waiting('pending'), line, rules })).toEqual([
      'supersede b1 309 by p1',
      'land b3 by commit of b3',
    ]);
  });

  it('does not land what was red as a whole, whatever the builds of its parts say', () => {
    const line = [{ of: [1, 2], build: 'failure', change: parts }, ...bets] as const;
    expect(planned({ waiting: waiting('green'), line, rules })[0]).toBe('bisect b1 p1 | p2');
  });

  it('nor after its parts were to land one by one: that very tree is built again', () => {
    const line = [
      { of: [2], build: 'unstarted', change: { restsOn: ['commit of b2'], tree: 'tree of both' } },
      { of: [2], build: 'success', change: { beside: 'bet' } },
      { of: [], build: 'failure', change: { beside: 'bet', tree: 'tree of both' } },
    ] as const;
    const decisions = planned({ waiting: [pr(2, { targets: ['b'], status: 'tagged' })], line, rules });
    expect(decisions.filter((decision) => decision.startsWith('land'))).toEqual([]);
  });
});
