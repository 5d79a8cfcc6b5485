// When the relay looks at rows that turns drive.
import { describe, expect, it } from 'vitest';
import {
  backOff,
  decideHostWait,
  hostFailsSince,
  isWakeNeeded,
  notStartedAgain,
  pauseAfterHost,
  relayAt,
  type AfterTurn,
  waitForCall,
  waitForLease,
  waitMs,
  whenWakeIsLost,
} from '../../src/domain/turns.ts';

const now = new Date('2026-03-01T12:00:00Z');
const inSec = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

describe('the relay looks after a turn', () => {
  const cases: readonly (readonly [string, AfterTurn, Date | null])[] = [
    ['never, if the row has ended', { kind: 'ended' }, null],
    ['a minute later, if the turn decided on supervised work', { kind: 'supervise' }, inSec(60)],
    ['a minute later, if the turn decided on a call', { kind: 'call' }, inSec(60)],
    ['after the workflow, which looks at that time', { kind: 'wait', until: inSec(30).getTime() }, inSec(45)],
    ['after five minutes, if this is earlier', { kind: 'wait', until: inSec(3_600).getTime() }, inSec(300)],
    ['after five minutes, if the row waits for a wake', { kind: 'wait', until: null }, inSec(300)],
    ['after a short time, if the row is due already', { kind: 'wait', until: now.getTime() }, inSec(15)],
  ];
  it.each(cases)('%s', (_, left, at) => {
    expect(relayAt(left, now)).toEqual(at);
  });
});

it('the relay repeats a wake that has not arrived two seconds after the commit', () => {
  expect(whenWakeIsLost(now)).toEqual(inSec(2));
});

it('the pause after each failure is longer, up to the last pause', () => {
  const pauseAfter = backOff([1, 5]);
  expect([0, 1, 2, 3, 99].map(pauseAfter)).toEqual([1_000, 1_000, 5_000, 5_000, 5_000]);
});

it.each([
  ['for no time if there was no failure', null, false],
  ['until a later instant', 10, true],
  ['no longer at that instant', 9, false],
])('a row waits %s', (_, until, waits) => {
  expect(waitForCall(until, 9)).toEqual(waits ? { kind: 'wait', for: 'call', until } : null);
  expect(waitForLease(until, 9)).toEqual(waits ? { kind: 'wait', for: 'lease', until } : null);
});

describe('a change of what a queue is planned from', () => {
  it.each([
    ['wakes a new queue', { version: 0, plannedVersion: 0 }, true],
    ['wakes a queue that has no plan yet, again', { version: 3, plannedVersion: 0 }, true],
    ['wakes a queue that is planned from everything before', { version: 7, plannedVersion: 7 }, true],
    ['does not wake a queue that an earlier change has woken', { version: 8, plannedVersion: 7 }, false],
  ])('%s', (_, versions, isNeeded) => {
    expect(isWakeNeeded(versions)).toBe(isNeeded);
  });
});

it.each([
  { what: 'the time until the instant', nextLookAt: 5_000, now: 2_000, elapsed: null, ms: 3_000 },
  { what: 'a moment if the instant is over', nextLookAt: 5_000, now: 6_000, elapsed: null, ms: 1 },
  { what: 'a moment if another instant is over', nextLookAt: 5_000, now: 6_000, elapsed: 4_000, ms: 1 },
  {
    what: 'a second if it waited for the same instant, because the clock of the database is behind',
    nextLookAt: 5_000,
    now: 6_000,
    elapsed: 5_000,
    ms: 1_000,
  },
  { what: 'longer if the clock of Temporal was set back', nextLookAt: 5_000, now: 2_000, elapsed: 5_000, ms: 3_000 },
])('before a turn, a workflow waits $what', ({ nextLookAt, now, elapsed, ms }) => {
  expect(waitMs(nextLookAt, { now, elapsed })).toBe(ms);
});

describe('supervised work whose code host fails', () => {
  const minute = 60_000;
  const at = now.getTime();

  it.each([
    ['its first failure', { callAt: null, failingSince: null }, at],
    ['a failure soon after another one', { callAt: at - minute, failingSince: at - 9 * minute }, at - 9 * minute],
    [
      'a failure after an attempt that lasted long',
      { callAt: at - 15 * minute - 1, failingSince: at - 40 * minute },
      at,
    ],
    ['a failure after one of another kind', { callAt: at - minute, failingSince: null }, at],
  ])('counts the time of failing from: %s', (_, before, since) => expect(hostFailsSince(before, at)).toBe(since));

  it('pauses for as long as the host has failed, from two seconds to a minute', () => {
    expect([0, 1, 2, 5, 30, 60, 3_600].map((sec) => pauseAfterHost(at - sec * 1000, at) / 1000)).toEqual([
      2, 2, 2, 5, 30, 60, 60,
    ]);
  });

  it.each([
    ['starts if no attempt has failed', { callAt: null, failingSince: null }, null],
    ['starts after the pause', { callAt: at, failingSince: at - 99 * minute }, null],
    [
      'waits for the end of the pause',
      { callAt: at + 5, failingSince: at - minute },
      { kind: 'wait', for: 'call', until: at + 5 },
    ],
    [
      'waits after a failure of another kind',
      { callAt: at + 5, failingSince: null },
      { kind: 'wait', for: 'call', until: at + 5 },
    ],
    [
      'waits until it gives up',
      { callAt: at + 99 * minute, failingSince: at - minute },
      { kind: 'wait', for: 'call', until: at + 9 * minute },
    ],
    ['gives up after its limit', { callAt: at + 5, failingSince: at - 10 * minute }, 'given_up'],
  ])('%s', (_, failures, step) => expect(decideHostWait(failures, { now: at, limitMs: 10 * minute })).toEqual(step));

  it('says that each worker was lost only if no other failure is known', () => {
    expect(notStartedAgain('The command', { calls: 5, problem: null })).toBe(
      'The command was started 5 times, and each time its worker was lost.',
    );
    expect(notStartedAgain('The command', { calls: 5, problem: '502' })).toBe(
      'The command was started 5 times without a result.',
    );
  });
});
