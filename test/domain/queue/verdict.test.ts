// The verdict of a batch: by the build of its tree, by builds of its parts, or by the clock.
import { describe, expect, it } from 'vitest';
import { findUnbuiltBatches, judgeBatches, type BatchVerdict } from '../../../src/domain/queue/evidence/verdict.ts';
import type { BuildState } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now, planned, pr, requiredChecks, situation, type BatchSpec, type Situation } from './situation.ts';

const judged = (from: Situation, batch: string): BatchVerdict | undefined =>
  judgeBatches(situation(from), now).get(batch);
const pending: BatchVerdict = { kind: 'pending' };

describe('a batch whose tree was never built is', () => {
  const whole: BatchSpec = {
    of: [1, 2],
    build: 'unstarted',
    change: { restsOn: ['commit of b1', 'commit of b2'] },
  };
  const part = (
    number: number,
    change: BatchSpec['change'] = {},
    build: BatchSpec['build'] = 'success',
  ): BatchSpec => ({
    of: [number],
    build,
    change: { sideBuild: 'speculative', ...change },
  });
  const rules = { speculation: 'adaptive', useAffectedTargets: true } as const;
  const disjoint = [pr(1, { targets: ['api'] }), pr(2, { targets: ['web'] })];
  const shared = [pr(1, { targets: ['api'] }), pr(2, { targets: ['api'] })];
  const usual: Situation = { waiting: disjoint, line: [part(1), part(2), whole], rules };
  const behindFirst = part(2, { assumes: [{ pullRequest: 'p1', head: 'h1' }] });
  const redWhole: BuildState = {
    ...situation(usual).builds[0]!,
    commit: 'elsewhere',
    tree: 'tree of b3',
    checks: [{ name: 'test', attempt: 1, conclusion: 'failure' }],
  };
  const green: BatchVerdict = { kind: 'green', evidence: 'commit of b1' };

  it.each<[string, Situation, BatchVerdict]>([
    ['green by green builds of disjoint parts', usual, green],
    [
      'green by a part that was built on the other one, which it overlaps',
      { ...usual, waiting: shared, line: [part(1), behindFirst, whole] },
      green,
    ],
    ['pending if its parts overlap', { ...usual, waiting: shared }, pending],
    ['pending if the targets of one are unknown', { ...usual, waiting: [disjoint[0]!, pr(2)] }, pending],
    ['pending if targets are not used', { ...usual, rules: { speculation: 'adaptive' } }, pending],
    ['pending if a part is red', { ...usual, line: [part(1), part(2, {}, 'failure'), whole] }, pending],
    [
      'pending if a part is not a speculative build',
      { ...usual, line: [part(1), part(2, { sideBuild: 'part' }), whole] },
      pending,
    ],
    [
      'pending if it does not rest on one of the parts',
      { ...usual, line: [part(1), part(2), { ...whole, change: { restsOn: ['commit of b1'] } }] },
      pending,
    ],
    ['pending if it rests on no build', { ...usual, line: [part(1), part(2), { ...whole, change: {} }] }, pending],
    [
      'pending at a host that takes only commits that were built',
      { ...usual, rules: { ...rules, landsBuiltCommitsOnly: true } },
      pending,
    ],
    [
      'pending if its tree was red as a whole',
      { ...usual, change: { builds: [...situation(usual).builds, redWhole] } },
      pending,
    ],
    [
      'pending if a pull request has left the line',
      {
        ...usual,
        waiting: [disjoint[0]!],
        change: { departures: [{ pullRequest: 'p2', code: 303 }], pullRequests: [disjoint[0]!] },
      },
      pending,
    ],
  ])('%s', (_name, from, expected) => expect(judged(from, 'b3')).toEqual(expected));
});

describe('a batch of which validation is skipped is', () => {
  const skipping = pr(1, { skipValidation: true });
  it.each<[string, Situation, BatchVerdict]>([
    [
      'green without evidence',
      { waiting: [skipping], line: [{ of: [1], build: 'unstarted' }] },
      { kind: 'green', evidence: '' },
    ],
    ['pending while it has no commit', { waiting: [skipping], line: [{ of: [1], build: 'making' }] }, pending],
    [
      'pending while its tree is not known',
      { waiting: [skipping], line: [{ of: [1], build: 'unstarted', change: { tree: null } }] },
      pending,
    ],
    [
      'pending if one of its pull requests must be validated',
      { waiting: [skipping], line: [{ of: [1, 2], build: 'unstarted' }] },
      pending,
    ],
  ])('%s', (_name, from, expected) => expect(judged(from, 'b1')).toEqual(expected));
});

describe('the build that counts', () => {
  const tested: Situation = { line: [{ of: [1], build: 'success', change: { testedCommit: 'tested' } }] };
  const [build] = situation(tested).builds;
  const other: BuildState = { ...build!, commit: 'other' };
  it('is that of the tested commit, before others of the same tree', () => {
    expect(judged({ ...tested, change: { builds: [other, build!] } }, 'b1')).toEqual({
      kind: 'green',
      evidence: 'tested',
    });
    const failing = {
      ...build!,
      tree: 'another',
      checks: [{ name: 'test', attempt: 1, conclusion: 'failure' as const }],
    };
    expect(judged({ ...tested, change: { builds: [failing] } }, 'b1')).toMatchObject({
      kind: 'red',
      failedChecks: ['test'],
    });
  });
  it('is that of its own commit if no other commit is tested for it', () => {
    const own: Situation = { line: [{ of: [1], build: 'success', change: { testedCommit: null } }] };
    const builds = [other, { ...build!, commit: 'commit of b1' }];
    expect(judged({ ...own, change: { builds } }, 'b1')).toEqual({ kind: 'green', evidence: 'commit of b1' });
  });
});

describe('a build with checks that run although nobody requires them is', () => {
  const running = { name: 'docs', attempt: 1, conclusion: 'pending' } as const;
  const spec = (conclusion: 'success' | 'failure', lastEndAt: number): Situation => ({
    line: [
      {
        of: [1],
        build: 'pending',
        buildChange: { checks: [{ name: 'test', attempt: 1, conclusion }, running], lastEndAt },
      },
    ],
    rules: {
      waitsForPendingWorkflows: true,
      requiredChecks: [{ name: 'test', acceptableStatuses: ['success'] }],
      ciTimeoutMins: 1,
    },
  });
  it.each<[string, Situation, BatchVerdict['kind']]>([
    ['pending for an hour, without a time limit', spec('success', now - 59 * minute), 'pending'],
    ['green after an hour', spec('success', now - 60 * minute), 'green'],
    ['red at once if a required check failed', spec('failure', now), 'red'],
  ])('%s', (_name, from, kind) => expect(judged(from, 'b1')).toMatchObject({ kind }));
});

describe('a build with a time limit of 10 min, which began 60 min ago,', () => {
  const began = now - 60 * minute;
  const spec = (checks: BuildState['checks'], required: Situation['rules'] = {}, complete = true): Situation => ({
    line: [{ of: [1], build: 'pending', change: { buildStartedAt: began }, buildChange: { checks, complete } }],
    rules: { ...required, ciTimeoutMins: 10 },
  });
  const test = (conclusion: 'success' | 'pending', attempt = 1, agoMins: number | null = null) => ({
    name: 'test',
    attempt,
    conclusion,
    ...(agoMins !== null && { heardAt: now - agoMins * minute }),
  });
  const again = (agoMins: number) => [test('success'), test('pending', 2, agoMins)];
  const lint = { ...test('pending'), name: 'lint' };
  const docs = { ...test('pending', 2, 1), name: 'docs' };
  const needs = (...names: string[]): NonNullable<Situation['rules']> => ({ requiredChecks: requiredChecks(...names) });
  it.each<[string, Situation, BatchVerdict['kind']]>([
    ['has timed out if its check still runs', spec([test('pending')]), 'timed_out'],
    ['is pending if its check began again 9 min ago', spec(again(9)), 'pending'],
    ['has timed out if its check began again 10 min ago', spec(again(10)), 'timed_out'],
    ['is pending if its required check began again 9 min ago', spec(again(9), needs('test')), 'pending'],
    ['has timed out if a check besides still runs', spec([...again(1), lint]), 'timed_out'],
    [
      'has timed out if a required check besides still runs',
      spec([...again(1), lint], needs('test', 'lint')),
      'timed_out',
    ],
    ['has timed out if a required check besides never began', spec(again(1), needs('test', 'e*'), false), 'timed_out'],
    ['is pending if the check besides is not required', spec([...again(1), lint], needs('test')), 'pending'],
    [
      'has timed out if only a check began again that is not required',
      spec([test('pending'), docs], needs('test')),
      'timed_out',
    ],
    [
      'has timed out if it is not known when the check began again',
      spec([test('success'), test('pending', 2)]),
      'timed_out',
    ],
  ])('%s', (_name, from, kind) => expect(judged(from, 'b1')?.kind).toBe(kind));

  it.each<[string, number, BatchVerdict['kind']]>([
    ['60 min ago', 60, 'timed_out'],
    ['9 min ago', 9, 'pending'],
  ])('counts from its start %s if its check began again before, as in serial mode', (_name, agoMins, kind) => {
    const { line = [], ...rest } = spec(again(65));
    const change = { buildStartedAt: now - agoMins * minute };
    expect(judged({ ...rest, line: line.map((each) => ({ ...each, change })) }, 'b1')?.kind).toBe(kind);
  });

  it('is planned again when the time of the check that began again is over', () => {
    expect(planned(spec(again(9)))).toContain('look again in 1 min');
  });
});

describe('a build without any check', () => {
  const unstarted = (rules: Situation['rules'], change: BatchSpec['change'] = {}): Situation => ({
    line: [{ of: [1], build: 'unstarted', change: { buildStartedAt: now - 10 * minute, ...change } }],
    rules,
    change: { readings: [{ commit: 'commit of b1', doneAt: now }] },
  });
  it.each<[string, Situation, BatchVerdict]>([
    [
      'has timed out when its time is over and the host was asked again',
      unstarted({ checksStartedTimeoutMins: 10 }),
      { kind: 'timed_out', text: 'CI started no check within 10 min.' },
    ],
    ['waits until its time is over', unstarted({ checksStartedTimeoutMins: 11 }), pending],
    ['waits without an end if there is no limit', unstarted({ checksStartedTimeoutMins: 0 }), pending],
    ['waits if it was not started', unstarted({ checksStartedTimeoutMins: 10 }, { buildStartedAt: null }), pending],
    [
      'waits if its batch has needed no build of its own so far',
      unstarted({ checksStartedTimeoutMins: 10, ciTimeoutMins: 10 }, { needsNoBuild: true }),
      pending,
    ],
  ])('%s', (_name, from, expected) => expect(judged(from, 'b1')).toEqual(expected));
});

describe('a batch that was started without a build of its own', () => {
  const without = (build: BatchSpec['build'], queue: Situation['queue'] = {}): Situation => ({
    line: [{ of: [1], build, change: { needsNoBuild: true } }],
    queue,
  });
  it.each<[string, Situation, readonly string[]]>([
    ['needs one when no other build counts for it', without('unstarted'), ['b1']],
    ['needs none while a green build of its tree counts', without('success'), []],
    [
      'needs none while its validation is skipped',
      { ...without('unstarted'), waiting: [pr(1, { skipValidation: true })] },
      [],
    ],
    ['needs none during a pause', without('unstarted', { paused: true }), []],
    [
      'needs one during a pause if builds are allowed then',
      { ...without('unstarted', { paused: true }), rules: { maxParallelPausedBuilds: 1 } },
      ['b1'],
    ],
  ])('%s', (_name, from, expected) => expect([...findUnbuiltBatches(situation(from), now)]).toEqual(expected));

  it('has one when its build was opened', () => {
    expect(findUnbuiltBatches(situation({ line: [{ of: [1], build: 'unstarted' }] }), now)).toEqual(new Set());
  });
});
