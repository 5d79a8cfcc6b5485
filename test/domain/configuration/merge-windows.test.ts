import { fc } from '../../support/properties.ts';
import { describe, expect, it, test } from 'vitest';
import { landingsFrom, landingWindow } from '../../../src/domain/configuration/index.ts';
import { rules } from './support.ts';

const minute = 60_000;
const at = (text: string) => Date.parse(text);
const windows = (...entries: readonly string[]) => rules(`  merge_windows: [${entries.join(', ')}]\n`);
const window = (start: string, end: string, more = 'timezone: Europe/Berlin') =>
  `{cron_start: "${start}", cron_end: "${end}", ${more}}`;
const officeHours = window('0 9 * * 1-5', '0 17 * * 1-5');

describe('landings', () => {
  // 2026-01-05 is a Monday; Berlin is an hour ahead of UTC in winter, two in summer.
  const cases: readonly (readonly [name: string, configuration: string[], now: string, opensAt: string | null])[] = [
    ['may happen at any time without a window', [], '2026-01-05T03:00:00Z', null],
    ['may happen from the start of a window', [officeHours], '2026-01-05T08:00:00Z', null],
    ['wait for the start of a window', [officeHours], '2026-01-05T07:59:59.999Z', '2026-01-05T08:00:00Z'],
    ['may happen until the end of a window', [officeHours], '2026-01-05T15:59:59.999Z', null],
    ['may not happen at the end of a window', [officeHours], '2026-01-05T16:00:00Z', '2026-01-06T08:00:00Z'],
    ['wait over the weekend', [officeHours], '2026-01-09T16:00:00Z', '2026-01-12T08:00:00Z'],
    ['follow the local time in summer', [officeHours], '2026-07-06T06:59:00Z', '2026-07-06T07:00:00Z'],
    [
      'wait for the first of several windows',
      [officeHours, window('0 20 * * *', '0 21 * * *')],
      '2026-01-05T17:00:00Z',
      '2026-01-05T19:00:00Z',
    ],
    [
      'may happen in two overlapping windows',
      [officeHours, window('0 12 * * *', '0 20 * * *')],
      '2026-01-05T18:00:00Z',
      null,
    ],
    [
      'may happen all week in a window longer than its period',
      [window('0 9 * * *', '0 17 * * 5')],
      '2026-01-07T02:00:00Z',
      null,
    ],
    [
      'may not happen between two windows that last a week',
      [window('0 9 * * *', '0 17 * * 5')],
      '2026-01-09T16:30:00Z',
      '2026-01-10T08:00:00Z',
    ],
    [
      'may happen if one window closes when the next one opens',
      [window('0 9 * * *', '0 9 * * 1')],
      '2026-01-05T08:00:00Z',
      null,
    ],
    [
      'may happen in a window whose start the change of clocks skips',
      [window('30 2 * * *', '0 5 * * *')],
      '2026-03-29T01:10:00Z',
      null,
    ],
    [
      'may not happen in a window that the change of clocks skips completely',
      [window('15 2 * * *', '45 2 * * *')],
      '2026-03-29T01:10:00Z',
      '2026-03-30T00:15:00Z',
    ],
    [
      'may happen in a window in the night with a repeated hour',
      [window('30 2 * * *', '0 4 * * *')],
      '2026-10-25T01:45:00Z',
      null,
    ],
    [
      'are not delayed by a window for other branches',
      [window('0 9 * * 1-5', '0 17 * * 1-5', 'timezone: UTC, base_branches: [release, "/v\\\\d+/"]')],
      '2026-01-05T03:00:00Z',
      null,
    ],
    [
      'are delayed by a window for their branch',
      [window('0 9 * * 1-5', '0 17 * * 1-5', 'timezone: UTC, base_branches: [release, "/ma.n/"]')],
      '2026-01-05T03:00:00Z',
      '2026-01-05T09:00:00Z',
    ],
  ];
  test.each(cases)('%s', (_name, entries, now, opensAt) =>
    expect(landingsFrom(windows(...entries), 'main', at(now))).toBe(opensAt === null ? null : at(opensAt)),
  );
});

describe('the next change of a merge window is', () => {
  it.each([
    ['never, if there is no window', [], '2026-01-05T03:00:00Z', { isOpen: true, changesAt: null }],
    [
      'at the end of the window',
      [officeHours],
      '2026-01-05T10:00:00Z',
      { isOpen: true, changesAt: at('2026-01-05T16:00:00Z') },
    ],
    [
      'at the end of the last window, if windows follow each other',
      [officeHours, window('0 16 * * 1', '0 18 * * 1')],
      '2026-01-05T10:00:00Z',
      { isOpen: true, changesAt: at('2026-01-05T17:00:00Z') },
    ],
    [
      'never, if one window opens when the last one closes',
      [window('0 9 * * *', '0 9 * * *')],
      '2026-01-05T10:00:00Z',
      { isOpen: true, changesAt: null },
    ],
  ] as const)('%s', (_name, entries, now, expected) =>
    expect(landingWindow(windows(...entries), 'main', at(now))).toEqual(expected),
  );
});

// Compares with a walk through all minutes of local time, which does not use cron.
test('every minute of three months agrees with the local time', () => {
  const hour = fc.nat(23);
  const zones = fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Asia/Tokyo');
  fc.assert(
    fc.property(hour, hour, zones, fc.nat(90 * 24 * 60), (from, to, timezone, minutes) => {
      fc.pre(from !== to);
      const now = at('2026-01-01T00:00:00Z') + minutes * minute;
      const configuration = windows(window(`0 ${from} * * *`, `0 ${to} * * *`, `timezone: ${timezone}`));
      const onTheWall = Number(
        new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit', hourCycle: 'h23' }).format(now),
      );
      const isOpen = from < to ? onTheWall >= from && onTheWall < to : onTheWall >= from || onTheWall < to;
      expect(landingWindow(configuration, 'main', now).isOpen).toBe(isOpen);
    }),
    { numRuns: 300 },
  );
});

test('nothing changes before the announced instant, and something changes then, in all zones and at every change of clocks', () => {
  const zones = fc.constantFrom('Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York', 'Africa/Casablanca');
  const instant = fc
    .integer({ min: 0, max: 365 * 24 * 60 })
    .map((minutes) => at('2026-01-01T00:00:00Z') + minutes * minute);
  const field = fc.constantFrom(
    '0 2 * * *',
    '30 2 * * *',
    '0 3 * * *',
    '15 * * * *',
    '0 9 * * 1-5',
    '0 0 1 * *',
    '59 23 * * 0',
  );
  fc.assert(
    fc.property(
      field,
      field,
      zones,
      instant,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (start, end, timezone, now, part) => {
        const configuration = windows(window(start, end, `timezone: ${timezone}`));
        const { isOpen, changesAt } = landingWindow(configuration, 'main', now);
        if (changesAt === null) return;
        expect(changesAt).toBeGreaterThan(now);
        expect(landingWindow(configuration, 'main', now + Math.floor((changesAt - now) * part)).isOpen).toBe(isOpen);
        expect(landingWindow(configuration, 'main', changesAt - 1).isOpen).toBe(isOpen);
        if (isOpen) expect(landingWindow(configuration, 'main', changesAt).isOpen).toBe(false);
      },
    ),
    { numRuns: 400 },
  );
});
