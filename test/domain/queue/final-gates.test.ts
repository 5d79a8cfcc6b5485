// Final gates: which apply, in which order they are asked, and which pull requests a closed gate holds back.
import { describe, expect, test } from 'vitest';
import { gatesFor, judgeGates } from '../../../src/domain/queue/evidence/final-gates.ts';
import type { GateState } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now, planned, pr, type Situation } from './situation.ts';

type Run = NonNullable<GateState['run']>;
const gate = (workflow: string, run: Partial<Run> | null = null): GateState => ({
  workflow,
  timeoutMins: 10,
  run: run === null ? null : { state: 'running', plannedAt: now - minute, reason: null, ...run },
});
const passed: Partial<Run> = { state: 'passed' };
const failed: Partial<Run> = { state: 'failed', reason: 'Exited with code 1' };

describe('of several gates', () => {
  test.each<[string, GateState[], object]>([
    ['none is open', [], { kind: 'open' }],
    ['the first is asked', [gate('a'), gate('b')], { kind: 'due', workflow: 'a' }],
    ['the next only after it', [gate('a', {}), gate('b')], { kind: 'running', workflow: 'a', until: now + 9 * minute }],
    ['and only when it passed', [gate('a', passed), gate('b')], { kind: 'due', workflow: 'b' }],
    ['all have to pass', [gate('a', passed), gate('b', passed)], { kind: 'open' }],
    ['a failed gate closes', [gate('a', passed), gate('b', failed)], { kind: 'closed', workflow: 'b' }],
    ['a late gate closes', [gate('a', { plannedAt: now - 10 * minute })], { kind: 'closed', workflow: 'a' }],
    [
      'a gate that could not even be started closes after the same time',
      [gate('a', { state: 'planned', plannedAt: now - 10 * minute })],
      { kind: 'closed', workflow: 'a' },
    ],
    ['a gate that passed stays passed', [gate('a', { ...passed, plannedAt: now - 99 * minute })], { kind: 'open' }],
  ])('%s', (_, gates, outlook) => expect(judgeGates(gates, now)).toMatchObject(outlook));

  test('those with a label are for those who carry it', () => {
    const gates = [
      { workflow: 'smoke', timeoutMins: 5, label: null },
      { workflow: 'canary', timeoutMins: 9, label: 'risky' },
    ];
    expect(gatesFor(gates, new Set(['docs']))).toEqual([{ workflow: 'smoke', timeoutMins: 5 }]);
    expect(gatesFor(gates, new Set(['docs', 'risky'])).map(({ workflow }) => workflow)).toEqual(['smoke', 'canary']);
  });
});

const first = (gates: readonly GateState[], of: readonly number[] = [1]): Situation => ({
  line: [
    { of, build: 'success', change: { gates } },
    { of: [3], build: 'success' },
  ],
});

describe('a landing with final gates', () => {
  const cases: readonly [name: string, from: Situation, decisions: readonly string[]][] = [
    ['asks the first', first([gate('smoke'), gate('canary')]), ['gate smoke for b1']],
    ['waits for it', first([gate('smoke', {})]), ['look again in 9 min']],
    ['happens when all are passed', first([gate('smoke', passed)]), ['land b1 by commit of b1']],
    [
      'the line behind goes on meanwhile',
      { ...first([gate('smoke', {})]), waiting: [pr(4)] },
      ['start new p4 on b2', 'look again in 9 min'],
    ],
    ['asks nothing while paused', { ...first([gate('smoke')]), queue: { paused: true } }, []],
    [
      'asks nothing while own checks run',
      {
        ...first([gate('smoke')]),
        waiting: [pr(1, { status: 'tagged', ownVerdict: 'pending' })],
        rules: { ownRequiredChecks: null },
      },
      [],
    ],
    [
      'asks nothing of what skips validation',
      {
        line: [{ of: [1], build: 'unstarted', change: { gates: [gate('smoke')] } }],
        waiting: [pr(1, { status: 'tagged', skipValidation: true })],
      },
      ['land b1 by nothing'],
    ],
    [
      'of one pull request blames it',
      first([gate('smoke', failed)]),
      ['fail b1', 'supersede b2 301 by p1', 'block p1 119', 'start new p3 on tip'],
    ],
    [
      'of several halves them, although a later build is green',
      first([gate('smoke', failed)], [1, 2]),
      ['bisect b1 p1 | p2', 'supersede b2 301 by p1', 'start bisect p1 on tip'],
    ],
    [
      'is not tried again for what its gate said',
      {
        ...first([gate('smoke', failed)]),
        rules: { maxRequeueAttempts: 3 },
      },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 119', 'start new p3 on tip'],
    ],
  ];
  test.each(cases)('%s', (_, from, decisions) => expect(planned(from)).toEqual(decisions));
});
