// The programs besides `npm start` end with the exit codes of docs/command-line.md. With `--json` a failure is one
// document, and no failure shows a password. test/launcher/run-tool.test.ts has the outcome of each kind of error.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../src/launcher/ports.ts';
import { dataDirectory, removeDirectory, runProgram } from './interlock.ts';

const password = 'aB3dE5gH7jK9mN1pQ3sT';
let folder = '';
let nobody = '';
beforeAll(async () => {
  folder = await dataDirectory();
  nobody = `postgres://interlock:${password}@127.0.0.1:${await findFreePort()}/interlock`;
});
afterAll(async () => await removeDirectory(folder));

test.each([
  ['backup --no-such-option', 2, 'USAGE', "unknown option '--no-such-option' (npm run backup -- --help)"],
  ['import', 2, 'USAGE', "missing required argument 'source'"],
  ['restore --from $folder', 1, 'REFUSED', 'contains no complete backup'],
  ['recover --data $folder', 1, 'REFUSED', 'There is no Interlock in'],
  ['export acme/shop --to $folder/export --database-url $nobody', 3, 'UNREACHABLE', 'cannot be reached'],
])('`%s` ends with the exit code %i', async (call, exit, code, sentence) => {
  const [name = '', ...args] = call
    .split(' ')
    .map((word) => word.replace('$folder', folder).replace('$nobody', nobody));
  const ended = await runProgram(name, [...args, '--json']).ended;
  expect([ended.code, ended.said], ended.said).toEqual([exit, ended.stderr]);
  expect(JSON.parse(ended.stderr)).toEqual({
    error: { code, message: expect.stringContaining(sentence), field: null },
  });
  expect(ended.said).not.toContain(password);
});

test('`--help` of a program is on the standard output, and ends with the exit code 0', async () => {
  const { code, said, stderr } = await runProgram('backup', ['--help']).ended;
  expect([code, stderr]).toEqual([0, '']);
  expect(said).toMatch(/^Usage: npm run backup -- .*\n/);
});

const withDatabase = ['backup', 'restore', 'recover', 'export', 'verify', 'doctor'] as const;
test.each(withDatabase)('the help of %s does not show the password of the database', async (name) => {
  const { code, said } = await runProgram(name, ['--help'], { DATABASE_URL: nobody }).ended;
  expect([code, said]).toEqual([0, expect.stringContaining('--database-url')]);
  expect(said).not.toContain(password);
});

test.each([
  ['backup', '--into', '$folder'],
  ['recover'],
  ['export', 'acme/shop', '--to', '$folder/export'],
  ['verify', 'acme/shop'],
  ['doctor'],
])('%s reads DATABASE_URL_FILE', async (name, ...args) => {
  const file = join(folder, 'database-url');
  await writeFile(file, `${nobody}\n`, { mode: 0o600 });
  const { code, said } = await runProgram(
    name,
    args.map((arg) => arg.replace('$folder', folder)),
    { DATABASE_URL_FILE: file, INTERLOCK_DATA: folder },
  ).ended;
  expect([code, said]).toEqual([3, expect.stringContaining('cannot be reached')]);
});
