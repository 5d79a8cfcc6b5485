import { expect, test } from 'vitest';
import { coresOf, onCore } from '../../scripts/cores.mjs';

test.each([
  ['0', [0]],
  ['0-1', [0, 1]],
  ['0-2,5', [0, 1, 2, 5]],
  ['3,8-9', [3, 8, 9]],
])('the list %s names the cores %j', (list, cores) => {
  expect(coresOf(list)).toEqual(cores);
});

test('a command runs on a core only if there is one', () => {
  expect(onCore(5, ['node', 'a.mjs'])).toEqual(['taskset', '--cpu-list', '5', 'node', 'a.mjs']);
  expect(onCore(undefined, ['node', 'a.mjs'])).toEqual(['node', 'a.mjs']);
});
