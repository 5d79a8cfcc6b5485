// `npm run mutants` replaces texts in the sources. Each text must occur exactly once, and the tests must exist.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutants } from '../support/mutants.mjs';

it.each(mutants)('can plant that $what', ({ file, from, to, tests }) => {
  expect(readFileSync(file, 'utf8').split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
  expect(tests.filter((test) => !existsSync(test))).toEqual([]);
});
