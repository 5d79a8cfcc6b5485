import { expect, it } from 'vitest';
import { estimateSuccessProbability } from '../../../src/domain/queue/model/success-probability.ts';

const nothing = { passed: 0, judged: 0 };

it('the success probability is 0.9 without a record', () => {
  expect(estimateSuccessProbability({ repository: nothing, author: nothing })).toBeCloseTo(0.9);
});

it.each([
  ['a repository that never fails', { passed: 1e6, judged: 1e6 }, { passed: 1e6, judged: 1e6 }],
  ['a repository that always fails', { passed: 0, judged: 1e6 }, { passed: 0, judged: 1e6 }],
])('the success probability is between 0 and 1 in %s', (_name, repository, author) => {
  const chance = estimateSuccessProbability({ repository, author });
  expect(chance).toBeGreaterThan(0);
  expect(chance).toBeLessThan(1);
});

it('the success probability follows the repository, and the author as far as there is a record', () => {
  const repository = { passed: 500, judged: 1000 };
  expect(estimateSuccessProbability({ repository, author: nothing })).toBeCloseTo(0.504, 3);
  const after = [2, 20, 200].map((judged) =>
    estimateSuccessProbability({ repository, author: { passed: judged, judged } }),
  );
  expect(after).toEqual(after.toSorted((a, b) => a - b));
  expect(after.at(-1)).toBeGreaterThan(0.9);
});
