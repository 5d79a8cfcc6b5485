// A fault of the data directory is reported in one sentence before anything is started.
import { chmod, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDataDirectory } from '../../src/launcher/data-directory.ts';
import { assertGit, isNewEnough } from '../../src/launcher/git-program.ts';
import { StartError } from '../../src/launcher/start-error.ts';
import { temporaryDirectory } from './processes.ts';

const messageOf = async (folder: string): Promise<string> => {
  const error: unknown = await makeDataDirectory(folder).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  return (error as StartError).message;
};

test('a data directory is made with its parents, and an existing one is used', async () => {
  const parent = await temporaryDirectory();
  await makeDataDirectory(join(parent, 'a', 'b', 'c'));
  await makeDataDirectory(join(parent, 'a', 'b', 'c'));
  expect((await stat(join(parent, 'a', 'b', 'c'))).isDirectory()).toBe(true);
});

test('a file, a path below a file, and a link without a target are refused as data directory', async () => {
  const parent = await temporaryDirectory();
  const file = join(parent, 'file');
  await writeFile(file, '');
  expect(await messageOf(file)).toBe(
    `The data directory ${file} is a file and no directory. Name another directory by --data <dir> (INTERLOCK_DATA).`,
  );
  expect(await messageOf(join(file, 'x', 'y'))).toContain(`cannot be made: ${file} is a file.`);
  await symlink(join(parent, 'nowhere'), join(parent, 'link'));
  expect(await messageOf(join(parent, 'link'))).toContain('is a file and no directory');
});

// Node fails to make a folder below /proc. With `recursive`, Node tries for ever.
test('a directory that cannot be made is refused at once', async () => {
  expect(await messageOf('/proc/interlock')).toMatch(
    /^The data directory \/proc\/interlock cannot be made \(E[A-Z]+\)\. /,
  );
  expect(await messageOf('/proc/interlock/data')).toContain('cannot be made');
});

test('a directory that cannot be written to is refused', async () => {
  expect(await messageOf('/dev/fd')).toContain('cannot be written to');
});

async function withPath(path: string, work: () => Promise<void>): Promise<void> {
  const before = process.env['PATH'];
  process.env['PATH'] = path;
  try {
    await work();
  } finally {
    process.env['PATH'] = before;
  }
}

test('without git on the PATH, the message says how to install it', async () => {
  await assertGit();
  await withPath(await temporaryDirectory(), async () => {
    await expect(assertGit()).rejects.toThrow(/^There is no git on the PATH\. Install git /);
  });
});

test('a git that is too old is refused with the version that is needed', async () => {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, 'git'), '#!/bin/sh\necho git version 2.34.1\n');
  await chmod(join(folder, 'git'), 0o755);
  await withPath(folder, async () => {
    await expect(assertGit()).rejects.toThrow(
      'git version 2.34.1 is too old: Interlock composes commits by git 2.38 or newer. Install git ',
    );
  });
});

test.each([
  ['git version 2.38.0', true],
  ['git version 2.39.5 (Apple Git-154)', true],
  ['git version 2.100.0.windows.1', true],
  ['git version 3.0.0', true],
  ['git version 2.37.7', false],
  ['git version 1.99.0', false],
  ['git version built-from-source', true],
])('%s is new enough: %s', (said, isEnough) => {
  expect(isNewEnough(said)).toBe(isEnough);
});
