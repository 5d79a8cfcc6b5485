// Decides which tests `npm test -- --changed` runs. They are the tests that a change is most likely to break.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './toolchain.mjs';

// For changed paths, the folder of their tests if it does not have the same name.
const testsOf = [
  [/^src\/hosts\//, 'test/hosts'],
  [/^src\/graphql\//, 'test/graphql'],
  [/^rest-facade\//, 'test/rest'],
  [/^workflows\//, 'test/workflows'],
  [/^src\/launcher\//, 'test/launcher'],
  [/^src\/platform\/(agents|providers|previews)\//, 'test/$1'],
  [/^src\/platform\/driving\//, 'test/previews/driving'],
  [/^src\/platform\/sandbox\//, 'test/hosts/sandbox'],
  [/^src\/modules\/([a-z]+)\//, 'test/$1'],
  [/^src\/domain\/queue\//, 'test/queue/landing'],
  [/^src\/domain\/(releases|runbooks|previews)\//, 'test/$1/driving'],
  [/^scripts\//, 'test/scripts'],
  [/\.md$/, 'test/docs/pages'],
];

/** Lists the paths of the files that differ from `since` or are new. */
export function listChanged(since = 'HEAD', folder = root) {
  const git = (args) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout ?? '';
  const listed = [git(['diff', '--name-only', since]), git(['ls-files', '--others', '--exclude-standard'])];
  return listed.flatMap((text) => text.split('\n')).filter((path) => path !== '');
}

/**
 * Returns the arguments for vitest. `filters` are folders of tests that need servers. `related` are the changed
 * sources: of the tests that need no server, vitest runs those that import a changed source.
 */
export function affectedTests(changed, folder = root) {
  const filters = new Set();
  for (const path of changed) {
    if (path.endsWith('.test.ts')) filters.add(path);
    for (const [pattern, tests] of testsOf) {
      const found = pattern.exec(path);
      const target = found === null ? null : tests.replace('$1', found[1] ?? '');
      if (target !== null && (existsSync(join(folder, target)) || existsSync(join(folder, `${target}.test.ts`))))
        filters.add(target);
    }
  }
  return { filters: [...filters].sort(), related: changed.filter((path) => /^(src|bench|test)\/.*\.ts$/.test(path)) };
}
