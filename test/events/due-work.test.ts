// One statement a second asks for all kinds of due work. The condition of a kind must hold if its work would do
// something. On an idle installation it must not hold, because the work would then cost a statement each second.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookForDueWork, type DueWork } from '../../src/platform/due-work.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
});
afterAll(async () => await s.close());

function looking(...works: readonly DueWork[]) {
  const errors: unknown[] = [];
  const loop = lookForDueWork(works, {
    db: s.ports.db,
    clock: s.ports.clock,
    everyMs: 10,
    onError: (error) => errors.push(error),
  });
  loop.start();
  return { errors, stop: async () => await loop.stop() };
}

it('work is done if its condition holds now, and other work is not done', async () => {
  const done: string[] = [];
  const work = (name: string, isDue: string): DueWork => ({ isDue, act: async () => done.push(name) });
  const { stop, errors } = looking(
    work('past', "$1 > timestamptz '2000-01-01'"),
    work('future', "$1 > timestamptz '3000-01-01'"),
    work('unknown', 'null'),
    work('a row', 'exists (select from account)'),
    work('no row', 'exists (select from account where id < 0)'),
  );
  await expect.poll(() => new Set(done).size).toBe(2);
  await stop();
  expect([new Set(done), errors]).toEqual([new Set(['past', 'a row']), []]);
});

it('running work is not started again, and slow or failing work delays no other work', async () => {
  const release = Promise.withResolvers<void>();
  const counts = { slow: 0, failed: 0, quick: 0 };
  const { stop, errors } = looking(
    {
      isDue: 'true',
      async act() {
        counts.slow += 1;
        await release.promise;
      },
    },
    {
      isDue: 'true',
      async act() {
        counts.failed += 1;
        await Promise.reject(new Error('failed'));
      },
    },
    { isDue: 'true', act: async () => void (counts.quick += 1) },
  );
  await expect.poll(() => Math.min(counts.failed, counts.quick)).toBeGreaterThan(2);
  expect(counts.slow).toBe(1);
  let isStopped = false;
  const stopping = stop().then(() => void (isStopped = true));
  await delay(50);
  expect(isStopped).toBe(false);
  release.resolve();
  await stopping;
  expect(String(errors[0])).toBe('Error: failed');
});
