// Invariants of a line in which all work has ended. They hold even if processes were killed.
import { expect } from 'vitest';
import type { World } from './world.ts';

/** Opens pull requests that change different files. Returns their numbers. */
export async function openSome(w: World, count: number): Promise<number[]> {
  const numbers: number[] = [];
  for (let i = 1; i <= count; i += 1) numbers.push(await w.open(`change-${i}`, { [`${i}.txt`]: 'x\n' }));
  return numbers;
}

/**
 * Expects that exactly these pull requests are merged, each once in the history, in the rows and in the events. No bot
 * branch and no work is left, and only the pull requests in `open` are open.
 */
export async function expectOneLandingEach(
  w: World,
  numbers: readonly number[],
  { open = [] }: { readonly open?: readonly number[] } = {},
): Promise<void> {
  const landed = await w.landed();
  for (const number of numbers) {
    const { status, merge_commit_sha } = await w.status(number);
    expect(status).toBe('merged');
    expect(landed.filter((commit) => commit === merge_commit_sha)).toHaveLength(1);
  }
  const merged = (await w.events()).filter(([action]) => action === 'merged').map(([, [number]]) => number);
  expect(merged.toSorted()).toEqual([...numbers].toSorted());
  const rows = await w.rows<{ commit: string }>('select commit from landing order by id');
  expect(rows.map((row) => row.commit)).toEqual(landed);
  expect((await w.git('for-each-ref', '--format=%(refname)', 'refs/heads/mq-*')).trim()).toBe('');
  expect((await w.host.pullRequests()).filter(({ isOpen }) => isOpen).map(({ number }) => number)).toEqual(open);
  expect(await w.rows('select 1 from queue where halted_reason is not null or waiting <> 0 or tagged <> 0')).toEqual(
    [],
  );
}
