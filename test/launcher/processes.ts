// Runs small programs that a test can kill.
import { execFile, type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The first line of the output, which is JSON. */
  readonly said: Record<string, unknown>;
  /** The output until now. */
  readonly lines: readonly string[];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** A directory that the user of the database can enter too. It is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-launcher-'));
  await chmod(folder, 0o755);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `test/launcher/programs/<name>.ts` and waits for its first line. */
export async function runProgram(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Program> {
  const path = fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${path} did not start.`);
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const first = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      resolve(line);
    });
    exited.then(({ code }) => reject(new Error(`${name} exited with ${code} and said nothing.`)), reject);
  });
  return { child, pid, said: JSON.parse(first) as Record<string, unknown>, lines, exited };
}

/** The ids of the processes whose command line contains `text`. */
export async function processesWith(text: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args='], { maxBuffer: 1 << 24 });
  return stdout
    .split('\n')
    .filter((line) => line.includes(text) && !line.includes('ps -eo'))
    .map((line) => Number.parseInt(line, 10));
}
