// When the relay looks at what is driven by turns.
import { describe, expect, it } from 'vitest';
import { backOff, relayAt, waitForLease, waitForCall, whenWakeIsLost, type AfterTurn } from '../../src/domain/turns.ts';

const now = new Date('2026-03-01T12:00:00Z');
const inSec = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

describe('the relay looks after a turn', () => {
  const cases: readonly (readonly [string, AfterTurn, Date | null])[] = [
    ['never, when it has ended', { kind: 'ended' }, null],
    ['a minute later, when something is carried out', { kind: 'supervise' }, inSec(60)],
    ['a minute later, when something is called', { kind: 'call' }, inSec(60)],
    ['after the workflow, which looks then', { kind: 'wait', until: inSec(30).getTime() }, inSec(45)],
    ['after five minutes, when that is sooner', { kind: 'wait', until: inSec(3_600).getTime() }, inSec(300)],
    ['after five minutes, when a wake is waited for', { kind: 'wait', until: null }, inSec(300)],
    ['after the grace alone, when it is due already', { kind: 'wait', until: now.getTime() }, inSec(15)],
  ];
  it.each(cases)('%s', (_, left, at) => {
    expect(relayAt(left, now)).toEqual(at);
  });
});

it('makes good for a wake that has not come two seconds after the commit', () => {
  expect(whenWakeIsLost(now)).toEqual(inSec(2));
});

it('leaves what failed alone for longer each time, up to the last pause', () => {
  const pauseAfter = backOff([1, 5]);
  expect([0, 1, 2, 3, 99].map(pauseAfter)).toEqual([1_000, 1_000, 5_000, 5_000, 5_000]);
});

it.each([
  ['for nothing that was never put off', null, false],
  ['until an instant that comes', 10, true],
  ['no longer at that instant', 9, false],
])('waits %s', (_, until, waits) => {
  expect(waitForCall(until, 9)).toEqual(waits ? { kind: 'wait', for: 'call', until } : null);
  expect(waitForLease(until, 9)).toEqual(waits ? { kind: 'wait', for: 'lease', until } : null);
});
