// Which webhooks GitHub is asked to deliver again.
import { expect, test } from 'vitest';
import { decideRedelivery, type ListedDelivery } from '../../../src/modules/github/redelivery.decision.ts';

const now = Date.parse('2026-11-02T10:00:00Z');
const minute = 60_000;
const checkedUntil = now - 10 * minute;

/** `1a`: attempt 1 of the delivery a. */
function attempt(name: string, minutesAgo: number, statusCode = 504): ListedDelivery {
  return { id: name.slice(0, -1), guid: name.slice(-1), deliveredAt: now - minutesAgo * minute, statusCode };
}

test.each<{
  name: string;
  attempts?: readonly ListedDelivery[];
  received?: string;
  asked: readonly string[];
  next: number;
}>([
  { name: 'nothing was sent', asked: [], next: 1 },
  { name: 'what has arrived is not asked for', attempts: [attempt('1a', 5, 202)], received: 'a', asked: [], next: 1 },
  { name: 'what failed is asked for', attempts: [attempt('1a', 5)], asked: ['1'], next: 5 },
  {
    name: 'a delivery that was answered and is not stored is asked for, as after a restored database',
    attempts: [attempt('1a', 5, 202)],
    asked: ['1'],
    next: 5,
  },
  {
    name: 'a stored delivery whose answer was lost is not asked for',
    attempts: [attempt('1a', 5)],
    received: 'a',
    asked: [],
    next: 1,
  },
  {
    name: 'the newest attempt of a delivery is asked for, the oldest delivery first',
    attempts: [attempt('4a', 2), attempt('3b', 7), attempt('1a', 9), attempt('2b', 8)],
    asked: ['4', '3'],
    next: 9,
  },
  {
    name: 'ids are compared as whole numbers of any length',
    attempts: [
      attempt('9a', 9),
      attempt('10a', 7),
      attempt('3804004623172239366b', 8),
      attempt('3804004623172239367b', 6),
    ],
    asked: ['10', '3804004623172239367'],
    next: 9,
  },
  { name: 'an attempt may still be under way', attempts: [attempt('1a', 0.5)], asked: [], next: 1 },
  {
    name: 'an attempt that follows another one may still run',
    attempts: [attempt('1a', 5), attempt('2a', 0.5)],
    asked: [],
    next: 5,
  },
  {
    name: 'a third attempt waits two minutes, and a fourth one four',
    attempts: [attempt('1a', 9), attempt('2a', 1.5), attempt('3b', 8), attempt('4b', 7), attempt('5b', 3.5)],
    asked: [],
    next: 9,
  },
  {
    name: 'a delivery that has waited long enough for a third attempt is asked for',
    attempts: [attempt('1a', 9), attempt('2a', 2)],
    asked: ['2'],
    next: 9,
  },
  { name: 'what Interlock has refused is not asked for', attempts: [attempt('1a', 5, 401)], asked: [], next: 1 },
  {
    name: 'a delivery that was refused once and then failed is asked for',
    attempts: [attempt('1a', 5, 401), attempt('2a', 3)],
    asked: ['2'],
    next: 5,
  },
  {
    name: 'an older attempt, which is listed because clocks differ, does not move the next comparison back',
    attempts: [attempt('1a', 12)],
    asked: ['1'],
    next: 10,
  },
])('$name', ({ attempts = [], received = '', asked, next }) => {
  expect(decideRedelivery({ attempts, received: new Set(received), checkedUntil, now })).toEqual({
    kind: 'ask',
    attempts: asked,
    checkedUntil: now - next * minute,
  });
});

test.each([
  { name: 'an outage of more than an hour', checkedUntil: now - 61 * minute, failed: 1 },
  { name: 'more than a hundred deliveries', checkedUntil, failed: 101 },
  { name: 'a comparison by a clock that was ahead', checkedUntil: now + 6 * minute, failed: 1 },
])('after $name, the repositories are compared instead', ({ checkedUntil: since, failed }) => {
  const attempts = Array.from({ length: failed }, (_, at) => ({
    ...attempt('1a', 5),
    id: String(at),
    guid: String(at),
  }));
  expect(decideRedelivery({ attempts, received: new Set(), checkedUntil: since, now })).toEqual({
    kind: 'compare',
    checkedUntil: now,
  });
});
