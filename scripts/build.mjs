// Compiles the sources to dist/, and bundles the programs and the workflows. If no source has changed, the script does nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundlePrograms } from './programs.mjs';
import {
  SetupError,
  compiler,
  findNode,
  finish,
  isHelpShown,
  prepare,
  root,
  runForeground,
  seconds,
  toolEnvironment,
} from './toolchain.mjs';

const sourceFolders = ['src', 'cli', 'workflows', 'rest-facade', 'bench', 'migrations', 'github-emulator', 'dashboard'];
const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', join('scripts', 'programs.mjs')];
const stampFile = join('dist', '.build-stamp.json');

/** Lists each source with its size and time stamp. */
export function listSources(folder = root) {
  const paths = sourceFolders
    .map((name) => join(folder, name))
    .filter(existsSync)
    .flatMap((path) => readdirSync(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const all = [...paths, ...settings.map((name) => join(folder, name)).filter(existsSync)].sort();
  return Object.fromEntries(
    all.map((path) => {
      const { size, mtimeMs } = statSync(path);
      return [relative(folder, path), `${size} ${mtimeMs}`];
    }),
  );
}

export function isBuilt(folder = root) {
  return JSON.stringify(readStamp(folder)) === JSON.stringify(listSources(folder));
}

function readStamp(folder) {
  const path = join(folder, stampFile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

/** Removes the output of deleted sources, because the compiler does not remove it. */
export function removeOrphans(folder, before, now) {
  for (const source of Object.keys(before)) {
    if (source in now || !source.endsWith('.ts')) continue;
    for (const extension of ['.js', '.js.map'])
      rmSync(join(folder, 'dist', source.replace(/\.ts$/, extension)), { force: true });
  }
}

/**
 * Builds if a source has changed, in a new process on the right Node. Returns false if the build failed. Then the build
 * has printed the reason.
 */
export function ensureBuilt(node, { flags = [], output = 'stdout' } = {}) {
  if (isBuilt()) return true;
  const { status } = spawnSync(node, [fileURLToPath(import.meta.url), ...flags], {
    cwd: root,
    env: toolEnvironment(node),
    stdio: ['inherit', output === 'stderr' ? process.stderr.fd : 'inherit', 'inherit'],
  });
  return status === 0;
}

async function build({ keepGoing }) {
  prepare();
  const sources = listSources();
  if (isBuilt()) return;
  const startedAt = Date.now();
  console.log('build: programs, pages and workflows');
  removeOrphans(root, readStamp(root), sources);
  const [compiled] = await Promise.all([compile(), bundlePages()]);
  if (!compiled && !keepGoing) throw new SetupError('The build failed: the sources have type errors.');
  await Promise.all([bundleWorkflows(), compiled ? bundlePrograms() : undefined]);
  mkdirSync(join(root, 'dist'), { recursive: true });
  if (compiled) writeFileSync(join(root, stampFile), JSON.stringify(sources));
  console.log(`build … ${seconds(startedAt)}`);
}

async function compile() {
  return (await runForeground(findNode(), [join(root, compiler), '-p', 'tsconfig.build.json'])) === 0;
}

async function bundleWorkflows() {
  const dist = join(root, 'dist');
  const entry = join(dist, 'workflows', 'index.js');
  if (!existsSync(entry)) return;
  const bundler = await import(pathToFileURL(join(dist, 'src', 'launcher', 'workflow-bundle.js')).href);
  const sources = [join(dist, 'workflows'), join(dist, 'src', 'domain')];
  await bundler.bundleWorkflows({ entry, sources, outFile: join(dist, 'workflow-bundle.js') });
}

// A run of tests sets NODE_ENV to `test`. Pages that are built with this value would contain React for development,
// whose strict mode mounts everything twice and so closes each dialog at once.
async function bundlePages() {
  process.env.NODE_ENV = 'production';
  const graphiql = join(root, 'src', 'graphiql', 'build.mjs');
  const dashboard = join(root, 'dashboard', 'build.mjs');
  if (existsSync(graphiql)) {
    const { buildGraphiql } = await import(pathToFileURL(graphiql).href);
    await buildGraphiql(join(root, 'dist', 'graphiql'));
  }
  if (existsSync(dashboard)) {
    const { buildDashboard } = await import(pathToFileURL(dashboard).href);
    await buildDashboard(join(root, 'dist', 'dashboard'));
  }
}

// `--keep-going`: `npm run generate` writes sources that other sources import, so it must also run if not all sources
// compile.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const usage = 'Usage: npm run build\n\nCompiles what changed to dist/.';
  if (!isHelpShown(process.argv.slice(2), usage)) finish(build({ keepGoing: process.argv.includes('--keep-going') }));
}
