// Which calls an installation may still make to GitHub.
import { expect, test } from 'vitest';
import {
  type Budget,
  type Call,
  countCreation,
  decideCall,
  maxCreationsInHour,
  maxCreationsInMinute,
  newBudget,
  noteAllowance,
  notePause,
  noteSuccess,
  type Purpose,
  purposes,
} from '../../../src/hosts/github/budget.ts';

const now = Date.parse('2026-11-02T10:00:00Z');
const [minute, hour] = [60_000, 3_600_000];
const resetsAt = now + hour / 2;

function call(given: Partial<Call> = {}): Call {
  return { purpose: 'landing', resource: 'rest', creates: false, ...given };
}

function withLeft(left: number): Budget {
  return noteAllowance(newBudget(now), 'rest', { limit: 5000, left, resetsAt });
}

test.each<{ left: number; going: readonly Purpose[] }>([
  { left: 5000, going: purposes },
  { left: 1751, going: purposes },
  { left: 1750, going: ['landing', 'hint', 'answer', 'notification'] },
  { left: 1001, going: ['landing', 'hint', 'answer', 'notification'] },
  { left: 1000, going: ['landing', 'hint', 'answer'] },
  { left: 251, going: ['landing', 'hint', 'answer'] },
  { left: 250, going: ['landing'] },
  { left: 1, going: ['landing'] },
  { left: 0, going: [] },
])('with $left of 5000 points left, these calls are made: $going', ({ left, going }) => {
  const budget = withLeft(left);
  expect(purposes.filter((purpose) => decideCall(budget, call({ purpose }), now).kind === 'go')).toEqual(going);
});

test('a call that must wait gets the time and the reason', () => {
  expect(decideCall(withLeft(900), call({ purpose: 'notification' }), now)).toEqual({
    kind: 'wait',
    until: resetsAt,
    reason: '900 of 5000 REST points are left this hour, kept for more important calls',
  });
  expect(decideCall(withLeft(0), call(), now)).toMatchObject({ reason: '0 of 5000 REST points are left this hour' });
});

test('points of REST do not limit GraphQL, and do not count after their hour', () => {
  expect(decideCall(withLeft(0), call({ resource: 'graphql' }), now).kind).toBe('go');
  expect(decideCall(withLeft(0), call(), resetsAt).kind).toBe('go');
});

function withCreations(count: number, everyMs: number): Budget {
  let budget = newBudget(now);
  for (let made = 0; made < count; made += 1) budget = countCreation(budget, now + made * everyMs);
  return budget;
}

test('the sixty-first creation of a minute waits for the next minute, and other calls do not wait', () => {
  const budget = withCreations(maxCreationsInMinute, 0);
  expect(decideCall(budget, call({ creates: true }), now + 1)).toEqual({
    kind: 'wait',
    until: now + minute,
    reason: '60 creations in a minute',
  });
  expect(decideCall(budget, call(), now + 1).kind).toBe('go');
  expect(decideCall(budget, call({ creates: true }), now + minute).kind).toBe('go');
});

test('the limit of creations in an hour counts, even if no minute is full', () => {
  const budget = withCreations(maxCreationsInHour, 2_000);
  const at = now + maxCreationsInHour * 2_000;
  expect(budget.madeInMinute).toBeLessThan(maxCreationsInMinute);
  expect(decideCall(budget, call({ creates: true }), at)).toEqual({
    kind: 'wait',
    until: now + hour,
    reason: '450 creations in an hour',
  });
  expect(decideCall(budget, call({ creates: true }), now + hour).kind).toBe('go');
});

test.each([
  { purpose: 'landing', made: 59, isFree: true },
  { purpose: 'landing', made: 60, isFree: false },
  { purpose: 'answer', made: 53, isFree: true },
  { purpose: 'answer', made: 54, isFree: false },
  { purpose: 'notification', made: 44, isFree: true },
  { purpose: 'notification', made: 45, isFree: false },
] as const)('after $made creations in a minute, one for $purpose is made: $isFree', ({ purpose, made, isFree }) => {
  const decision = decideCall(withCreations(made, 1), call({ creates: true, purpose }), now + made);
  expect(decision.kind === 'go').toBe(isFree);
});

test('comments leave creations of an hour to landings', () => {
  const budget = withCreations(337, 2_000);
  const at = now + 337 * 2_000;
  expect(decideCall(budget, call({ creates: true, purpose: 'notification' }), at)).toEqual({
    kind: 'wait',
    until: now + hour,
    reason: '337 creations in an hour, the rest is kept for more important calls',
  });
  expect(decideCall(budget, call({ creates: true, purpose: 'landing' }), at).kind).toBe('go');
});

test.each([
  { name: 'fewer points count', said: { limit: 5000, left: 900, resetsAt }, left: 900 },
  { name: 'more points of a late answer do not count', said: { limit: 5000, left: 1100, resetsAt }, left: 1000 },
  {
    name: 'a reset that differs by seconds is the same hour',
    said: { limit: 5000, left: 1100, resetsAt: resetsAt + 9_000 },
    left: 1000,
  },
  { name: 'the next hour begins full', said: { limit: 5000, left: 4999, resetsAt: resetsAt + hour }, left: 4999 },
  {
    name: 'an answer of the hour before is ignored',
    said: { limit: 5000, left: 3, resetsAt: resetsAt - hour },
    left: 1000,
  },
])('of two answers about the points that are left: $name', ({ said, left }) => {
  expect(noteAllowance(withLeft(1000), 'rest', said).rest?.left).toBe(left);
});

test('a pause stops every call until it ends', () => {
  const paused = notePause(newBudget(now), now + 30_000, now);
  expect(decideCall(paused, call(), now + 29_999)).toEqual({
    kind: 'wait',
    until: now + 30_000,
    reason: 'GitHub asked this App to pause',
  });
  expect(decideCall(paused, call(), now + 30_000).kind).toBe('go');
});

test('a pause without an end lasts a minute, twice as long each time, at most an hour, until a call succeeds', () => {
  let budget = newBudget(now);
  const lengths: number[] = [];
  let at = now;
  for (let count = 0; count < 8; count += 1) {
    budget = notePause(budget, null, at);
    const end = budget.pausedUntil ?? 0;
    lengths.push((end - at) / 1000);
    at = end;
  }
  expect(lengths).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600]);
  expect(notePause(noteSuccess(budget, at), null, at).pausedUntil).toBe(at + minute);
});

test('two refusals during one pause count once', () => {
  const paused = notePause(newBudget(now), null, now);
  expect(notePause(paused, null, now + 1)).toBe(paused);
});

test('a success of a call that began before the pause does not end it', () => {
  const paused = notePause(newBudget(now), null, now);
  expect(noteSuccess(paused, now + 1)).toBe(paused);
});

test('a shorter wait does not shorten a pause', () => {
  const paused = notePause(newBudget(now), now + hour, now);
  expect(notePause(paused, now + minute, now).pausedUntil).toBe(now + hour);
});
