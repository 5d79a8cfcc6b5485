// The database is unavailable for one call, at every fifth call. Every pull request lands once.
import pg from 'pg';
import { expect, it } from 'vitest';
import { createCiRunner, createLocalHost } from '../../src/hosts/local/index.ts';
import { entities } from '../../src/modules/entities.ts';
import { connectDatabase } from '../../src/platform/database.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { reconcileAll } from '../../src/reconciler.ts';
import { expectOneLandingEach } from '../support/landings.ts';
import { expectAtEachOutage, outagesOf } from '../support/outages.ts';
import { parallel, world, type World } from '../support/world.ts';

interface Checks extends AsyncDisposable {
  /** Resolves when no check is queued or runs. */
  settled(): Promise<void>;
}

async function checksOf({ databaseUrl, dataDir, service }: World): Promise<Checks> {
  const db = await connectDatabase({ url: databaseUrl, entities });
  const { publicUrl, clock } = service.ports;
  const host = createLocalHost({ dataDir, db, emit: () => {}, publicUrl, clock });
  const { sandbox } = await findSandbox({ allowPlain: true, kinds: ['plain'] });
  if (sandbox === null) throw new Error('There is no sandbox.');
  const fail = (error: unknown): void => {
    throw error;
  };
  const runner = createCiRunner({ host, sandbox, concurrency: 2, pollMs: 20, onError: fail });
  runner.start();
  return {
    settled: async () =>
      await expect
        .poll(async () => await db.system.query("select name from local_check_run where state <> 'completed'"), {
          timeout: 60_000,
        })
        .toEqual([]),
    async [Symbol.asyncDispose]() {
      await runner.stop();
      await host.stop();
      await db.close();
    },
  };
}

it('each pull request lands once, although a call of the database fails', { timeout: 300_000 }, async () => {
  let aheadMs = 0;
  const clock = (): Date => new Date(Date.now() + aheadMs);
  await using w = await world({ configuration: parallel(), runsCi: false, clock });
  // The checks use a connection of their own, whose calls are not counted. ci.outage.test.ts tests outages of checks.
  await using ci = await checksOf(w);
  const client = new pg.Client({ connectionString: w.databaseUrl });
  await client.connect();
  try {
    await using outages = outagesOf(w.service.ports.db);
    const [queue] = await w.rows<{ id: string }>('select id::text as id from queue');
    const numbers: number[] = [];
    const count = async (text: string): Promise<number> => (await client.query(text)).rowCount ?? 0;
    await expectAtEachOutage(
      {
        outages,
        async begin() {
          const number = await w.open(`change-${numbers.length}`, { [`${numbers.length}.txt`]: 'new\n' });
          numbers.push(number);
          await w.queue(number);
        },
        async turn() {
          // Reports of the host are only in memory until they are written.
          await w.service.drain();
          await ci.settled();
          aheadMs += 31_000;
          // The reconciler finds what the host has reported, because an event may be lost.
          await reconcileAll(w.service.ports);
          // The relay would wake a queue with open work.
          await w.loop.wake({ accountId: w.ctx.accountId, queueId: queue?.id ?? '' });
          await w.loop.run(w.ctx);
        },
        isOver: async () =>
          (await count("select 1 from pull_request where status not in ('merged', 'blocked')")) +
            (await count('select 1 from batch where cleaned_up_at is null')) +
            (await count("select 1 from intent where state in ('planned', 'started')")) ===
          0,
        async check(when) {
          expect((await w.rows("select 1 from pull_request where status = 'blocked'")).length, when).toBe(0);
          expect((await w.rows('select halted_reason from queue'))[0], when).toEqual({ halted_reason: null });
        },
      },
      { from: 1, step: 5 },
    );
    await expectOneLandingEach(w, numbers);
  } finally {
    await client.end();
  }
});
