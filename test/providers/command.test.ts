// Runs commands in the best sandbox of this machine.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { defaultRunBounds } from '../../src/domain/runs/bounds.ts';
import type { ProviderReading, ProviderRun } from '../../src/platform/providers/index.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { until } from '../hosts/local-world.ts';
import { providerWorld, type ProviderWorld } from './provider-world.ts';

let w: ProviderWorld;
let workDir: string;
beforeAll(async () => {
  workDir = mkdtempSync(join(tmpdir(), 'interlock-command-test-'));
  w = await providerWorld(workDir);
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  rmSync(workDir, { recursive: true, force: true });
});
afterEach(() => {
  const left = readdirSync(workDir);
  if (left.length > 0) throw new Error(`A run left ${left.join(', ')} behind.`);
});

interface Ran extends ProviderReading {
  readonly output: string;
}

async function run(
  command: string,
  more: Partial<ProviderRun> & {
    timeoutSec?: number;
    network?: boolean | (() => Promise<boolean>);
    onOutput?: (text: string) => void;
  } = {},
  signal = new AbortController().signal,
): Promise<Ran> {
  const { timeoutSec = 30, network = true, onOutput, ...facts } = more;
  let output = '';
  const reading = await w.command({ network }).run(w.run({ kind: 'command', command, timeoutSec }, facts), {
    signal,
    onOutput: (text) => {
      output += text;
      onOutput?.(text);
    },
  });
  return { ...reading, output };
}

test('a command gets the commit, the facts and the secret, and its output is stored without the secret', async () => {
  const { state, message, output } = await run(
    [
      'echo "$DEPLOYMENT_ID to $ENVIRONMENT: $RELEASE_CANDIDATE_VERSION after $FROM_RELEASE_CANDIDATE_VERSION"',
      'echo "$REPOSITORY $(cat version.txt)"',
      'test "$(git rev-parse HEAD)" = "$COMMIT"',
      'test "$DEPLOYMENT_SECRET" = open-sesame',
      'echo "with $DEPLOYMENT_SECRET" >&2',
      'printf open-; sleep 0.2; printf "sesame\\n"',
    ].join('\n'),
    { secret: 'open-sesame' },
  );
  expect(output).toMatch(
    /^12 to production: shop-1\.1-rc2 after shop-1\.0-rc1\nacme\/shop 1\.1\nwith \*\*\*\n\*\*\*\n\[interlock\] Succeeded after \d+\.\d s\n$/,
  );
  expect([state, message]).toEqual(['success', expect.stringMatching(/^Succeeded after \d+\.\d s$/)]);
});

test('the message of a failure has the exit code and the last output, without the secret', async () => {
  const { state, message } = await run('echo first; echo "no route with $DEPLOYMENT_SECRET"; exit 4', {
    secret: 'open-sesame',
  });
  expect([state, message]).toEqual([
    'failure',
    expect.stringMatching(/^Exited with code 4 after \d+\.\d s: no route with \*\*\*$/),
  ]);
});

test('a command without a secret has no variable DEPLOYMENT_SECRET, and never gets the environment of the service', async () => {
  process.env['DATABASE_PASSWORD'] = 'sesame';
  const { output } = await run('env');
  delete process.env['DATABASE_PASSWORD'];
  expect(output).not.toContain('sesame');
  expect(output).not.toContain('DEPLOYMENT_SECRET');
});

test('a command is stopped at its time limit, with all processes that it started', async () => {
  const marker = `sleep 6${Date.now() % 1_000_000}`;
  expect(await run(`${marker} & ${marker}`, { timeoutSec: 1 })).toMatchObject({
    state: 'failure',
    message: 'Stopped after its time limit of 1 s',
  });
  await until('nothing of it is left', async () => !(await processes()).includes(marker));
});

test('a canceled command is stopped with all processes that it started', async () => {
  const canceling = new AbortController();
  const marker = `sleep 5${Date.now() % 1_000_000}`;
  const ended = run(
    `${marker} & echo started; ${marker}`,
    { onOutput: (text) => text.includes('started') && canceling.abort() },
    canceling.signal,
  );
  expect(await ended).toMatchObject({
    state: 'canceled',
    output: expect.stringMatching(/\[interlock\] Canceled after/),
  });
  await until('nothing of it is left', async () => !(await processes()).includes(marker));
});

test('a command that was canceled before its start does not run', async () => {
  expect(await run('touch "$TMPDIR/ran"; echo ran', {}, AbortSignal.abort())).toMatchObject({
    state: 'canceled',
    output: expect.not.stringContaining('ran\n'),
  });
});

test('an unknown commit gives the state error, not failure', async () => {
  expect(await run('true', { commit: 'f'.repeat(40) })).toMatchObject({
    state: 'error',
    message: expect.stringMatching(/^The command could not be run: /),
  });
});

test('no command runs without a sandbox, and the message says how to install one', async () => {
  let output = '';
  const reading = await w
    .command({ sandbox: null })
    .run(w.run({ kind: 'command', command: 'echo ran', timeoutSec: 5 }), {
      signal: new AbortController().signal,
      onOutput: (text) => void (output += text),
    });
  expect([reading.state, reading.message, output]).toEqual([
    'error',
    expect.stringContaining('apt-get install bubblewrap'),
    '',
  ]);
});

test('Interlock decides before each command whether the command may use the network', async () => {
  const answers = [true, false];
  const network = async (): Promise<boolean> => answers.shift() === true;
  const { output } = await run('true', { network });
  expect(output).not.toContain('DEPLOYMENT_NETWORK');
  await run('true', { network });
  expect(answers).toEqual([]);
});

test('a command can use the network only if the operator allows it', async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const connect = `node -e "require('net').connect(${port}, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(3))"`;
  const { sandbox } = await findSandbox({ allowPlain: true });
  expect((await run(connect)).state).toBe('success');
  const without = await run(connect, { network: false });
  expect(without.state).toBe(sandbox?.kind === 'plain' ? 'success' : 'failure');
  expect(without.output.includes('DEPLOYMENT_NETWORK=true')).toBe(sandbox?.kind !== 'plain');
  server.close();
});

test('a command is not run if the files of its commit are larger than the disk of a run', async () => {
  const { sandbox } = await findSandbox({ allowPlain: true, bounds: { ...defaultRunBounds, bytes: 1 } });
  const reading = await w.command({ sandbox }).run(w.run({ kind: 'command', command: 'true', timeoutSec: 30 }), {
    signal: new AbortController().signal,
    onOutput: () => {},
  });
  expect([reading.state, reading.message]).toEqual([
    'failure',
    expect.stringMatching(/^Stopped after .* is not checked out: its files take more than 0 MB together$/),
  ]);
});

test('a command that fills the disk is stopped, and the message gives the reason', async () => {
  const bounds = { ...defaultRunBounds, bytes: 20_000_000 };
  const { sandbox } = await findSandbox({ allowPlain: true, bounds });
  const command = 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > "$TMPDIR/$i"; done';
  const reading = await w.command({ sandbox }).run(w.run({ kind: 'command', command, timeoutSec: 60 }), {
    signal: new AbortController().signal,
    onOutput: () => {},
  });
  expect([reading.state, reading.message]).toEqual([
    'failure',
    expect.stringMatching(/^Stopped after .* its files take more than 20 MB together$/),
  ]);
});

test('checkouts that a killed process left behind are removed', async () => {
  const gone = await new Promise<number>((resolve) => {
    const child = execFile('true', () => resolve(child.pid ?? 0));
  });
  // In a container, the next process may have the process id of the killed one.
  const left = [gone, process.pid].map((pid) => join(workDir, `interlock-run-${pid}-abc`));
  for (const folder of left) mkdirSync(folder);
  await run('true');
  expect(left.filter((folder) => existsSync(folder))).toEqual([]);
});

async function processes(): Promise<string> {
  return await new Promise((resolve) => execFile('ps', ['-eo', 'args'], (_error, stdout) => resolve(stdout)));
}
