// What the stories of failures share in both tiers.
import { parallel, world, type World } from '../support/world.ts';
import { judgedByBuildsAlone, statuses } from './stories.ts';

/** Changes that are all built before CI says a word: `broken` fails until `repair` is there. */
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
