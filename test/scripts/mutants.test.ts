// `npm run mutants` plants faults in texts of the sources: those texts are there, once, and so are the tests.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutants } from '../support/mutants.mjs';

it.each(mutants)('can plant that $what', ({ file, from, to, tests }) => {
  expect(readFileSync(file, 'utf8').split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
  expect(tests.filter((test) => !existsSync(test))).toEqual([]);
});
