// `npm start`: more of what stands in its way, and a Temporal that dies.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failToStart } from './failed-start.ts';
import { dataDirectory, processesNaming, removeDirectory, startInterlock, until } from './interlock.ts';

describe('a start that cannot work says why, with the cure, in one line', () => {
  test('a port that is none, an address that is not ours, and a secret that is too short', async () => {
    expect((await failToStart(['--port', '70000'])).stderr).toContain('--port must be a number from 0 to 65535');
    const elsewhere = await failToStart(['--host', '192.0.2.1', '--port', '4999']);
    expect(elsewhere.stderr).toContain('Interlock cannot listen on 192.0.2.1 (EADDRNOTAVAIL). Correct --host');
    const short = await failToStart([], { INTERLOCK_SECRET: 'short' });
    expect(short.stderr).toContain('INTERLOCK_SECRET must have at least 32 characters');
  });

  test('a Temporal that does not answer', async () => {
    const { stderr } = await failToStart([], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(stderr).toMatch(/^Temporal at 127\.0\.0\.1:1 cannot be reached .* leave --temporal-address out to use the/);
  });

  test('a Temporal program that is none', async () => {
    const { stderr } = await failToStart([], { TEMPORAL_CLI_PATH: '/bin/true' });
    expect(stderr).toContain('TEMPORAL_CLI_PATH is /bin/true, which is no Temporal program that runs here.');
  });
});

test('a Temporal that dies in the middle of work ends the service as well, and soon', async () => {
  const dataDir = await dataDirectory();
  onTestFinished(async () => await removeDirectory(dataDir));
  const interlock = await startInterlock(dataDir);
  await until(async () => / s {2}batch /.test(interlock.said()));
  const killedAt = performance.now();
  process.kill(Number(await readFile(join(dataDir, 'temporal.pid'), 'utf8')), 'SIGKILL');
  const { code, said, stderr } = await interlock.ended;
  expect(code, said).toBe(1);
  expect(stderr).toContain('Temporal is gone');
  // What would be finished waits for what is gone: ten seconds of it, for the worker alone.
  expect(performance.now() - killedAt).toBeLessThan(8_000);
  await until(async () => (await processesNaming(dataDir)).length === 0);
});
