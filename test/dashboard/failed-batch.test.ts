import { expect, it } from 'vitest';
import { isBlockedByNewestBatch } from '../../dashboard/src/queue/failed-batch.ts';

it.each([
  ['its batch failed', ['blocked', 'added_to_batch', 'queued', 'opened'], true],
  ['its batch failed, and the builds after it were reset', ['reset', 'blocked', 'added_to_batch', 'queued'], true],
  ['its second batch failed', ['blocked', 'added_to_batch', 'reset', 'added_to_batch', 'queued'], true],
  ['other events came between and after', ['labeled', 'blocked', 'top_of_queue', 'added_to_batch', 'queued'], true],
  ['it was requested again, and refused', ['blocked', 'labeled', 'blocked', 'added_to_batch', 'queued'], false],
  ['it was queued again, and blocked', ['blocked', 'queued', 'blocked', 'added_to_batch', 'queued'], false],
  ['its batch failed, it was requeued, and blocked', ['blocked', 'reset', 'added_to_batch', 'queued'], false],
  ['it was never in a batch', ['blocked', 'opened'], false],
  ['the block is older than the events that were read', ['labeled', 'added_to_batch'], false],
] as const)('%s', (_case, actions, isByBatch) => {
  expect(isBlockedByNewestBatch(actions)).toBe(isByBatch);
});
