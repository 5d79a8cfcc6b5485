import { describe, expect, it } from 'vitest';
import { problemsOfEvents, type LoggedEvent } from '../../../src/domain/events/event-grammar.ts';

const event = (action: string, status: string, more: Readonly<Record<string, unknown>> = {}): LoggedEvent => ({
  action,
  pullRequestId: '1',
  batchId: null,
  payload: { number: 1, status, statusCode: null, ...more },
});
const batch = (action: string, members: readonly { number: number; status: string }[]): LoggedEvent => ({
  action,
  pullRequestId: null,
  batchId: '9',
  payload: { pullRequests: members },
});
const opened = event('opened', 'open');
const queued = event('queued', 'queued');
const added = event('added_to_batch', 'tagged');
const top = event('top_of_queue', 'tagged');
const merged = event('merged', 'merged');

describe('the grammar of events', () => {
  it('accepts the lives of pull requests and batches', () => {
    const reset = event('reset', 'queued', { resetCode: 301 });
    const lives = [
      [
        opened,
        event('labeled', 'queued'),
        queued,
        added,
        top,
        merged,
        batch('batch_merged', [{ number: 1, status: 'merged' }]),
      ],
      [queued, added, reset, added, top, event('blocked', 'blocked', { statusCode: 107 }), queued, added, top, merged],
      [
        queued,
        event('dequeued', 'open', { statusCode: 104 }),
        queued,
        queued,
        merged,
        event('reset', 'merged', { resetCode: 304 }),
      ],
      [event('conflict_found', 'queued'), merged],
    ];
    expect(lives.map(problemsOfEvents)).toEqual([[], [], [], []]);
  });

  it.each([
    ['#1 queued after merged', [merged, queued]],
    ['#1 merged after merged', [merged, merged]],
    ['#1 added_to_batch while out', [opened, added]],
    ['#1 top_of_queue while out', [queued, event('dequeued', 'open', { statusCode: 104 }), top]],
    ['#1 top_of_queue twice since it was queued', [queued, top, top]],
    ['#1 queued with status open', [event('queued', 'open')]],
    ['#1 blocked without a code', [event('blocked', 'blocked')]],
    ['#1 dequeued with a code other than 104', [event('dequeued', 'open')]],
    ['#1 reset without a reset code', [queued, event('reset', 'queued')]],
    [
      'batch 9 batch_merged before #1 was reported as merged',
      [batch('batch_merged', [{ number: 1, status: 'merged' }])],
    ],
    [
      'batch 9 batch_failed after its end',
      [
        batch('batch_bisected', [{ number: 1, status: 'queued' }]),
        batch('batch_failed', [{ number: 1, status: 'blocked' }]),
      ],
    ],
  ])('refuses: %s', (problem, events) => {
    expect(problemsOfEvents(events)).toEqual([problem]);
  });
});
