import { describe, expect, it } from 'vitest';
import { isExempt } from '../../src/domain/previews/exempt.ts';
import { cpuMsSince } from '../support/cpu.ts';

describe('a pull request is exempt', () => {
  it.each([
    ['if all its files are below an exempt folder', ['docs/**'], ['docs/a.md', 'docs/deep/er/b.png'], true],
    ['but not if one file is outside', ['docs/**'], ['docs/a.md', 'src/a.ts'], false],
    ['if each file matches one of several globs', ['docs/**', '*.md'], ['docs/a.png', 'README.md'], true],
    ['but not by a star that would have to match a slash', ['*.md'], ['docs/a.md'], false],
    ['by two stars that match no folder', ['docs/**/a.md'], ['docs/a.md'], true],
    ['by two stars that match several folders', ['docs/**/a.md'], ['docs/x/y/a.md'], true],
    ['by two stars at the beginning', ['**/*.md'], ['README.md', 'a/b/c.md'], true],
    ['by a question mark that matches one character', ['v?.txt'], ['v1.txt'], true],
    ['but not by a question mark for a slash', ['a?b'], ['a/b'], false],
    ['by its exact name with special characters', ['a+(b)[c].md'], ['a+(b)[c].md'], true],
    ['but not by a part of a name', ['docs'], ['docs/a.md'], false],
    ['if it changes no file', ['docs/**'], [], true],
    ['but never without a glob', [], [], false],
    ['by a name with a line break', ['docs/*'], ['docs/a\nb'], true],
  ] as const)('%s', (_, globs, paths, expected) => {
    expect(isExempt(globs, paths)).toBe(expected);
  });

  it('or not, which is decided in time linear in the length of the path', () => {
    const before = process.cpuUsage();
    expect(isExempt([`${'**/a'.repeat(30)}b`], [`${'a/'.repeat(5_000)}c`])).toBe(false);
    expect(cpuMsSince(before)).toBeLessThan(5_000);
  });
});
