import { describe, expect, it } from 'vitest';
import { plannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import type { Build, Policy } from '../../../src/domain/simulation/policy.ts';
import { inOrderOracle } from '../../../bench/simulator/policies/in-order-oracle.ts';
import { oneAtATime } from '../../../bench/simulator/policies/one-at-a-time.ts';
import { rulesOfPlanner } from '../../../bench/simulator/policies/rules.ts';
import { minute, run, endsOf } from './world.ts';

/** Everybody at once on the tip; who is green lands if nothing overlapping did since, else is built again. */
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

describe('a policy plays in a simulated world', () => {
  it('sees builds end, lands what is green and ejects what is red', () => {
    expect(endsOf(run({ arrivals: [0, 10, 20], bad: [1] }, optimist))).toEqual([
      '0 landed at 30',
      '1 ejected at 40',
      '2 landed at 80',
    ]);
  });

  it('waits for a worker in the order of requests', () => {
    expect(endsOf(run({ arrivals: [0, 0], bad: [0, 1], workers: 1 }, optimist))).toEqual([
      '0 ejected at 30',
      '1 ejected at 60',
    ]);
  });

  it('is charged for what it cancels, and gets the worker back', () => {
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

  it('may not land what no green build justifies', () => {
    const reckless = (): Policy => ({
      decide: (queue, actions) => {
        for (const change of queue.news.arrived) actions.land([change.number], []);
      },
    });
    expect(() => run({ arrivals: [0] }, reckless)).toThrow('No green build justifies landing 0');
  });

  it('may not leave anybody in the queue for ever', () => {
    expect(() => run({ arrivals: [0] }, () => ({ decide: () => undefined }))).toThrow(
      '1 changes are still in the queue',
    );
  });

  it('is reported by what really happened on the mainline', () => {
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

describe('pairs of changes', () => {
  it('a change leaves when one that it conflicts with semantically is there first', () => {
    expect(endsOf(run({ arrivals: [0, 5], pairs: [{ a: 0, b: 1, kind: 'semantic_conflict' }] }, oneAtATime))).toEqual([
      '0 landed at 30',
      '1 ejected at 60',
    ]);
  });

  it('a bad change lands when the one that fixes it is there first', () => {
    expect(endsOf(run({ arrivals: [0, 5], bad: [1], pairs: [{ a: 1, b: 0, kind: 'fixed_by' }] }, oneAtATime))).toEqual([
      '0 landed at 30',
      '1 landed at 60',
    ]);
  });
});

describe('the policies everybody is measured by', () => {
  const day = { arrivals: [0, 5, 10, 15], bad: [1], targets: [['a'], ['a'], ['a'], ['b']] };

  it('one at a time', () => {
    expect(endsOf(run(day, oneAtATime))).toEqual([
      '0 landed at 30',
      '1 ejected at 60',
      '2 landed at 90',
      '3 landed at 120',
    ]);
  });

  it('the oracle builds each once, and lands overlapping changes in order', () => {
    const outcome = run(day, inOrderOracle);
    expect(endsOf(outcome)).toEqual(['0 landed at 30', '1 ejected at 35', '2 landed at 40', '3 landed at 45']);
    expect(outcome.builds).toBe(4);
  });

  it('the planner speculates along the line, and builds again behind a red one', () => {
    const outcome = run({ ...day, targets: [] }, () => plannerPolicy({ rules: rulesOfPlanner }));
    expect(endsOf(outcome)).toEqual(['0 landed at 30', '1 ejected at 45', '2 landed at 75', '3 landed at 75']);
    expect(outcome).toMatchObject({ red: 0, ejectedUnjustly: 0 });
  });
});
