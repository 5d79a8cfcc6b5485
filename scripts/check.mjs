// `npm run check` checks format, lint, types, import rules, dead code, and whether generated files are outdated. It
// prints the time of each check.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { compiler, findNode, finish, isHelpShown, prepare, root, seconds, toolEnvironment } from './toolchain.mjs';

const folders = ['src', 'cli', 'action', 'workflows', 'rest-facade', 'test', 'bench', 'github-emulator', 'dashboard'];

export function checks() {
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const typeCache = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/interlock/types.tsbuildinfo'];
  // The longest checks come first, so that at the end no core works alone on a long check.
  const all = [
    { name: 'lint', command: ['oxlint', '--type-aware', '--quiet', '.'], needs: '.oxlintrc.json' },
    {
      name: 'types',
      command: ['node', compiler, '--noEmit', '-p', 'tsconfig.json', ...typeCache],
      needs: 'tsconfig.json',
    },
    {
      name: 'types of the dashboard',
      command: ['node', compiler, '--noEmit', '-p', 'dashboard/tsconfig.json'],
      needs: 'dashboard/tsconfig.json',
    },
    {
      name: 'import rules',
      command: ['depcruise', '--config', '.dependency-cruiser.cjs', ...present],
      needs: '.dependency-cruiser.cjs',
    },
    { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints'], needs: 'knip.json' },
    { name: 'generated files', command: ['node', 'dist/src/generate.js', '--check'], needs: 'dist/src/generate.js' },
    { name: 'format', command: ['biome', 'format', '--reporter=summary', '.'], needs: 'biome.json' },
  ];
  return all.filter(({ needs }) => existsSync(join(root, needs)));
}

/**
 * Runs all checks, as many at a time as there are cores, because most checks use one core. Prints the output of the
 * failed checks, and resolves with their names.
 */
export async function runChecks(node) {
  const waiting = checks();
  const failed = [];
  const runWaiting = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (!(await runCheck(node, next))) failed.push(next.name);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
  return failed;
}

/** Resolves with true when the check passes. */
async function runCheck(node, { name, command: [program, ...args] }) {
  const startedAt = Date.now();
  const child = spawn(program, args, { cwd: root, env: toolEnvironment(node), stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const isPassed = await new Promise((resolve) => {
    child.once('error', (error) => {
      output.push(Buffer.from(`${error.message}\n`));
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
  if (!isPassed) process.stdout.write(Buffer.concat(output));
  console.log(`${name} … ${isPassed ? '' : 'failed, '}${seconds(startedAt)}`);
  return isPassed;
}

async function check() {
  prepare();
  const node = findNode();
  const isBuilt = ensureBuilt(node);
  const failed = await runChecks(node);
  return failed.length === 0 && isBuilt ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const usage = 'Usage: npm run check\n\nChecks format, lint, types, import rules, dead code and generated files.';
  if (!isHelpShown(process.argv.slice(2), usage)) finish(check());
}
