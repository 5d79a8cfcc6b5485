// Runs the built programs as users do, each as a process of its own. Reads their output, sends requests and kills them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, type FileHandle, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient, type Client } from '../../src/demo/client.ts';
import { type Access, readAccess } from '../../src/launcher/access.ts';
import { nodeFlags } from '../../src/platform/node-flags.ts';
import { projectRoot } from '../../src/platform/project-root.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface EndedProgram {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Standard output and error output, in the order in which they were written. */
  readonly said: string;
  readonly stderr: string;
}

export interface Program {
  readonly child: ChildProcess;
  said(): string;
  readonly ended: Promise<EndedProgram>;
}

export interface RunningInterlock extends Program {
  readonly access: Access;
  readonly client: Client;
  /** The time from the start of the process until it printed that it is ready. */
  readonly readyAfterMs: number;
}

/** Variables of the person who runs the tests must not choose other servers. */
const ownServers: Environment = {
  DATABASE_URL: undefined,
  TEMPORAL_ADDRESS: undefined,
  INTERLOCK_DATA: undefined,
  INTERLOCK_SECRET: undefined,
  INTERLOCK_PARENT: undefined,
  PORT: undefined,
  NO_COLOR: '1',
};

/** Runs dist/programs/<name>.js with these arguments. */
export function runProgram(name: string, args: readonly string[], env: Environment = {}): Program {
  return startProgram(argumentsOf(name, args), projectRoot, env);
}

function argumentsOf(name: string, args: readonly string[]): string[] {
  return [...nodeFlags(), join(projectRoot, 'dist', 'programs', `${name}.js`), ...args];
}

/** Runs Node with these arguments in a folder. */
export function startProgram(argv: readonly string[], cwd: string, env: Environment = {}): Program {
  return startCommand([process.execPath, ...argv], cwd, env);
}

function startCommand([command = '', ...argv]: readonly string[], cwd: string, env: Environment): Program {
  const child = spawn(command, argv, {
    env: { ...process.env, ...ownServers, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let stderr = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (stream === child.stderr) stderr += text;
    });
  const ended = new Promise<EndedProgram>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, said, stderr }));
  });
  return { child, said: () => said, ended };
}

/** Runs `npm start` on a data directory, and resolves when Interlock is ready. */
export async function startInterlock(
  dataDir: string,
  args: readonly string[] = [],
  env: Environment = {},
): Promise<RunningInterlock> {
  return await whenReady(dataDir, () => runProgram('main', startArguments(dataDir, args), env));
}

function startArguments(dataDir: string, args: readonly string[]): string[] {
  return ['--data', dataDir, '--port', '0', ...args];
}

/** A folder on a file system of its own, which only the programs see that are started here. */
export interface SmallDisk extends AsyncDisposable {
  /** The folder, as this process can reach it. */
  readonly folder: string;
  start(dataDir: string, args: readonly string[], env: Environment): Promise<RunningInterlock>;
  run(name: string, args: readonly string[], env?: Environment): Program;
}

/** Mounts an empty file system of `size` bytes in memory on a folder. */
export async function mountSmallDisk(folder: string, size: number): Promise<SmallDisk> {
  await mkdir(folder, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot ? [] : ['--user', '--map-current-user', '--keep-caps'];
  const mount = 'mount -t tmpfs -o size="$0",mode=777 tmpfs "$1" && echo mounted && exec sleep infinity';
  const holder = spawn('unshare', ['--mount', ...asUser, 'sh', '-c', mount, String(size), folder]);
  await new Promise<void>((resolve, reject) => {
    let refused = '';
    holder.stderr.on('data', (text: Buffer) => (refused += text.toString()));
    holder.stdout.once('data', () => resolve());
    holder.once('error', reject);
    holder.once('close', () => reject(new Error(`The file system could not be mounted: ${refused}`)));
  });
  const target = `--target=${holder.pid}`;
  const inside = (name: string, args: readonly string[]): string[] => [
    ...['nsenter', target, '--mount', ...(isRoot ? [] : ['--user', '--preserve-credentials'])],
    ...[`--wd=${projectRoot}`, process.execPath, ...argumentsOf(name, args)],
  ];
  return {
    folder: join('/proc', String(holder.pid), 'root', folder),
    start: async (dataDir, args, env) =>
      await whenReady(dataDir, () => startCommand(inside('main', startArguments(dataDir, args)), projectRoot, env)),
    run: (name, args, env = {}) => startCommand(inside(name, args), projectRoot, env),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => holder.once('exit', resolve));
      holder.kill('SIGKILL');
      await ended;
    },
  };
}

/** Writes a file until the disk has not one byte left. Returns its path. */
export async function fillDisk(folder: string): Promise<string> {
  const path = join(folder, 'filler');
  await using file = await open(path, 'w');
  for (const size of [2 ** 20, 4_096, 1]) while (await canWrite(file, size));
  return path;
}

async function canWrite(file: FileHandle, size: number): Promise<boolean> {
  try {
    return (await file.write(new Uint8Array(size))).bytesWritten === size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

async function whenReady(dataDir: string, start: () => Program): Promise<RunningInterlock> {
  const startedAt = performance.now();
  const program = start();
  const access = await until(async () => {
    if (program.child.exitCode !== null) throw new Error(`Interlock did not start:\n${program.said()}`);
    // Interlock prints this line after it has written access.json. A file from before a kill -9 is older than this
    // start.
    return program.said().includes('Interlock is ready') ? await readAccess(dataDir) : null;
  });
  return { ...program, access, client: createClient(access), readyAfterMs: performance.now() - startedAt };
}

/** Presses Ctrl-C and waits for the end. */
export async function stopInterlock({ child, ended }: Program): Promise<EndedProgram> {
  child.kill('SIGINT');
  return await ended;
}

/** A directory that the user of the database can enter. The caller removes it. */
export async function dataDirectory(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-'));
  await chmod(folder, 0o755);
  return folder;
}

export async function removeDirectory(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Resolves with the first answer that is neither null nor false. */
export async function until<T>(
  look: () => Promise<T | null | false>,
  { withinMs = 120_000, everyMs = 50 }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs / 1000} s: ${look.toString()}`);
    await delay(everyMs);
  }
}

/** The command lines of all processes that contain `text`. */
export async function processesNaming(text: string): Promise<{ readonly pid: number; readonly command: string }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args='], { maxBuffer: 1 << 24 });
  return stdout
    .split('\n')
    .filter((line) => line.includes(text) && !line.includes('ps -eo'))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+\s+/, '') }));
}

export async function postgresPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
}
