// The program of `npm start`: why it refuses to start, Ctrl-C during the start, and databases or servers that are
// killed.
import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectFailedStart } from './failed-start.ts';
import {
  dataDirectory,
  postgresPid,
  processesNaming,
  removeDirectory,
  runProgram,
  startInterlock,
  stopInterlock,
  until,
} from './interlock.ts';

describe('a start fails with the reason and advice in one line on', () => {
  test('a busy port', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void busy.close());
    await until(async () => busy.listening);
    const { port } = busy.address() as { port: number };
    const { stderr } = await expectFailedStart(['--port', String(port)]);
    expect(stderr).toContain(`Port ${port} is in use. Use --port <n>, or stop the program that listens there.`);
  });

  test('an invalid port, an address of another machine, and a secret that is too short', async () => {
    expect((await expectFailedStart(['--port', '70000'])).stderr).toContain('--port must be a number from 0 to 65535');
    const elsewhere = await expectFailedStart(['--host', '192.0.2.1', '--port', '4999']);
    expect(elsewhere.stderr).toContain('Interlock cannot listen on 192.0.2.1 (EADDRNOTAVAIL). Correct --host');
    const short = await expectFailedStart([], { INTERLOCK_SECRET: 'short' });
    expect(short.stderr).toContain('INTERLOCK_SECRET must have at least 32 characters');
  });

  test.each([
    ['INTERLOCK_PUBLIC_URL', 'interlock.example.com'],
    ['GITHUB_SERVER', 'github.example.com'],
    ['LOG_LEVEL', 'verbose'],
  ])('a wrong %s', async (name, value) => {
    const { stderr } = await expectFailedStart([], { [name]: value });
    expect(stderr).toMatch(new RegExp(`${name}\\)? must be .*, not ${value}\\.\n$`));
  });

  test('a database that does not answer', async () => {
    const { stderr } = await expectFailedStart([], { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/interlock' });
    expect(stderr).toMatch(
      /^The database at 127\.0\.0\.1:1\/interlock cannot be reached .* leave this setting out to use the/,
    );
    expect(stderr).not.toContain('secret');
  });

  test('no Temporal program on PATH or in the cache, and no internet to download one', async () => {
    const empty = await dataDirectory();
    onTestFinished(async () => await removeDirectory(empty));
    const { stdout: git } = await promisify(execFile)('sh', ['-c', 'command -v git']);
    await symlink(git.trim(), join(empty, 'git'));
    const { stderr } = await expectFailedStart([], {
      PATH: empty,
      INTERLOCK_CACHE: join(empty, 'cache'),
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
    });
    expect(stderr).toMatch(
      /^No Temporal server was found .*Put `temporal` on PATH, name it in TEMPORAL_CLI_PATH, or name a running server/,
    );
  });

  test('a data directory that cannot be made', async () => {
    for (const folder of ['/dev/null', '/dev/null/below', '/proc/interlock']) {
      const { code, stderr } = await runProgram('main', ['--data', folder, '--port', '0']).ended;
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`^The data directory ${folder} .* by --data <dir> \\(INTERLOCK_DATA\\)\\.\n$`));
    }
  });

  test('no git on the PATH', async () => {
    const empty = await dataDirectory();
    onTestFinished(async () => await removeDirectory(empty));
    const { stderr } = await expectFailedStart([], { PATH: empty });
    expect(stderr).toMatch(/^There is no git on the PATH\. Install git /);
  });

  test('a Temporal that does not answer', async () => {
    const { stderr } = await expectFailedStart([], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(stderr).toMatch(/^Temporal at 127\.0\.0\.1:1 cannot be reached .* leave --temporal-address out to use the/);
  });

  test('a program that is not the Temporal program', async () => {
    const { stderr } = await expectFailedStart([], { TEMPORAL_CLI_PATH: '/bin/true' });
    expect(stderr).toContain('TEMPORAL_CLI_PATH is /bin/true, which is no Temporal program that runs here.');
  });
});

test('Ctrl-C while it starts leaves nothing running', async () => {
  const dataDir = await dataDirectory();
  onTestFinished(async () => await removeDirectory(dataDir));
  const starting = runProgram('main', ['--data', dataDir, '--port', '0']);
  await until(async () => starting.said().includes('Temporal …'));
  const { code, said } = await stopInterlock(starting);
  expect(code, said).toBe(0);
  expect(await processesNaming(dataDir)).toEqual([]);
});

test('after Ctrl-C during a build, the next start uses the same data and lands the pull request', async () => {
  const dataDir = await dataDirectory();
  onTestFinished(async () => await removeDirectory(dataDir));
  let interlock = await startInterlock(dataDir);
  await until(async () => / s {2}batch /.test(interlock.said()));
  const { token } = interlock.access;
  const { code, stderr, said } = await stopInterlock(interlock);
  expect([code, stderr], said).toEqual([0, '']);
  interlock = await startInterlock(dataDir);
  console.log(`warm start: ready after ${(interlock.readyAfterMs / 1000).toFixed(1)} s`);
  expect(interlock.access.token).toBe(token);
  const statusOf = async (number: number): Promise<string> =>
    (
      await interlock.client.rest<{ readonly status: string }>(
        'GET',
        `/api/v1/pull_request?org=demo&repo=tea-shop&number=${number}`,
      )
    ).status;
  await until(async () => (await statusOf(1)) === 'merged');
  await stopInterlock(interlock);
});

test('after PostgreSQL was killed, the next start has all data', async () => {
  const dataDir = await dataDirectory();
  onTestFinished(async () => await removeDirectory(dataDir));
  let interlock = await startInterlock(dataDir);
  await until(async () => interlock.said().includes('The demo is over'));
  const refused = await runProgram('simulate', ['demo/tea-shop', '--data', dataDir, '--base', 'nowhere']).ended;
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('has no queue: name a branch') });
  process.kill(await postgresPid(dataDir), 'SIGKILL');
  await interlock.ended;
  await until(async () => (await processesNaming(dataDir)).length === 0);
  interlock = await startInterlock(dataDir);
  expect(await interlock.client.rest('GET', '/api/v1/pull_request?org=demo&repo=tea-shop&number=1')).toMatchObject({
    status: 'merged',
  });
  await stopInterlock(interlock);
});

test('Interlock ends within eight seconds if Temporal is killed while it works', async () => {
  const dataDir = await dataDirectory();
  onTestFinished(async () => await removeDirectory(dataDir));
  const interlock = await startInterlock(dataDir);
  await until(async () => / s {2}batch /.test(interlock.said()));
  const killedAt = performance.now();
  process.kill(Number(await readFile(join(dataDir, 'temporal.pid'), 'utf8')), 'SIGKILL');
  const { code, said, stderr } = await interlock.ended;
  expect(code, said).toBe(1);
  expect(stderr).toContain('Temporal has ended');
  // A worker that waits for Temporal before it ends needs more than ten seconds.
  expect(performance.now() - killedAt).toBeLessThan(8_000);
  await until(async () => (await processesNaming(dataDir)).length === 0);
});
