// What both files of tests about rules of a queue use.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { world, type World } from '../support/world.ts';

export const minutes = (count: number) => new Date(Date.now() + count * 60_000);

export async function openPullRequests(w: World, ...names: string[]): Promise<number[]> {
  const numbers: number[] = [];
  for (const name of names) numbers.push(await w.open(name, { [`${name}.txt`]: `${name}\n` }));
  return numbers;
}

export const listBatches = async (w: World) => (await w.batches()).map((batch) => batch.members);

/** Own checks end when `release` is called. Checks of a build on the moved base end at once. */
export async function withSlowOwnChecks(configuration: string, names: readonly string[]) {
  const flags = await mkdtemp(join(tmpdir(), 'interlock-flags-'));
  await chmod(flags, 0o777);
  const flag = join(flags, 'done');
  const w = await world({
    configuration,
    ci: `checks:\n  test:\n    run: 'test -e moved.txt || while ! test -e ${flag}; do sleep 0.1; done'\n`,
  });
  const numbers = await openPullRequests(w, ...names);
  await w.commit('main', { 'moved.txt': 'moved\n' });
  return {
    w,
    numbers,
    release: async () => await writeFile(flag, ''),
    [Symbol.asyncDispose]: async () => {
      await writeFile(flag, '');
      await w[Symbol.asyncDispose]();
      await rm(flags, { recursive: true });
    },
  };
}
