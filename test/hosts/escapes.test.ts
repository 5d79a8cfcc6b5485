// A command cannot leave its sandbox. All probes of the table run in one start of each sandbox, and once outside, where
// each gets out. Bounds and what a sandbox must provide are in sandbox.test.ts.
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSandbox, makeRunFolders, type Sandbox, type SandboxKind } from '../../src/platform/sandbox/index.ts';
import { resolveBubblewrap } from '../support/bubblewrap.ts';
import { escapes, type Escape } from './escapes.table.ts';

const isRoot = process.getuid?.() === 0;
const bubblewrap = await resolveBubblewrap();
const kinds = await Promise.all(
  (['bubblewrap', 'namespaces'] as const).map(async (kind) => ({
    kind,
    sandbox: (await findSandbox({ allowPlain: false, kinds: [kind], ...bubblewrap })).sandbox,
  })),
);
const available = kinds.flatMap(({ kind, sandbox }) => (sandbox === null ? [] : [{ kind, sandbox }]));
/** As another user than root, some ways are closed outside too. There a test would prove nothing. */
const rows = escapes.filter(({ asRoot }) => isRoot || asRoot === undefined);

/** What a probe exited with, and what it said. */
interface Probed {
  readonly code: number;
  readonly said: string;
}

let machine: Machine;
let outside: readonly Probed[];
beforeAll(async () => {
  machine = await prepareMachine();
  const checkout = join(machine.parent, 'outside');
  mkdirSync(checkout);
  writeProbes(checkout, ({ probe, control }) => (control === undefined ? probe : `${control}\n${probe}`));
  const env = { ...machine.env, FIRST: machine.env['SIBLING'], PATH: process.env['PATH'] };
  await promisify(execFile)('sh', ['-c', runAll], { cwd: checkout, env, timeout: 120_000 });
  outside = readProbes(checkout);
}, 180_000);
afterAll(() => machine[Symbol.dispose]());

describe.each(available)(
  'a command in the sandbox $kind cannot',
  ({ sandbox }: { kind: SandboxKind; sandbox: Sandbox }) => {
    let inside: readonly Probed[];
    beforeAll(async () => {
      const folders = await makeRunFolders(mkdtempSync(join(machine.parent, 'run-')));
      writeProbes(folders.checkout, ({ probe }) => probe);
      const settings = {
        folders,
        env: { ...machine.env, FIRST: '1' },
        timeoutMs: 120_000,
        network: false,
        isKept: true,
      };
      const outcome = await sandbox.run({ ...settings, command: runAll, onOutput: () => {} });
      if (outcome.kind !== 'exited' || outcome.code !== 0) throw new Error(JSON.stringify(outcome));
      inside = readProbes(folders.checkout);
    }, 180_000);

    it.each(rows.map(({ what }, at) => ({ what, at })))('$what', ({ at }) => {
      expect(outside[at], 'Control: outside of a sandbox, the probe gets out.').toMatchObject({ code: 0 });
      expect(inside[at]?.code).not.toBe(0);
      // 3: the probe could not be tried. 124: it took too long. 127: a program is missing.
      expect([3, 124, 127], inside[at]?.said).not.toContain(inside[at]?.code);
    });

    it('leave anything behind: no probe has changed a file of the machine', () => {
      expect(readFileSync(machine.target, 'utf8')).toBe('planted\n');
    });
  },
);

const runAll =
  'for probe in probe-*.sh; do code=0; timeout 20 sh "$probe" > "$probe.said" 2>&1 || code=$?; echo "$code" > "$probe.code"; done';

function nameOf(at: number): string {
  return `probe-${String(at).padStart(2, '0')}.sh`;
}

function writeProbes(checkout: string, scriptOf: (row: Escape) => string): void {
  for (const [at, row] of rows.entries()) writeFileSync(join(checkout, nameOf(at)), `${scriptOf(row)}\n`);
  symlinkSync(machine.secret, join(checkout, 'link-to-file'));
  symlinkSync(machine.folder, join(checkout, 'link-to-folder'));
  symlinkSync(machine.target, join(checkout, 'link-to-target'));
}

function readProbes(checkout: string): readonly Probed[] {
  const read = (name: string): string => readFileSync(join(checkout, name), 'utf8');
  return rows.map((_, at) => ({ code: Number(read(`${nameOf(at)}.code`)), said: read(`${nameOf(at)}.said`) }));
}

/** What a command could find on the machine: files, a process of the service, memory, and servers. */
interface Machine extends Disposable {
  readonly parent: string;
  readonly folder: string;
  readonly secret: string;
  /** A file that only the control writes. */
  readonly target: string;
  readonly env: Readonly<Record<string, string>>;
}

async function prepareMachine(): Promise<Machine> {
  const parent = mkdtempSync(join(tmpdir(), 'interlock-escapes-'));
  const folder = join(parent, 'of-the-machine');
  mkdirSync(folder);
  const [secret, target] = [join(folder, 'secret.txt'), join(folder, 'target.txt')];
  writeFileSync(secret, 'sesame\n');
  writeFileSync(target, '');
  const mark = `interlock-escapes-${process.pid}`;
  const sibling = spawn('sleep', ['600'], {
    argv0: mark,
    cwd: '/',
    env: { ...process.env, SECRET_OF_SERVICE: 'sesame' },
  });
  const shared = join('/dev/shm', mark);
  writeFileSync(shared, 'sesame\n');
  const key = String(0x494c0000 + (process.pid % 0x10000));
  const segment = execFileSync('perl', ['-e', `print shmget(${key}, 64, 0666 | 01000) // die $!`]).toString();
  const abstract = `${mark}-socket`;
  const path = join(folder, 'socket');
  const tcp = await listen({ port: 0, host: '127.0.0.1' });
  const servers = [tcp, await listen({ path }), await listen({ path: `\0${abstract}` })];
  return {
    ...{ parent, folder, secret, target },
    env: {
      ...{ SECRET: secret, SIBLING: String(sibling.pid), MARK: mark, SHARED: mark, SEGMENT: key },
      ...{ PORT: String((tcp.address() as AddressInfo).port), SOCKET: path, ABSTRACT: abstract },
    },
    [Symbol.dispose]: () => {
      for (const server of servers) server.close();
      endMachine(sibling, segment);
      rmSync(shared);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

function endMachine(sibling: ChildProcess, segment: string): void {
  sibling.kill('SIGKILL');
  execFileSync('ipcrm', ['-m', segment]);
}

async function listen(at: { port: number; host: string } | { path: string }): Promise<Server> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, resolve);
  });
  return server;
}
