import { describe, expect, it } from 'vitest';
import { isExempt } from '../../src/domain/previews/exempt.ts';
import { cpuMsSince } from '../support/cpu.ts';

describe('a pull request is exempt', () => {
  it.each([
    ['when all it changes is below an exempt folder', ['docs/**'], ['docs/a.md', 'docs/deep/er/b.png'], true],
    ['not when one file is not', ['docs/**'], ['docs/a.md', 'src/a.ts'], false],
    ['when each file matches another glob', ['docs/**', '*.md'], ['docs/a.png', 'README.md'], true],
    ['not by a star that would have to cross a folder', ['*.md'], ['docs/a.md'], false],
    ['by two stars through no folder at all', ['docs/**/a.md'], ['docs/a.md'], true],
    ['by two stars through several', ['docs/**/a.md'], ['docs/x/y/a.md'], true],
    ['by two stars first', ['**/*.md'], ['README.md', 'a/b/c.md'], true],
    ['by a question mark, one character of a name', ['v?.txt'], ['v1.txt'], true],
    ['not by a question mark for a slash', ['a?b'], ['a/b'], false],
    ['by its very name, whatever is in it', ['a+(b)[c].md'], ['a+(b)[c].md'], true],
    ['not by a part of its name', ['docs'], ['docs/a.md'], false],
    ['when it changes nothing', ['docs/**'], [], true],
    ['never without a glob', [], [], false],
    ['by a name with a line break', ['docs/*'], ['docs/a\nb'], true],
  ] as const)('%s', (_, globs, paths, expected) => {
    expect(isExempt(globs, paths)).toBe(expected);
  });

  it('is said in time linear in the path', () => {
    const before = process.cpuUsage();
    expect(isExempt([`${'**/a'.repeat(30)}b`], [`${'a/'.repeat(5_000)}c`])).toBe(false);
    expect(cpuMsSince(before)).toBeLessThan(5_000);
  });
});
