import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The folder with package.json. The code runs from src/, dist/src/ or dist/programs/.
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The version of the package. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return version;
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'migrations'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('Interlock cannot find its own package.json above its code.');
  return findRoot(parent);
}
