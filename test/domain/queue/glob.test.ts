import { cpuMsSince } from '../../support/cpu.ts';
import { fc } from '../../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { isGlob, literalLength, matchesGlob } from '../../../src/domain/glob.ts';

describe('globs', () => {
  const cases: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
    ['main', 'main', true],
    ['main', 'maint', false],
    ['release/*', 'release/1.2', true],
    ['release/*', 'release/', true],
    ['release/*', 'release', false],
    ['*', '', true],
    ['*', 'any/thing', true],
    ['*/main', 'team/a/main', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'acb', false],
    ['*ab*ab', 'ab', false],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['a?', 'ab', false],
    ['', '', true],
    ['', 'a', false],
  ];
  test.each(cases)('the glob %j matches %j: %s', (pattern, text, matches) =>
    expect(matchesGlob(pattern, text)).toBe(matches),
  );

  test('a glob matches the same texts as the regular expression with its meaning', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(word, text, (pattern, subject) => {
        expect(matchesGlob(pattern, subject)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(subject));
      }),
      { numRuns: 2000 },
    );
  });

  test('a glob that is meant to be slow is matched quickly', () => {
    const before = process.cpuUsage();
    expect(matchesGlob(`${'*a'.repeat(2000)}*b*`, 'a'.repeat(100_000))).toBe(false);
    expect(cpuMsSince(before)).toBeLessThan(1000);
  });

  test('a glob with more literal characters is more specific', () => {
    expect(literalLength('release/*')).toBe(8);
    expect(isGlob('release/*')).toBe(true);
    expect(isGlob('main')).toBe(false);
  });
});
