// A small project with copies of the real scripts. Its npm and its compiler are fakes that record how they were called.
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));

const npm = `#!/bin/sh
echo "npm $*" >>"$PROJECT/calls"
[ -z "$NPM_FAILS" ] || exit 1
mkdir -p "$PROJECT/node_modules" && cp "$PROJECT/package-lock.json" "$PROJECT/node_modules/.package-lock.json"
`;

const tsc = `
const { appendFileSync, cpSync, readdirSync, existsSync } = require('node:fs');
appendFileSync(process.env.PROJECT + '/calls', 'tsc\\n');
for (const name of readdirSync('src')) cpSync('src/' + name, 'dist/src/' + name.replace(/\\.ts$/, '.js'));
process.exitCode = existsSync('src/broken.ts') ? 2 : 0;
`;

export interface FinishedProcess {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Project {
  readonly folder: string;
  write(path: string, content: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Runs a script and waits for its end. `nodeFlags` come before the script. */
  start(script: string, args?: readonly string[], options?: StartOptions): ChildProcess;
  run(script: string, args?: readonly string[], options?: StartOptions): Promise<FinishedProcess>;
  calls(): Promise<string[]>;
}

interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly nodeFlags?: readonly string[];
}

export function lock(packages: Record<string, { version: string; optional?: boolean }>): string {
  return JSON.stringify({ lockfileVersion: 3, packages: { '': { version: '0.1.0' }, ...packages } });
}

/** The project is installed with the Node of this process, and is not built. */
export async function project(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-project-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const write = async (path: string, content: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content, { mode: 0o755 });
  };
  await cp(scripts, join(folder, 'scripts'), { recursive: true });
  await write('bin/npm', npm);
  await write('package-lock.json', lock({ 'node_modules/a': { version: '1.0.0' } }));
  await write('node_modules/.package-lock.json', lock({ 'node_modules/a': { version: '1.0.0' } }));
  await write('node_modules/typescript-7/bin/tsc', tsc);
  await symlink(
    fileURLToPath(new URL('../../node_modules/rolldown', import.meta.url)),
    join(folder, 'node_modules', 'rolldown'),
  );
  await mkdir(join(folder, 'node_modules', '.bin'));
  await symlink(process.execPath, join(folder, 'node_modules', '.bin', 'node'));
  await write('calls', '');

  function start(
    script: string,
    args: readonly string[] = [],
    { env = {}, nodeFlags = [] }: StartOptions = {},
  ): ChildProcess {
    return spawn(process.execPath, [...nodeFlags, join(folder, 'scripts', script), ...args], {
      env: {
        ...process.env,
        npm_lifecycle_event: undefined,
        ...env,
        PROJECT: folder,
        PATH: `${folder}/bin:${process.env['PATH']}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  return {
    folder,
    write,
    start,
    remove: (path) => rm(join(folder, path), { recursive: true }),
    run: (script, args, options) => waitForEnd(start(script, args, options)),
    async calls() {
      return (await readFile(join(folder, 'calls'), 'utf8')).split('\n').filter(Boolean);
    },
  };
}

export function waitForEnd(child: ChildProcess): Promise<FinishedProcess> {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (output.stdout += chunk));
  child.stderr?.on('data', (chunk) => (output.stderr += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
}
