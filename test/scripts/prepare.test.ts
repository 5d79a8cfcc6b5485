import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lock, project } from './project.ts';

const install = 'npm ci --no-audit --no-fund --loglevel=error';

test('in a fresh clone the packages are installed, and two lines are printed', async () => {
  const clone = await project();
  await clone.remove('node_modules/.package-lock.json');
  const { code, stdout } = await clone.run('prepare.mjs');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^packages: npm ci\npackages … \d+\.\d s\n$/);
  expect(await clone.calls()).toEqual([install]);
});

test('installed packages are not installed again, and nothing is printed', async () => {
  const clone = await project();
  expect(await clone.run('prepare.mjs')).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  expect(await clone.calls()).toEqual([]);
});

test('a lock file that is newer but has the same packages installs nothing', async () => {
  const clone = await project();
  const later = new Date(Date.now() + 60_000);
  await utimes(join(clone.folder, 'package-lock.json'), later, later);
  await clone.run('prepare.mjs');
  expect(await clone.calls()).toEqual([]);
});

test.each([
  [
    'a newer lock file with another version installs the packages',
    { 'node_modules/a': { version: '1.0.1' } },
    [install],
  ],
  [
    'a newer lock file with one more package installs the packages',
    { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } },
    [install],
  ],
  [
    'a newer lock file with a package for other machines installs nothing',
    { 'node_modules/a': { version: '1.0.0' }, 'node_modules/c': { version: '1.0.0', optional: true } },
    [],
  ],
])('%s', async (_, packages, calls) => {
  const clone = await project();
  await clone.write('package-lock.json', lock(packages));
  const later = new Date(Date.now() + 60_000);
  await utimes(join(clone.folder, 'package-lock.json'), later, later);
  await clone.run('prepare.mjs');
  expect(await clone.calls()).toEqual(calls);
});

test('a failed installation ends the start with advice', async () => {
  const clone = await project();
  await clone.remove('node_modules/.package-lock.json');
  const { code, stderr } = await clone.run('prepare.mjs', [], { env: { NPM_FAILS: '1' } });
  expect(code).toBe(1);
  expect(stderr).toBe('npm ci failed. Read its lines above, then run npm ci again.\n');
});

test.each(['v14.21.3', 'v16.20.2'])('Node %s is reported as too old by every script', async (version) => {
  const clone = await project();
  await clone.write(
    'old.cjs',
    `Object.defineProperty(process, 'version', { value: '${version}' }); delete Object.hasOwn;`,
  );
  const old = { nodeFlags: ['--require', join(clone.folder, 'old.cjs')] };
  for (const [script, ...args] of [['prepare.mjs'], ['run.mjs', 'start']] as const)
    expect(await clone.run(script, args, old)).toMatchObject({
      code: 1,
      stderr: `Node ${version} is too old to begin with. Install Node 18 or newer, then try again.\n`,
    });
});

test('an old Node is enough if a newer one was installed, and otherwise is reported with advice', async () => {
  const clone = await project();
  await clone.write('old.cjs', `Object.defineProperty(process, 'version', { value: 'v22.16.0' });`);
  const old = { nodeFlags: ['--require', join(clone.folder, 'old.cjs')] };
  expect(await clone.run('prepare.mjs', [], old)).toMatchObject({ code: 0, stderr: '' });
  await clone.remove('node_modules/.bin/node');
  expect(await clone.run('prepare.mjs', [], old)).toMatchObject({
    code: 1,
    stderr:
      'Node v22.16.0 is too old, and npm has none for this machine. Install Node 22.17 or newer, then try again.\n',
  });
});
