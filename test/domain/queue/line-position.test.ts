// The position of a pull request in line: what is before it, why it has no build, and what its landing waits for.
import { describe, expect, test } from 'vitest';
import {
  linePositionOf,
  type FactsBesideLine,
  type LinePosition,
} from '../../../src/domain/queue/explain/line-position.ts';
import { viewLine } from '../../../src/domain/queue/planning/line.ts';
import { minute, now, pr, serial, situation, type BatchSpec, type Situation } from './situation.ts';

function positionOf(
  from: Situation,
  number: number,
  beside: FactsBesideLine = { causes: new Map() },
): LinePosition | null {
  return linePositionOf(viewLine(situation(from), now), `p${number}`, beside);
}

const running: BatchSpec = { of: [1], build: 'pending' };
/** A running build of this pull request, which assumes others to land first. */
const speculative = (number: number, assumed: readonly number[]): BatchSpec => ({
  of: [number],
  build: 'pending',
  change: {
    sideBuild: 'speculative',
    assumes: assumed.map((each) => ({ pullRequest: `p${each}`, head: `h${each}` })),
  },
});
const smoke = { workflow: 'smoke', timeoutMins: 5, run: null };

test('a pull request that is not in line has no position', () => expect(positionOf({}, 1)).toBeNull());

describe('before a pull request are', () => {
  const many = Array.from({ length: 12 }, (_, at) => pr(at + 1));
  test.each<[string, Situation, number, Partial<LinePosition>]>([
    ['none, if it is first', { waiting: [pr(1), pr(2)] }, 1, { ahead: 0, before: [], skippers: [] }],
    ['those before it in line', { waiting: [pr(1), pr(2), pr(3)] }, 3, { ahead: 2, before: [1, 2] }],
    [
      'those that skip the line',
      { waiting: [pr(1), pr(2), pr(3, { skipLine: true }), pr(4, { skipLine: true })] },
      4,
      { ahead: 1, before: [3], skippers: [3] },
    ],
    [
      'more than ten, of which the nearest ten are named',
      { waiting: many },
      12,
      { ahead: 11, before: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11] },
    ],
    ['not the members of its own batch', { line: [{ of: [1, 2], build: 'pending' }] }, 2, { ahead: 0, before: [] }],
    [
      'none, if it is built beside the line',
      {
        line: [running, { of: [2], build: 'pending', change: { sideBuild: 'part' } }],
        waiting: [pr(2, { bisection: { group: 'g', max: 1, attempts: 1, phase: 'side_build' } })],
        rules: { useParallelBisection: true },
      },
      2,
      { ahead: 0, before: [], ownChecksUntil: null },
    ],
    [
      'only those that it overlaps, if builds are speculative',
      {
        waiting: [pr(1, { targets: ['api'] }), pr(2, { targets: ['web'] }), pr(3, { targets: ['web'] })],
        rules: { speculation: 'adaptive', useAffectedTargets: true },
      },
      3,
      { ahead: 1, before: [2] },
    ],
    [
      'all, if builds are speculative and its targets are unknown',
      {
        waiting: [pr(1, { targets: ['api'] }), pr(2, { targets: ['web'] }), pr(3)],
        rules: { speculation: 'adaptive', useAffectedTargets: true },
      },
      3,
      { ahead: 2, before: [1, 2] },
    ],
  ])('%s', (_name, from, number, expected) => expect(positionOf(from, number)).toMatchObject(expected));
});

describe('a pull request without a build', () => {
  const atTip = { parent: 'commit of b1', after: [] };
  test.each<[string, Situation, number, LinePosition['hold']]>([
    ['waits for its turn', { waiting: [pr(1), pr(2)] }, 2, null],
    [
      'waits for nothing in serial mode',
      { waiting: [pr(1), pr(2)], rules: { ...serial, maxParallelBuilds: 1 } },
      2,
      null,
    ],
    [
      'conflicts with the build before it',
      { line: [running], waiting: [pr(2, { conflict: atTip })] },
      2,
      { kind: 'conflict', with: [1] },
    ],
    [
      'conflicts with the last of those that were merged before it',
      { line: [running], waiting: [pr(2), pr(3, { conflict: { parent: 'tip', after: ['h1', 'h2'] } })] },
      3,
      { kind: 'conflict', with: [2] },
    ],
    [
      'conflicts with several, which are named once and in order',
      {
        line: [{ of: [1, 2], build: 'pending' }],
        waiting: [pr(3, { conflict: atTip })],
        change: { mergeResults: [{ parent: 'tip', heads: ['h2', 'h3'], tree: null, conflictAt: 1 }] },
      },
      3,
      { kind: 'conflict', with: [1, 2] },
    ],
    [
      'conflicts with the tip',
      { line: [running], waiting: [pr(2, { conflict: { parent: 'tip', after: [] } })] },
      2,
      { kind: 'conflict', with: [] },
    ],
    [
      'is stacked on one that conflicts',
      { line: [running], waiting: [pr(2, { stack: 'p2', conflict: atTip }), pr(3, { stack: 'p2', below: 'p2' })] },
      3,
      { kind: 'conflict', with: [1] },
    ],
    ['waits for a barrier', { waiting: [pr(1, { isBarrier: true }), pr(2)] }, 2, { kind: 'barrier', number: 1 }],
    ['does not wait for a barrier behind it', { waiting: [pr(1), pr(2, { isBarrier: true })] }, 1, null],
    [
      'waits for others to share its build',
      { waiting: [pr(1)], rules: { batchSize: 4, batchMaxWaitMinutes: 5 } },
      1,
      { kind: 'company', until: now + 4 * minute },
    ],
    [
      'does not wait for others while another one comes first',
      { waiting: [pr(1), pr(2)], rules: { batchSize: 4, batchMaxWaitMinutes: 5, maxParallelBuilds: null } },
      2,
      null,
    ],
    [
      'waits for the judgement about a red build',
      { line: [{ of: [1, 2], build: 'failure' }], waiting: [pr(3)] },
      3,
      { kind: 'judgement', of: [1, 2] },
    ],
    [
      'waits for room',
      { line: [running], waiting: [pr(2)], rules: { maxParallelBuilds: 1 } },
      2,
      { kind: 'room', builds: 1 },
    ],
    [
      'waits for the end of a pause that allows no builds',
      { waiting: [pr(1)], rules: { maxParallelBuilds: 3 }, queue: { paused: true } },
      1,
      null,
    ],
    [
      'waits for room during a pause that allows one build',
      { line: [running], waiting: [pr(2)], rules: { maxParallelPausedBuilds: 1 }, queue: { paused: true } },
      2,
      { kind: 'room', builds: 1 },
    ],
    [
      'is contained in the build of a later one',
      {
        line: [speculative(3, [1, 2])],
        waiting: [pr(1), pr(2), pr(3, { status: 'tagged' })],
        rules: { speculation: 'adaptive', maxParallelBuilds: 1 },
      },
      2,
      { kind: 'contained', in: [3], without: [] },
    ],
    [
      'is contained in the build of a later one, which lacks others before that one',
      {
        line: [speculative(5, [2, 3]), speculative(5, [2])],
        waiting: [1, 2, 3, 4, 5].map((number) => pr(number)),
        rules: { speculation: 'adaptive', maxParallelBuilds: 2 },
      },
      2,
      { kind: 'contained', in: [5], without: [1, 4] },
    ],
    ['has room', { line: [running], waiting: [pr(2)], rules: { maxParallelBuilds: 2 } }, 2, null],
    [
      'is apart from the line',
      {
        waiting: [pr(1), pr(2, { bisection: { group: 'g', max: 1, attempts: 1, phase: 'side_build' } })],
        rules: { useParallelBisection: true },
      },
      2,
      { kind: 'part' },
    ],
    ['is no longer without a build', { line: [running], rules: { maxParallelBuilds: 1 } }, 1, null],
  ])('%s', (_name, from, number, hold) => expect(positionOf(from, number)?.hold).toEqual(hold));
});

describe('the own checks that delay the landing', () => {
  const waits = (number: number) => pr(number, { status: 'tagged', ownVerdict: 'pending' });
  const both: BatchSpec = { of: [1, 2], build: 'success' };
  const rules = { ownRequiredChecks: null, stuckTimeoutMins: 60 };
  test.each<[string, Situation, LinePosition['ownChecks'], number | null]>([
    ['are none', { line: [both], rules }, null, null],
    ['are its own', { line: [both], waiting: [waits(1)], rules }, { own: true, others: [] }, now + 60 * minute],
    [
      'are those of another member',
      { line: [both], waiting: [waits(2)], rules },
      { own: false, others: [2] },
      now + 60 * minute,
    ],
    [
      'are its own and those of another member',
      { line: [both], waiting: [waits(1), waits(2)], rules },
      { own: true, others: [2] },
      now + 60 * minute,
    ],
    ['are its own before it has a build', { waiting: [waits(1)], rules }, { own: true, others: [] }, null],
  ])('%s', (_name, from, ownChecks, ownChecksUntil) =>
    expect(positionOf(from, 1)).toMatchObject({ ownChecks, ownChecksUntil }),
  );

  test('are those of its newest verdict, before it has a build', () => {
    const beside: FactsBesideLine = { causes: new Map(), ownVerdict: 'pending' };
    expect(positionOf({ waiting: [pr(1)], rules }, 1, beside)?.ownChecks).toEqual({ own: true, others: [] });
    expect(positionOf({ line: [both], rules }, 1, beside)?.ownChecks).toBeNull();
  });
});

describe('the build of a pull request', () => {
  const gated = (build: BatchSpec['build'], run: object | null = null): BatchSpec => ({
    of: [1],
    build,
    change: { gates: [{ ...smoke, run: run as never }] },
  });
  const run = { state: 'running', plannedAt: now, reason: null };
  test.each<[string, Situation, number, Partial<LinePosition>]>([
    [
      'runs, with another member',
      { line: [{ of: [1, 2], build: 'pending' }] },
      1,
      {
        tested: expect.objectContaining({ testedCommit: 'commit of b1', buildStartedAt: now - minute }) as never,
        batch: {
          verdict: 'pending',
          cause: 'new',
          hasCommit: true,
          landingStarted: false,
          otherMembers: [2],
          assumes: [],
          mayBePassed: false,
          skipsValidation: false,
        },
        buildUntil: null,
        finalGate: null,
      },
    ],
    [
      'is being made',
      { line: [{ of: [1], build: 'making' }] },
      1,
      { batch: expect.objectContaining({ verdict: 'pending', hasCommit: false }) as never },
    ],
    [
      'lands',
      { line: [{ of: [1], build: 'success', change: { landingStarted: true } }] },
      1,
      { batch: expect.objectContaining({ verdict: 'green', landingStarted: true }) as never },
    ],
    [
      'is red',
      { line: [{ of: [1], build: 'failure' }] },
      1,
      { batch: expect.objectContaining({ verdict: 'red', mayBePassed: false }) as never },
    ],
    [
      'is red, and may be passed',
      {
        line: [
          { of: [1], build: 'failure' },
          { of: [2], build: 'pending' },
        ],
      },
      1,
      { batch: expect.objectContaining({ verdict: 'red', mayBePassed: true }) as never },
    ],
    [
      'is red, and only the first one may be passed',
      { line: [running, { of: [2], build: 'failure' }, { of: [3], build: 'pending' }] },
      2,
      { batch: expect.objectContaining({ verdict: 'red', mayBePassed: false }) as never },
    ],
    [
      'is worthless, and will be made again',
      { line: [{ of: [1], build: 'cancelled' }] },
      1,
      { batch: expect.objectContaining({ verdict: 'pending' }) as never },
    ],
    ['times out', { line: [running], rules: { ciTimeoutMins: 30 } }, 1, { buildUntil: now + 29 * minute }],
    [
      'times out first because no check starts',
      {
        line: [{ of: [1], build: 'unstarted', change: { buildStartedAt: now } }],
        rules: { ciTimeoutMins: 30, checksStartedTimeoutMins: 10 },
      },
      1,
      { buildUntil: now + 10 * minute },
    ],
    [
      'no longer times out when it is green',
      { line: [{ of: [1], build: 'success' }], rules: { ciTimeoutMins: 30 } },
      1,
      { buildUntil: null },
    ],
    ['waits for its final gate', { line: [gated('success')] }, 1, { finalGate: 'smoke' }],
    ['waits for its final gate, which runs', { line: [gated('success', run)] }, 1, { finalGate: 'smoke' }],
    ['has passed its final gate', { line: [gated('success', { ...run, state: 'passed' })] }, 1, { finalGate: null }],
    ['does not wait for a final gate before it is green', { line: [gated('pending')] }, 1, { finalGate: null }],
    [
      'does not wait for a final gate if validation is skipped',
      { line: [gated('unstarted')], waiting: [pr(1, { status: 'tagged', skipValidation: true })] },
      1,
      { finalGate: null, batch: expect.objectContaining({ verdict: 'green', skipsValidation: true }) as never },
    ],
    [
      'does not wait for a final gate before it is first',
      { line: [running, { ...gated('success'), of: [2] }] },
      2,
      { finalGate: null },
    ],
    [
      'assumes that another one lands first',
      {
        waiting: [pr(1, { targets: ['web'] }), pr(2, { targets: ['web'] })],
        line: [
          { of: [1], build: 'pending', change: { sideBuild: 'speculative' } },
          {
            of: [2],
            build: 'pending',
            change: { sideBuild: 'speculative', assumes: [{ pullRequest: 'p1', head: 'h1' }] },
          },
        ],
        rules: { speculation: 'adaptive', useAffectedTargets: true },
      },
      2,
      { ahead: 1, batch: expect.objectContaining({ assumes: [1], otherMembers: [] }) as never },
    ],
  ])('%s', (_name, from, number, expected) => expect(positionOf(from, number)).toMatchObject(expected));

  test('has the cause of its start', () => {
    expect(positionOf({ line: [running] }, 1, { causes: new Map([['b1', 'bisect']]) })?.batch?.cause).toBe('bisect');
  });
});

test('a pull request that was reordered says so', () => {
  expect(positionOf({ waiting: [pr(1)] }, 1)?.reordered).toBe('');
  expect(positionOf({ waiting: [pr(1, { reorderedForFailure: true })] }, 1)?.reordered).not.toBe('');
});
