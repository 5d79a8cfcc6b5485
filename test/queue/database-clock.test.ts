// Processes on machines whose clocks differ go by the clock of the database.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDatabaseClock } from '../../src/platform/database-clock.ts';
import { world } from '../support/world.ts';

const fiveMinutes = 300_000;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the clock of the database', () => {
  const machine = { own: 1_000_000, database: 1_000_000 };
  const said: string[] = [];
  const clock = createDatabaseClock({
    read: async () => machine.database,
    machine: () => machine.own,
    steady: () => machine.own,
    warn: (sentence) => void said.push(sentence),
  });

  it.each([
    { own: 1_000_000, database: 1_000_000, now: 1_000_000, says: [] },
    { own: 1_000_900, database: 1_000_000, now: 1_000_000, says: [] },
    {
      own: 1_000_000 + fiveMinutes,
      database: 1_000_000,
      now: 1_000_000,
      says: [
        'The clock of this machine is 300 s ahead of the clock of the database. Interlock goes by the clock of the database.',
      ],
    },
    { own: 1_000_100 + fiveMinutes, database: 1_000_000, now: 1_000_000, says: [] },
    {
      own: 1_000_000 - fiveMinutes,
      database: 1_000_000,
      now: 1_000_000,
      says: [
        'The clock of this machine is 300 s behind the clock of the database. Interlock goes by the clock of the database.',
      ],
    },
    {
      own: 1_000_000,
      database: 1_000_000,
      now: 1_000_000,
      says: ['The clock of this machine agrees with the clock of the database again.'],
    },
  ])('is $now when the machine shows $own', async ({ own, database, now, says }) => {
    Object.assign(machine, { own, database });
    said.length = 0;
    await clock.compare();
    expect(clock.now().getTime()).toBe(now);
    expect(said).toEqual(says);
    machine.own += 70;
    expect(clock.now().getTime()).toBe(now + 70);
  });

  it('does not jump by the time that the answer of the database takes', async () => {
    const own = [1_000, 1_400, 5_000];
    const slow = createDatabaseClock({ read: async () => 1_050, steady: () => own.shift() ?? 0, warn: () => {} });
    await slow.compare();
    expect(slow.now().getTime()).toBe(5_000);
  });

  it('says nothing about the clock of a machine that has slept', async () => {
    const times = { steady: 500, machine: 1_000_000 };
    const said: string[] = [];
    const clock = createDatabaseClock({
      read: async () => times.machine,
      steady: () => times.steady,
      machine: () => times.machine,
      warn: (sentence) => void said.push(sentence),
    });
    await clock.compare();
    times.machine += fiveMinutes;
    await clock.compare();
    expect(clock.now().getTime()).toBe(1_000_000 + fiveMinutes);
    expect(said).toEqual([]);
  });

  it('does not jump when somebody sets the clock of the machine', async () => {
    const before = Date.now();
    const clock = createDatabaseClock({ read: async () => before, warn: () => {} });
    await clock.compare();
    vi.useFakeTimers({ toFake: ['Date'], now: before + fiveMinutes });
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(before);
    expect(clock.now().getTime()).toBeLessThan(before + 120_000);
  });
});

describe('a service on a machine whose clock is five minutes ahead', () => {
  it('queues a pull request at the time of the database', async () => {
    const startedAt = performance.timeOrigin;
    vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(startedAt + fiveMinutes);
    await using w = await world({ runsCi: false });
    const number = await w.open('feature', { 'feature.txt': 'x\n' });
    await w.queue(number);
    const [row] = await w.rows<{ aheadSec: number }>(
      'select extract(epoch from queued_at - now())::float8 as "aheadSec" from pull_request where number = $1',
      [number],
    );
    expect(Math.abs(row?.aheadSec ?? Infinity)).toBeLessThan(120);
  });
});
