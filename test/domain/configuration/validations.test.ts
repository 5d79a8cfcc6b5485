import { expect, test } from 'vitest';
import { failedValidations, validationsDigest } from '../../../src/domain/configuration/index.ts';

const validations = [
  { name: 'ticket', match: { type: 'title' as const, regex: '^[A-Z]+-\\d+' } },
  { name: 'test plan', match: { type: 'body' as const, regex: ['(?i)test plan', 'owner: @\\w+'] } },
];

test.each([
  ['TEA-1 Add mint', 'Test plan: drink it\nowner: @ada', []],
  ['Add mint TEA-1', 'Test plan: drink it\nowner: @ada', ['ticket']],
  ['TEA-1 Add mint', 'Test plan: drink it', ['test plan']],
  ['', '', ['ticket', 'test plan']],
])('the title %j with the body %j fails the validations %j', (title, body, failed) => {
  expect(failedValidations(validations, { title, body })).toEqual(failed);
});

test('different validations have different digests, and no validations have an empty one', () => {
  expect(validationsDigest([])).toBe('');
  expect(validationsDigest(validations)).not.toBe(validationsDigest(validations.slice(1)));
});
