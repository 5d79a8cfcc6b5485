// test/support/engine-process.ts as one file that plain node starts: compiling it in each process of its own costs
// seconds, and the tests start many.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { projectRoot } from '../../src/platform/project-root.ts';

const cache = join(projectRoot, 'node_modules', '.cache', 'interlock');

/**
 * One per test run, so that runs side by side do not take it from each other. Inside the project: it finds its
 * packages.
 */
export async function bundleEngine(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = join(cache, `engine-${process.pid}`);
  await build({
    configFile: false,
    root: projectRoot,
    logLevel: 'error',
    build: {
      ssr: true,
      rollupOptions: {
        // What runs in sandboxes of previews, and what spawns, are files of their own, beside it.
        input: [
          'test/support/engine-process.ts',
          'src/platform/previews/supervisor.ts',
          'src/platform/spawning/spawner.ts',
        ],
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
      target: 'node22',
      minify: false,
      sourcemap: false,
      outDir: folder,
      emptyOutDir: true,
    },
  });
  return {
    path: join(folder, 'engine-process.js'),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}
