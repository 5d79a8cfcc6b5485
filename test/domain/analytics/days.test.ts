import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { decideDays, isTimeZone, type Day } from '../../../src/domain/analytics/days.ts';
import { DomainError } from '../../../src/domain/errors.ts';

const now = new Date('2026-11-21T20:00:00Z');

function instants(days: readonly Day[]): string[][] {
  return days.map(({ date, startsAt, endsAt }) => [date, startsAt.toISOString(), endsAt.toISOString()]);
}

describe('a day', () => {
  it.each([
    ['UTC', '2026-01-31', '2026-01-31T00:00', '2026-02-01T00:00'],
    ['Asia/Kathmandu', '2026-01-31', '2026-01-30T18:15', '2026-01-31T18:15'],
    ['Europe/Berlin: 23 hours', '2026-03-29', '2026-03-28T23:00', '2026-03-29T22:00'],
    ['Europe/Berlin: 25 hours', '2026-10-25', '2026-10-24T22:00', '2026-10-25T23:00'],
    ['Australia/Lord_Howe: half an hour less', '2026-10-04', '2026-10-03T13:30', '2026-10-04T13:00'],
    ['America/Sao_Paulo: begins at 1 o’clock', '2018-11-04', '2018-11-04T03:00', '2018-11-05T02:00'],
    ['America/Sao_Paulo: 23 o’clock twice', '2018-02-17', '2018-02-17T02:00', '2018-02-18T03:00'],
    [
      'America/Havana: midnight twice, the day begins at the first one',
      '2026-11-01',
      '2026-11-01T04:00',
      '2026-11-02T05:00',
    ],
    ['Pacific/Apia: a day that does not exist', '2011-12-30', '2011-12-30T10:00', '2011-12-30T10:00'],
    ['Pacific/Kiritimati', '2026-01-31', '2026-01-30T10:00', '2026-01-31T10:00'],
  ])('%s', (zone, date, startsAt, endsAt) => {
    const days = decideDays({ start: date, end: date }, zone.split(':')[0] ?? '', now);
    expect(instants(days)).toEqual([[date, `${startsAt}:00.000Z`, `${endsAt}:00.000Z`]]);
  });

  const zones = Intl.supportedValuesOf('timeZone');
  const localDate = (zone: string, at: Date): string => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(at);

  it('contains all instants of its date, and days follow each other, in every zone of the last years', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2015, 0, 1) / 86_400_000, max: Date.UTC(2030, 0, 1) / 86_400_000 }),
        fc.integer({ min: 0, max: 40 }),
        (zone, first, more) => {
          const dateOf = (n: number): string => new Date(n * 86_400_000).toISOString().slice(0, 10);
          const days = decideDays({ start: dateOf(first), end: dateOf(first + more) }, zone, now);
          expect(days.map(({ date }) => date)).toEqual(Array.from({ length: more + 1 }, (_, n) => dateOf(first + n)));
          for (const [n, { date, startsAt, endsAt }] of days.entries()) {
            if (n > 0) expect(startsAt).toEqual(days[n - 1]?.endsAt);
            expect(startsAt.getTime() % 900_000).toBe(0);
            if (startsAt.getTime() === endsAt.getTime()) continue;
            expect(localDate(zone, startsAt)).toBe(date);
            expect(localDate(zone, new Date(startsAt.getTime() - 1)) < date).toBe(true);
            expect(localDate(zone, new Date(endsAt.getTime() - 1))).toBe(date);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('the range of days', () => {
  it('ends today in the requested zone and begins 29 days before', () => {
    const dates = (zone: string): (string | undefined)[] => {
      const days = decideDays({}, zone, now);
      expect(days).toHaveLength(30);
      return [days[0]?.date, days.at(-1)?.date];
    };
    expect(dates('UTC')).toEqual(['2026-10-23', '2026-11-21']);
    expect(dates('Asia/Tokyo')).toEqual(['2026-10-24', '2026-11-22']);
    expect(decideDays({ end: '2026-03-05' }, 'UTC', now)[0]?.date).toBe('2026-02-04');
    expect(decideDays({ start: '2026-11-20' }, 'UTC', now)).toHaveLength(2);
  });

  it('has at most 366 days, and does not begin after its end', () => {
    expect(decideDays({ start: '2025-01-01', end: '2026-01-01' }, 'UTC', now)).toHaveLength(366);
    const refusal = (start: string, end?: string): unknown => {
      try {
        return decideDays({ start, end }, 'UTC', now);
      } catch (error) {
        return error instanceof DomainError ? [error.code, error.field] : error;
      }
    };
    expect(refusal('2024-12-31', '2026-01-01')).toEqual(['BAD_INPUT', 'start']);
    expect(refusal('2026-01-02', '2026-01-01')).toEqual(['BAD_INPUT', 'start']);
    expect(refusal('2026-11-22')).toEqual(['BAD_INPUT', 'start']);
  });
});

it('a time zone is known only by its name', () => {
  const known = ['UTC', 'Asia/Kathmandu', 'Etc/GMT+5', 'europe/berlin', 'CET', 'GB', 'PRC', 'EST5EDT', 'US/Pacific'];
  expect(known.filter((name) => !isTimeZone(name))).toEqual([]);
  const unknown = ['', '+02:00', '02:00', 'Middle/Earth', 'local', 'Europe/Berlin ', 'JST', 'pst', 'SystemV/EST5'];
  expect(unknown.filter(isTimeZone)).toEqual([]);
});
