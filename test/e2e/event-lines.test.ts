import { expect, test } from 'vitest';
import { createEventPrinter } from '../../src/demo/event-lines.ts';

const main = 'a'.repeat(40);
const built = 'b'.repeat(40);
const members = (...numbers: number[]): { number: number }[] => numbers.map((number) => ({ number }));

test('the line of a batch names what it is built on, why it is built, and which batch it replaces', () => {
  const tell = createEventPrinter(new Map([[4, 'Sell water']]));
  const lines = [
    { action: 'batch_started', payload: { pullRequests: [1, 2], parentCommit: main, cause: 'new' } },
    { action: 'batch_started', payload: { pullRequests: [3, 4], parentCommit: built, cause: 'new' } },
    { action: 'queued', payload: { number: 5 } },
    { action: 'batch_merged', payload: { pullRequests: members(1, 2), commit: built, grade: 'exact' } },
    { action: 'batch_bisected', payload: { pullRequests: members(3, 4) } },
    { action: 'batch_started', payload: { pullRequests: [3], parentCommit: built, cause: 'bisect' } },
    { action: 'batch_started', payload: { pullRequests: [4, 5], parentCommit: built, cause: 'new' } },
    { action: 'batch_started', payload: { pullRequests: [4], parentCommit: built, cause: 'new' } },
    { action: 'blocked', payload: { number: 4, statusText: 'A required check failed: prices.' } },
    { action: 'batch_failed', payload: { pullRequests: members(4) } },
    { action: 'batch_failed', payload: { pullRequests: members(5) } },
  ].map(tell);
  expect(lines).toEqual([
    'batch     #1 #2 on main at aaaaaaaa',
    'batch     #3 #4 on the batch before it, bbbbbbbb',
    null,
    'landed    #1 #2 as bbbbbbbb, tree verified (exact)',
    'bisected  #3 #4: red together, so it is halved',
    'batch     #3 on main at bbbbbbbb, one half of a red batch',
    'batch     #4 #5 on main at bbbbbbbb',
    'batch     #4 on main at bbbbbbbb, instead of #4 #5',
    'blocked   #4 Sell water: A required check failed: prices.',
    null,
    'red       #5',
  ]);
});
