import { describe, expect, test } from 'vitest';
import {
  collectEvidence,
  evidenceFor,
  failedChecks,
  failedChecksOfBuild,
  findEvidence,
  judgeBuild,
  judgeChecks,
  withoutHeads,
} from '../../../src/domain/queue/evidence/evidence.ts';
import type { CheckConclusion, QueueRules, RequiredCheck } from '../../../src/domain/queue/model/rules.ts';
import type { BuildState, Verdict } from '../../../src/domain/queue/model/snapshot.ts';
import { hour, now, situation } from './situation.ts';

/** `unit:success lint#2:failure …`: the newest attempt counts. */
function checks(text: string): BuildState['checks'] {
  if (text === '') return [];
  return text.split(' ').map((part) => {
    const [, name = '', attempt, conclusion] = /^([^#:]+)(?:#(\d+))?:(\w+)$/.exec(part) ?? [];
    return { name, attempt: Number(attempt ?? 1), conclusion: conclusion as CheckConclusion };
  });
}

function required(...names: string[]): RequiredCheck[] {
  return names.map((name) => ({ name, acceptableStatuses: ['success', 'skipped', 'neutral'] }));
}

function build(change: Partial<BuildState> & { text?: string }): BuildState {
  const { text = 'test:success', ...rest } = change;
  return {
    commit: 'c',
    tree: 't',
    base: 'tip',
    checks: checks(text),
    complete: true,
    canceled: false,
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

describe('judging checks', () => {
  const cases: readonly Case[] = [
    ['every check that ran passed', 'unit:success lint:skipped docs:neutral', true, null, 'green', []],
    ['one still runs', 'unit:success lint:pending', false, null, 'pending', []],
    ['more may start', 'unit:success', false, null, 'pending', []],
    ['one failed while another runs', 'unit:failure lint:pending', false, null, 'red', ['unit']],
    ['none was seen yet', '', false, null, 'none', []],
    ['none ran at all', '', true, null, 'none', []],
    ['nothing is required', 'unit:failure', true, [], 'green', []],
    ['the newest attempt failed', 'unit:success unit#2:failure', true, null, 'red', ['unit']],
    ['the newest attempt passed', 'unit#2:success unit:failure', true, null, 'green', []],
    ['the newest attempt runs', 'unit:failure unit#2:pending', false, null, 'pending', []],
    ['only the required one counts', 'unit:success lint:failure', true, required('unit'), 'green', []],
    ['the required one is enough while others run', 'unit:success lint:pending', false, required('unit'), 'green', []],
    [
      'a required one runs when all others have ended',
      'unit:pending lint:success',
      true,
      required('unit'),
      'pending',
      [],
    ],
    ['a required one is missing and may come', 'lint:success', false, required('unit'), 'pending', []],
    ['a required one is missing for good', 'lint:success', true, required('unit'), 'red', ['unit']],
    ['red already though one is missing', 'lint:failure', false, required('unit', 'lint'), 'red', ['lint']],
    ['a glob matches several', 'unit/a:success unit/b:failure', true, required('unit/*'), 'red', ['unit/b']],
    ['a glob must match one', 'lint:success', true, required('unit/*'), 'red', ['unit/*']],
    ['a glob waits for what may still match', 'unit/a:success', false, required('unit/*'), 'pending', []],
    ['a glob that matched all there is', 'unit/a:success unit/b:success', true, required('unit/*'), 'green', []],
    ['a name that is required twice fails once', 'unit:failure', true, required('unit', '*'), 'red', ['unit']],
    ['a cancelled check failed', 'unit:cancelled', true, required('unit'), 'red', ['unit']],
    [
      'what is acceptable is configured',
      'unit:failure',
      true,
      [{ name: 'unit', acceptableStatuses: ['failure'] }],
      'green',
      [],
    ],
    ['success may not be', 'unit:success', true, [{ name: 'unit', acceptableStatuses: ['neutral'] }], 'red', ['unit']],
    ['missing may be', '', true, [{ name: 'unit', acceptableStatuses: ['success', 'missing'] }], 'green', []],
    [
      'missing is only known at the end',
      '',
      false,
      [{ name: 'unit', acceptableStatuses: ['success', 'missing'] }],
      'pending',
      [],
    ],
    [
      'pending may be',
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

describe('judging a build', () => {
  test.each([null, []])('a commit nobody tested is red, however little is required (%j)', (gate) => {
    expect(judgeBuild(build({ text: '' }), gate)).toBe('red');
    expect(failedChecksOfBuild(build({ text: '' }), gate)).toEqual([]);
    expect(judgeBuild(build({ text: '', complete: false }), gate)).toBe('pending');
  });
  test('an empty list of required checks asks for every check that ran', () => {
    expect(judgeBuild(build({ text: 'unit:failure' }), [])).toBe('red');
    expect(failedChecksOfBuild(build({ text: 'unit:failure' }), [])).toEqual(['unit']);
  });
  test('a canceled build proves nothing, green or red', () => {
    expect(judgeBuild(build({ canceled: true }), null)).toBe('none');
    expect(judgeBuild(build({ canceled: true, text: 'unit:failure' }), null)).toBe('none');
  });
});

describe('evidence for a tree', () => {
  function evidence(...builds: BuildState[]) {
    return (
      evidenceFor('t', situation({ queue: { lineage: ['older', 'tip'] }, change: { builds } }), { now })?.commit ?? null
    );
  }
  const cases: readonly (readonly [name: string, found: boolean, change: Partial<BuildState> & { text?: string }])[] = [
    ['a green build of it', true, {}],
    ['one on an ancestor landing', true, { base: 'older' }],
    ['not one on another base', false, { base: 'foreign' }],
    ['not one of another tree', false, { tree: 'other' }],
    ['not a red one', false, { text: 'unit:failure' }],
    ['not a running one', false, { text: 'unit:pending', complete: false, finishedAt: null }],
    ['not a canceled one', false, { canceled: true }],
    ['one a day old', true, { finishedAt: now - 24 * hour }],
    ['not an older one', false, { finishedAt: now - 24 * hour - 1 }],
  ];
  test.each(cases)('%s', (_name, found, change) => expect(evidence(build(change))).toBe(found ? 'c' : null));

  test('the gate in force now decides', () => {
    const builds = [build({ text: 'unit:success lint:failure' })];
    expect(
      evidenceFor('t', situation({ change: { builds }, rules: { requiredChecks: required('unit') } }), { now })?.commit,
    ).toBe('c');
    expect(
      evidenceFor('t', situation({ change: { builds }, rules: { requiredChecks: required('lint') } }), { now }),
    ).toBeNull();
  });
  test('a check that nobody requires may still run', () => {
    const builds = [build({ text: 'unit:success lint:pending', complete: false, finishedAt: null })];
    expect(
      evidenceFor('t', situation({ change: { builds }, rules: { requiredChecks: required('unit') } }), { now })?.commit,
    ).toBe('c');
  });
  test("the batch's own build is preferred", () => {
    const source = situation({ change: { builds: [build({}), build({ commit: 'own' })] } });
    const all = collectEvidence(source, now);
    const found = (preferredCommit: string, change: Partial<QueueRules> = {}): string | undefined =>
      findEvidence(all, 't', { preferredCommit, rules: { ...source.rules, ...change } })?.commit;
    expect(found('own')).toBe('own');
    expect(found('unknown')).toBe('c');
    // A host that takes only commits which were built themselves.
    expect(found('own', { landsBuiltCommitsOnly: true })).toBe('own');
    expect(found('unknown', { landsBuiltCommitsOnly: true })).toBeUndefined();
  });
});

describe('where an up-to-date head gets a bot pull request nevertheless', () => {
  const builds = [build({ commit: 'head' }), build({ commit: 'bot' })];
  test.each([
    ['parallel', true, ['head', 'bot']],
    ['parallel', false, ['bot']],
    ['serial', false, ['head', 'bot']],
    ['no-queue', false, ['head', 'bot']],
  ] as const)('in %s mode, skipping it: %s, these builds count: %j', (mode, skipDraftWhenUpToDate, left) => {
    const counting = withoutHeads(builds, { mode, skipDraftWhenUpToDate }, ['head', 'other']);
    expect(counting.map(({ commit }) => commit)).toEqual(left);
  });
});
