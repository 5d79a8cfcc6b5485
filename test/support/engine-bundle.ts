// Bundles test/support/engine-process.ts into one file for plain node. To compile it in each process would take
// seconds, and the tests start many processes.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { projectRoot } from '../../src/platform/project-root.ts';

const cache = join(projectRoot, 'node_modules', '.cache', 'interlock');

/**
 * Each test run has its own bundle, because several runs may run at once. The bundle is inside of the project, so that
 * it finds its packages.
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
        // The programs in sandboxes of previews and the spawner are separate files beside the bundle.
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
