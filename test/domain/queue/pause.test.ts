import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { decidePause, findRuleInForce, listPauses, type PauseRule } from '../../../src/domain/queue/requests/pause.ts';

const on = (pattern: string, pausedMessage: string | null = null): PauseRule => ({
  pattern,
  paused: true,
  pausedMessage,
});
const off = (pattern: string): PauseRule => ({ pattern, paused: false, pausedMessage: null });
const going = { paused: false };

describe('the rule in force for a base branch', () => {
  it.each<[what: string, rules: PauseRule[], branch: string, pattern: string | null]>([
    ['none without rules', [], 'main', null],
    ['none that matches', [on('release/*'), on('mai')], 'main', null],
    [
      'the plain name before a glob with as many literal characters',
      [on('main*'), on('*main'), off('main')],
      'main',
      'main',
    ],
    ['the glob with most literal characters', [on('*'), on('release/*'), on('rel*')], 'release/1', 'release/*'],
    ['the newest of two as specific', [on('*-lts'), on('v10-*')], 'v10-lts', '*-lts'],
    ['the newest of two as specific, the other way round', [on('v10-*'), on('*-lts')], 'v10-lts', 'v10-*'],
    ['whatever it says', [on('*'), off('release/*')], 'release/1', 'release/*'],
    ['a star that matches nothing', [on('main*')], 'main', 'main*'],
    ['slashes like any other character', [on('team/*/hot*')], 'team/a/b/hotfix', 'team/*/hot*'],
    ['nothing but the star as a wildcard', [on('m?in'), on('[m]ain'), on('main.')], 'main', null],
    ['upper and lower case apart', [on('Main')], 'main', null],
  ])('is %s', (_what, newestFirst, branch, pattern) => {
    expect(findRuleInForce(newestFirst, branch)?.pattern ?? null).toBe(pattern);
  });

  const rule = fc.record({
    pattern: fc.stringMatching(/^[ab*]{1,4}$/),
    paused: fc.boolean(),
    pausedMessage: fc.constant<string | null>(null),
  });
  const branch = fc.stringMatching(/^[ab]{1,4}$/);

  it('stays when an older rule that is no more specific is added', () => {
    const literal = (of: PauseRule): number => of.pattern.replaceAll('*', '').length;
    const staying = fc.property(fc.array(rule, { maxLength: 6 }), rule, branch, (rules, older, name) => {
      const before = findRuleInForce(rules, name);
      fc.pre(before !== null && older.pattern.includes('*') && literal(older) <= literal(before));
      return findRuleInForce([...rules, older], name) === before;
    });
    expect(fc.check(staying)).toMatchObject({ failed: false });
  });

  it('is the plain name wherever there is one', () => {
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
  it("is the repository's own, whatever its branches say", () => {
    expect(decidePause({ paused: true }, [off('main')], 'main')).toEqual({ message: null, pattern: null });
  });
  it('carries the message of the rule in force', () => {
    expect(decidePause(going, [on('*', 'All'), on('main', 'Freeze')], 'main')).toEqual({
      message: 'Freeze',
      pattern: 'main',
    });
  });
  it('is lifted for a branch by a rule of its own', () => {
    expect(decidePause(going, [off('main'), on('*')], 'main')).toBeNull();
  });
});

describe('how base branches stand', () => {
  const rules = [on('release/*', 'Soon'), off('main')];
  const patterns = (pattern: string | null, branches = ['main', 'release/1']) =>
    listPauses(rules, branches, pattern).map((entry) => [entry.pattern, entry.paused, entry.pausedMessage]);

  it('is an entry per rule, and one per base branch that no rule names literally', () => {
    expect(patterns(null)).toEqual([
      ['main', false, null],
      ['release/*', true, 'Soon'],
      ['release/1', true, 'Soon'],
    ]);
  });
  it('is, for a pattern, the rule of that very text and the base branches it matches', () => {
    expect(patterns('release/*').map(([pattern]) => pattern)).toEqual(['release/*', 'release/1']);
    expect(patterns('ma*').map(([pattern]) => pattern)).toEqual(['main']);
    expect(patterns('*').map(([pattern]) => pattern)).toEqual(['main', 'release/1']);
    expect(patterns('release/1').map(([pattern]) => pattern)).toEqual(['release/1']);
    expect(patterns('none')).toEqual([]);
  });
  it('names a base branch once, however often it is known', () => {
    expect(patterns(null, ['dev', 'dev'])).toContainEqual(['dev', false, null]);
    expect(patterns(null, ['dev', 'dev'])).toHaveLength(3);
  });
});
