import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  couldBeOverridden,
  decidePause,
  findRuleInForce,
  listPauses,
  type PauseRule,
} from '../../../src/domain/queue/requests/pause.ts';

const on = (pattern: string, pausedMessage: string | null = null): PauseRule => ({
  pattern,
  paused: true,
  pausedMessage,
});
const off = (pattern: string): PauseRule => ({ pattern, paused: false, pausedMessage: null });
const going = { paused: false };

describe('the rule in force for a base branch', () => {
  it.each<[what: string, rules: PauseRule[], branch: string, pattern: string | null]>([
    ['none, without rules', [], 'main', null],
    ['none, if no rule matches', [on('release/*'), on('mai')], 'main', null],
    [
      'the plain name, before a glob with as many literal characters',
      [on('main*'), on('*main'), off('main')],
      'main',
      'main',
    ],
    ['the glob with the most literal characters', [on('*'), on('release/*'), on('rel*')], 'release/1', 'release/*'],
    ['the newest of two equally specific rules', [on('*-lts'), on('v10-*')], 'v10-lts', '*-lts'],
    ['the newest of two equally specific rules, in the other order', [on('v10-*'), on('*-lts')], 'v10-lts', 'v10-*'],
    ['the most specific rule, whether it pauses or not', [on('*'), off('release/*')], 'release/1', 'release/*'],
    ['a star that matches nothing', [on('main*')], 'main', 'main*'],
    ['a glob whose star matches slashes', [on('team/*/hot*')], 'team/a/b/hotfix', 'team/*/hot*'],
    ['no rule by another wildcard than the star', [on('m?in'), on('[m]ain'), on('main.')], 'main', null],
    ['no rule with other upper and lower case', [on('Main')], 'main', null],
  ])('is %s', (_what, newestFirst, branch, pattern) => {
    expect(findRuleInForce(newestFirst, branch)?.pattern ?? null).toBe(pattern);
  });

  const rule = fc.record({
    pattern: fc.stringMatching(/^[ab*]{1,4}$/),
    paused: fc.boolean(),
    pausedMessage: fc.constant<string | null>(null),
  });
  const branch = fc.stringMatching(/^[ab]{1,4}$/);

  it('stays the same when an older rule that is not more specific is added', () => {
    const literal = (of: PauseRule): number => of.pattern.replaceAll('*', '').length;
    const staying = fc.property(fc.array(rule, { maxLength: 6 }), rule, branch, (rules, older, name) => {
      const before = findRuleInForce(rules, name);
      fc.pre(before !== null && older.pattern.includes('*') && literal(older) <= literal(before));
      return findRuleInForce([...rules, older], name) === before;
    });
    expect(fc.check(staying)).toMatchObject({ failed: false });
  });

  it('is always the plain name, if there is one', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), branch, fc.nat(6), (rules, name, at) => {
        const plain = on(name);
        const others = rules.filter(({ pattern }) => pattern !== name);
        expect(findRuleInForce(others.toSpliced(at, 0, plain), name)).toBe(plain);
      }),
    );
  });
});

describe('a pause', () => {
  it('is that of the repository, whatever the rules of its branches', () => {
    expect(decidePause({ paused: true }, [off('main')], 'main')).toEqual({ by: 'repository' });
  });
  it('is that of the rule in force', () => {
    expect(decidePause(going, [on('*', 'All'), on('main', 'Freeze')], 'main')).toEqual({ by: on('main', 'Freeze') });
  });
  it('is not in force without a rule', () => expect(decidePause(going, [], 'main')).toBeNull());
  it('does not apply to a branch whose own rule ends it', () => {
    expect(decidePause(going, [off('main'), on('*')], 'main')).toBeNull();
  });
});

describe('a newer rule could decide instead of', () => {
  it.each([
    ['a glob, if it is a glob with as many literal characters', 'ma*', ['x*', '*in'], true],
    ['no glob with another beginning or another end', 'feat/*-x', ['docs/*-x', 'feat/*-y'], false],
    ['a glob whose beginning and end may be those of the same branch', 'feat/*', ['*fixed'], true],
    ['no glob with another number of literal characters', 'ma*', ['m*', 'mai*'], false],
    ['no glob, if it is a plain name', 'ma*', ['ma'], false],
    ['no plain name', 'main', ['beta', '*main'], false],
  ])('%s', (_name, pattern, newer, expected) => {
    expect(
      couldBeOverridden(
        pattern,
        newer.map((each) => ({ pattern: each })),
      ),
    ).toBe(expected);
  });
});

describe('the list of pauses', () => {
  const rules = [on('release/*', 'Soon'), off('main')];
  const patterns = (pattern: string | null, branches = ['main', 'release/1']) =>
    listPauses(rules, branches, pattern).map((entry) => [entry.pattern, entry.paused, entry.pausedMessage]);

  it('has an entry for each rule, and one for each base branch without a rule of its name', () => {
    expect(patterns(null)).toEqual([
      ['main', false, null],
      ['release/*', true, 'Soon'],
      ['release/1', true, 'Soon'],
    ]);
  });
  it('for a pattern has the rule with this text, and the base branches that it matches', () => {
    expect(patterns('release/*').map(([pattern]) => pattern)).toEqual(['release/*', 'release/1']);
    expect(patterns('ma*').map(([pattern]) => pattern)).toEqual(['main']);
    expect(patterns('*').map(([pattern]) => pattern)).toEqual(['main', 'release/1']);
    expect(patterns('release/1').map(([pattern]) => pattern)).toEqual(['release/1']);
    expect(patterns('none')).toEqual([]);
  });
  it('has each base branch once', () => {
    expect(patterns(null, ['dev', 'dev'])).toContainEqual(['dev', false, null]);
    expect(patterns(null, ['dev', 'dev'])).toHaveLength(3);
  });
});
