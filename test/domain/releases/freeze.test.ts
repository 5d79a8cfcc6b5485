import { fc } from '../../support/properties.ts';
import { describe, expect, it, test } from 'vitest';
import {
  findFreezeInForce,
  describeFreeze,
  describeFreezeForAll,
  isFrozenWithin,
  nextChange,
  nextCheck,
  type Freeze,
} from '../../../src/domain/releases/freeze.ts';

const at = (text: string) => Date.parse(text);

const manual = (startsAt: string, endsAt: string | null = null, more: Partial<Freeze> = {}): Freeze => ({
  id: '1',
  source: 'manual',
  reason: null,
  createdBy: 'ada@example.com',
  span: { startsAt: at(startsAt), endsAt: endsAt === null ? null : at(endsAt) },
  createdAt: at('2026-01-01T00:00:00Z'),
  ...more,
});
const schedule = (cronStart: string, cronEnd: string, timezone: string, more: Partial<Freeze> = {}): Freeze => ({
  id: '2',
  source: 'schedule',
  reason: null,
  createdBy: 'grace@example.com',
  span: { cronStart, cronEnd, timezone },
  createdAt: at('2026-01-01T00:00:00Z'),
  ...more,
});
/** Begins when it is made, by the clock of a server. */
const madeAt = (createdAt: string, endsAt: string | null): Freeze =>
  manual(createdAt, endsAt, { createdAt: at(createdAt) });
/** From Friday evening to Monday morning. */
const weekend = (timezone: string) => schedule('0 18 * * 5', '0 8 * * 1', timezone);

interface Case {
  readonly name: string;
  readonly freezes: readonly Freeze[];
  readonly now: string;
  /** Undefined: the environment is not frozen. Null: the freeze has no end. */
  readonly until?: string | null;
  /** The next change, if the environment is not frozen. */
  readonly next?: string | null;
}

// 2026-01-09 is a Friday. Clocks go forward on 2026-03-29 in Berlin, 2026-03-08 in New York, 2026-10-04 on Lord Howe
// (by half an hour), and back on 2026-10-25, 2026-11-01 and 2026-04-05. Kathmandu is 5:45 ahead all year.
const cases: readonly Case[] = [
  { name: 'without a freeze never', freezes: [], now: '2026-01-05T00:00:00Z', next: null },
  {
    name: 'by hand, until somebody ends it',
    freezes: [manual('2026-01-05T00:00:00Z')],
    now: '2026-01-05T00:00:00Z',
    until: null,
  },
  {
    name: 'by hand until its end',
    freezes: [manual('2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z')],
    now: '2026-01-05T23:59:59.999Z',
    until: '2026-01-06T00:00:00Z',
  },
  {
    name: 'not at its end',
    freezes: [manual('2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z')],
    now: '2026-01-06T00:00:00Z',
    next: null,
  },
  {
    name: 'not before its start',
    freezes: [manual('2026-01-05T00:00:00Z')],
    now: '2026-01-04T23:59:59.999Z',
    next: '2026-01-05T00:00:00Z',
  },
  {
    name: 'from Friday evening on',
    freezes: [weekend('Europe/Berlin')],
    now: '2026-01-09T17:00:00Z',
    until: '2026-01-12T07:00:00Z',
  },
  {
    name: 'not on Friday afternoon',
    freezes: [weekend('Europe/Berlin')],
    now: '2026-01-09T16:59:59Z',
    next: '2026-01-09T17:00:00Z',
  },
  {
    name: 'over the weekend in which Berlin loses an hour',
    freezes: [weekend('Europe/Berlin')],
    now: '2026-03-27T17:00:00Z',
    until: '2026-03-30T06:00:00Z',
  },
  {
    name: 'over the weekend in which Berlin gains an hour',
    freezes: [weekend('Europe/Berlin')],
    now: '2026-10-23T16:00:00Z',
    until: '2026-10-26T07:00:00Z',
  },
  {
    name: 'over the weekend in which New York loses an hour',
    freezes: [weekend('America/New_York')],
    now: '2026-03-07T12:00:00Z',
    until: '2026-03-09T12:00:00Z',
  },
  {
    name: 'over the weekend in which New York gains an hour',
    freezes: [weekend('America/New_York')],
    now: '2026-10-31T12:00:00Z',
    until: '2026-11-02T13:00:00Z',
  },
  {
    name: 'over the weekend in which Lord Howe loses half an hour',
    freezes: [weekend('Australia/Lord_Howe')],
    now: '2026-10-03T12:00:00Z',
    until: '2026-10-04T21:00:00Z',
  },
  {
    name: 'over the weekend in which Lord Howe gains half an hour',
    freezes: [weekend('Australia/Lord_Howe')],
    now: '2026-04-04T12:00:00Z',
    until: '2026-04-05T21:30:00Z',
  },
  {
    name: 'by the clock of Kathmandu',
    freezes: [weekend('Asia/Kathmandu')],
    now: '2026-01-09T12:15:00Z',
    until: '2026-01-12T02:15:00Z',
  },
  {
    name: 'from the hour that the clock skips on',
    freezes: [schedule('30 2 29 3 *', '0 9 29 3 *', 'Europe/Berlin')],
    now: '2026-03-29T01:30:00Z',
    until: '2026-03-29T07:00:00Z',
  },
  {
    name: 'once in the night that has an hour twice',
    freezes: [schedule('30 2 25 10 *', '0 4 25 10 *', 'Europe/Berlin')],
    now: '2026-10-25T01:45:00Z',
    until: '2026-10-25T03:00:00Z',
  },
  {
    name: 'until the last of several',
    freezes: [manual('2026-01-09T12:00:00Z', '2026-01-09T18:00:00Z'), weekend('UTC')],
    now: '2026-01-09T13:00:00Z',
    until: '2026-01-12T08:00:00Z',
  },
  {
    name: 'until the first, where the second begins later',
    freezes: [manual('2026-01-09T12:00:00Z', '2026-01-09T17:00:00Z'), weekend('UTC')],
    now: '2026-01-09T13:00:00Z',
    until: '2026-01-09T17:00:00Z',
  },
  {
    name: 'at once, by a server whose clock is ahead',
    freezes: [madeAt('2026-01-09T13:05:00Z', null)],
    now: '2026-01-09T13:00:00Z',
    until: null,
  },
  {
    name: 'until its end, by a server whose clock is ahead',
    freezes: [madeAt('2026-01-09T13:05:00Z', '2026-01-09T14:00:00Z')],
    now: '2026-01-09T13:00:00Z',
    until: '2026-01-09T14:00:00Z',
  },
  {
    name: 'until its own end, although a server whose clock is ahead has made another freeze',
    freezes: [
      manual('2026-01-09T12:00:00Z', '2026-01-09T13:30:00Z'),
      madeAt('2026-01-09T14:00:00Z', '2026-01-09T14:01:00Z'),
    ],
    now: '2026-01-09T13:00:00Z',
    until: '2026-01-09T14:01:00Z',
  },
  {
    name: 'by a schedule, although a server whose clock is ahead has made another freeze',
    freezes: [weekend('UTC'), madeAt('2026-01-12T08:05:00Z', null)],
    now: '2026-01-12T07:59:00Z',
    until: null,
  },
  {
    name: 'not before a start that was later when a server whose clock is ahead made it',
    freezes: [manual('2026-01-09T13:10:00Z', null, { createdAt: at('2026-01-09T13:05:00Z') })],
    now: '2026-01-09T13:00:00Z',
    next: '2026-01-09T13:10:00Z',
  },
  {
    name: 'without an end, where schedules hand over for ever',
    freezes: [schedule('0 0 * * *', '0 12 * * *', 'UTC'), schedule('0 12 * * *', '0 0 * * *', 'UTC')],
    now: '2026-01-09T13:00:00Z',
    until: null,
  },
];

test.each(cases)('an environment is frozen $name', ({ freezes, now, until, next }) => {
  const frozen = findFreezeInForce(freezes, at(now));
  expect(frozen === null).toBe(until === undefined);
  const change = until ?? next ?? null;
  expect(nextChange(freezes, at(now))).toBe(change === null ? null : at(change));
});

describe('the freeze that is shown', () => {
  const week = manual('2026-01-05T00:00:00Z', '2026-01-12T00:00:00Z', { id: '3', reason: 'release week' });

  it('is the freeze that lasts longest', () => {
    expect(findFreezeInForce([weekend('UTC'), week], at('2026-01-10T00:00:00Z'))?.freeze.id).toBe('2');
    expect(findFreezeInForce([weekend('UTC'), week], at('2026-01-08T00:00:00Z'))?.freeze.id).toBe('3');
  });

  it('is one without an end, if there is one', () => {
    const open = manual('2026-01-09T20:00:00Z', null, { id: '4', source: 'rollback' });
    expect(findFreezeInForce([weekend('UTC'), open, week], at('2026-01-10T00:00:00Z'))).toEqual({
      freeze: open,
      until: null,
      atLeastUntil: null,
    });
  });
});

test.each([
  [manual('2026-01-05T00:00:00Z'), 'frozen until somebody ends it, by ada@example.com'],
  [
    manual('2026-01-05T00:00:00Z', '2026-01-12T00:00:00Z', { reason: 'release week' }),
    'frozen until 2026-01-12 00:00 UTC, by ada@example.com: release week',
  ],
  [schedule('0 0 * * 1', '0 0 * * 0', 'UTC'), 'frozen until 2026-01-11 00:00 UTC, by a schedule of grace@example.com'],
  [
    manual('2026-01-05T00:00:00Z', null, { source: 'rollback', reason: 'v3 was rolled back' }),
    'frozen until somebody ends it, after a rollback by ada@example.com: v3 was rolled back',
  ],
])('the text of a freeze has the end, the author and the reason: %#', (freeze, sentence) => {
  const frozen = findFreezeInForce([freeze], at('2026-01-06T00:00:00Z'));
  expect(frozen === null ? null : describeFreeze(frozen)).toBe(sentence);
  if (frozen !== null) expect(describeFreezeForAll(frozen)).not.toContain('@');
});

describe('a freeze of many short spans that follow one another', () => {
  const freezes = [schedule('*/5 8-17 * * *', '*/5 8-18 * * *', 'UTC')];

  it('is not said to have no end, and a timer looks again', () => {
    const frozen = findFreezeInForce(freezes, at('2026-01-05T08:00:00Z'));
    expect(frozen === null ? null : describeFreeze(frozen)).toBe(
      'frozen at least until 2026-01-05 12:10 UTC, by a schedule of grace@example.com',
    );
    expect(nextCheck(freezes, at('2026-01-05T08:00:00Z'))).toBe(at('2026-01-05T12:10:00Z'));
  });

  it('has its end when the end is near', () => {
    expect(findFreezeInForce(freezes, at('2026-01-05T16:20:00Z'))?.until).toBe(at('2026-01-05T18:00:00Z'));
    expect(nextCheck(freezes, at('2026-01-05T16:20:00Z'))).toBe(at('2026-01-05T18:00:00Z'));
  });
});

const zones = fc.constantFrom('Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York', 'Africa/Casablanca', 'UTC');
const instants = fc
  .integer({ min: at('2026-01-01T00:00:00Z') / 60_000, max: at('2027-01-01T00:00:00Z') / 60_000 })
  .map((m) => m * 60_000);
const fields = fc.constantFrom(
  '0 2 * * *',
  '30 2 * * *',
  '0 18 * * 5',
  '0 8 * * 1',
  '15 * * * *',
  '0 0 1 * *',
  '59 23 * * 0',
);
const anyFreeze = fc.oneof(
  fc.tuple(fields, fields, zones).map(([start, end, zone]) => schedule(start, end, zone)),
  fc.tuple(instants, fc.option(fc.nat(30 * 24 * 60))).map(
    ([from, minutes]): Freeze => ({
      ...manual('2026-01-01T00:00:00Z'),
      span: { startsAt: from, endsAt: minutes === null ? null : from + (minutes + 1) * 60_000 },
    }),
  ),
);
const someFreezes = fc.array(anyFreeze, { maxLength: 4 });

test('nothing changes before the announced instant, at every change of clocks', () => {
  fc.assert(
    fc.property(someFreezes, instants, fc.double({ min: 0, max: 0.999, noNaN: true }), (freezes, now, part) => {
      const change = nextChange(freezes, now);
      const frozen = findFreezeInForce(freezes, now);
      const until = change ?? now + 90 * 24 * 3_600_000;
      expect(until).toBeGreaterThan(now);
      const between = now + Math.floor((until - now) * part);
      expect(findFreezeInForce(freezes, between) === null).toBe(frozen === null);
      if (frozen === null) return;
      expect(frozen.until).toBe(change);
      if (change !== null) expect(findFreezeInForce(freezes, change)).toBeNull();
    }),
    { numRuns: 100 },
  );
});

test('an environment is frozen exactly while one of its freezes holds, in any order', () => {
  fc.assert(
    fc.property(someFreezes, instants, (freezes, now) => {
      const each = freezes.map((freeze) => findFreezeInForce([freeze], now));
      const all = findFreezeInForce(freezes, now);
      expect(all !== null).toBe(each.some((one) => one !== null));
      expect(findFreezeInForce(freezes.toReversed(), now)?.until).toBe(all?.until);
      for (const one of each)
        if (one !== null && one.until !== null) expect(all?.until ?? Infinity).toBeGreaterThanOrEqual(one.until);
    }),
    { numRuns: 100 },
  );
});

const noon = [manual('2026-01-05T12:00:00Z', '2026-01-05T12:05:00Z')];
test.each([
  ['before the freeze', noon, '11:00', '11:59', false],
  ['until the freeze begins', noon, '11:00', '12:00', true],
  ['around a short freeze', noon, '11:00', '13:00', true],
  ['in the freeze', noon, '12:01', '12:02', true],
  ['from the end of the freeze', noon, '12:05', '13:00', false],
  ['around a span of a schedule', [schedule('1 12 * * *', '2 12 * * *', 'UTC')], '12:00', '12:10', true],
  ['between two spans of a schedule', [schedule('1 12 * * *', '2 12 * * *', 'UTC')], '12:02', '23:00', false],
  ['without a freeze', [], '00:00', '23:59', false],
])('a time %s has a freeze or not', (_, freezes, from, to, isFrozen) => {
  expect(isFrozenWithin(freezes, at(`2026-01-05T${from}:00Z`), at(`2026-01-05T${to}:00Z`))).toBe(isFrozen);
});
