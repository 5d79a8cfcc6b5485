import { describe, expect, test } from 'vitest';
import {
  blockText,
  isQueued,
  isTerminal,
  resetCodeOfDeparture,
  showsQueuedAt,
  statusText,
  transition,
  transitions,
  webhookStatus,
  type PullRequestEvent,
} from '../../../src/domain/queue/model/status.ts';
import type { PullRequestStatus } from '../../../src/domain/queue/model/snapshot.ts';

const statuses = Object.keys(transitions) as PullRequestStatus[];
const events: readonly PullRequestEvent[] = [
  'queue',
  'pend',
  'block',
  'tag',
  'reset',
  'requeue',
  'dequeue',
  'merge',
  'close',
  'reopen',
];

describe('the transitions of a status', () => {
  test('are those of this table', () => {
    const rows = statuses.map((from) => `${from}: ${events.map((event) => transition(from, event) ?? '–').join(' ')}`);
    expect(rows).toEqual([
      // queue pend block tag reset requeue dequeue merge close reopen
      'open: queued pending blocked – – – open merged closed –',
      'pending: queued pending blocked – – – open merged closed –',
      'queued: queued pending blocked tagged queued queued open merged closed –',
      'tagged: tagged pending blocked tagged queued queued open merged closed –',
      'blocked: queued pending blocked – – – blocked merged closed –',
      'merged: – – – – – – – – – –',
      'closed: – – – – – – – merged – open',
    ]);
  });
  test('end at merged, which every other status can reach', () => {
    for (const status of statuses) expect(transition(status, 'merge')).toBe(status === 'merged' ? null : 'merged');
  });
  test('to tagged begin only in line', () => {
    expect(statuses.filter((status) => transition(status, 'tag') !== null)).toEqual(['queued', 'tagged']);
  });
});

describe('the properties of a status', () => {
  const cases: readonly (readonly [
    PullRequestStatus,
    { queued: boolean; terminal: boolean; queuedAt: boolean; webhook: string | null },
  ])[] = [
    ['open', { queued: false, terminal: false, queuedAt: false, webhook: 'open' }],
    ['pending', { queued: false, terminal: false, queuedAt: false, webhook: 'pending' }],
    ['queued', { queued: true, terminal: false, queuedAt: true, webhook: 'queued' }],
    ['tagged', { queued: true, terminal: false, queuedAt: true, webhook: 'queued' }],
    ['blocked', { queued: false, terminal: false, queuedAt: true, webhook: 'blocked' }],
    ['merged', { queued: false, terminal: true, queuedAt: true, webhook: 'merged' }],
    ['closed', { queued: false, terminal: true, queuedAt: false, webhook: null }],
  ];
  test.each(cases)('%s', (status, seen) => {
    expect({
      queued: isQueued(status),
      terminal: isTerminal(status),
      queuedAt: showsQueuedAt(status),
      webhook: webhookStatus(status),
    }).toEqual(seen);
  });
});

describe('the reset code after a member has left', () => {
  test.each([
    ['open', null, 303],
    ['pending', null, 303],
    ['closed', null, 304],
    ['merged', null, 304],
    ['blocked', 116, 310],
    ['blocked', 104, 303],
    ['blocked', 107, 301],
    ['queued', null, 309],
  ] as const)('with the status %s and the code %s is %s', (status, code, reset) =>
    expect(resetCodeOfDeparture(status, code)).toBe(reset),
  );
});

test('every text of a code is one sentence', () => {
  for (const code of [
    101, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 300, 301, 302, 303, 304, 305,
    307, 308, 309, 310,
  ] as const) {
    expect(statusText(code)).toMatch(/^[A-Z][^.]+\.$/);
  }
});
test('the text of a block names what failed', () => {
  expect(blockText(107, ['unit', 'lint'])).toBe('A required check failed: unit, lint.');
  expect(blockText(106)).toBe('It has a merge conflict with its base branch.');
});
