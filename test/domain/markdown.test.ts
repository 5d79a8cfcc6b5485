import { expect, it } from 'vitest';
import { code, logTail, plain } from '../../src/domain/markdown.ts';

it.each([
  ['words', 'words'],
  ['two\n\nlines', 'two lines'],
  ['# a heading', String.raw`\# a heading`],
  ['![x](http://elsewhere.test/)', String.raw`!\[x\](http://elsewhere.test/)`],
  ['<img src=x>', String.raw`\<img src=x\>`],
  ['**loud** `code` a|b ~c~ $d', String.raw`\*\*loud\*\* \`code\` a\|b \~c\~ \$d`],
  ['a'.repeat(301), `${'a'.repeat(300)}…`],
])('the text %j is escaped, so that it is shown unchanged', (text, shown) => {
  expect(plain(text)).toBe(shown);
});

it('keeps code in its quotes', () => {
  expect(code('a `b`\nc')).toBe("`a 'b' c`");
});

it.each<[readonly string[], readonly string[]]>([
  [[], []],
  [['  \n', '\n'], []],
  [
    ['one\n', 'two\n'],
    ['```text', 'one', 'two', '```'],
  ],
  [['```\nout of it'], ['```text', "'", 'out of it', '```']],
  [
    [Array.from({ length: 30 }, (_, at) => at).join('\n')],
    ['```text', ...Array.from({ length: 20 }, (_, at) => String(at + 10)), '```'],
  ],
])('shows the end of a log in a fence that the log cannot close', (pieces, shown) => {
  expect(logTail(pieces)).toEqual(shown);
});
