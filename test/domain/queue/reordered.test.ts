import { expect, it } from 'vitest';
import { recordReorder, reorderedText, reorderText } from '../../../src/domain/queue/model/reordered.ts';
import type { ReorderReason } from '../../../src/domain/queue/model/decision.ts';

const failed: ReorderReason = { kind: 'failed', failedChecks: ['test'] };
const unlikely: ReorderReason = { kind: 'unlikely', probability: 0.432 };
const isolatedRetry: ReorderReason = { kind: 'isolated_retry' };

it.each<[ReorderReason, string, ReturnType<typeof recordReorder>]>([
  [
    failed,
    'Its build failed: pull requests behind it may pass it, and it is built once more.',
    { reorderedForFailure: true, timesPassed: 1 },
  ],
  [
    unlikely,
    'Pull requests behind it were ready to merge, and it was only 43 % likely to merge.',
    { reorderedForFailure: false, timesPassed: 2 },
  ],
  [
    isolatedRetry,
    'Pull requests behind it were ready to merge while it was built once more.',
    { reorderedForFailure: false, timesPassed: 2 },
  ],
])('the event says why a pull request is reordered, and its row counts the reorders: $kind', (reason, text, kept) => {
  expect(reorderText(reason)).toBe(text);
  expect(recordReorder({ reorderedForFailure: false, timesPassed: 1 }, reason)).toEqual(kept);
});

it.each([
  [false, 0, ''],
  [true, 0, 'Its build failed, so pull requests behind it may pass it, and it is built once more.'],
  [
    false,
    2,
    'Pull requests that were ready passed it twice, because its result was uncertain; this happens at most three times.',
  ],
  [
    true,
    3,
    'Its build failed, so pull requests behind it may pass it, and it is built once more. Pull requests that were ready passed it three times, because its result was uncertain; this happens at most three times.',
  ],
])(
  'the place of a pull request is explained by its reorders: failed %s, passed %i times',
  (reorderedForFailure, timesPassed, text) => {
    expect(reorderedText({ reorderedForFailure, timesPassed })).toBe(text);
  },
);
