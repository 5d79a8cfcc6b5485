// Functions that the other scripts share. These functions run before anything is installed. So they import only Node's
// core modules, and work on any Node from 18 on.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/**
 * The compiler is TypeScript 7, because it takes a third of the CPU of TypeScript 6. Other tools need the API of
 * TypeScript 6.
 */
export const compiler = join('node_modules', 'typescript-7', 'bin', 'tsc');
const floor = [22, 17];
/** The oldest major version of Node that can run these scripts. The scripts install a newer Node. */
const oldestMajor = 18;

/** An error whose message is shown to the user without a stack. */
export class SetupError extends Error {}

/** Installs the packages if node_modules does not have what package-lock.json says. */
export function prepare(folder = root) {
  assertNewEnoughToBegin();
  if (isInstalled(folder)) return;
  const startedAt = Date.now();
  console.log('packages: npm ci');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (npm.error) throw new SetupError(`npm cannot be run (${npm.error.message}). Install npm, then try again.`);
  if (npm.status !== 0) throw new SetupError('npm ci failed. Read its lines above, then run npm ci again.');
  console.log(`packages … ${seconds(startedAt)}`);
}

/**
 * Throws if Node is too old for these scripts. Without this check, a script would fail in the middle at a function that
 * an old Node does not have.
 */
export function assertNewEnoughToBegin() {
  const [major] = process.version.replace(/^v/, '').split('.').map(Number);
  if (major < oldestMajor)
    throw new SetupError(
      `Node ${process.version} is too old to begin with. Install Node ${oldestMajor} or newer, then try again.`,
    );
}

/** Prints the help if the arguments ask for help, and returns whether they do. */
export function isHelpShown(args, usage) {
  if (!args.includes('--help') && !args.includes('-h')) return false;
  console.log(usage);
  return true;
}

/**
 * Whether the packages of the lock file are installed. Compares time stamps first, and versions if they differ, because
 * a checkout gives the lock file a new time stamp without a change.
 */
export function isInstalled(folder = root) {
  const lockFile = join(folder, 'package-lock.json');
  const installedFile = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  if (statSync(installedFile).mtimeMs >= statSync(lockFile).mtimeMs) return true;
  const wanted = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '' || (optional && !installed[path])) return true;
    return installed[path]?.version === version;
  });
}

/**
 * Returns the path of a Node that is new enough. It is the installed Node, or otherwise the Node that runs this script.
 */
export function findNode(folder = root) {
  const bundled = join(folder, 'node_modules', '.bin', 'node');
  if (existsSync(bundled) && (isThisNode(bundled) || isNewEnough(versionOf(bundled)))) return bundled;
  if (isNewEnough(process.version)) return process.execPath;
  throw new SetupError(
    `Node ${process.version} is too old, and npm has none for this machine. Install Node ${floor.join('.')} or newer, then try again.`,
  );
}

export function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > floor[0] || (major === floor[0] && minor >= floor[1]);
}

function isThisNode(path) {
  return realpathSync(path) === realpathSync(process.execPath) && isNewEnough(process.version);
}

/** The flags of a program of Interlock. src/platform/node-flags.ts says why, and a test compares the two. */
export function nodeFlags(version) {
  const flagsOfNode24 = [
    '--no-concurrent-sparkplug',
    '--no-maglev-build-code-on-background',
    '--no-maglev-deopt-data-on-background',
  ];
  return ['--disable-warning=ExperimentalWarning', ...(version.startsWith('v24.') ? flagsOfNode24 : [])];
}

// Runs Node to learn its version. This also shows whether it runs on this machine: the package for another libc may be
// installed, but does not start.
export function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() || 'v0.0.0';
}

/**
 * Runs a command in the foreground, and resolves with its exit code. A terminal sends Ctrl-C to the whole process
 * group, so it reaches the child without help. A signal that is sent only to this process is forwarded.
 */
export function runForeground(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
  const pass = (signal) => {
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const name of signals) process.off(name, pass);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** The environment with the installed programs first in PATH, so that children run on the right Node. */
export function toolEnvironment(node, folder = root) {
  return { ...process.env, PATH: `${dirname(node)}:${join(folder, 'node_modules', '.bin')}:${process.env.PATH ?? ''}` };
}

export function seconds(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** Ends a script with its exit code. If the user can solve a failure, prints only its message. */
export function finish(work) {
  work.then(
    (code) => {
      process.exitCode = code ?? 0;
    },
    (error) => {
      console.error(error instanceof SetupError ? error.message : error);
      process.exitCode = 1;
    },
  );
}
