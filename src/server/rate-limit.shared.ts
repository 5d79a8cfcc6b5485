// Shares the rate limit between all processes. Each process takes points from its own bucket, without a statement.
// Twice a second, one statement for all accounts writes the points that this process took, and reads the points that
// other processes took. No library is used, because the stores of `rate-limiter-flexible` need a statement for each
// request.
import type { Database } from '../platform/database.ts';
import type { RateLimiter } from './rate-limit.ts';

const everyMs = 500;
/** After this time without a request, an account is forgotten, because its bucket is full again. */
const forgottenMs = 3 * everyMs;

export interface SharedRateLimit {
  exchange(): Promise<void>;
  stop(): Promise<void>;
}

interface Known {
  readonly spent: number;
  readonly at: number;
}

export function shareRateLimit(
  parts: { readonly db: Database; readonly clock: () => Date; readonly limiter: RateLimiter },
  onError: (error: unknown) => void,
): SharedRateLimit {
  const { db, clock, limiter } = parts;
  const known = new Map<string, Known>();
  let running: Promise<void> | null = null;

  async function exchange(): Promise<void> {
    const now = clock().getTime();
    for (const [account, { at }] of known) if (now - at > forgottenMs) known.delete(account);
    const taken = limiter.collectTaken();
    if (taken.size === 0) return;
    // All processes write the rows in the same order, which prevents deadlocks.
    const totals = await db.system.query<{ account_id: string; spent: number }>(
      `insert into rate_spent as s (account_id, spent)
       select account_id, spent from unnest($1::bigint[], $2::float8[]) as taken (account_id, spent) order by account_id
       on conflict (account_id) do update set spent = s.spent + excluded.spent returning account_id, spent`,
      [[...taken.keys()], [...taken.values()]],
    );
    for (const { account_id: account, spent } of totals) {
      const before = known.get(account)?.spent;
      known.set(account, { spent, at: now });
      if (before !== undefined) limiter.deduct(account, Math.max(0, spent - before - (taken.get(account) ?? 0)));
    }
  }

  const timer = setInterval(() => {
    // While the database is down, each process limits requests by its own bucket only.
    running ??= exchange()
      .catch(onError)
      .finally(() => void (running = null));
  }, everyMs);
  timer.unref();
  return {
    exchange,
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
