import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  maxUpdatesUnderWay,
  planAutoUpdates,
  type AutoUpdateRules,
  type UpdateCandidate,
} from '../../../src/domain/queue/requests/auto-update.ts';

const minute = 60_000;
const now = 1_000 * minute;
const all: AutoUpdateRules = { enabled: true, label: '', maxRuns: null };

const behind = (number: number, changes: Partial<UpdateCandidate> = {}): UpdateCandidate => ({
  id: String(number),
  number,
  labels: [],
  runs: 0,
  lastUpdatedAt: null,
  isUpToDate: false,
  hasFailed: false,
  checksRunSince: null,
  isAutomatic: false,
  isPlanned: false,
  ...changes,
});

interface Row {
  readonly name: string;
  readonly candidate: Partial<UpdateCandidate>;
  readonly rules?: Partial<AutoUpdateRules>;
  readonly updated: boolean;
  readonly waits?: boolean;
}

const table: readonly Row[] = [
  { name: 'a pull request that is behind', candidate: {}, updated: true },
  { name: 'nobody while it is off', candidate: {}, rules: { enabled: false }, updated: false },
  { name: 'not a pull request that is up to date', candidate: { isUpToDate: true }, updated: false },
  { name: 'not a head that could not be brought up to date', candidate: { hasFailed: true }, updated: false },
  { name: 'not one whose sync is open', candidate: { isPlanned: true }, updated: false },
  { name: 'not one without the label', candidate: { labels: ['other'] }, rules: { label: 'fresh' }, updated: false },
  { name: 'one with the label', candidate: { labels: ['a', 'fresh'] }, rules: { label: 'fresh' }, updated: true },
  { name: 'one with runs left', candidate: { runs: 2 }, rules: { maxRuns: 3 }, updated: true },
  { name: 'not one whose runs are used up', candidate: { runs: 3 }, rules: { maxRuns: 3 }, updated: false },
  { name: 'nobody with a limit of none', candidate: {}, rules: { maxRuns: 0 }, updated: false },
  { name: 'later one whose checks run', candidate: { checksRunSince: now - minute }, updated: false, waits: true },
  { name: 'one whose checks do not end', candidate: { checksRunSince: now - 30 * minute }, updated: true },
];

describe('an auto-update takes', () => {
  it.each(table)('$name', ({ candidate, rules, updated, waits }) => {
    const plan = planAutoUpdates({ ...all, ...rules }, [behind(1, candidate)], now);
    expect([plan.update, plan.waits]).toEqual([updated ? ['1'] : [], waits ?? false]);
    if (waits) expect(plan.planAgainAt).toBe(now + 29 * minute);
  });

  it('the pull request that waited longest, and first the oldest one that was never updated', () => {
    const candidates = [
      behind(1, { lastUpdatedAt: now - minute }),
      behind(2, { lastUpdatedAt: now - 3 * minute }),
      behind(3, { lastUpdatedAt: now - 2 * minute }),
      ...[9, 8, 7].map((number) => behind(number)),
    ];
    expect(planAutoUpdates(all, candidates, now).update).toEqual(['7', '8', '9', '2', '3']);
  });
});

describe('room for another update', () => {
  const others = (changes: Partial<UpdateCandidate>): UpdateCandidate[] =>
    Array.from({ length: maxUpdatesUnderWay }, (_, index) => behind(index + 2, { isUpToDate: true, ...changes }));
  const ends = now - minute;
  it.each<[string, Partial<UpdateCandidate>, readonly string[]]>([
    ['is left by updates whose checks have ended', { isAutomatic: true }, ['1']],
    ['is left by heads of people whose checks run', { checksRunSince: ends }, ['1']],
    ['is not left by updates whose checks run', { isAutomatic: true, checksRunSince: ends }, []],
    ['is not left by updates that are planned', { isPlanned: true }, []],
  ])('%s', (_name, changes, update) => {
    expect(planAutoUpdates(all, [behind(1), ...others(changes)], now).update).toEqual(update);
  });

  it('is looked for again when the first checks of those that run count as ended', () => {
    const running = [2, 3, 4, 5, 6].map((number) =>
      behind(number, { isUpToDate: true, isAutomatic: true, checksRunSince: now - number * minute }),
    );
    expect(planAutoUpdates(all, [behind(1), ...running], now)).toEqual({
      update: [],
      waits: true,
      planAgainAt: now + 24 * minute,
    });
    expect(planAutoUpdates(all, running, now)).toEqual({ update: [], waits: false, planAgainAt: null });
  });

  it('is not looked for by the clock if no checks run', () => {
    const waiting = [1, 2, 3, 4, 5, 6].map((number) => behind(number));
    expect(planAutoUpdates(all, waiting, now)).toEqual({
      update: ['1', '2', '3', '4', '5'],
      waits: true,
      planAgainAt: null,
    });
  });
});

const candidates = fc.uniqueArray(
  fc.record({
    number: fc.integer({ min: 1, max: 40 }),
    lastUpdatedAt: fc.option(fc.integer({ min: 0, max: now })),
    isUpToDate: fc.boolean(),
    hasFailed: fc.boolean(),
    checksRunSince: fc.option(fc.integer({ min: now - 60 * minute, max: now })),
    isAutomatic: fc.boolean(),
    isPlanned: fc.boolean(),
  }),
  { selector: ({ number }) => number },
);

describe('for all pull requests', () => {
  it('no more updates run than are allowed', () => {
    fc.assert(
      fc.property(candidates, (given) => {
        const rows = given.map((each) => behind(each.number, each));
        const plan = planAutoUpdates(all, rows, now);
        const running = (each: UpdateCandidate) =>
          each.checksRunSince !== null && now - each.checksRunSince < 30 * minute;
        const before = rows.filter((each) => each.isPlanned || (each.isAutomatic && running(each))).length;
        expect(plan.update.length).toBeLessThanOrEqual(Math.max(0, maxUpdatesUnderWay - before));
      }),
    );
  });

  it('each is updated in its turn, however often the base moves', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), (count) => {
        let rows = Array.from({ length: count }, (_, index) => behind(index + 1));
        const updated = new Set<string>();
        for (let turn = 1; turn <= Math.ceil(count / maxUpdatesUnderWay); turn += 1) {
          const { update } = planAutoUpdates(all, rows, now + turn);
          for (const id of update) updated.add(id);
          // The base moves before the next turn, so all pull requests are behind again.
          rows = rows.map((row) => (update.includes(row.id) ? { ...row, lastUpdatedAt: now + turn } : row));
        }
        expect(updated.size).toBe(count);
      }),
    );
  });
});
