// Texts without control characters.
import { expect, test } from 'vitest';
import { plainLine, plainText } from '../../src/domain/plain-text.ts';

test.each([
  ['Add a greeting', 'Add a greeting'],
  ['  Keep  two spaces ', 'Keep  two spaces'],
  ['Ring \u0007the\u0000 bell', 'Ring the bell'],
  ['One\r\n\r\nReviewed-by: Nobody', 'One Reviewed-by: Nobody'],
  ['Red \u001b[31m', 'Red [31m'],
  ['Grüße, 你好 👋', 'Grüße, 你好 👋'],
  ['\u0000', ''],
])('the title %j becomes the line %j', (text, line) => {
  expect(plainLine(text)).toBe(line);
});

test.each([
  ['one\n\ttwo\r\nthree', 'one\n\ttwo\r\nthree'],
  ['a\u0000b\u001b[31mc\u0085d', 'ab[31mcd'],
])('the text %j becomes %j', (text, plain) => {
  expect(plainText(text)).toBe(plain);
});
