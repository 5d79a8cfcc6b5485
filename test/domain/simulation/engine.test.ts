import { describe, expect, it } from 'vitest';
import { plannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import type { Build, Policy } from '../../../src/domain/simulation/policy.ts';
import { inOrderOracle } from '../../../bench/simulator/policies/in-order-oracle.ts';
import { oneAtATime } from '../../../bench/simulator/policies/one-at-a-time.ts';
import { rulesOfPlanner } from '../../../bench/simulator/policies/rules.ts';
import { minute, run, endsOf } from './world.ts';

/**
 * Builds all changes at once on the tip. A green change lands if nothing overlapping has landed since, and is otherwise
 * built again.
 */
function optimist(): Policy {
  return {
    decide(queue, actions) {
      for (const change of queue.news.arrived) actions.start({ assumes: [], members: [change.number] });
      for (const build of queue.news.finished) {
        const [member = -1] = build.members;
        if (build.verdict === 'red') actions.eject(member);
        else if (queue.landings.length === build.base) actions.land([member], [build]);
        else actions.start({ assumes: [], members: [member] });
      }
    },
  };
}

describe('a policy in a simulated world', () => {
  it('sees the ends of builds, lands green changes and ejects red ones', () => {
    expect(endsOf(run({ arrivals: [0, 10, 20], bad: [1] }, optimist))).toEqual([
      '0 landed at 30',
      '1 ejected at 40',
      '2 landed at 80',
    ]);
  });

  it('gets workers in the order of its requests', () => {
    expect(endsOf(run({ arrivals: [0, 0], bad: [0, 1], workers: 1 }, optimist))).toEqual([
      '0 ejected at 30',
      '1 ejected at 60',
    ]);
  });

  it('pays for canceled builds, and gets their workers back', () => {
    let first: Build | null = null;
    const fickle: Policy = {
      decide(queue, actions) {
        const [change] = queue.pending;
        if (change === undefined) return;
        if (first === null) {
          first = actions.start({ assumes: [], members: [change.number] });
          actions.wakeAt(10 * minute);
        } else if (queue.now === 10 * minute) {
          actions.cancel(first.id);
          actions.start({ assumes: [], members: [change.number] });
        } else for (const build of queue.news.finished) actions.land(build.members, [build]);
      },
    };
    const outcome = run({ arrivals: [0], workers: 1 }, () => fickle);
    expect(endsOf(outcome)).toEqual(['0 landed at 40']);
    expect(outcome).toMatchObject({ builds: 2, canceled: 1, work: 40 * minute });
  });

  it('may land nothing without a green build', () => {
    const reckless = (): Policy => ({
      decide: (queue, actions) => {
        for (const change of queue.news.arrived) actions.land([change.number], []);
      },
    });
    expect(() => run({ arrivals: [0] }, reckless)).toThrow('No green build justifies landing 0');
  });

  it('may leave no change in the queue for ever', () => {
    expect(() => run({ arrivals: [0] }, () => ({ decide: () => undefined }))).toThrow(
      '1 changes are still in the queue',
    );
  });

  it('is measured by what really happened on the mainline', () => {
    const careless = (): Policy => ({
      knowsOutcomes: true,
      decide: (queue, actions) => {
        for (const change of queue.news.arrived) {
          if (change.number === 2) actions.eject(2);
          else actions.land([change.number], []);
        }
      },
    });
    const outcome = run({ arrivals: [0, 1, 2], pairs: [{ a: 0, b: 1, kind: 'semantic_conflict' }] }, careless);
    expect(outcome).toMatchObject({ red: 1, ejectedUnjustly: 1 });
  });
});

describe('a pair of changes', () => {
  it('with a semantic conflict loses the later change', () => {
    expect(endsOf(run({ arrivals: [0, 5], pairs: [{ a: 0, b: 1, kind: 'semantic_conflict' }] }, oneAtATime))).toEqual([
      '0 landed at 30',
      '1 ejected at 60',
    ]);
  });

  it('of which one fixes the other lands, if the fix is first', () => {
    expect(endsOf(run({ arrivals: [0, 5], bad: [1], pairs: [{ a: 1, b: 0, kind: 'fixed_by' }] }, oneAtATime))).toEqual([
      '0 landed at 30',
      '1 landed at 60',
    ]);
  });
});

describe('the policies for comparison', () => {
  const day = { arrivals: [0, 5, 10, 15], bad: [1], targets: [['a'], ['a'], ['a'], ['b']] };

  it('land one change at a time', () => {
    expect(endsOf(run(day, oneAtATime))).toEqual([
      '0 landed at 30',
      '1 ejected at 60',
      '2 landed at 90',
      '3 landed at 120',
    ]);
  });

  it('build each change once and land overlapping changes in order, as the oracle', () => {
    const outcome = run(day, inOrderOracle);
    expect(endsOf(outcome)).toEqual(['0 landed at 30', '1 ejected at 35', '2 landed at 40', '3 landed at 45']);
    expect(outcome.builds).toBe(4);
  });

  it('speculate along the line and build again behind a red change, as the planner', () => {
    const outcome = run({ ...day, targets: [] }, () => plannerPolicy({ rules: rulesOfPlanner }));
    expect(endsOf(outcome)).toEqual(['0 landed at 30', '1 ejected at 45', '2 landed at 75', '3 landed at 75']);
    expect(outcome).toMatchObject({ red: 0, ejectedUnjustly: 0 });
  });
});
