// Lets one call of a database fail. The call is refused, or it is carried out and its answer is lost.
import type { Database, SystemQueries } from '../../src/platform/database.ts';
import { isOutage } from '../../src/platform/outage.ts';

export type Outage = 'refused' | 'answer lost';

export interface Outages extends AsyncDisposable {
  /** The number of calls since `failAt`. */
  calls(): number;
  /** The n-th call from now on fails. */
  failAt(n: number, how: Outage): void;
}

/** Counts calls of `db` and lets them fail, until it is disposed of. All code that uses this object is affected. */
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
  /** Requests the work. No call fails meanwhile. */
  readonly begin: () => Promise<void>;
  /** Takes turns until no work can be done now. A failure of the database may end a turn early. */
  readonly turn: () => Promise<void>;
  readonly isOver: () => Promise<boolean>;
  /** Checks the result. */
  readonly check: (when: string, how: Outage) => Promise<void>;
}

const maxTurns = 30;
const hows: readonly Outage[] = ['refused', 'answer lost'];

/**
 * Runs the story without failures, and then twice for each of its calls: once the call is refused, once its answer is
 * lost. Expects the same result each time. `only` selects some calls of a long story: the first one, and the distance
 * to the next one.
 */
export async function expectAtEachOutage(
  story: Story,
  only: { readonly from: number; readonly step: number } = { from: 1, step: 1 },
): Promise<void> {
  const calls = await runStory(story, { at: 0, how: 'refused' });
  for (let at = only.from; at <= calls; at += only.step) for (const how of hows) await runStory(story, { at, how });
}

async function runStory(
  { outages, begin, turn, isOver, check }: Story,
  { at, how }: { readonly at: number; readonly how: Outage },
): Promise<number> {
  const when = at === 0 ? 'without failures' : `call ${at} ${how}`;
  await begin();
  outages.failAt(at, how);
  for (let turns = 0; !(await isOver()); turns += 1) {
    if (turns === maxTurns) throw new Error(`The story did not end: ${when}.`);
    await turn().catch((error: unknown) => {
      if (!isOutage(error)) throw error;
    });
  }
  const calls = outages.calls();
  outages.failAt(0, how);
  await check(when, how);
  return calls;
}
