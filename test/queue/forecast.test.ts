// The ETA of a pull request is estimated while builds run, and later compared with the time of the merge.
import { expect, it } from 'vitest';
import { readDailyEtaAccuracy } from '../../src/modules/analytics/eta-accuracy.reads.ts';
import { forecasts } from '../../src/modules/queue/api/forecast.reads.ts';
import { parallel, world, type World } from '../support/world.ts';

const slowCi = "checks:\n  test:\n    run: 'sleep 1; test ! -e bad'\n";

async function foreseen(w: World) {
  const [queue] = await w.rows<{ id: string }>('select id::text from queue');
  const answer = await forecasts({ ...w.ctx, temporal: { health: () => null } }).load(queue?.id ?? '');
  if (answer === null) throw new Error('Nothing was foreseen.');
  return { ...answer, estimates: answer.line.map(({ id, number }) => ({ number, eta: answer.etas.get(id) })) };
}

const dayMs = 86_400_000;

/** Reads the accuracy of yesterday and today together, because the test may have begun before midnight. */
async function accuracy(w: World, baseBranch: string | null = null) {
  const startsAt = new Date(Date.now() - dayMs);
  const days = await readDailyEtaAccuracy(w.ctx, {
    repositoryId: w.repositoryId,
    days: [{ date: '2026-01-01', startsAt, endsAt: new Date(startsAt.getTime() + 2 * dayMs) }],
    baseBranch,
  });
  return days.map(({ estimated, byP50, byP90 }) => [estimated, byP50, byP90]);
}

it('an ETA follows from the durations of earlier builds, and pull requests land in the order of their ETAs', async () => {
  await using w = await world({
    configuration: `${parallel({ builds: 2 })}preconditions:\n  use_github_mergeability: false\n`,
    ci: slowCi,
  });
  const open = async (...names: string[]): Promise<number[]> => {
    const numbers: number[] = [];
    for (const name of names) numbers.push(await w.open(name, { [`${name}.txt`]: `${name}\n` }));
    return numbers;
  };
  const first = await open('a', 'b');
  await w.queue(...first);
  expect((await foreseen(w)).estimates.map(({ eta }) => eta)).toEqual(['no_build_history', 'no_build_history']);
  await w.settled(...first);

  const next = await open('c', 'd', 'e');
  await w.queue(...next);
  const { estimates, now, runs } = await foreseen(w);
  expect(runs).toBeGreaterThanOrEqual(9);
  expect(estimates.map(({ number }) => number)).toEqual(next);
  await w.settled(...next);
  const came: { readonly foreseen: number; readonly at: number }[] = [];
  for (const { number, eta } of estimates) {
    if (typeof eta !== 'object') throw new Error(`There is no estimate for #${number}: ${eta}`);
    const [row] = await w.rows<{ at: number }>(
      'select extract(epoch from merged_at)::float8 * 1000 as at from pull_request where number = $1',
      [number],
    );
    expect(eta.p50).toBeGreaterThan(now + 1_000);
    expect(eta.p90).toBeGreaterThanOrEqual(eta.p50);
    came.push({ foreseen: eta.p50, at: row?.at ?? 0 });
  }
  // Simulations measure how precise estimates are. Here a machine may suddenly be busy, so the test compares the order.
  const inOrder = came.toSorted((one, other) => one.foreseen - other.foreseen).map(({ at }) => at);
  expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
  // The third pull request waits until one of the two builds has ended.
  const [, second, third] = estimates.map(({ eta }) => (typeof eta === 'object' ? eta.p50 : 0));
  expect(third).toBeGreaterThan(second ?? Infinity);
  expect((await foreseen(w)).estimates).toEqual([]);
  // The first two pull requests had no estimate.
  const [judged] = await accuracy(w, 'main');
  expect(judged?.[0]).toBe(3);
  expect(await accuracy(w, 'next')).toEqual([[0, 0, 0]]);
});

it('the first estimate after the last entry into the line is compared with the landing', async () => {
  await using w = await world({
    configuration: `${parallel({ builds: 2 })}preconditions:\n  use_github_mergeability: false\n`,
    ci: slowCi,
  });
  const open = async (name: string): Promise<number> => await w.open(name, { [`${name}.txt`]: `${name}\n` });
  const known = await open('known');
  await w.queue(known);
  await w.settled(known);

  const names = ['soon', 'between', 'late', 'again', 'moved'] as const;
  const numbers = [];
  for (const name of names) numbers.push(await open(name));
  const [, , , again = 0] = numbers;
  await w.queue(again);
  await foreseen(w);
  await w.dequeue(again);
  await w.queue(...numbers);
  await foreseen(w);
  const kept = async () =>
    await w.rows<{ number: number; p50: Date }>(
      'select p.number, e.p50 from first_eta e join pull_request p on p.id = e.pull_request_id order by p.number, e.queued_at',
    );
  const first = await kept();
  expect(first.map(({ number }) => number)).toEqual([...numbers.slice(0, 3), again, ...numbers.slice(3)]);
  // The line changes, so that the next estimates differ from the first ones.
  await w.settled(numbers[0] ?? 0);
  await foreseen(w);
  expect(await kept()).toEqual(first);
  await w.settled(...numbers);

  expect(await accuracy(w)).toEqual([[5, expect.any(Number), expect.any(Number)]]);
  // The landings cannot be moved, so the test moves the estimates by seconds around the landings.
  const move = async (number: number | undefined, p50: number, p90: number): Promise<void> => {
    await w.rows(
      `update first_eta e set p50 = p.merged_at + $2 * interval '1 second', p90 = p.merged_at + $3 * interval '1 second'
       from pull_request p where p.id = e.pull_request_id and p.number = $1 and p.queued_at = e.queued_at`,
      [number, p50, p90],
    );
  };
  for (const number of numbers) await move(number, -2, -1);
  expect(await accuracy(w)).toEqual([[5, 0, 0]]);
  await move(numbers[0], 1, 2);
  await move(numbers[1], -1, 1);
  await move(numbers[4], 0, 0);
  expect(await accuracy(w)).toEqual([[5, 2, 3]]);
});
