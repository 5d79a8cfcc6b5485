import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const path = new URL('../../package-lock.json', import.meta.url);
const { packages } = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Locked> };

/** Whether Node finds a package in a locked folder. It looks in the nearest node_modules first. */
function isLocked(name: string, from: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('node_modules/')).replace(/\/$/, '')) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true;
    if (folder === '') return false;
  }
}

test('npm ci works everywhere: the lock file names the optional packages of every platform', () => {
  const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(name, from)),
  );
  expect(missing).toEqual([]);
  expect(packages['node_modules/vitest']?.version).toBeDefined();
});
