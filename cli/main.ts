// The program `interlock`. It connects the command line to the streams and signals of this process.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import open from 'open';
import { nodeFlags } from '../src/platform/node-flags.ts';
import type { Io, ProgramName } from './output/io.ts';
import { run } from './run.ts';

const programFiles: Readonly<Record<ProgramName, string>> = {
  start: 'main.js',
  import: 'import.js',
  recover: 'recover.js',
  backup: 'backup.js',
  restore: 'restore.js',
  export: 'export.js',
  verify: 'verify.js',
  doctor: 'doctor.js',
};

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/**
 * Runs a program of the package. If Node supports `execve`, this process becomes the program, so that signals and exit
 * codes need not be forwarded.
 */
async function runProgram(name: ProgramName, args: readonly string[]): Promise<number> {
  const file = fileURLToPath(new URL(`../programs/${programFiles[name]}`, import.meta.url));
  const argv = [...nodeFlags(), file, ...args];
  const env = { ...process.env, INTERLOCK_CALLED_AS: 'interlock' };
  if (process.execve) {
    process.removeAllListeners('warning');
    return process.execve(process.execPath, [process.execPath, ...argv], env);
  }
  const child = spawn(process.execPath, argv, { env, stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

const interrupted = new AbortController();
// The listener is removed after the first Ctrl-C, so a second Ctrl-C ends the process at once.
process.once('SIGINT', () => interrupted.abort());
const argv = process.argv.slice(2);
// A reader such as `head` may close the output early. Then the command ends without a failure. With `--wait` it goes on,
// because its exit code says how the wait ended.
const isWaiting = argv.includes('--wait');
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!isWaiting) process.exit(0);
  });

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interrupted.signal,
  openPage: async (url) => void (await open(url)),
  runProgram,
};

process.exitCode = await run(argv, io, { version });
