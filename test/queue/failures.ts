// What both files of tests about failures use.
import { parallel, world, type World } from '../support/world.ts';
import { judgedByBuildsAlone, statuses } from './stories.ts';

/** Opens pull requests whose builds are all open before CI runs. A commit that has `broken` without `repair` is red. */
export async function builtTogether(names: readonly string[], more = ''): Promise<{ w: World; numbers: number[] }> {
  const w = await world({
    configuration: `${parallel({ builds: names.length, more })}${judgedByBuildsAlone}`,
    ci: "checks:\n  test:\n    run: 'test ! -e broken || test -e repair'\n",
    runsCi: false,
  });
  const numbers: number[] = [];
  for (const name of names) numbers.push(await w.open(name, { [name]: `${name}\n` }));
  await w.queue(...numbers);
  await w.until(async () => (await statuses(w, ...numbers)).every((status) => status === 'tagged'));
  return { w, numbers };
}
