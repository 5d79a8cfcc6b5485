import { fc } from '../../support/properties.ts';
import { expect, test } from 'vitest';
import { landingsFrom } from '../../../src/domain/configuration/index.ts';
import { decideLandingsFrom, decideNextLook } from '../../../src/domain/queue/landing/landing-time.ts';
import { findFreezeInForce, type Freeze } from '../../../src/domain/releases/freeze.ts';
import { rules } from '../configuration/support.ts';

const at = (text: string) => Date.parse(text);
const always = rules('');
const officeHours = rules('  merge_windows: [{cron_start: "0 9 * * 1-5", cron_end: "0 17 * * 1-5", timezone: UTC}]\n');

const freeze = (span: Freeze['span']): Freeze => ({
  id: '1',
  source: 'manual',
  reason: null,
  createdBy: 'ada@example.com',
  span,
  createdAt: at('2026-01-01T00:00:00Z'),
});
const until = (from: string, to: string | null) => freeze({ startsAt: at(from), endsAt: to === null ? null : at(to) });
const nights = freeze({ cronStart: '0 17 * * *', cronEnd: '0 9 * * *', timezone: 'UTC' });
const afternoons = freeze({ cronStart: '0 9 * * *', cronEnd: '0 17 * * *', timezone: 'UTC' });

// 2026-01-05 is a Monday.
test.each([
  ['at once, without a freeze', always, [], '2026-01-05T10:00:00Z', null],
  [
    'when the freeze ends',
    always,
    [until('2026-01-05T00:00:00Z', '2026-01-06T12:00:00Z')],
    '2026-01-05T10:00:00Z',
    '2026-01-06T12:00:00Z',
  ],
  [
    'at once, at the end of the freeze',
    always,
    [until('2026-01-05T00:00:00Z', '2026-01-05T10:00:00Z')],
    '2026-01-05T10:00:00Z',
    null,
  ],
  ['never, if the freeze has no end', always, [until('2026-01-05T00:00:00Z', null)], '2026-01-05T10:00:00Z', 'never'],
  [
    'never, if the freeze has no end, although merge windows open',
    officeHours,
    [until('2026-01-05T00:00:00Z', null)],
    '2026-01-05T10:00:00Z',
    'never',
  ],
  [
    'when the merge window after the freeze opens',
    officeHours,
    [until('2026-01-05T00:00:00Z', '2026-01-09T18:00:00Z')],
    '2026-01-05T10:00:00Z',
    '2026-01-12T09:00:00Z',
  ],
  [
    'in the merge window in which the freeze ends',
    officeHours,
    [until('2026-01-05T00:00:00Z', '2026-01-06T12:00:00Z')],
    '2026-01-05T10:00:00Z',
    '2026-01-06T12:00:00Z',
  ],
  [
    'after the freeze that begins before the window opens',
    officeHours,
    [until('2026-01-06T08:00:00Z', '2026-01-06T11:00:00Z')],
    '2026-01-05T20:00:00Z',
    '2026-01-06T11:00:00Z',
  ],
  [
    'in the window that opens when the freeze ends',
    officeHours,
    [nights],
    '2026-01-05T20:00:00Z',
    '2026-01-06T09:00:00Z',
  ],
  [
    'when the last of many freezes that follow one another ends',
    always,
    [
      freeze({ cronStart: '0 0 * 12 *', cronEnd: '0 12 * * *', timezone: 'UTC' }),
      freeze({ cronStart: '0 12 * 12 *', cronEnd: '0 0 * * *', timezone: 'UTC' }),
    ],
    '2026-12-01T10:00:00Z',
    '2027-01-01T00:00:00Z',
  ],
  ['never, if freezes follow one another for ever', always, [nights, afternoons], '2026-01-05T10:00:00Z', 'never'],
  ['never, if freezes cover all windows', officeHours, [afternoons], '2026-01-05T20:00:00Z', 'never'],
] as const)('a pull request may land %s', (_name, configuration, freezes, now, expected) => {
  const from = decideLandingsFrom({ configuration, baseBranch: 'main', freezes }, at(now));
  expect(from).toBe(expected === null ? null : expected === 'never' ? Infinity : at(expected));
});

test.each([
  ['when landings are allowed again', [nights], '2026-01-05T20:00:00Z', '2026-01-06T09:00:00Z'],
  ['never, if the freeze has no end', [until('2026-01-05T00:00:00Z', null)], '2026-01-05T10:00:00Z', 'never'],
  [
    'at the end of the freezes that it knows, if they follow one another for ever',
    [nights, afternoons],
    '2026-01-05T10:00:00Z',
    '2026-01-30T09:00:00Z',
  ],
  ['not, if landings are allowed now', [nights], '2026-01-05T10:00:00Z', null],
] as const)('a turn looks again %s', (_name, freezes, now, expected) => {
  const from = decideNextLook({ configuration: always, baseBranch: 'main', freezes }, at(now));
  expect(from).toBe(expected === null ? null : expected === 'never' ? Infinity : at(expected));
});

test('a pull request may land at the announced instant, and not before', () => {
  const instants = fc
    .integer({ min: 0, max: 60 * 24 * 60 })
    .map((minutes) => at('2026-03-01T00:00:00Z') + minutes * 60_000);
  const freezes = fc.array(
    fc.oneof(
      fc.constantFrom(nights, freeze({ cronStart: '0 12 * * *', cronEnd: '30 12 * * *', timezone: 'Europe/Berlin' })),
      fc
        .tuple(instants, fc.integer({ min: 1, max: 5000 }))
        .map(([from, minutes]) => freeze({ startsAt: from, endsAt: from + minutes * 60_000 })),
    ),
    { maxLength: 3 },
  );
  const part = fc.double({ min: 0, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(fc.constantFrom(always, officeHours), freezes, instants, part, (configuration, held, now, share) => {
      const isAllowed = (instant: number) =>
        findFreezeInForce(held, instant) === null && landingsFrom(configuration, 'main', instant) === null;
      const from = decideLandingsFrom({ configuration, baseBranch: 'main', freezes: held }, now);
      expect(from === null).toBe(isAllowed(now));
      if (from === null || from === Infinity) return;
      expect(isAllowed(from)).toBe(true);
      expect(isAllowed(now + Math.floor((from - now) * share))).toBe(false);
    }),
    { numRuns: 100 },
  );
});
