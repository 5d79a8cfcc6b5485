// What a command gets in each sandbox, and its bounds. escapes.test.ts has the ways out.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  findSandbox,
  makeRunFolders,
  type RunFolders,
  type Sandbox,
  type SandboxKind,
  type SandboxOutcome,
  type SandboxRun,
} from '../../src/platform/sandbox/index.ts';
import type { RunBounds } from '../../src/domain/runs/bounds.ts';
import { insideConfine } from '../../src/platform/sandbox/confining-program.ts';
import { readPrivileges } from '../../src/platform/sandbox/privileges.ts';
import { resolveBubblewrap } from '../support/bubblewrap.ts';
import { until } from './local-world.ts';

let parent: string;
let folders: RunFolders;
let output: string;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'interlock-sandbox-test-'));
  folders = await makeRunFolders(parent);
  output = '';
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

async function run(
  sandbox: Sandbox,
  command: string,
  options: Partial<Omit<SandboxRun, 'command' | 'folders' | 'onOutput'>> = {},
): Promise<SandboxOutcome> {
  return await sandbox.run({
    command,
    folders,
    env: options.env ?? {},
    timeoutMs: options.timeoutMs ?? 20_000,
    network: options.network ?? false,
    isKept: true,
    onOutput: (chunk) => void (output += chunk.toString()),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.bounds ? { bounds: options.bounds } : {}),
  });
}

const roomy: RunBounds = {
  bytesPerFile: 100_000_000,
  bytes: 100_000_000,
  files: 10_000,
  outputBytes: 10_000_000,
  processes: 500,
  memoryBytes: 4_000_000_000,
  freeBytes: 0,
  freeMemoryBytes: 0,
};

const bubblewrap = await resolveBubblewrap();

// bubblewrap is tested on Linux, namespaces where the kernel permits them, and a plain process everywhere.
const kinds = await Promise.all(
  (['bubblewrap', 'namespaces', 'plain'] as const).map(async (kind) => ({
    kind,
    ...(await findSandbox({ allowPlain: true, kinds: [kind], ...bubblewrap })),
  })),
);
const available = kinds.flatMap(({ kind, sandbox }) => (sandbox === null ? [] : [{ kind, sandbox }]));
const isolated = available.filter(({ kind }) => kind !== 'plain');

describe.each(available)('$kind', ({ sandbox }: { kind: SandboxKind; sandbox: Sandbox }) => {
  test('gives a command a lower priority than the service has', async () => {
    await run(sandbox, 'nice');
    expect(output.trim()).toBe(String(Math.min(19, getPriority() + 10)));
  });

  test('runs a command in its checkout, with output and errors in order, and with its exit code', async () => {
    writeFileSync(join(folders.checkout, 'hello.txt'), 'hello\n');
    expect(await run(sandbox, 'cat hello.txt; echo oops >&2; echo made > made.txt; exit 7')).toEqual({
      kind: 'exited',
      code: 7,
    });
    expect(output).toContain('hello\n');
    expect(output).toContain('oops\n');
    expect(existsSync(join(folders.checkout, 'made.txt'))).toBe(true);
    expect(await run(sandbox, 'true')).toEqual({ kind: 'exited', code: 0 });
  });

  test('stops at the first command that fails', async () => {
    expect(await run(sandbox, 'echo before\nfalse\necho after')).toEqual({ kind: 'exited', code: 1 });
    expect(output).toBe('before\n');
  });

  test('reports a command that kills itself as failed, and not as a failure of the sandbox', async () => {
    expect(await run(sandbox, "sh -c 'kill -9 $$'")).toEqual({ kind: 'exited', code: 137 });
  });

  test('has no variables of the environment of the service', async () => {
    process.env['INTERLOCK_TEST_SECRET'] = 'sesame';
    await run(sandbox, 'env', { env: { INTERLOCK_COMMIT: 'abc' } });
    delete process.env['INTERLOCK_TEST_SECRET'];
    const names = output
      .split('\n')
      .map((line) => line.split('=')[0])
      .filter((name) => name !== '' && name !== '_')
      .sort();
    expect(names).toEqual(['CI', 'HOME', 'INTERLOCK_COMMIT', 'LANG', 'PATH', 'PWD', 'TMPDIR']);
    expect(output).not.toContain('sesame');
  });

  test('has no descriptor that the service was started with', async () => {
    const secret = join(parent, 'secret.txt');
    writeFileSync(secret, 'sesame');
    const script = scriptThatRuns(sandbox, 'ls /dev/fd/ | grep -x 40 || echo none');
    // Node marks the first sixteen descriptors as its own, but none after the gap.
    const starting = ['-c', 'exec 40<"$0"; exec "$@"', secret, process.execPath, '--input-type=module', '-e', script];
    expect(execFileSync('bash', starting).toString()).toBe('none\n');
  });

  test('ends a command at its time limit, with all its processes', async () => {
    const marker = `sleep 8${Date.now() % 1_000_000}`;
    expect(await run(sandbox, `${marker} & ${marker}`, { timeoutMs: 700 })).toEqual({ kind: 'timed out' });
    await until('no process of the command is left', async () => !(await processes()).includes(marker));
  });

  test('ends a canceled command', async () => {
    const canceling = new AbortController();
    const ended = run(sandbox, 'echo started; sleep 60', { signal: canceling.signal });
    await until('the command has started', async () => output.includes('started'));
    canceling.abort();
    expect(await ended).toEqual({ kind: 'canceled' });
  });

  test.each<[string, string, Partial<RunBounds>, RegExp]>([
    ['one file without end', 'cat /dev/zero > file', { bytesPerFile: 1_000_000 }, /^one of its files reached 1 MB, /],
    [
      'files without end',
      'i=0; while :; do i=$((i+1)); head -c 500000 /dev/zero > "file $i"; done',
      { bytes: 10_000_000 },
      /^its files take more than 10 MB together$/,
    ],
    [
      'files into its home and its temporary folder',
      'i=0; while :; do i=$((i+1)); head -c 500000 /dev/zero > "$HOME/$i"; head -c 500000 /dev/zero > "$TMPDIR/$i"; done',
      { bytes: 10_000_000 },
      /^its files take more than 10 MB together$/,
    ],
    [
      'empty files without end, whatever their names',
      'i=0; while :; do i=$((i+1)); : > "-$i\n"; done',
      { files: 500 },
      /^it has more than 500 files$/,
    ],
    ['output without end', 'yes', { outputBytes: 1_000_000 }, /^it wrote more than 1 MB of output$/],
    ['errors without end', 'yes >&2', { outputBytes: 1_000_000 }, /^it wrote more than 1 MB of output$/],
    [
      'several files at once, and ends before anybody looks',
      'for i in 1 2 3 4 5 6 7 8; do head -c 500000 /dev/zero > "file $i"; done',
      { bytes: 1_000_000 },
      /^its files take more than 1 MB together$/,
    ],
    [
      'into memory without end',
      'node -e "const kept = []; setInterval(() => kept.push(Buffer.alloc(20_000_000, 1)), 5)"',
      { memoryBytes: 300_000_000 },
      /^its processes take more than 300 MB of memory together$/,
    ],
    [
      'into the memory of many processes',
      'for i in 1 2 3 4 5 6; do node -e "kept = Buffer.alloc(60_000_000, 1); setInterval(() => {}, 1000)" & done; wait',
      { memoryBytes: 300_000_000 },
      /^its processes take more than 300 MB of memory together$/,
    ],
  ])('stops a command that writes %s', async (_what, command, bounds, message) => {
    const outcome = await run(sandbox, command, { bounds: { ...roomy, ...bounds }, timeoutMs: 60_000 });
    expect(outcome).toEqual({ kind: 'stopped', because: expect.stringMatching(message) });
    expect(output.length).toBeLessThanOrEqual(1_000_000);
  });

  test('does not let a command raise the limit of its files, and does not stop a command within its limits', async () => {
    const command = 'ulimit -f unlimited || true; head -c 2000000 /dev/zero > file; rm -f file; echo on';
    expect(await run(sandbox, command, { bounds: { ...roomy, bytesPerFile: 1_000_000 } })).toMatchObject({
      kind: 'stopped',
    });
    expect(await run(sandbox, 'head -c 900000 /dev/zero > file', { bounds: roomy })).toEqual({
      kind: 'exited',
      code: 0,
    });
  });

  test('does not run a command on a disk that is nearly full, which is no failure of the command', async () => {
    const outcome = await run(sandbox, 'sleep 60', { bounds: { ...roomy, freeBytes: 1e18 } });
    expect(outcome).toEqual({
      kind: 'failed',
      reason: expect.stringMatching(/^less than \d+ MB are free on this machine/),
    });
  });

  test('ends a command if the process that started it is killed', async () => {
    const marker = `sleep 7${Date.now() % 1_000_000}`;
    const script = scriptThatRuns(sandbox, `echo started; ${marker} & ${marker}`);
    const parentProcess = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => parentProcess.stdout.once('data', resolve));
    expect(await processes()).toContain(marker);
    parentProcess.kill('SIGKILL');
    await until('nothing of it is left', async () => !(await processes()).includes(marker));
  });

  test('ends the background processes of a command with the command', async () => {
    const marker = `sleep 9${Date.now() % 1_000_000}`;
    expect(await run(sandbox, `${marker} & echo done`)).toEqual({ kind: 'exited', code: 0 });
    await until('no process of the command is left', async () => !(await processes()).includes(marker));
  });
});

const startsAll = 'i=0; while [ $i -lt 300 ]; do i=$((i+1)); sleep 50 & done; echo all';
const startsMany = `${startsAll}; wait`;

describe.each(available.filter(({ kind }) => kind === 'plain'))('$kind', ({ sandbox }: { sandbox: Sandbox }) => {
  test('stops a command that has too many processes, without counting other processes of its user', async () => {
    const outcome = await run(sandbox, startsMany, { bounds: { ...roomy, processes: 100 }, timeoutMs: 60_000 });
    expect(outcome).toEqual({ kind: 'stopped', because: 'it has more than 100 processes' });
  });
});

describe.each(isolated)('$kind isolates', ({ sandbox }: { kind: SandboxKind; sandbox: Sandbox }) => {
  test('its processes: a command cannot start more of them than allowed', async () => {
    const outcome = await run(sandbox, startsMany, { bounds: { ...roomy, processes: 100 }, timeoutMs: 60_000 });
    expect(outcome.kind).toBe('exited');
    expect(outcome).not.toEqual({ kind: 'exited', code: 0 });
    expect(output).not.toContain('all');
    // Control: within its bound, the command can start all of them.
    expect(await run(sandbox, startsAll, { bounds: roomy })).toEqual({ kind: 'exited', code: 0 });
    expect(output).toMatch(/all\n$/);
  });
});

describe.each(isolated)('$kind isolates', ({ sandbox }: { kind: SandboxKind; sandbox: Sandbox }) => {
  test('from the network, except its own localhost', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const connect = (host: string, at: number | string): string =>
      `node -e "require('net').connect(${at}, '${host}').on('connect', () => process.exit(0)).on('error', (e) => { console.log(e.code); process.exit(3) })"`;
    expect(await run(sandbox, connect('127.0.0.1', port))).toEqual({ kind: 'exited', code: 3 });
    expect(await run(sandbox, connect('1.1.1.1', 443))).toEqual({ kind: 'exited', code: 3 });
    expect(output).toMatch(/^ECONNREFUSED\nENETUNREACH\n$/);
    expect(await run(sandbox, connect('127.0.0.1', port), { network: true })).toEqual({ kind: 'exited', code: 0 });
    server.close();
  });

  test('equally with the network: names are resolved as on the machine, and files of the machine are hidden', async () => {
    const secret = join(parent, 'secret.txt');
    writeFileSync(secret, 'sesame', { mode: 0o644 });
    const command = `cat ${secret} || echo no file; kill -0 ${process.pid} || echo no process; cat /etc/resolv.conf`;
    await run(sandbox, command, { network: true });
    expect(output).toContain('no file');
    expect(output).toContain('no process');
    expect(output).not.toContain('sesame');
    expect(output.endsWith(readFileSync('/etc/resolv.conf', 'utf8'))).toBe(true);
  });

  test('runs from each other: each has a user of its own if the service is root, and knows its name', async () => {
    for (const _ of [1, 2])
      expect(await run(sandbox, 'id -u; id -un > /dev/null')).toEqual({ kind: 'exited', code: 0 });
    const users = output.trim().split('\n');
    expect([users.length, new Set(users).size]).toEqual([2, readPrivileges().hasOwnUids ? 2 : 1]);
  });

  test('the machine from its memory: nothing can be written outside of the folders of the run', async () => {
    const command =
      'for at in / /dev /usr /etc /opt /run /proc /sys; do ! touch "$at/planted" 2>/dev/null || echo "$at"; done; head -c 300000000 /dev/zero > /dev/shm/file || echo full';
    expect(await run(sandbox, command)).toEqual({ kind: 'exited', code: 0 });
    const hasSizes =
      sandbox.kind === 'namespaces' || execFileSync(bubblewrap.bwrapPath ?? 'bwrap', ['--help']).includes('--size');
    if (hasSizes) expect(output.trim().split('\n').at(-1)).toBe('full');
    expect(output).not.toMatch(/^\//m);
  });

  test('with a writable home and temporary folder, and with the tools', async () => {
    expect(
      await run(
        sandbox,
        'echo x > ~/x && echo x > "$TMPDIR/x" && git --version && node --version && test -w . && test -c /dev/null',
      ),
    ).toEqual({ kind: 'exited', code: 0 });
  });
});

/** The number of this system call, on the architectures that have a filter. */
const keyctl = process.arch === 'x64' ? 250 : 219;

describe.each(isolated)('$kind confines', ({ sandbox }: { kind: SandboxKind; sandbox: Sandbox }) => {
  test('keys: a command does not have those of the session in which the service was started', async () => {
    // Only processes that possess the keyring see this key. The kernel shows other keys to their user too.
    const name = `interlock-${Date.now()}`;
    const session = `
      my @key = ("user", "${name}", "sesame");
      syscall(${keyctl}, 1, 0) > 0 or die "no keyring: $!";
      my $id = syscall(${keyctl - 2}, @key, 6, -3);
      syscall(${keyctl}, 5, $id, 0x3f000000) == 0 or die "no key: $!";
      system("grep -c ${name} /proc/keys");
      exec @ARGV`;
    const script = scriptThatRuns(sandbox, `grep -c ${name} /proc/keys || true`);
    const node = [process.execPath, '--input-type=module', '-e', script];
    expect(execFileSync('perl', ['-e', session, ...node]).toString()).toBe('1\n0\n');
  });

  test('a command without the filter: the command is not run', async () => {
    // The kernel permits about 360 filters for one process.
    const many = `${insideConfine} `.repeat(400);
    expect(await run(sandbox, `${many} echo run`)).toEqual({ kind: 'exited', code: 126 });
    expect(output).toBe('');
  });
});

describe('findSandbox', () => {
  let found: SandboxKind | undefined;
  beforeAll(async () => {
    found = (await findSandbox({ allowPlain: false, ...bubblewrap })).sandbox?.kind;
  });

  test('prefers the stronger kind, and names the kind', async () => {
    expect(found).toBe(isolated[0]?.kind);
    expect(isolated[0]?.sandbox.kind).toBe(isolated[0]?.kind);
  });

  test('without a sandbox allows only a plain process, if that is permitted, and otherwise says what to do', async () => {
    const none = await findSandbox({ allowPlain: false, kinds: ['bubblewrap', 'plain'], bwrapPath: '/nowhere/bwrap' });
    expect([none.sandbox, none.sentence]).toEqual([null, expect.stringContaining('install bubblewrap')]);
    const plain = await findSandbox({ allowPlain: true, kinds: ['bubblewrap', 'plain'], bwrapPath: '/nowhere/bwrap' });
    expect([plain.sandbox?.kind, plain.sentence]).toEqual(['plain', expect.stringContaining('WITHOUT a sandbox')]);
  });

  test('reports a broken wrapper as a failure of the sandbox, not of the command, with any exit code', async () => {
    const { createBubblewrap } = await import('../../src/platform/sandbox/bubblewrap.ts');
    const broken = createBubblewrap(
      { bwrap: '/bin/false', hasSizes: true, setpriv: '/bin/false' },
      { isRoot: false, uid: 1000, gid: 1000, hasOwnUids: false },
    );
    expect(await run(broken, 'true')).toEqual({ kind: 'failed', reason: expect.stringContaining('could not be made') });
  });
});

/**
 * A script for another Node process, which runs the command in the sandbox. The command may inherit the descriptors
 * with which Node was started.
 */
function scriptThatRuns({ kind }: Sandbox, command: string): string {
  const index = new URL('../../src/platform/sandbox/index.ts', import.meta.url).href;
  const wanted = { allowPlain: true, kinds: [kind], ...bubblewrap };
  return `
    const { findSandbox } = await import(${JSON.stringify(index)});
    const { sandbox } = await findSandbox(${JSON.stringify(wanted)});
    await sandbox.run({ command: ${JSON.stringify(command)}, folders: ${JSON.stringify(folders)}, env: {}, timeoutMs: 60000, onOutput: (chunk) => process.stdout.write(chunk) });
    process.exit();`;
}

async function processes(): Promise<string> {
  return await new Promise((resolve) => execFile('ps', ['-eo', 'args'], (_error, stdout) => resolve(stdout)));
}
