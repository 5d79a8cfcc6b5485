// Final gates: which gates apply, their order, and which pull requests a closed gate holds back.
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
    ['none means open', [], { kind: 'open' }],
    ['the first runs first', [gate('a'), gate('b')], { kind: 'due', workflow: 'a' }],
    [
      'the next one waits for the first',
      [gate('a', {}), gate('b')],
      { kind: 'running', workflow: 'a', until: now + 9 * minute },
    ],
    ['the next one runs after the first has passed', [gate('a', passed), gate('b')], { kind: 'due', workflow: 'b' }],
    ['all must pass', [gate('a', passed), gate('b', passed)], { kind: 'open' }],
    [
      'a failed gate closes',
      [gate('a', passed), gate('b', failed)],
      { kind: 'closed', workflow: 'b', text: 'The final gate b failed: Exited with code 1' },
    ],
    [
      'a gate that failed without a reason closes',
      [gate('a', { state: 'failed' })],
      { kind: 'closed', workflow: 'a', text: 'The final gate a failed: no reason given' },
    ],
    [
      'a late gate closes',
      [gate('a', { plannedAt: now - 10 * minute })],
      { kind: 'closed', workflow: 'a', text: 'The final gate a did not succeed within 10 min.' },
    ],
    [
      'a gate that could not be started closes after the same time',
      [gate('a', { state: 'planned', plannedAt: now - 10 * minute })],
      { kind: 'closed', workflow: 'a' },
    ],
    ['a gate that passed stays passed', [gate('a', { ...passed, plannedAt: now - 99 * minute })], { kind: 'open' }],
  ])('%s', (_, gates, outlook) => expect(judgeGates(gates, now)).toMatchObject(outlook));

  test('gates with a label apply to pull requests with this label', () => {
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
    ['starts the first gate', first([gate('smoke'), gate('canary')]), ['gate smoke for b1']],
    ['waits for a gate', first([gate('smoke', {})]), ['look again in 9 min']],
    ['happens after all gates have passed', first([gate('smoke', passed)]), ['land b1 by commit of b1']],
    [
      'lets the line behind it go on',
      { ...first([gate('smoke', {})]), waiting: [pr(4)] },
      ['start new p4 on b2', 'look again in 9 min'],
    ],
    ['starts no gate during a pause', { ...first([gate('smoke')]), queue: { paused: true } }, []],
    [
      'starts no gate while own checks run',
      {
        ...first([gate('smoke')]),
        waiting: [pr(1, { status: 'tagged', ownVerdict: 'pending' })],
        rules: { ownRequiredChecks: null },
      },
      [],
    ],
    [
      'starts no gate if validation is skipped',
      {
        line: [{ of: [1], build: 'unstarted', change: { gates: [gate('smoke')] } }],
        waiting: [pr(1, { status: 'tagged', skipValidation: true })],
      },
      ['land b1 by nothing'],
    ],
    [
      'blocks its pull request if a gate failed',
      first([gate('smoke', failed)]),
      ['fail b1', 'supersede b2 301 by p1', 'block p1 119', 'start new p3 on tip'],
    ],
    [
      'of several pull requests is bisected, although a later build is green',
      first([gate('smoke', failed)], [1, 2]),
      ['bisect b1 p1 | p2', 'supersede b2 301 by p1', 'start bisect p1 on tip'],
    ],
    [
      'is not tried again after a failed gate',
      {
        ...first([gate('smoke', failed)]),
        rules: { maxRequeueAttempts: 3 },
      },
      ['fail b1', 'supersede b2 301 by p1', 'block p1 119', 'start new p3 on tip'],
    ],
  ];
  test.each(cases)('%s', (_, from, decisions) => expect(planned(from)).toEqual(decisions));
});
