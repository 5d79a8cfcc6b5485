import { describe, expect, test } from 'vitest';
import {
  checksOfMerge,
  collectEvidence,
  evidenceFor,
  failedChecks,
  failedChecksOfBuild,
  findEvidence,
  isCanceledAgain,
  isKnownRed,
  judgeBuild,
  judgeChecks,
  judgeOwnHead,
  mayTestMerge,
  missingChecks,
  withoutHeads,
} from '../../../src/domain/queue/evidence/evidence.ts';
import { decideOtherBaseUntil } from '../../../src/domain/queue/evidence/other-base.ts';
import type { QueueRules, RequiredCheck } from '../../../src/domain/queue/model/rules.ts';
import type { BuildState, Verdict } from '../../../src/domain/queue/model/snapshot.ts';
import { checksOf as checks, hour, now, requiredChecks as required, situation } from './situation.ts';

function build(change: Partial<BuildState> & { text?: string }): BuildState {
  const { text = 'test:success', ...rest } = change;
  return {
    commit: 'c',
    tree: 't',
    base: 'tip',
    checks: checks(text),
    complete: true,
    startedAt: now - hour,
    finishedAt: now,
    lastEndAt: now,
    ...rest,
  };
}

type Case = readonly [
  name: string,
  text: string,
  complete: boolean,
  required: RequiredCheck[] | null,
  verdict: Verdict,
  failed: string[],
];

describe('the verdict of checks', () => {
  const cases: readonly Case[] = [
    ['every check that ran passed', 'unit:success lint:skipped docs:neutral', true, null, 'green', []],
    ['one check still runs', 'unit:success lint:pending', false, null, 'pending', []],
    ['more checks may start', 'unit:success', false, null, 'pending', []],
    ['one check failed while another runs', 'unit:failure lint:pending', false, null, 'red', ['unit']],
    ['no check was seen yet', '', false, null, 'none', []],
    ['no check ran at all', '', true, null, 'none', []],
    ['nothing is required', 'unit:failure', true, [], 'green', []],
    ['the newest attempt failed', 'unit:success unit#2:failure', true, null, 'red', ['unit']],
    ['the newest attempt passed', 'unit#2:success unit:failure', true, null, 'green', []],
    ['the newest attempt runs', 'unit:failure unit#2:pending', false, null, 'pending', []],
    ['only the required check counts', 'unit:success lint:failure', true, required('unit'), 'green', []],
    [
      'the required check is enough while others run',
      'unit:success lint:pending',
      false,
      required('unit'),
      'green',
      [],
    ],
    [
      'a required check runs after all others have ended',
      'unit:pending lint:success',
      true,
      required('unit'),
      'pending',
      [],
    ],
    [
      'one of the checks that a glob requires still runs',
      'unit-a:success unit-b:pending',
      true,
      required('unit-*'),
      'pending',
      [],
    ],
    ['a required check is missing and may come', 'lint:success', false, required('unit'), 'pending', []],
    ['a required check is missing at the end', 'lint:success', true, required('unit'), 'red', ['unit']],
    [
      'a check failed already, and another is missing',
      'lint:failure',
      false,
      required('unit', 'lint'),
      'red',
      ['lint'],
    ],
    ['a glob matches several checks', 'unit/a:success unit/b:failure', true, required('unit/*'), 'red', ['unit/b']],
    ['a glob must match a check', 'lint:success', true, required('unit/*'), 'red', ['unit/*']],
    ['a glob waits for checks that may still match', 'unit/a:success', false, required('unit/*'), 'pending', []],
    ['a glob has matched all checks', 'unit/a:success unit/b:success', true, required('unit/*'), 'green', []],
    ['a check that is required twice fails once', 'unit:failure', true, required('unit', '*'), 'red', ['unit']],
    ['a required check was canceled', 'unit:cancelled lint:success', true, required('lint', 'unit'), 'none', ['unit']],
    ['a check was canceled, and every check counts', 'unit:cancelled lint:success', true, null, 'none', ['unit']],
    ['a check that is not required was canceled', 'unit:success lint:cancelled', true, required('unit'), 'green', []],
    [
      'a check may be canceled',
      'unit:cancelled',
      true,
      [{ name: 'unit', acceptableStatuses: ['cancelled'] }],
      'green',
      [],
    ],
    ['a check failed, and another was canceled', 'unit:failure lint:cancelled', true, null, 'red', ['unit', 'lint']],
    [
      'a required check was canceled while another runs',
      'unit:cancelled lint:pending',
      false,
      required('unit', 'lint'),
      'pending',
      ['unit'],
    ],
    ['a check was canceled, and more checks may start', 'unit:cancelled', false, null, 'pending', ['unit']],
    [
      'a required check is missing, perhaps because another was canceled',
      'lint:cancelled',
      true,
      required('unit'),
      'none',
      ['unit'],
    ],
    [
      'the newest attempt of a canceled check passed',
      'unit:cancelled unit#2:success',
      true,
      required('unit'),
      'green',
      [],
    ],
    [
      'a failure is acceptable by the configuration',
      'unit:failure',
      true,
      [{ name: 'unit', acceptableStatuses: ['failure'] }],
      'green',
      [],
    ],
    [
      'success is not acceptable by the configuration',
      'unit:success',
      true,
      [{ name: 'unit', acceptableStatuses: ['neutral'] }],
      'red',
      ['unit'],
    ],
    [
      'a missing check is acceptable',
      '',
      true,
      [{ name: 'unit', acceptableStatuses: ['success', 'missing'] }],
      'green',
      [],
    ],
    [
      'a missing check is only known at the end',
      '',
      false,
      [{ name: 'unit', acceptableStatuses: ['success', 'missing'] }],
      'pending',
      [],
    ],
    [
      'a pending check is acceptable',
      'unit:pending',
      false,
      [{ name: 'unit', acceptableStatuses: ['success', 'pending'] }],
      'green',
      [],
    ],
  ];
  test.each(cases)('%s', (_name, text, complete, gate, verdict, failed) => {
    const list = { checks: checks(text), complete };
    expect(judgeChecks(list, gate)).toBe(verdict);
    expect(failedChecks(list, gate)).toEqual(failed);
  });
});

describe('the verdict of a build', () => {
  const mayBeMissing = [{ name: 'unit', acceptableStatuses: ['success', 'missing'] }] as const;
  test.each([null, [], mayBeMissing])('is red for a commit without checks, even if little is required (%j)', (gate) => {
    expect(judgeBuild(build({ text: '' }), gate)).toBe('red');
    expect(failedChecksOfBuild(build({ text: '' }), gate)).toEqual([]);
    expect(judgeBuild(build({ text: '', complete: false }), gate)).toBe('pending');
  });
  test('is green without a required check that may be missing, if another check ran', () => {
    expect(judgeBuild(build({ text: 'lint:success' }), mayBeMissing)).toBe('green');
  });
  test('needs every check that ran, if the list of required checks is empty', () => {
    expect(judgeBuild(build({ text: 'unit:failure' }), [])).toBe('red');
    expect(failedChecksOfBuild(build({ text: 'unit:failure' }), [])).toEqual(['unit']);
  });
  test.each([null, []])('is none if a check was canceled and none failed (%j)', (gate) => {
    expect(judgeBuild(build({ text: 'unit:cancelled lint:success' }), gate)).toBe('none');
    expect(judgeBuild(build({ text: 'unit:cancelled lint:failure' }), gate)).toBe('red');
  });
});

describe('the own checks of a head', () => {
  test.each([
    [
      'are red if one failed, whatever was canceled',
      'parallel',
      'unit:failure lint:cancelled',
      required('unit'),
      'red',
    ],
    ['are red in serial mode too', 'serial', 'unit:failure lint:cancelled', required('unit', 'lint'), 'red'],
    ['are pending if one was canceled', 'parallel', 'unit:cancelled', required('unit'), 'pending'],
    ['are pending in a queue without builds', 'no-queue', 'unit:cancelled', required('unit'), 'pending'],
    ['are pending if every check counts', 'parallel', 'unit:cancelled', null, 'pending'],
    ['have no verdict if the build repeats them', 'serial', 'unit:cancelled', required('unit'), 'none'],
    [
      'are pending if nothing repeats them',
      'serial',
      'interlock/verify:cancelled',
      required('interlock/verify'),
      'pending',
    ],
    [
      'are green if what was canceled is not required',
      'parallel',
      'unit:success lint:cancelled',
      required('unit'),
      'green',
    ],
    ['have no verdict if there are none', 'parallel', '', null, 'none'],
  ] as const)('%s', (_name, mode, text, ownRequiredChecks, verdict) => {
    const rules = { mode, ownRequiredChecks, requiredChecks: required('unit') };
    expect(judgeOwnHead(build({ text }), rules)).toBe(verdict);
  });

  test('are pending in serial mode if the build does not require the canceled one, and so does not repeat it', () => {
    const rules = {
      mode: 'serial',
      ownRequiredChecks: required('unit', 'host'),
      requiredChecks: required('unit'),
    } as const;
    expect(judgeOwnHead(build({ text: 'unit:success host:cancelled' }), rules)).toBe('pending');
    expect(judgeOwnHead(build({ text: 'unit:cancelled host:cancelled' }), rules)).toBe('none');
  });
});

describe('a canceled build is canceled again', () => {
  const canceled = build({ text: 'unit:cancelled' });
  test.each([
    ['not if it is the first one of its tree', canceled, [canceled], false],
    ['if an earlier build of its tree was canceled', canceled, [canceled, { ...canceled, commit: 'other' }], true],
    [
      'not because of a build that the service stopped',
      canceled,
      [{ ...canceled, commit: 'other', isStopped: true }],
      false,
    ],
    ['not because of a build of another tree', canceled, [{ ...canceled, commit: 'other', tree: 'o' }], false],
    ['not because of a red build', canceled, [{ ...build({ text: 'unit:failure' }), commit: 'other' }], false],
    ['if its check was canceled before', build({ text: 'unit:cancelled unit#2:cancelled' }), [], true],
    [
      'not if the service stopped the last attempt',
      { ...build({ text: 'unit:cancelled unit#2:cancelled' }), isStopped: true },
      [],
      false,
    ],
    [
      'not if the service stopped the earlier attempt',
      { ...build({ text: 'unit:cancelled unit#2:cancelled' }), stoppedAttempts: [{ name: 'unit', attempt: 1 }] },
      [],
      false,
    ],
    [
      'if CI canceled it twice after the service had stopped an attempt',
      {
        ...build({ text: 'unit:cancelled unit#2:cancelled unit#3:cancelled' }),
        stoppedAttempts: [{ name: 'unit', attempt: 1 }],
      },
      [],
      true,
    ],
    [
      'if the service stopped only an attempt of another check',
      { ...build({ text: 'unit:cancelled unit#2:cancelled' }), stoppedAttempts: [{ name: 'lint', attempt: 1 }] },
      [],
      true,
    ],
    ['not if a later run had replaced its canceled check', build({ text: 'unit:stale unit#2:cancelled' }), [], false],
    ['not if its check failed before', build({ text: 'unit:failure unit#2:cancelled' }), [], false],
    ['not if another check was canceled before', build({ text: 'x:cancelled x#2:success unit:cancelled' }), [], false],
  ])('%s', (_name, of, builds, isAgain) => expect(isCanceledAgain(of, builds, { requiredChecks: null })).toBe(isAgain));
});

describe('the checks of the service on a head that is a build too', () => {
  test.each([
    ['do not make it red', 'unit:success interlock/verify:failure', 'green'],
    ['do not keep it pending', 'unit:success interlock/verify:pending', 'green'],
    ['do not count as checks of CI', 'interlock/verify:success', 'red'],
  ])('%s', (_name, text, verdict) => {
    expect(judgeBuild(build({ text }), null)).toBe(verdict);
    expect(failedChecksOfBuild(build({ text }), null)).toEqual([]);
  });
});

describe('a required check that never ran is', () => {
  const unlessMissing = [{ name: 'unit', acceptableStatuses: ['success', 'missing'] as const }];
  test.each([
    ['named when no check will follow', 'lint:success docs:success', true, required('lint', 'unit'), ['unit']],
    ['named once, although it is required twice', 'lint:success', true, required('unit', 'unit'), ['unit']],
    ['not named while it may come', 'lint:success', false, required('unit'), []],
    ['not named if it may be missing', 'lint:success', true, unlessMissing, []],
    ['not named if a failed check has its name', 'lint:success unit:failure', true, required('unit'), []],
    ['not named if nothing is required by name', '', true, null, []],
  ] as const)('%s', (_name, text, complete, gate, missing) => {
    expect(missingChecks({ checks: checks(text), complete }, gate)).toEqual(missing);
  });
});

describe('a tree is known to be red', () => {
  const red = build({ text: 'unit:failure' });
  test.each([
    ['by a red build', [red], true],
    ['by a red build beside a green one', [build({}), red], true],
    ['not by a green build', [build({})], false],
    ['not by a red build of another tree', [{ ...red, tree: 'other' }], false],
    ['not without a build', [], false],
  ])('%s', (_name, builds, isRed) => expect(isKnownRed('t', builds, { requiredChecks: null })).toBe(isRed));
});

describe('evidence for a tree', () => {
  function evidence(...builds: BuildState[]) {
    return (
      evidenceFor('t', situation({ queue: { lineage: ['older', 'tip'] }, change: { builds } }), { now })?.commit ?? null
    );
  }
  const cases: readonly (readonly [name: string, found: boolean, change: Partial<BuildState> & { text?: string }])[] = [
    ['a green build of the tree', true, {}],
    ['a build on an ancestor that was a landing', true, { base: 'older' }],
    ['not a build on another base', false, { base: 'foreign' }],
    ['not a build of another tree', false, { tree: 'other' }],
    ['not a red build', false, { text: 'unit:failure' }],
    ['not a running build', false, { text: 'unit:pending', complete: false, finishedAt: null }],
    ['not a canceled build', false, { text: 'unit:cancelled' }],
    ['a build that is a day old', true, { finishedAt: now - 24 * hour }],
    ['not a build that is older than a day', false, { finishedAt: now - 24 * hour - 1 }],
  ];
  test.each(cases)('%s', (_name, found, change) => expect(evidence(build(change))).toBe(found ? 'c' : null));

  test('follows the present rules of the gate', () => {
    const builds = [build({ text: 'unit:success lint:failure' })];
    expect(
      evidenceFor('t', situation({ change: { builds }, rules: { requiredChecks: required('unit') } }), { now })?.commit,
    ).toBe('c');
    expect(
      evidenceFor('t', situation({ change: { builds }, rules: { requiredChecks: required('lint') } }), { now }),
    ).toBeNull();
  });
  test('does not need a check that nobody requires', () => {
    const builds = [build({ text: 'unit:success lint:pending', complete: false, finishedAt: null })];
    expect(
      evidenceFor('t', situation({ change: { builds }, rules: { requiredChecks: required('unit') } }), { now })?.commit,
    ).toBe('c');
  });
  test("prefers the batch's own build", () => {
    const source = situation({ change: { builds: [build({}), build({ commit: 'own' })] } });
    const all = collectEvidence(source, now);
    const found = (preferredCommit: string | null, change: Partial<QueueRules> = {}): string | undefined =>
      findEvidence(all, 't', { preferredCommit, rules: { ...source.rules, ...change } })?.commit;
    expect(found('own')).toBe('own');
    expect(found('unknown')).toBe('c');
    // This host only accepts commits that were built themselves.
    expect(found('own', { landsBuiltCommitsOnly: true })).toBe('own');
    expect(found('unknown', { landsBuiltCommitsOnly: true })).toBeUndefined();
    // Before the batch has a commit, any build of the tree counts.
    expect(found(null, { landsBuiltCommitsOnly: true })).toBe('c');
  });
});

describe('if an up-to-date head gets a bot pull request too', () => {
  const builds = [build({ commit: 'head' }), build({ commit: 'bot' })];
  test.each([
    ['parallel', true, ['head', 'bot']],
    ['parallel', false, ['bot']],
    ['serial', false, ['head', 'bot']],
    ['no-queue', false, ['head', 'bot']],
  ] as const)(
    'in %s mode, with skip_draft_when_up_to_date %s, these builds count: %j',
    (mode, skipDraftWhenUpToDate, left) => {
      const counting = withoutHeads(builds, { mode, skipDraftWhenUpToDate }, ['head', 'other']);
      expect(counting.map(({ commit }) => commit)).toEqual(left);
    },
  );
});

describe('a check that has tested a merge of the head', () => {
  const ran = (event: string | undefined, base: string, name = 'test') =>
    build({ base, checks: [{ name, attempt: 1, conclusion: 'success', ...(event !== undefined && { event }) }] });
  const changedAt = 1_000_000;
  const retargeted = (afterMs: number | undefined, event = 'pull_request'): BuildState => {
    const run = { name: 'test', attempt: 1, conclusion: 'success', event } as const;
    const checks = [{ ...run, ...(afterMs !== undefined && { workflowRunAt: changedAt + afterMs }) }];
    return build({ checks, otherBaseUntil: changedAt });
  };
  test.each<[string, BuildState, readonly RequiredCheck[] | null, string[]]>([
    ['by `pull_request`', ran('pull_request', ''), required('test'), ['test']],
    ['by `pull_request_target`', ran('pull_request_target', ''), required('test'), ['test']],
    ['by `pull_request`, if every check counts', ran('pull_request', ''), null, ['test']],
    ['by `pull_request`, if no check is named', ran('pull_request', ''), [], ['test']],
    ['never by `push`', ran('push', ''), required('test'), []],
    ['never without an event', ran(undefined, ''), required('test'), []],
    ['never if the head contained its base branch', ran('pull_request', 'b'), required('test'), []],
    ['never if it is not required', ran('pull_request', '', 'lint'), required('test'), []],
    ['never if Interlock itself reports it', ran('pull_request', '', 'interlock/verify'), null, []],
    ['when the base branch was another one', retargeted(0), required('test'), ['test']],
    ['at an unknown time, if the base branch changed', retargeted(undefined), required('test'), ['test']],
    ['never later', retargeted(1), required('test'), []],
    ['never by `push`, if the base branch changed', retargeted(-1, 'push'), required('test'), []],
  ])('%s', (_which, of, gate, names) => {
    expect(checksOfMerge(of, gate)).toEqual(names);
  });

  test.each<[string, boolean, Partial<BuildState> & { text?: string }]>([
    ['while a required check runs', true, { base: '', complete: false, text: 'test:pending' }],
    ['while a required check has not begun', true, { base: '', complete: false, text: 'lint:success' }],
    ['while no check has begun', true, { base: '', complete: false, checks: [] }],
    ['never after the required checks have ended', false, { base: '', complete: false }],
    ['never after a required check has failed', false, { base: '', complete: false, text: 'test:failure' }],
    ['never after CI has ended', false, { base: '', checks: [] }],
    ['never if the head contained the tip of its base branch', false, { complete: false, text: 'test:pending' }],
  ])('may still begin or end %s: %s', (_when, isSo, of) => {
    expect(mayTestMerge(build(of), required('test'))).toBe(isSo);
  });

  const minute = 60_000;
  const before = {
    isSameHead: true,
    baseChangedAt: null,
    otherBaseUntil: null,
    baseFollowedSince: 0,
    containsEarlierBase: false,
  };
  const contains = { ...before, containsEarlierBase: true };
  const earlierVersion = { ...before, baseFollowedSince: changedAt + minute + 1 };
  test.each<[string, number | null, Parameters<typeof decideOtherBaseUntil>[1], number | null]>([
    ['the base branch never changed', null, null, null],
    ['the pull request is first read after the change', changedAt, null, changedAt + minute],
    ['the head does not contain the earlier base branch', changedAt, before, changedAt + minute],
    ['the head contains the earlier base branch', changedAt, contains, null],
    ['an earlier base branch counts still', changedAt, { ...contains, otherBaseUntil: 5 }, 5],
    ['the base branch changed there and back', changedAt, { ...before, baseChangedAt: 5 }, changedAt + minute],
    ['head and base branch changed at once', changedAt, { ...contains, isSameHead: false }, changedAt + minute],
    [
      'the head was pushed after the change',
      changedAt,
      { ...before, isSameHead: false, baseChangedAt: changedAt },
      changedAt,
    ],
    ['the change was known', changedAt, { ...before, baseChangedAt: changedAt, otherBaseUntil: 5 }, 5],
    ['an earlier version has judged the change', changedAt, earlierVersion, null],
    [
      'an earlier version may have judged the change',
      changedAt,
      { ...before, baseFollowedSince: changedAt + minute },
      changedAt + minute,
    ],
    [
      'an earlier version has judged the change for another head',
      changedAt,
      { ...earlierVersion, isSameHead: false },
      changedAt + minute,
    ],
    [
      'a change after one that is recorded, by clocks that differ',
      changedAt,
      { ...earlierVersion, baseChangedAt: 5 },
      changedAt + minute,
    ],
  ])('may have begun until an instant: %s', (_when, at, known, until) => {
    expect(decideOtherBaseUntil(at, known)).toBe(until);
  });

  test('is no evidence', () => {
    const evidenceAt = (afterMs: number) => {
      const found = retargeted(afterMs);
      const queue = { lineage: [found.base] };
      const rules = { requiredChecks: required('test'), waitsForPendingWorkflows: false, landsBuiltCommitsOnly: false };
      return evidenceFor(found.tree, { queue, rules, builds: [found] }, { now: found.startedAt });
    };
    expect(evidenceAt(0)).toBeNull();
    expect(evidenceAt(1)).not.toBeNull();
  });

  test('counts only as its newest attempt', () => {
    const attempts = [
      { name: 'test', attempt: 1, conclusion: 'success', event: 'pull_request' },
      { name: 'test', attempt: 2, conclusion: 'success', event: 'push' },
    ] as const;
    expect(checksOfMerge(build({ base: '', checks: attempts }), required('test'))).toEqual([]);
  });
});
