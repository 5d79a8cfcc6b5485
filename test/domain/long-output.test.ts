import { expect, it } from 'vitest';
import { keepBothEnds } from '../../src/platform/long-output.ts';

/** The kept text of the chunks, in order. */
function keptOf(chunks: readonly string[]): string {
  const output = keepBothEnds({ beginningBytes: 4, endBytes: 3 });
  const kept = chunks.map((chunk) => output.take(Buffer.from(chunk)));
  return Buffer.concat([...kept, output.takeEnd()]).toString();
}

const more = '\n[interlock] More than 4 bytes were written. The end of the output follows once the run has ended.\n';
const leftOut = (bytes: number): string => `\n[interlock] ${bytes} bytes are left out here.\n`;

it.each([
  { what: 'nothing', chunks: [], kept: '' },
  { what: 'as much as fits', chunks: ['ab', 'cd'], kept: 'abcd' },
  { what: 'a little more', chunks: ['ab', 'cde'], kept: `abcd${more}e` },
  { what: 'as much as both ends hold', chunks: ['abcd', 'efg'], kept: `abcd${more}efg` },
  { what: 'too much', chunks: ['abcdefgh', 'ij'], kept: `abcd${more}${leftOut(3)}hij` },
  { what: 'far too much', chunks: ['abcd', 'efghijklm', 'nopqrstuvw', 'xyz'], kept: `abcd${more}${leftOut(19)}xyz` },
  { what: 'a character across the end of the beginning', chunks: ['abcä'], kept: `abc${more}ä` },
  {
    what: 'a character across the beginning of the end',
    chunks: ['abcd', 'xäyz'],
    kept: `abcd${more}${leftOut(1)}äyz`,
  },
])('of an output ($what), "$kept" is kept', ({ chunks, kept }) => {
  expect(keptOf(chunks)).toBe(kept);
});
