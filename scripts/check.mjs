// Format, lint, types, import rules, dead code, drift of generated files. Each is reported with its time.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { compiler, findNode, finish, isHelpShown, prepare, root, seconds, toolEnvironment } from './toolchain.mjs';

const folders = ['src', 'cli', 'action', 'workflows', 'rest-facade', 'test', 'bench', 'github-emulator', 'dashboard'];

export function checks() {
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const typeCache = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/interlock/types.tsbuildinfo'];
  const all = [
    { name: 'format', command: ['biome', 'format', '--reporter=summary', '.'], needs: 'biome.json' },
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
  ];
  return all.filter(({ needs }) => existsSync(join(root, needs)));
}

/** Runs all checks, and shows the output of the failed ones. Resolves with the names of the failed ones. */
export function runChecks(node) {
  const failed = [];
  for (const { name, command } of checks()) {
    const startedAt = Date.now();
    const [program, ...args] = command;
    const { status, stdout, stderr, error } = spawnSync(program, args, {
      cwd: root,
      env: toolEnvironment(node),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    if (status !== 0) {
      failed.push(name);
      process.stdout.write(`${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}`);
    }
    console.log(`${name} … ${status === 0 ? '' : 'failed, '}${seconds(startedAt)}`);
  }
  return failed;
}

async function check() {
  prepare();
  const node = findNode();
  const isBuilt = ensureBuilt(node);
  return runChecks(node).length === 0 && isBuilt ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const usage = 'Usage: npm run check\n\nChecks format, lint, types, import rules, dead code and generated files.';
  if (!isHelpShown(process.argv.slice(2), usage)) finish(check());
}
