// When will it be merged? Estimated while builds run, and compared with when it was.
import { expect, it } from 'vitest';
import { forecasts } from '../../src/modules/queue/api/forecast.reads.ts';
import { parallel, world, type World } from '../support/world.ts';

const slowCi = "checks:\n  test:\n    run: 'sleep 1; test ! -e bad'\n";

async function foreseen(w: World) {
  const [queue] = await w.rows<{ id: string }>('select id::text from queue');
  const answer = await forecasts(w.ctx).load(queue?.id ?? '');
  if (answer === null) throw new Error('Nothing was foreseen.');
  return { ...answer, estimates: answer.line.map(({ id, number }) => ({ number, eta: answer.etas.get(id) })) };
}

it('follows from what builds took so far, and comes true', async () => {
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
  // How well it is met in time the simulation measures: here a machine may suddenly be busy.
  const inOrder = came.toSorted((one, other) => one.foreseen - other.foreseen).map(({ at }) => at);
  expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
  // The third waits for a place among two builds.
  const [, second, third] = estimates.map(({ eta }) => (typeof eta === 'object' ? eta.p50 : 0));
  expect(third).toBeGreaterThan(second ?? Infinity);
  expect((await foreseen(w)).estimates).toEqual([]);
});
