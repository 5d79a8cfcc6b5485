import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';

test('without its settings the live suite lists the missing ones in one line, and exits with 0', async () => {
  const env = { PATH: process.env['PATH'], GITHUB_TEST_APP_ID: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [join(projectRoot, 'scripts', 'live.mjs')], { env });
  expect(stdout).toBe(
    'The live suite is skipped: set GITHUB_TEST_APP_KEY, GITHUB_TEST_REPOSITORY, GITHUB_TEST_TOKEN (docs/live-suite.md).\n',
  );
});
