// A database that is away for one call and well again: the call is refused, or it is carried out and its answer is
// lost.
import type { Database, SystemQueries } from '../../src/platform/database.ts';
import { isOutage } from '../../src/platform/outage.ts';

export type Outage = 'refused' | 'answer lost';

export interface Outages extends AsyncDisposable {
  /** Calls since `failAt`. */
  calls(): number;
  /** The n-th call from now on fails. */
  failAt(n: number, how: Outage): void;
}

/** Outages of everything that uses this very `db`, until it is disposed of. */
export function outagesOf(db: Database): Outages {
  const own = { ...db };
  const system = { ...db.system };
  let calls = 0;
  let failing: { readonly at: number; readonly how: Outage } | null = null;
  async function pass<T>(call: () => Promise<T>): Promise<T> {
    calls += 1;
    const how = calls === failing?.at ? failing.how : null;
    if (how !== 'refused') {
      const answer = await call();
      if (how === null) return answer;
    }
    throw new Error('Connection terminated unexpectedly');
  }
  Object.assign(db, {
    transaction: async (...args: Parameters<Database['transaction']>) =>
      await pass(async () => await own.transaction(...args)),
    read: async (...args: Parameters<Database['read']>) => await pass(async () => await own.read(...args)),
  });
  Object.assign(db.system, {
    query: async (...args: Parameters<SystemQueries['query']>) => await pass(async () => await system.query(...args)),
    transaction: async (...args: Parameters<SystemQueries['transaction']>) =>
      await pass(async () => await system.transaction(...args)),
  });
  return {
    calls: () => calls,
    failAt(at, how) {
      calls = 0;
      failing = { at, how };
    },
    async [Symbol.asyncDispose]() {
      Object.assign(db.system, system);
      Object.assign(db, own);
    },
  };
}

export interface Story {
  readonly outages: Outages;
  /** Asks for the work; none of it fails. */
  readonly begin: () => Promise<void>;
  /** Turns until nothing is left to do now. A failure of the database may break one off. */
  readonly turn: () => Promise<void>;
  readonly isOver: () => Promise<boolean>;
  /** What it came to, besides that it is over. */
  readonly check: (when: string, how: Outage) => Promise<void>;
}

const mostTurns = 30;
const hows: readonly Outage[] = ['refused', 'answer lost'];

/**
 * Expects the same end of the story, played once in peace, and then twice for each call it took: refused, and with its
 * answer lost. Stories that take long name `only` some of the calls: the first, and how many to the next.
 */
export async function expectAtEachOutage(
  story: Story,
  only: { readonly from: number; readonly step: number } = { from: 1, step: 1 },
): Promise<void> {
  const calls = await tell(story, { at: 0, how: 'refused' });
  for (let at = only.from; at <= calls; at += only.step) for (const how of hows) await tell(story, { at, how });
}

async function tell(
  { outages, begin, turn, isOver, check }: Story,
  { at, how }: { readonly at: number; readonly how: Outage },
): Promise<number> {
  const when = at === 0 ? 'in peace' : `call ${at} ${how}`;
  await begin();
  outages.failAt(at, how);
  for (let turns = 0; !(await isOver()); turns += 1) {
    if (turns === mostTurns) throw new Error(`It does not come to its end: ${when}.`);
    await turn().catch((error: unknown) => {
      if (!isOutage(error)) throw error;
    });
  }
  const calls = outages.calls();
  outages.failAt(0, how);
  await check(when, how);
  return calls;
}
