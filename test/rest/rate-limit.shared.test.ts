// All processes together apply one limit to an account (interface 8).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entities } from '../../src/modules/entities.ts';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import { shareRateLimit, type SharedRateLimit } from '../../src/server/rate-limit.shared.ts';
import { createRateLimiter, RateLimited, type RateLimiter } from '../../src/server/rate-limit.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let db: Database;
let account: string;
let now = Date.UTC(2026, 0, 1);
const clock = (): Date => new Date(now);

beforeAll(async () => {
  database = await createTestDatabase();
  db = await connectDatabase({ url: database.url, entities });
  const [row] = await db.system.query<{ id: string }>("insert into account (name) values ('flood') returning id");
  account = row?.id ?? '';
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

interface Server {
  readonly limiter: RateLimiter;
  readonly sharing: SharedRateLimit;
}

function server(): Server {
  const limiter = createRateLimiter(clock);
  const sharing = shareRateLimit({ db, clock, limiter }, (error) => {
    throw error;
  });
  return { limiter, sharing };
}

/** Sends requests until the limiter refuses, at most `most`. Returns how many were allowed. */
function flood({ limiter }: Server, most = Infinity): number {
  for (let count = 0; count < most; count += 1) {
    try {
      limiter.take(account, 1);
    } catch (error) {
      expect(error).toBeInstanceOf(RateLimited);
      return count;
    }
  }
  return most;
}

it('a flood on three servers gets as much as one server would allow, and at most a second more on each', async () => {
  const servers = [server(), server(), server()];
  let count = 0;
  const seconds = 30;
  for (let tick = 0; tick < seconds * 10; tick += 1) {
    for (const each of servers) count += flood(each);
    now += 100;
    if (tick % 5 === 4) for (const { sharing } of servers) await sharing.exchange();
  }
  expect(count).toBeLessThan(100 * seconds + 3 * (200 + 100));
  expect(count).toBeGreaterThan(100 * seconds - 200);
  // A debt ends after two seconds, plus the time in which the bucket fills again.
  now += 4_000;
  expect(flood(servers[0] as Server)).toBe(200);
  for (const { sharing } of servers) await sharing.stop();
});

it('a client far below the limit on each server is never refused, and an idle server owes nothing for the past', async () => {
  const [busy, idle] = [server(), server()];
  for (let tick = 0; tick < 100; tick += 1) {
    now += 100;
    expect(flood(busy, 4)).toBe(4);
    if (tick > 50) expect(flood(idle, 4)).toBe(4);
    if (tick % 5 === 4) for (const { sharing } of [busy, idle]) await sharing.exchange();
  }
  for (const { sharing } of [busy, idle]) await sharing.stop();
});
