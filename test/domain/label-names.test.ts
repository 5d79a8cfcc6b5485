import { expect, it } from 'vitest';
import { isSameLabel } from '../../src/domain/label-names.ts';

it.each([
  ['Blocked', 'blocked', true],
  ['Übersprungen', 'übersprungen', true],
  ['STRAẞE', 'straße', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['İzmir', 'izmir', false],
  ['izmir', 'ızmir', false],
  ['blocked', 'blocking', false],
])('label names %s and %s are the same: %s', (one, other, isSame) => {
  expect(isSameLabel(one, other)).toBe(isSame);
  expect(isSameLabel(other, one)).toBe(isSame);
});
