// Bundles the programs of Interlock: each program is a few files instead of 3,500, so it starts in half of the time and
// takes less memory (docs/adr/0091-bundled-programs.md).
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './toolchain.mjs';

/** Programs and scripts of threads. They share files. All files are in one folder, where `threadScript` looks for them. */
const sharing = {
  main: 'src/main',
  production: 'src/production',
  demo: 'src/demo',
  verify: 'src/verify',
  doctor: 'src/doctor',
  import: 'src/import',
  recover: 'src/recover',
  backup: 'src/backup',
  restore: 'src/restore',
  export: 'src/export',
  simulate: 'src/simulate',
  cli: 'cli/main',
  'simulation.thread': 'src/modules/queue/api/simulation.thread',
  'parse.thread': 'src/platform/agents/script/parse.thread',
  'syntax.thread': 'src/platform/analysis/syntax.thread',
  'patch.thread': 'src/platform/agents/tools/patch.thread',
};

/** Small programs that share no file: one is copied into sandboxes, the other one must stay small. */
const alone = [{ supervisor: 'src/platform/previews/supervisor' }, { spawner: 'src/platform/spawning/spawner' }];

/**
 * Packages that stay outside of the bundles: they contain native code, find files by their own place, are loaded only
 * when they are needed, or share objects with such a package.
 */
const outside = [
  '@ai-sdk',
  '@modelcontextprotocol',
  '@opentelemetry',
  '@slack',
  '@sparticuz',
  '@temporalio',
  'ai',
  'dockerode',
  'open',
  'pg-native',
  'pino',
  'playwright-core',
  'zod',
];

const isOutside = (id) => outside.some((name) => id === name || id.startsWith(`${name}/`));

/** Bundles the compiled sources in dist/. */
export async function bundlePrograms() {
  const folder = join(root, 'dist', 'programs');
  const written = new Set((await Promise.all([sharing, ...alone].map((entries) => bundle(entries, folder)))).flat());
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (!written.has(name)) rmSync(join(folder, name));
}

/** Returns the names of the files that it has written. Entries that were not compiled are left out. */
async function bundle(entries, folder) {
  const compiled = Object.entries(entries).map(([name, path]) => [name, join(root, 'dist', `${path}.js`)]);
  const input = Object.fromEntries(compiled.filter(([, path]) => existsSync(path)));
  if (Object.keys(input).length === 0) return [];
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input,
    platform: 'node',
    external: isOutside,
    plugins: [withSourceMaps(join(root, 'dist'))],
    onLog(level, log) {
      if (level === 'warn') console.warn(`The programs were bundled with a warning: ${log.message}`);
    },
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    // type-graphql and MikroORM name types and tables by their classes.
    keepNames: true,
    sourcemap: true,
    comments: { annotation: false, jsdoc: false, legal: true },
    // A program that runs during a build still finds the files that it has not loaded yet, and the names in them.
    chunkFileNames: '[name].js',
    minifyInternalExports: false,
  });
  await build.close();
  return output.map(({ fileName }) => fileName);
}

const noMap = { version: 3, sources: [], names: [], mappings: '' };

/**
 * The compiler's maps of our own sources, so that the stack of an error names the lines of the sources. Packages have
 * none: Node reads all maps at the start, and keeps them in memory.
 */
function withSourceMaps(dist) {
  return {
    name: 'source-maps',
    load(id) {
      if (!existsSync(id) || !/\.[cm]?js$/.test(id)) return null;
      const isOurs = id.startsWith(dist) && existsSync(`${id}.map`);
      const map = isOurs ? JSON.parse(readFileSync(`${id}.map`, 'utf8')) : noMap;
      return { code: readFileSync(id, 'utf8'), map };
    },
  };
}
