import { existsSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockDataDirectory, readAccess, removeAccess, writeAccess } from '../../src/launcher/access.ts';
import { readRuntime } from '../../src/launcher/runtime.ts';
import { runProgram, temporaryDirectory } from './processes.ts';

const access = { url: 'http://127.0.0.1:4000', token: 'il_live_x', temporalUi: 'http://127.0.0.1:8233' };

test('access.json can be read only by its owner, and is deleted at the stop', async () => {
  const dataDir = await temporaryDirectory();
  await writeAccess(dataDir, access);
  expect((await stat(join(dataDir, 'access.json'))).mode & 0o777).toBe(0o600);
  expect(await readAccess(dataDir)).toEqual(access);
  await removeAccess(dataDir);
  expect(await readdir(dataDir)).toEqual([]);
});

test('a second start on the same data directory is refused with the address of the first', async () => {
  const dataDir = await temporaryDirectory();
  const first = await runProgram('hold-lock', [dataDir]);
  const refusal = (where: string) =>
    `Interlock already runs on ${dataDir}${where} (process ${first.pid}). Stop it, or use another directory by --data <dir>.`;
  await expect(lockDataDirectory(dataDir)).rejects.toThrow(refusal(', and is starting or stopping'));
  await writeAccess(dataDir, access);
  await expect(lockDataDirectory(dataDir)).rejects.toThrow(refusal(': http://127.0.0.1:4000'));
  expect(await readAccess(dataDir)).toEqual(access);
});

test('the lock of a killed process is taken over, and its access.json is deleted', async () => {
  const dataDir = await temporaryDirectory();
  const first = await runProgram('hold-lock', [dataDir]);
  await writeAccess(dataDir, access);
  first.child.kill('SIGKILL');
  await first.exited;
  const lock = await lockDataDirectory(dataDir);
  expect(existsSync(join(dataDir, 'access.json'))).toBe(false);
  await lock.release();
  expect(await readdir(dataDir)).toEqual([]);
});

test('a lock does not hold if its process id now belongs to another process', async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'lock'), JSON.stringify({ pid: process.pid, startedAt: 'long ago' }));
  const lock = await lockDataDirectory(dataDir);
  await lock.release();
  expect(await readdir(dataDir)).toEqual([]);
});

test.each(['', '{"pid": 1'])('a lock that a loss of power left as `%s` does not hold', async (text) => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'lock'), text);
  await (await lockDataDirectory(dataDir)).release();
  expect(await readdir(dataDir)).toEqual([]);
});

test('access.json and runtime.json that a loss of power left empty count as absent', async () => {
  const dataDir = await temporaryDirectory();
  for (const name of ['access.json', 'runtime.json']) await writeFile(join(dataDir, name), '');
  expect([await readAccess(dataDir), await readRuntime(dataDir)]).toEqual([null, null]);
});

test('of several starts over a stale lock, exactly one gets the data directory', async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'lock'), JSON.stringify({ pid: process.pid, startedAt: 'long ago' }));
  const starts = await Promise.all([1, 2, 3, 4, 5].map(() => runProgram('hold-lock', [dataDir])));
  expect(starts.filter(({ said }) => said['locked'])).toHaveLength(1);
});
