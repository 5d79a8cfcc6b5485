// Runs a program of Interlock. It builds if sources have changed, and then replaces its own process by the program.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build.mjs';
import {
  SetupError,
  assertNewEnoughToBegin,
  findNode,
  finish,
  nodeFlags,
  prepare,
  root,
  runForeground,
  toolEnvironment,
  versionOf,
} from './toolchain.mjs';

/** Node stores compiled modules in this folder. With them, a second start needs a quarter less CPU for its modules. */
const compileCache = join(root, 'node_modules', '.cache', 'interlock', 'compile-cache');

/**
 * glibc gives threads areas of memory of their own, and each area keeps what was freed in it. With two areas, an idle
 * service takes a tenth less memory.
 */
const mallocAreas = '2';

export const programs = {
  start: 'dist/programs/main.js',
  demo: 'dist/programs/demo.js',
  verify: 'dist/programs/verify.js',
  doctor: 'dist/programs/doctor.js',
  import: 'dist/programs/import.js',
  recover: 'dist/programs/recover.js',
  backup: 'dist/programs/backup.js',
  restore: 'dist/programs/restore.js',
  export: 'dist/programs/export.js',
  simulate: 'dist/programs/simulate.js',
  generate: 'dist/src/generate.js',
  bench: 'dist/bench/main.js',
  'bench:all': 'dist/bench/all.js',
  'bench:planner': 'dist/bench/simulator/main.js',
  'github:emulator': 'dist/github-emulator/main.js',
};

export function programOf(name) {
  if (Object.hasOwn(programs, name ?? '')) return programs[name];
  throw new SetupError(`Unknown program ${name ?? ''}. Use one of ${Object.keys(programs).join(', ')}.`);
}

async function run(name, args) {
  assertNewEnoughToBegin();
  const program = programOf(name);
  prepare();
  const node = findNode();
  // With --json, the standard output contains only JSON.
  const output = args.includes('--json') ? 'stderr' : 'stdout';
  if (!ensureBuilt(node, { flags: name === 'generate' ? ['--keep-going'] : [], output })) return 1;
  const entry = join(root, program);
  if (!existsSync(entry)) throw new SetupError(`The build did not make ${program}.`);
  const argv = ['--enable-source-maps', ...nodeFlags(versionOf(node)), entry, ...args];
  const env = { NODE_COMPILE_CACHE: compileCache, MALLOC_ARENA_MAX: mallocAreas, ...toolEnvironment(node) };
  // If Node supports it, this process becomes the program. So signals and exit codes need not be forwarded, and a kill
  // -9 hits the program itself.
  const isUnderNpm = process.env.npm_lifecycle_event !== undefined;
  if (process.execve) {
    process.removeAllListeners('warning');
    process.execve(node, [node, ...argv], isUnderNpm ? { ...env, INTERLOCK_PARENT: String(process.ppid) } : env);
  }
  return runForeground(node, argv, { env: isUnderNpm ? { ...env, INTERLOCK_PARENT: String(process.pid) } : env });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) finish(run(process.argv[2], process.argv.slice(3)));
