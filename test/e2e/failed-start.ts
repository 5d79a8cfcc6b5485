// Runs an `npm start` that must fail.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { dataDirectory, type EndedProgram, processesNaming, removeDirectory, runProgram } from './interlock.ts';

/** Starts Interlock in an empty data directory. Expects that it fails with one line and leaves no process running. */
export async function expectFailedStart(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedProgram> {
  const dataDir = await dataDirectory();
  onTestFinished(async () => await removeDirectory(dataDir));
  const ended = await runProgram('main', ['--data', dataDir, '--port', '0', ...args], env).ended;
  expect(ended.code, ended.said).toBe(1);
  expect(ended.stderr.trim().split('\n'), ended.said).toHaveLength(1);
  expect(await processesNaming(dataDir)).toEqual([]);
  expect(existsSync(join(dataDir, 'access.json'))).toBe(false);
  return ended;
}
