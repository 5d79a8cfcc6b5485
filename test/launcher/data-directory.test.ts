// What is wrong with a data directory is said in one sentence, before anything is started.
import { stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDataDirectory } from '../../src/launcher/data-directory.ts';
import { assertGit } from '../../src/launcher/git-program.ts';
import { StartError } from '../../src/launcher/start-error.ts';
import { temporaryDirectory } from './processes.ts';

const words = async (folder: string): Promise<string> => {
  const error: unknown = await makeDataDirectory(folder).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  return (error as StartError).message;
};

test('it is made, with what is above it, and used as it is where it is there', async () => {
  const parent = await temporaryDirectory();
  await makeDataDirectory(join(parent, 'a', 'b', 'c'));
  await makeDataDirectory(join(parent, 'a', 'b', 'c'));
  expect((await stat(join(parent, 'a', 'b', 'c'))).isDirectory()).toBe(true);
});

test('a file, what lies below one, and a link that leads nowhere are refused', async () => {
  const parent = await temporaryDirectory();
  const file = join(parent, 'file');
  await writeFile(file, '');
  expect(await words(file)).toBe(
    `The data directory ${file} is a file and no directory. Name another directory by --data <dir> (INTERLOCK_DATA).`,
  );
  expect(await words(join(file, 'x', 'y'))).toContain(`cannot be made: ${file} is a file.`);
  await symlink(join(parent, 'nowhere'), join(parent, 'link'));
  expect(await words(join(parent, 'link'))).toContain('is a file and no directory');
});

// Without `recursive` a folder that cannot be made below /proc is an error; with it Node tries for ever.
test('where no directory can be made it says so at once', async () => {
  expect(await words('/proc/interlock')).toMatch(/^The data directory \/proc\/interlock cannot be made \(E[A-Z]+\)\. /);
  expect(await words('/proc/interlock/data')).toContain('cannot be made');
});

test('a directory that cannot be written to is refused', async () => {
  expect(await words('/dev/fd')).toContain('cannot be written to');
});

test('without git on the PATH it is said where to get it', async () => {
  const before = process.env['PATH'];
  const empty = await temporaryDirectory();
  await assertGit();
  process.env['PATH'] = empty;
  try {
    await expect(assertGit()).rejects.toThrow(/^There is no git on the PATH\. Install git /);
  } finally {
    process.env['PATH'] = before;
  }
});
