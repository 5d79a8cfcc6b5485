// The logs of `npm start` are kept small while the programs have them open.
import { execFile } from 'node:child_process';
import { mkdtemp, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { boundLogFiles } from '../../src/launcher/log-files.ts';
import { createLog, openLogDestination, withErrorTexts } from '../../src/platform/logging.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { fillDisk, mountSmallDisk } from '../e2e/interlock.ts';
import { spawnGuarded } from '../../src/launcher/guarded-process.ts';

let folder = '';
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'interlock-logs-'))));
afterEach(async () => await rm(folder, { recursive: true }));

const text = async (name: string): Promise<string> => await readFile(join(folder, name), 'utf8').catch(() => 'absent');

test('a log that is too long becomes the copy of the earlier lines, and the program goes on at the beginning of the log', async () => {
  const destination = pino.destination({ dest: join(folder, 'interlock.log'), sync: true });
  const log = pino({ base: null, timestamp: false }, destination);
  log.info('one');
  await boundLogFiles(folder, 20);
  expect([await text('interlock.log'), await text('interlock.log.1')]).toEqual(['', '{"level":30,"msg":"one"}\n']);
  log.info('two');
  expect(await text('interlock.log')).toBe('{"level":30,"msg":"two"}\n');
  expect((await stat(join(folder, 'interlock.log.1'))).mode & 0o077).toBe(0);
  await boundLogFiles(folder, 20);
  expect([await text('interlock.log'), await text('interlock.log.1')]).toEqual(['', '{"level":30,"msg":"two"}\n']);
});

test('a log that is too long is emptied although the disk has no room for its copy', async () => {
  await using disk = await mountSmallDisk(join(folder, 'disk'), 128 * 1024);
  const log = join(disk.folder, 'interlock.log');
  await writeFile(log, 'x'.repeat(100 * 1024));
  await boundLogFiles(disk.folder, 20);
  expect((await stat(log)).size).toBe(0);
  expect(await readdir(disk.folder)).toEqual(['interlock.log']);
});

test('a process goes on and ends while the disk of its log is full', async () => {
  await using disk = await mountSmallDisk(join(folder, 'disk'), 64 * 1024);
  const program = join(projectRoot, 'test/launcher/programs/write-log.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, join(disk.folder, 'interlock.log')], {
    timeout: 30_000,
  });
  expect(stdout).toBe('written\n');
});

test('a log that could not be written goes on when its disk has room again', async () => {
  await using disk = await mountSmallDisk(join(folder, 'disk'), 4 * 2 ** 20);
  const file = join(disk.folder, 'interlock.log');
  const log = createLog({ level: 'info', secrets: [], destination: openLogDestination({ dest: file }) });
  log.info('before');
  const filler = await fillDisk(disk.folder);
  // More than what may wait.
  for (let line = 0; line < 2_000; line += 1) log.info('x'.repeat(1_000));
  await rm(filler);
  log.info('with room');
  log.info('at last');
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  expect([lines.at(0), lines.at(-1)]).toEqual([
    expect.stringContaining('"before"'),
    expect.stringContaining('"at last"'),
  ]);
});

test('the output of a server goes on at the beginning of its log too', async () => {
  const more = join(folder, 'more');
  const server = await spawnGuarded({
    command: '/bin/sh',
    args: ['-c', `echo a long first line; until [ -e ${more} ]; do sleep 0.05; done; echo second`],
    env: { PATH: '/usr/bin:/bin' },
    logFile: join(folder, 'postgres.log'),
    stopSignal: 'TERM',
  });
  await expect.poll(async () => await text('postgres.log')).toBe('a long first line\n');
  await boundLogFiles(folder, 10);
  await writeFile(more, '');
  await server.exited;
  expect([await text('postgres.log'), await text('postgres.log.1')]).toEqual(['second\n', 'a long first line\n']);
});

test('a log that is not too long stays as it is, and so does every other file', async () => {
  await writeFile(join(folder, 'temporal.log'), 'short\n');
  await writeFile(join(folder, 'token'), 'x'.repeat(100));
  const file = await open(join(folder, 'big'), 'w');
  await file.truncate(1_000);
  await file.close();
  await boundLogFiles(folder, 20);
  expect([await text('temporal.log'), await text('temporal.log.1')]).toEqual(['short\n', 'absent']);
  expect((await stat(join(folder, 'token'))).size).toBe(100);
  expect((await stat(join(folder, 'big'))).size).toBe(1_000);
});

test("a line about an error of Temporal's SDK has the message and the causes of the error", () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', secrets: [], destination: { write: (line) => void lines.push(line) } });
  // Errors of workflows come from another realm.
  const error: unknown = runInNewContext(`new Error('The deployment failed.', { cause: new Error('exit code 7') })`);
  log.warn({ temporal: withErrorTexts({ workflowId: 'deployment:1:12', error }) }, 'Workflow failed');
  const { temporal } = JSON.parse(lines[0] ?? '') as { temporal: Record<string, string> };
  expect(temporal['workflowId']).toBe('deployment:1:12');
  expect(temporal['error']).toMatch(/^Error: The deployment failed\.[^]*Caused by: Error: exit code 7/);
});

test('a line with an error has its message and its causes, and no other fields of it', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const error = Object.assign(new Error('The repository cannot be read.', { cause: new Error('no route to host') }), {
    row: 'a row that PostgreSQL quotes',
  });
  log.warn({ error, repository: '7' }, 'A repository could not be compared.');
  log.warn({ error: String(error) }, 'A repository could not be compared.');
  const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({ repository: '7', msg: 'A repository could not be compared.' });
  expect(first?.['error']).toMatch(/^Error: The repository cannot be read\.[^]*Caused by: Error: no route to host/);
  expect(lines[0]).not.toContain('PostgreSQL quotes');
  expect(second?.['error']).toBe('Error: The repository cannot be read.');
});
